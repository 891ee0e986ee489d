const config = require('./jest.config.cjs');

const [noEngine, engine] = config.projects;

/**
 * What `npm test` runs: tests of a folder share what they load, such as n8n, which takes longer than most
 * files take to run. Each file runs alone as well: `npx jest test/engine/pages/crawl`.
 */
module.exports = {
	...config,
	projects: [
		{
			...noEngine,
			testMatch: [
				'<rootDir>/test/unit/together/*.mts',
				// On virtual time, or with pages that need much memory
				'<rootDir>/test/unit/**/*.alone.test.mts',
			],
		},
		{
			...engine,
			testMatch: ['<rootDir>/test/engine/together/!(together).mts'],
		},
	],
};
