import type { IDataObject } from 'n8n-workflow';

import { CHINESE_TEXTS } from '../../../sandbox/pages/chineseTexts.mts';
import type { PageFault } from '../../../sandbox/sandbox.mts';
import { CONTINUE, CONTINUE_WITH_ERRORS } from '../support/runSettings.mts';
import { detailsOf, outcomesOf, type PageOpener, usePages } from './pageOpener.mts';

const { opener, me } = usePages();

const tunnel = () => opener('tps', 'TPS');

describe.each(['http', 'https'] as const)('a page over %s', (scheme) => {
	it('comes out beside what its item had', async () => {
		const url = `${me.sites[scheme]}/article/7`;
		const binary = { file: { data: 'eA==', mimeType: 'text/plain' } };
		const { items, error } = await me.open([], {}, { input: [{ json: { url, id: 7 }, binary }] });
		expect(error).toBeUndefined();
		expect(items).toHaveLength(1);
		expect(items[0].json).toMatchObject({ url, id: 7, data: expect.stringContaining('Article 7') });
		expect(items[0].binary).toEqual(binary);
		expect(items[0].pairedItem).toEqual({ item: 0 });
		expect(detailsOf(items[0])).toMatchObject({
			url,
			statusCode: 200,
			headers: { 'content-type': 'text/html; charset=utf-8' },
			proxy: me.visits[0].through?.proxy,
		});
		expect(outcomesOf(items[0])).toBe('opened 200');
	});

	it('goes through its proxy whatever the environment of n8n says about proxies', async () => {
		const variables = {
			NO_PROXY: '127.0.0.1,localhost,*',
			no_proxy: '*',
			HTTP_PROXY: 'http://127.0.0.1:9',
			HTTPS_PROXY: 'http://127.0.0.1:9',
		};
		const usual = { ...process.env };
		// The service is called without a proxy, too, as NO_PROXY says
		Object.assign(process.env, variables);
		try {
			const { items, error } = await me.open([`${me.sites[scheme]}/article/7`]);
			expect(error).toBeUndefined();
			expect(outcomesOf(items[0])).toBe('opened 200');
			expect(me.visits.map(({ through }) => through?.proxy)).toEqual([detailsOf(items[0]).proxy]);
		} finally {
			for (const name of Object.keys(variables)) {
				if (usual[name] === undefined) delete process.env[name];
				else process.env[name] = usual[name];
			}
		}
	});

	it('redirects through one and the same exit of a tunnel', async () => {
		const me = tunnel();
		const { items } = await me.open([`${me.sites[scheme]}/redirect/3`]);
		expect(outcomesOf(items[0])).toBe('opened 200');
		expect(me.visits).toHaveLength(4);
		expect(new Set(me.visits.map(({ through }) => through?.exit)).size).toBe(1);
	});

	it('gets a form once', async () => {
		const fields = { method: 'POST', bodyType: 'form', body: 'user=demo&password=demo' };
		const { items } = await me.open([`${me.sites[scheme]}/login`], fields);
		expect(items[0].json.data).toContain('Welcome, demo.');
		expect(me.visits.map(({ method }) => method)).toEqual(['POST', 'GET']);
	});
});

it('a page in GBK is readable where nothing tells so', async () => {
	const { items } = await me.open([me.page('/charset/gbk?by=nothing')]);
	expect(items[0].json.data).toContain(CHINESE_TEXTS.gbk.text);
});

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
		/^Opened 2 of 11 pages. Not opened: 9 not tried: not an address\./,
	);
});

it('for nothing but such items, nothing is asked for', async () => {
	me.sandbox.log.clear();
	const { error } = await me.open(UNUSABLE);
	expect(error?.message).toBe("'URL' is empty [item 0]");
	expect(error?.description).toMatch(
		/ Opened 0 of 9 pages. Not opened: 9 not tried: not an address\.$/,
	);
	const { items } = await me.open(UNUSABLE, {}, { settings: CONTINUE });
	expect(items).toHaveLength(UNUSABLE.length);
	expect(me.sandbox.log.entries()).toEqual([]);
});

it.each<[string, IDataObject, IDataObject, RegExp]>([
	['with another field that is wrong', {}, { tries: 99 }, /^'Max Attempts' can't be 99/],
	['with a field that it would replace', {}, { data: 'mine' }, /^'Output Field' can't be "data"/],
])('such an item ends the run %s', async (_what, fields, more, message) => {
	const links = [
		{ url: me.page('/article/1'), tries: 3 },
		{ url: '', tries: 3, ...more },
	];
	const { items, error } = await me.open(links, { maxAttempts: '={{ $json.tries }}', ...fields });
	expect(items).toEqual([]);
	expect(error?.message).toMatch(message);
	expect(me.extracted).toBe(0);
});

describe('several addresses in an item', () => {
	it('become items that have theirs, linked to it and in order', async () => {
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
			/^Opened 4 of 6 pages. Not opened: 1 status 404, 1 not tried: not an address\./,
		);
	});

	it('go to the error output each for itself', async () => {
		const url = [me.page('/article/1'), '/list', me.page('/article/2')];
		const { items, errorItems } = await me.open([{ url }], {}, { settings: CONTINUE_WITH_ERRORS });
		expect(items.map(({ json }) => json.url)).toEqual([url[0], url[2]]);
		expect(errorItems.map(({ json }) => json.error)).toEqual([
			expect.stringContaining('an address without a site'),
		]);
	});
});

/** The site does that to the next visitors. */
function siteDoes(me: PageOpener, fault: PageFault): void {
	me.sandbox.pages.faults.add(fault);
}

describe('items with the same address', () => {
	it('are put out each, and their page is opened once', async () => {
		const items = Array.from({ length: 9 }, (_, id) => ({
			url: me.page(`/article/${id % 3}`),
			id,
		}));
		const { items: out, hints } = await me.open(items);
		expect(out.map(({ json }) => json.id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
		for (const { json } of out) expect(json.data).toContain(`Article ${Number(json.id) % 3}`);
		expect(out.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
		expect(me.visits).toHaveLength(3);
		expect(hints.map(({ message }) => message)).toContain(
			'9 items have 3 different addresses. Each was opened once.',
		);
	});

	it.each([
		['sends a POST', () => ({ request: { values: { method: 'POST', body: 'a=1' } } })],
		[
			'sends different headers',
			() => ({ headers: { values: [{ name: 'X-A', value: '={{ $json.id }}' }] } }),
		],
		['has a session', () => ({ sessionKey: 'one' })],
	])('are opened each where the node %s', async (_what, options) => {
		await me.open(
			[1, 2].map((id) => ({ url: me.page('/echo'), id })),
			options(),
		);
		expect(me.visits).toHaveLength(2);
	});
});

describe('what is sent', () => {
	it('is not sent again when the page may have it', async () => {
		siteDoes(me, { kind: 'halfBody', path: '/echo' });
		const { error } = await me.open([me.securePage('/echo')], {
			method: 'POST',
			bodyType: 'json',
			body: '{"a":1}',
		});
		expect(error?.description).toContain('may have received what was sent');
		expect(me.visits).toHaveLength(1);
	});

	it('is sent again when the proxy kept it', async () => {
		me.sandbox.proxyFaults.add({ kind: 'status', status: 454, orderId: me.orderId, times: 2 });
		const { items } = await me.open([me.securePage('/echo')], {
			method: 'POST',
			bodyType: 'json',
			body: '{"a":1}',
		});
		expect(items[0].json.data).toMatchObject({ method: 'POST', body: '{"a":1}' });
		expect(me.visits).toHaveLength(1);
	});

	it('arrives as it was typed, also where it is labelled JSON', async () => {
		const headers = { values: [{ name: 'Content-Type', value: 'application/json' }] };
		const fields = { method: 'POST', bodyType: 'json', headers };
		for (const body of [' {"a": 1} \n', '"x"']) {
			const { items } = await me.open([me.page('/echo')], { ...fields, body });
			expect(items[0].json.data).toMatchObject({ body });
		}
	});
});
