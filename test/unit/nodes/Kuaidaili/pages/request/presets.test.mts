import { pageCrawl } from '../../../../../../nodes/Kuaidaili/actions/page/crawl.operation.ts';
import { pageOpen } from '../../../../../../nodes/Kuaidaili/actions/page/open.operation.ts';
import type { Operation } from '../../../../../../nodes/Kuaidaili/run/operation.ts';

/** Switches and numbers as the editor adds them: the preset, the least, and the most. */
function added({ properties }: Operation): Record<string, unknown[]> {
	const members = properties.flatMap(({ options = [] }) => options);
	return Object.fromEntries(
		members.flatMap((one) => {
			if (!('type' in one) || (one.type !== 'boolean' && one.type !== 'number')) return [];
			const { minValue, maxValue } = one.typeOptions ?? {};
			const limits = one.type === 'number' ? [minValue, maxValue] : [];
			return [[one.name, [one.default, ...limits]]];
		}),
	);
}

const OF_BOTH = {
	mainContent: [true],
	includeLinks: [true],
	simplify: [true],
	skipOpened: [true],
	maxAttempts: [3, 1, 10],
	attemptTimeout: [15, 0.5, 600],
	pagesAtATime: [5, 1, 100],
	requestsPerSecond: [5, 0.01, 1000],
	pagesPerProxy: [1, 0, 100_000],
	reuse: [true],
	maxExtractionsPerRun: [1000, 0, 1_000_000],
	maxPageSize: [10, 1, 500],
	allowUnauthorizedCerts: [true],
};

it.each<[string, Operation, Record<string, unknown[]>]>([
	['Open', pageOpen, { maxNextPages: [10, 1, 100_000] }],
	[
		'Crawl',
		pageCrawl,
		{
			maxPages: [100, 1, 100_000],
			maxDepth: [1, 1, 1000],
			respectRobots: [true],
			sameSite: [true],
		},
	],
])('the switches and numbers of Page: %s are as the editor adds them', (_name, operation, own) => {
	expect(added(operation)).toEqual({ ...OF_BOTH, ...own });
});
