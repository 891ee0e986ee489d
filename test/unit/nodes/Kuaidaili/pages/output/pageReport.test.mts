import {
	describeFailures,
	describeRun,
} from '../../../../../../nodes/Kuaidaili/pages/output/pageReport.ts';
import {
	isPageStatus,
	pageStatusOf,
} from '../../../../../../nodes/Kuaidaili/pages/output/pageStatus.ts';
import { open } from '../run/fakePages.mts';

const NO_PROXIES = { extracted: 0, counted: 0, unused: 0, reused: 0, failed: 0 };
const ALL = { total: 30, opened: 28, failures: [['blocked', 2]], unseen: 0 } as const;
const ONE = { total: 1, opened: 1, failures: [], unseen: 0 };

it.each<
	[string, Parameters<typeof describeRun>[0], Partial<typeof NO_PROXIES> & { left?: string }]
>([
	['Opened 1 of 1 page.', ONE, {}],
	['Opened 28 of 30 pages. Not opened: 2 blocked.', ALL, {}],
	[
		'Opened 28 of 30 pages. Not opened: 2 blocked. 33 proxies were extracted (1.18 per page), 4 of them not used, 2 reused, 3 failed, 940 are left.',
		ALL,
		{ extracted: 33, counted: 33, unused: 4, reused: 2, failed: 3, left: '940 are left' },
	],
	['Opened 1 of 1 page. 1 proxy was extracted.', ONE, { extracted: 1, counted: 1 }],
	['Opened 1 of 1 page. 1 proxy was extracted, not used.', ONE, { extracted: 1, unused: 1 }],
	['Opened 1 of 1 page. 1 proxy was reused.', ONE, { reused: 1, counted: 0 }],
	['Opened 1 of 1 page. 2 proxies were reused, 1 failed.', ONE, { reused: 2, failed: 1 }],
	['Opened 1 of 1 page.', ONE, { failed: 1, left: '940 are left' }],
	[
		'Opened 1 of 1 page, and 1 without an item, such as robots.txt. 1 proxy was extracted (0.5 per page).',
		{ ...ONE, unseen: 1 },
		{ extracted: 1, counted: 1 },
	],
	[
		'Opened 900 of 900 pages. 3 proxies were extracted (<0.01 per page).',
		{ ...ONE, total: 900, opened: 900 },
		{ extracted: 3, counted: 3 },
	],
])('a run is told as: %s', (told, pages, proxies) => {
	expect(describeRun(pages, { ...NO_PROXIES, ...proxies })).toBe(told);
});

it('failures of items that come out are told, each kind once and the most frequent first', () => {
	const page = (failure: string, kind = 'result', error: unknown = new Error(`of ${failure}`)) => ({
		...{ failure, error, outcome: { kind } },
	});
	const opened = { failure: 'opened', error: undefined, outcome: { kind: 'result' } };
	const pages = [opened, undefined, page('timeout'), page('status 404', 'error'), page('blocked')];
	expect(
		describeFailures([...pages, page('blocked'), { ...page('unseen'), outcome: undefined }]),
	).toEqual(["2 pages with 'blocked', such as: of blocked", "1 page with 'timeout': of timeout"]);
});

describe('the status of a page', () => {
	it.each<[string, Parameters<typeof open>]>([
		['status 400', [{}, () => ({ status: 400 })]],
		['redirects lead nowhere', [{}, () => ({ status: 302, headers: { location: 'http://' } })]],
		['blocked', [{}, () => ({ status: 403 })]],
		['order busy', [{ maxAttempts: 1 }, () => ({ status: 440, body: 'Bandwidth Over Limit' })]],
		['not tried: no proxies left', [{}, () => ({}), 0]],
		['opened', [{}, () => ({})]],
	])('is %s', async (status, opening) => {
		expect(pageStatusOf(await open(...opening), {})).toBe(status);
		expect(isPageStatus(status)).toBe(true);
	});

	it('is none that the user made', () => {
		const made: unknown[] = [
			undefined,
			7,
			'',
			'Opened',
			'status',
			'status 40',
			'status 4040',
			'new',
		];
		expect(made.map(isPageStatus)).toEqual(made.map(() => false));
	});
});
