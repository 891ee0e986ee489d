/** The libraries for HTML come as ES modules only. */
const ES_MODULES = [
	'@exodus/bytes|boolbase|css-select|css-what|dom-serializer|domelementtype|domhandler|domutils|entities|htmlparser2|nth-check|parse5|parse5-htmlparser2-tree-adapter',
].join('|');

const shared = {
	testEnvironment: 'node',
	// Packages that a check unpacks while tests run
	modulePathIgnorePatterns: ['<rootDir>/.cache/'],
	moduleFileExtensions: ['mts', 'ts', 'mjs', 'cjs', 'js', 'json'],
	// As in the bundle
	moduleNameMapper: { '^tldts$': '<rootDir>/scripts/publicSuffixes.mjs' },
	transformIgnorePatterns: [`/node_modules/(?!(?:${ES_MODULES})/)`],
	transform: {
		[`^.+\\.m?ts$|/scripts/[^/]+\\.mjs$|/node_modules/(?:${ES_MODULES})/.+\\.js$`]: [
			'@swc/jest',
			{
				jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
				module: { type: 'commonjs' },
			},
		],
	},
};

/** Folders of tests that do without n8n's engine, and hardly wait. */
const WITHOUT_ENGINE = ['unit', 'operations', 'docs', 'sandbox', 'bench', 'e2e'];
/** What measures real time is run alone, after all others. */
const TIMING = ['timing'];

/** Before n8n's engine is loaded, which reads them once. */
const ENGINE_SETTINGS = '<rootDir>/test/engine/support/environment.mts';

const testsIn = (folder) => `<rootDir>/test/${folder}/**/*.test.mts`;

/** @type {import('jest').Config} */
module.exports = {
	// As no test waits for long, more workers than processors would only get in each other's way
	maxWorkers: '100%',
	// Each test file loads n8n anew, and leaves some of it behind
	workerIdleMemoryLimit: '1GB',
	testSequencer: '<rootDir>/test/slowFirst.cjs',
	// A busy machine may be twenty times slower than a quiet one, on which tests take up to ten seconds
	testTimeout: 240_000,
	projects: [
		{
			...shared,
			displayName: 'no-engine',
			testMatch: WITHOUT_ENGINE.map(testsIn),
			setupFilesAfterEnv: ['<rootDir>/test/seededProperties.mts'],
		},
		{
			...shared,
			displayName: 'engine',
			testMatch: [testsIn('*')],
			testPathIgnorePatterns: [`<rootDir>/test/(${[...WITHOUT_ENGINE, ...TIMING].join('|')})/`],
			globalSetup: '<rootDir>/test/requireFreshBuild.mjs',
			setupFilesAfterEnv: [ENGINE_SETTINGS, '<rootDir>/test/virtualTime.mts'],
		},
		{
			...shared,
			displayName: 'timing',
			testMatch: TIMING.map(testsIn),
			globalSetup: '<rootDir>/test/requireFreshBuild.mjs',
			setupFilesAfterEnv: [ENGINE_SETTINGS],
		},
	],
};
