const { join } = require('node:path');

const config = require('../../jest.together.config.cjs');

const own = {
	rootDir: join(__dirname, '../..'),
	testEnvironment: '<rootDir>/test/mutants/environment.cjs',
};

/** What `npm test` runs, with the mistakes of `npm run test:mutants`. */
module.exports = {
	...config,
	rootDir: own.rootDir,
	testSequencer: '<rootDir>/test/mutants/unitsFirst.cjs',
	projects: config.projects.map((project) => ({ ...project, ...own })),
};
