const config = require('./jest.config.cjs');

const [noEngine, engine] = config.projects;

/**
 * What `npm test` runs: the engine's tests of a folder share one n8n, which takes longer to load than most
 * files take to run. Each file runs alone as well: `npx jest test/engine/pages/crawl`.
 */
module.exports = {
	...config,
	projects: [
		noEngine,
		{
			...engine,
			testMatch: [
				'<rootDir>/test/engine/together/!(together).mts',
				'<rootDir>/test/properties/*.test.mts',
			],
		},
	],
};
