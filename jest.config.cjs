/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: 'node',
	// Concurrent tests wait for the pace of calls rather than for the processor
	maxConcurrency: 24,
	globalSetup: '<rootDir>/test/requireFreshBuild.mjs',
	testMatch: ['<rootDir>/test/**/*.test.mts'],
	moduleFileExtensions: ['mts', 'ts', 'mjs', 'cjs', 'js', 'json'],
	transform: {
		'^.+\\.m?ts$': [
			'@swc/jest',
			{
				jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
				module: { type: 'commonjs' },
			},
		],
	},
};
