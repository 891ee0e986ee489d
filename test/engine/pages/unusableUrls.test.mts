import type { IDataObject } from 'n8n-workflow';

import { CONTINUE, CONTINUE_WITH_ERRORS, RETRY } from '../support/nodeSettings.mts';
import { detailsOf, outcomesOf, usePages } from './pageOpener.mts';

const { opener } = usePages();

const privateProxies = () => opener('dpsPerIp', 'DPS');

/** Each an item of its own, between pages that can be opened. */
const UNUSABLE: IDataObject[] = [
	{ url: '' },
	{ url: null },
	{},
	{ url: 'mailto:me@example.com' },
	{ url: 'ftp://example.com/' },
	{ url: 'https://' },
	{ url: 'the page' },
	{ url: 12 },
	{ url: { href: 'https://example.com/' } },
];

it('items with a URL that cannot be used come out beside the pages', async () => {
	const me = privateProxies();
	const links = [{ url: me.page('/article/1') }, ...UNUSABLE, { url: me.page('/article/2') }];
	const items = links.map((link, id) => ({ ...link, id }));
	const { items: out, error, hints } = await me.open(items);
	expect(error).toBeUndefined();
	expect(out.map(({ json }) => json.id)).toEqual(items.map(({ id }) => id));
	expect(out.map(outcomesOf)).toEqual(['opened 200', ...UNUSABLE.map(() => ''), 'opened 200']);
	for (const item of out.slice(1, -1)) {
		const { url, attempts, error: reason } = detailsOf(item);
		expect([url, attempts]).toEqual(['', []]);
		expect(reason).toMatch(/^'URL' (?:is|can't be) .+\. Allowed: the full address of a page/);
		expect(item.json.data).toBe('');
	}
	expect(detailsOf(out[4]).error).toContain('"mailto:me@example.com"');
	expect(me.extracted).toBe(2);
	expect(hints[0].message).toMatch(
		/^2 of 11 pages were opened: 9 without a URL that can be used\./,
	);
});

it('for nothing but such items, nothing is asked for', async () => {
	const me = privateProxies();
	me.sandbox.log.clear();
	const { error } = await me.open(UNUSABLE);
	expect(error?.message).toBe("'URL' is empty [item 0]");
	expect(error?.description).toMatch(
		/ 0 of 9 pages were opened: 9 without a URL that can be used\.$/,
	);
	const { items } = await me.open(UNUSABLE, {}, { settings: CONTINUE });
	expect(items).toHaveLength(UNUSABLE.length);
	expect(me.sandbox.log.entries()).toEqual([]);
});

it('in a session, the pages after such an item are opened', async () => {
	const me = privateProxies();
	const links = [{ url: me.page('/article/1') }, {}, { url: me.page('/article/2') }];
	const { items } = await me.open(links, { sessionKey: 'anna' });
	expect(items.map(outcomesOf)).toEqual(['opened 200', '', 'opened 200']);
	expect(me.extracted).toBe(1);
});

it.each<[string, IDataObject, IDataObject, RegExp]>([
	['where failed pages are errors', { failedPages: 'error' }, {}, /^'URL' is empty \[item 1\]$/],
	['with another field that is wrong', {}, { tries: 99 }, /^'Max Attempts' can't be 99/],
	['with a field that it would replace', {}, { data: 'mine' }, /^'Output Field' can't be "data"/],
])('such an item ends the run %s', async (_what, fields, more, message) => {
	const me = privateProxies();
	const links = [
		{ url: me.page('/article/1'), tries: 3 },
		{ url: '', tries: 3, ...more },
	];
	const { items, error } = await me.open(links, { maxAttempts: '={{ $json.tries }}', ...fields });
	expect(items).toEqual([]);
	expect(error?.message).toMatch(message);
	expect(me.extracted).toBe(0);
});

it('where failed pages are errors, such an item fails for itself where the others go on', async () => {
	const me = privateProxies();
	const links = [{ url: me.page('/article/1') }, { url: '' }];
	const { items, errorItems } = await me.open(
		links,
		{ failedPages: 'error' },
		{ settings: CONTINUE_WITH_ERRORS },
	);
	expect(items.map(outcomesOf)).toEqual(['opened 200']);
	expect(errorItems[0].json.error).toContain("'URL' is empty");
});

describe('several addresses in an item', () => {
	it('become items that have theirs, linked to it and in order', async () => {
		const me = privateProxies();
		const slow = me.page('/slow?ms=500');
		const urls = [slow, me.page('/status/404'), '/list', me.page('/article/2')];
		const { items, error, hints } = await me.open([
			{ url: me.page('/article/0'), id: 0 },
			{ url: urls.join('\n'), id: 1 },
			{ url: [me.page('/article/3')], id: 2 },
		]);
		expect(error).toBeUndefined();
		expect(items.map(({ json, pairedItem }) => [json.id, json.url, pairedItem])).toEqual([
			[0, me.page('/article/0'), { item: 0 }],
			...urls.map((url) => [1, url, { item: 1 }]),
			[2, me.page('/article/3'), { item: 2 }],
		]);
		expect(items.map((item) => detailsOf(item).error?.split(/[.:]/)[0])).toEqual([
			undefined,
			undefined,
			'The page answered with status 404',
			"'URL' is an address without a site",
			undefined,
			undefined,
		]);
		expect(items[2].json.data).toBe('');
		expect(hints[0].message).toMatch(
			/^4 of 6 pages were opened: 1 with status 404, 1 without a URL that can be used\./,
		);
	});

	it('fail each for itself where failed pages are errors', async () => {
		const me = privateProxies();
		const url = [me.page('/article/1'), '/list', me.page('/article/2')];
		const { items, errorItems } = await me.open(
			[{ url }],
			{ failedPages: 'error' },
			{ settings: CONTINUE_WITH_ERRORS },
		);
		expect(items.map(({ json }) => json.url)).toEqual([url[0], url[2]]);
		expect(errorItems.map(({ json }) => json.error)).toEqual([
			expect.stringContaining('an address without a site'),
		]);
	});

	it('are opened once each, whatever Retry On Fail repeats', async () => {
		const me = privateProxies();
		me.sandbox.pages.faults.add({ status: 404, path: '/article/2', times: 1 });
		const url = [1, 2, 3].map((page) => me.page(`/article/${page}`));
		const fields = { failedPages: 'error', options: { pagesAtATime: 1 } };
		const { items } = await me.open([{ url }], fields, { settings: RETRY });
		expect(items.map(({ json }) => json.url)).toEqual(url);
		expect(me.visits.map((visit) => new URL(visit.url).pathname)).toEqual(
			[1, 2, 2, 3].map((page) => `/article/${page}`),
		);
	});

	it('share a session', async () => {
		const me = privateProxies();
		const url = ['/cookies/set?cookie=a%3D1', '/cookies'].map((path) => me.page(path));
		const { items } = await me.open([{ url }], { sessionKey: 'anna' });
		expect(items.map(({ json }) => json.data)).toEqual([{ a: '1' }, { a: '1' }]);
	});
});
