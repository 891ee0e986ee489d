import type { IDataObject } from 'n8n-workflow';

import type { ProxyStatus } from '../../../sandbox/forwarding/statuses.mts';
import type { PageFault } from '../../../sandbox/sandbox.mts';
import { Customer, picked } from '../support/customer.mts';
import { CONTINUE, CONTINUE_WITH_ERRORS, RETRY } from '../support/runSettings.mts';
import { detailsOf, outcomesOf, type PageOpener, usePages } from './pageOpener.mts';

const { bed, opener, me } = usePages();

const tunnel = () => opener('tps', 'TPS');

/** The site does that to the next visitors. */
function siteDoes(me: PageOpener, fault: PageFault): void {
	me.sandbox.pages.faults.add(fault);
}

describe('a page comes through another proxy', () => {
	it.each<[string, PageFault, string]>([
		['blocks one with 403', { kind: 'status', status: 403, times: 1 }, 'blocked 403'],
		['shows a wall in place of it', { kind: 'captcha', times: 1 }, 'blocked 200'],
		['is in trouble once', { kind: 'status', status: 503, times: 1 }, 'status 503'],
		['ends in the middle once', { kind: 'halfBody', times: 1 }, 'proxyFailed 200'],
	])('when the site %s', async (_what, fault, outcome) => {
		siteDoes(me, fault);
		const { items, error } = await me.open([me.page('/article')]);
		expect(error).toBeUndefined();
		expect(outcomesOf(items[0])).toBe(`${outcome}, opened 200`);
		const [first, second] = detailsOf(items[0]).attempts;
		expect(second.proxy).not.toBe(first.proxy);
		expect(JSON.stringify(first)).not.toContain('reason');
		expect(me.extracted).toBe(2);
	});

	it.each<[string, PageFault, IDataObject]>([
		['has a captcha', { kind: 'captcha', times: 1 }, { contains: 'CAPTCHA' }],
		['lacks what every page has', { kind: 'captcha', times: 1 }, { lacks: 'harbor' }],
		['redirects to a check', { kind: 'verify', times: 1 }, { redirectedTo: '/verify' }],
	])('when the page %s', async (_what, fault, retryIf) => {
		siteDoes(me, fault);
		const { items } = await me.open([me.page('/article')], { retryIf });
		expect(outcomesOf(items[0])).toMatch(/^blocked \d+, opened 200$/);
	});

	it.each<[ProxyStatus, 'body' | 'statusLine', 'http' | 'https', string]>([
		[454, 'body', 'http', 'proxyExpired 454'],
		[515, 'statusLine', 'http', 'proxyFailed 515'],
		[454, 'body', 'https', 'proxyExpired 454'],
	])('when a proxy answers with %i, its words in %s, over %s', async (...row) => {
		const [status, words, scheme, outcome] = row;
		const form = words === 'body' ? undefined : words;
		const { orderId } = me;
		me.sandbox.proxyFaults.add({ kind: 'status', status, form, orderId, times: 1 });
		const { items, error } = await me.open([`${me.sites[scheme]}/article`]);
		expect(error).toBeUndefined();
		expect(outcomesOf(items[0])).toBe(`${outcome}, opened 200`);
	});
});

it('an open proxy that refuses n8n says what to do, without another attempt', async () => {
	const me = opener('opsSvip', 'OPS');
	me.sandbox.proxyFaults.add({ kind: 'status', status: 407 });
	const { items } = await me.open(
		[me.page('/article/1')],
		{ plan: 'svip' },
		{ settings: CONTINUE },
	);
	expect(outcomesOf(items[0])).toBe('proxyFailed 407');
	expect(detailsOf(items[0]).error).toMatch(
		/is not on the order's whitelist.*Allow it in the member center/,
	);
});

describe.each(['http', 'https'] as const)(
	'over %s, a page comes through another proxy',
	(scheme) => {
		it.each([
			['hang', /^timeout, opened 200$/],
			['reset', /^proxyFailed, opened 200$/],
			['cut', /^proxyFailed, opened 200$/],
			['stall', /^timeout( 200)?, opened 200$/],
			['halfBody', /^proxyFailed( 200)?, opened 200$/],
		] as const)('when one kind: %s', async (kind, outcomes) => {
			me.sandbox.proxyFaults.add({ kind, orderId: me.orderId, times: 1 });
			const url = `${me.sites[scheme]}/bytes/500000`;
			const { items, error } = await me.open([url]);
			expect(error).toBeUndefined();
			expect(outcomesOf(items[0])).toMatch(outcomes);
			expect(me.extracted).toBe(2);
		});
	},
);

it('no more proxies are used than there are pages and dead proxies', async () => {
	me.sandbox.proxyFaults.add({ kind: 'refuse', everyNth: 4 });
	const urls = Array.from({ length: 30 }, (_, index) => me.page(`/article/${index}`));
	const { items, error, hints } = await me.open(urls, { maxAttempts: 10 });
	expect(error).toBeUndefined();
	const outcomes = items.map(outcomesOf).join(', ').split(', ');
	const dead = outcomes.filter((outcome) => outcome === 'proxyFailed').length;
	expect(outcomes).toHaveLength(30 + dead);
	expect(dead).toBeGreaterThan(5);
	expect(me.extracted).toBe(30 + dead);
	expect(hints[0].message).toMatch(
		new RegExp(
			`^Opened 30 of 30 pages. ${30 + dead} proxies were extracted \\([\\d.]+ per page\\), ${dead} failed, \\d+ are left in the order.$`,
		),
	);
});

describe('a page', () => {
	it('of the own status of a site never costs another proxy', async () => {
		const { error, items } = await me.open([me.page('/status/404')]);
		expect(items).toEqual([]);
		expect(error?.message).toBe('The page answered with status 404');
		expect(error?.description).toContain(me.page('/status/404'));
		expect(me.extracted).toBe(1);
		expect(me.visits).toHaveLength(1);
	});

	it.each(['/endless', '/bytes/2000000?gzip=1'])(
		'that is too large ends at the limit: %s',
		async (path) => {
			const { error } = await me.open([me.page(path)], { options: { maxPageSize: 1 } });
			expect(error?.message).toBe('The page is larger than 1 MB');
			expect(me.extracted).toBe(1);
		},
	);

	it.each(['/hang', '/drip?ms=1000'])('that never ends has its time: %s', async (path) => {
		const { error } = await me.open([me.page(path)], {
			maxAttempts: 2,
			options: { attemptTimeout: 3 },
		});
		expect(error?.message).toBe('The page did not answer in time in 2 attempts');
	});
});

it('a page in place of which a wall comes says in a few words whose it is', async () => {
	const pages = ['/article', '/challenge', '/captcha'].map((path) => me.page(path));
	const fields = { options: { simplify: true, maxAttempts: 1 } };
	const { items, hints } = await me.open(pages, fields, { settings: CONTINUE });
	const statuses = items.map(({ json }) => json.pageStatus);
	expect(statuses).toEqual(['opened', 'blocked by Cloudflare', 'blocked']);
	expect(items[1].json).not.toHaveProperty('error');
	expect(hints[0].message).toContain('Cloudflare');
});

describe('of several pages', () => {
	const some = (me: ReturnType<typeof tunnel>) => [
		{ url: me.page('/article/1'), id: 1 },
		{ url: me.page('/status/404'), id: 2 },
		{ url: me.page('/article/3'), id: 3 },
	];

	it('those that fail have their own fields in the error output', async () => {
		const me = tunnel();
		const { items, errorItems, hints } = await me.open(
			some(me),
			{},
			{ settings: CONTINUE_WITH_ERRORS },
		);
		expect(items.map(({ json }) => json.id)).toEqual([1, 3]);
		expect(errorItems).toHaveLength(1);
		expect(errorItems[0].json).toEqual({
			...{ id: 2, url: me.page('/status/404'), error: expect.stringContaining('404') },
			details: { url: me.page('/status/404'), statusCode: 404, outcome: 'status' },
		});
		expect(hints[0].message).toMatch(/^Opened 2 of 3 pages. Not opened: 1 status 404\./);
	});

	it.each([
		['Stop Workflow', {}],
		['Continue', CONTINUE],
		['Retry On Fail', RETRY],
	])('those that fail come out among the others, empty: %s', async (_what, settings) => {
		const me = tunnel();
		siteDoes(me, { kind: 'status', status: 403, path: '/article/3' });
		const { items, error } = await me.open(some(me), {}, { settings });
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => [json.id, json.data])).toEqual([
			[1, expect.stringContaining('Article 1')],
			[2, ''],
			[3, ''],
		]);
		expect(detailsOf(items[0]).error).toBeUndefined();
		expect(detailsOf(items[1])).toMatchObject({
			statusCode: 404,
			outcome: 'status',
			error: expect.stringContaining('404'),
		});
		expect(detailsOf(items[2])).toMatchObject({
			statusCode: 403,
			outcome: 'blocked',
			error: expect.stringMatching(/refused to show the page in 3 attempts/),
		});
	});

	it('none opened is a run that failed, with the most frequent reason', async () => {
		const me = tunnel();
		siteDoes(me, { kind: 'status', status: 403, path: '/article/1' });
		const urls = ['/article/1', '/status/404', '/status/404'].map((path) => me.page(path));
		const { items, error } = await me.open(urls);
		expect(items).toEqual([]);
		expect(error?.message).toBe('The page answered with status 404 [item 1]');
		expect(error?.description).toMatch(
			/ Opened 0 of 3 pages. Not opened: 2 status 404, 1 blocked\.$/,
		);
		const { items: kept } = await me.open(urls, {}, { settings: CONTINUE });
		expect(kept.map((item) => detailsOf(item).statusCode)).toEqual([403, 404, 404]);
		const { errorItems } = await me.open(urls, {}, { settings: CONTINUE_WITH_ERRORS });
		expect(errorItems).toHaveLength(3);
	});
});

it('a run of several orders counts the pages of one that cannot be had', async () => {
	const customer = new Customer(bed(), { kind: 'dpsPerIp', by: 'account' });
	const credentialId = customer.credentialId;
	const items = [customer.theOrder.orderId, '900000000000001'].map((order) => ({
		order,
		url: me.page('/echo'),
	}));
	const orderid = picked('={{ $json.order }}');
	// The first page is opened before the second order is asked for
	const fields = { orderid, options: { pagesAtATime: 1 } };
	const { error } = await me.open(items, fields, { credentialId });
	expect(error?.description).toContain(
		'Opened 1 of 2 pages. Not opened: 1 with an order that cannot be used. ',
	);
	expect(error?.description).toContain("set 'On Error' in the settings of the node");
});
