const { join } = require('node:path');

const { projects: alone } = require('../../jest.config.cjs');
const config = require('../../jest.together.config.cjs');

const own = {
	rootDir: join(__dirname, '../..'),
	testEnvironment: '<rootDir>/test/mutants/environment.cjs',
};

const [units] = alone;
const [, engine] = config.projects;

/** What `npm test` runs, with the mistakes of `npm run test:mutants`. Units by file: those nearest to a mistake come first. */
module.exports = {
	...config,
	rootDir: own.rootDir,
	testSequencer: '<rootDir>/test/mutants/unitsFirst.cjs',
	projects: [units, engine].map((project) => ({ ...project, ...own })),
};
