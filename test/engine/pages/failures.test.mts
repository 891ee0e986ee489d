import type { IDataObject } from 'n8n-workflow';

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
		['blocks one with 429', { kind: 'status', status: 429, times: 1 }, 'blocked 429'],
		['shows a wall in place of it', { kind: 'captcha', times: 1 }, 'blocked 200'],
		['is in trouble once', { kind: 'status', status: 503, times: 1 }, 'status 503'],

		['ends in the middle once', { kind: 'halfBody', times: 1 }, 'proxyFailed 200'],
		['does not answer once', { kind: 'hang', times: 1 }, 'timeout'],
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

	it.each([
		[454, 'proxyExpired 454'],
		[515, 'proxyFailed 515'],
	] as const)('when a proxy answers with %s', async (status, outcome) => {
		for (const secure of [false, true]) {
			const me = opener('dpsPerIp', 'DPS');
			me.sandbox.proxyFaults.add({ kind: 'status', status, orderId: me.orderId, times: 1 });
			const url = secure ? me.securePage('/article') : me.page('/article');
			const { items, error } = await me.open([url]);
			expect(error).toBeUndefined();
			expect(outcomesOf(items[0])).toBe(`${outcome}, opened 200`);
		}
	});
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

	it('with a status of its own that looks like one of a proxy is a page', async () => {
		for (const url of [me.page('/status/454'), me.securePage('/status/407')]) {
			const { items } = await me.open([url], {}, { settings: CONTINUE });
			expect(outcomesOf(items[0])).toMatch(/status 4\d\d$/);
		}
	});

	it.each(['/bytes/2000000', '/bytes/2000000?length=none', '/endless', '/bytes/2000000?gzip=1'])(
		'that is too large ends at the limit: %s',
		async (path) => {
			const { error } = await me.open([me.page(path)], { options: { maxPageSize: 1 } });
			expect(error?.message).toBe('The page is larger than 1 MB');
			expect(me.extracted).toBe(1);
		},
	);

	it('that redirects in circles fails', async () => {
		const { error } = await me.open([me.page('/loop')]);
		expect(error?.message).toMatch(/redirects of the page lead nowhere/);
		expect(me.visits).toHaveLength(21);
	});

	it.each(['/hang', '/stall', '/drip?ms=1000'])(
		'that never ends has its time: %s',
		async (path) => {
			const { error } = await me.open([me.page(path)], {
				maxAttempts: 2,
				options: { attemptTimeout: 3 },
			});
			expect(error?.message).toBe('The page did not answer in time in 2 attempts');
		},
	);

	it('that is silent behind a redirect leaves its proxy to other sites', async () => {
		const { port } = new URL(me.sites.http);
		const elsewhere = `http://localhost:${port}/article`;
		const options = { pagesAtATime: 1, attemptTimeout: 1 };
		const { items } = await me.open([me.page('/redirect/1?to=/hang'), elsewhere], {
			...{ maxAttempts: 1, pagesPerProxy: 0, reuse: false, options },
		});
		expect(items.map(outcomesOf)).toEqual(['timeout', 'opened 200']);
		expect(me.extracted).toBe(1);
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

it('an order that allows no more requests is waited for, through the same tunnel', async () => {
	const me = tunnel();
	me.sandbox.proxyFaults.add({ kind: 'status', status: 441, orderId: me.orderId, times: 3 });
	const { items } = await me.open([me.page('/article')], { maxAttempts: 1 });
	expect(outcomesOf(items[0])).toBe(
		'tooManyRequests 441, tooManyRequests 441, tooManyRequests 441, opened 200',
	);
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

	it('one whose proxy refused has no status of the page', async () => {
		me.sandbox.proxyFaults.add({ kind: 'status', status: 457, orderId: me.orderId });
		const { items } = await me.open([me.securePage('/article')], {}, { settings: CONTINUE });
		expect(outcomesOf(items[0])).toBe('proxyFailed 457, proxyFailed 457, proxyFailed 457');
		expect(detailsOf(items[0]).statusCode).toBeUndefined();
	});

	it('one that is not what Response Format says comes out empty, and was not opened', async () => {
		const me = tunnel();
		const fields = { responseFormat: 'json' };
		const { items, error, hints } = await me.open([me.page('/article'), me.page('/echo')], fields);
		expect(error).toBeUndefined();
		expect(items[0].json.data).toBe('');
		expect(detailsOf(items[0]).error).toMatch(/^The page is not JSON\. .*\/article begins with: /);
		expect(items[1].json.data).toMatchObject({ method: 'GET' });
		expect(hints[0].message).toMatch(/^Opened 1 of 2 pages. Not opened: 1 not as wanted\./);
	});

	it('one that should be a file leaves the text of that name', async () => {
		const me = tunnel();
		const urls = ['/status/404', '/picture'].map((path) => ({ url: me.page(path), data: 'mine' }));
		const { items } = await me.open(urls, { responseFormat: 'file' });
		expect(items.map(({ json, binary }) => [json.data, binary?.data.mimeType])).toEqual([
			['mine', undefined],
			['mine', 'image/png'],
		]);
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

	it('those that a site blocks through the only proxies of an order leave the others a proxy', async () => {
		const me = opener('kps', 'KPS');
		siteDoes(me, { kind: 'status', status: 429, path: '/article/1', times: 1 });
		siteDoes(me, { kind: 'status', status: 403, path: '/article/2' });
		const urls = [0, 1, 2, 3, 4].map((id) => me.page(`/article/${id}`));
		const fields = { options: { pagesAtATime: 1 } };
		const { items } = await me.open(urls, fields);
		expect(items.map((item) => outcomesOf(item))).toEqual([
			'opened 200',
			'blocked 429, opened 200',
			'blocked 403, blocked 403, blocked 403',
			'opened 200',
			'opened 200',
		]);
	});

	it.each<[string, PageFault, string, string[]]>([
		[
			'is blocked',
			{ kind: 'status', status: 403 },
			'autodetect',
			['data', 'other', 'pageDetails', 'pageStatus', 'url'],
		],
		[
			'is empty',
			{ kind: 'status', status: 204 },
			'text',
			['other', 'pageDetails', 'pageStatus', 'url'],
		],
	])('one that %s does not leave what an earlier node has opened', async (...row) => {
		const [, fault, responseFormat, names] = row;
		const me = tunnel();
		siteDoes(me, { ...fault, path: '/article/2' });
		const fields = { url: me.page('/article/2'), responseFormat };
		const known = { url: 'http://a.example/', pageStatus: 'opened' };
		const input = [{ data: 'of the list', other: 1, ...known }];
		const { items } = await me.open(input, fields, { settings: CONTINUE });
		expect(Object.keys(items[0].json).sort()).toEqual(names);
		expect(items[0].json.data).not.toBe('of the list');
	});

	it('an item with details of another origin fails before anything is requested', async () => {
		const me = tunnel();
		const { error } = await me.open([{ url: me.page('/article'), pageDetails: 'mine' }]);
		expect(error?.message).toBe("The item already has a field 'pageDetails'");
		expect(me.visits).toEqual([]);
	});

	it('one quotes only the beginning of its address and of what it lacks', async () => {
		const me = tunnel();
		const long = 'x'.repeat(3000);
		const lacking = await me.open([me.page('/article')], { retryIf: { lacks: long } });
		expect(lacking.error?.description).toContain(`the page lacks "${'x'.repeat(60)}…"`);
		const url = me.page(`/article?${long}`);
		const notJson = await me.open([url], { responseFormat: 'json' });
		expect(notJson.error?.message).toMatch(/^The page is not JSON/);
		expect(notJson.error?.description).toContain(`${url.slice(0, 300)}… begins with: `);
	});
});

describe('a page for members', () => {
	const adviceOn = async (login: string, body: string, path = '/account') => {
		const items = [
			{ url: me.page(login), method: 'POST', body },
			{ url: me.page(path), method: 'GET', body: '' },
		];
		const fields = {
			method: '={{ $json.method }}',
			body: '={{ $json.body }}',
			bodyType: 'form',
			retryIf: { redirectedTo: '/login' },
			maxAttempts: 2,
		};
		const settings = { settings: CONTINUE };
		const run = await me.open(items, { ...fields, sessionKey: 'members' }, settings);
		const alone = await me.open([items[1]], fields, settings);
		const errorOf = ({ items: [...all] }: typeof run) => {
			const [last] = all.slice(-1);
			return detailsOf(last).error;
		};
		return { ofSession: errorOf(run), alone: errorOf(alone) };
	};

	it.each(['/status/404', '/reset'])(
		'that fails by itself (%s) is judged by itself',
		async (path) => {
			const { ofSession, alone } = await adviceOn('/echo', 'user=demo&password=demo', path);
			const shortened = (text = '') => text.replace(/(?:\d+\.){3}\d+:\d+/g, '');
			expect(shortened(ofSession)).toBe(shortened(alone));
		},
	);
});

it('items with one address fail each where their order cannot be had', async () => {
	const { credentialId } = new Customer(bed(), { kind: 'dpsPerIp', by: 'account' });
	const items = [1, 2].map((id) => ({ id, url: me.page('/echo') }));
	const fields = { orderid: picked('900000000000001') };
	const run = await me.open(items, fields, { credentialId, settings: CONTINUE });
	expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	for (const { json } of run.items) expect(json.error).toBeDefined();
	expect(me.visits).toHaveLength(0);
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

it.each([
	['lacks', "Doesn't Contain"],
	['contains', 'Contains'],
])('a list of objects is no text of a page: %s', async (name, label) => {
	const retryIf = { [name]: '={{ [{ text: "captcha" }] }}' };
	const { error } = await me.open([me.page('/article')], { retryIf });
	expect(error?.message).toContain(`'${label}'`);
	expect(me.extracted).toBe(0);
});
