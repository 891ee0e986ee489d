import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import type { ProxyFault } from '../../../sandbox/forwarding/proxyFaults.mts';
import { CERTIFICATE, KEY } from '../../../sandbox/pages/certificate.mts';
import type { PageFault } from '../../../sandbox/sandbox.mts';
import { until } from '../../virtualTime.mts';
import { closeAtEnd } from '../support/closeAtEnd.mts';
import { Customer, typed } from '../support/customer.mts';
import { CONTINUE } from '../support/runSettings.mts';
import { success } from '../support/scriptedService.mts';
import { inShop, list } from '../support/scriptedShop.mts';
import { sleep } from '../support/sleep.mts';
import { type Details, detailsOf, outcomesOf, type PageOpener, usePages } from './pageOpener.mts';

const { bed, me } = usePages();

/** Also where no page is opened at all. */
const COME_OUT = { settings: CONTINUE };

function outcomeOf(item: Parameters<typeof detailsOf>[0]): unknown {
	const details: Details & { outcome?: string } = detailsOf(item);
	return details.outcome;
}

function proxiesDo(me: PageOpener, fault: ProxyFault): void {
	me.sandbox.proxyFaults.add({ ...fault, orderId: me.orderId });
}

/** So many pages of a site of its own, by the name by which it is called. */
function pagesOf(me: PageOpener, host: string, count: number): string[] {
	const { port } = new URL(me.sites.http);
	return Array.from({ length: count }, (_, page) => `http://${host}:${port}/article/${page}`);
}

describe('a site through which no page comes', () => {
	it.each<[string, PageFault]>([
		['refuses everybody', { kind: 'status', status: 403 }],
		['asks everybody for a captcha', { kind: 'captcha' }],
	])('is given up after ten proxies: it %s', async (_what, fault) => {
		me.sandbox.pages.faults.add(fault);
		const urls = pagesOf(me, '127.0.0.1', 20);
		const fields = { reuse: false, retryIf: { contains: 'captcha' } };
		const { items, hints } = await me.open(urls, fields, COME_OUT);
		expect(me.extracted).toBeLessThanOrEqual(15);
		const last = items[19];
		expect(detailsOf(last).attempts).toEqual([]);
		expect(outcomeOf(last)).toBe('notTried');
		expect(detailsOf(last).error).toMatch(
			/^The site 127\.0\.0\.1 was given up in this execution\. 10 proxies in a row opened no page of 127\.0\.0\.1.* The next execution tries it again\.$/,
		);
		// Those that were tried say what they came to
		const [first] = items;
		expect(detailsOf(first).attempts).toHaveLength(1);
		expect(outcomeOf(first)).toBe(detailsOf(first).attempts[0].outcome);
		expect(detailsOf(first).error).toMatch(/ Stopped early: 10 proxies in a row opened no page/);
		expect(hints.map(({ message }) => message)).toContainEqual(
			expect.stringMatching(
				/^\d+ pages with 'not tried: site given up', such as: The site 127\.0\.0\.1 was given up in this execution\. 10 proxies/,
			),
		);
	});

	it.each<[string, (me: PageOpener) => void, 'http' | 'https']>([
		['is left unanswered by every proxy', (me) => proxiesDo(me, { kind: 'hang' }), 'http'],
		[
			'is refused by every proxy with 454',
			(me) => proxiesDo(me, { kind: 'status', status: 454 }),
			'https',
		],
	])('costs few proxies, whosever fault it is: it %s', async (_what, break_, scheme) => {
		break_(me);
		const urls = Array.from({ length: 30 }, (_, page) => `${me.sites[scheme]}/article/${page}`);
		const { items } = await me.open(urls, { reuse: false }, COME_OUT);
		expect(items).toHaveLength(30);
		expect(me.extracted).toBeLessThanOrEqual(20);
	});

	it('costs few proxies, and so do many of them that every proxy refuses', async () => {
		proxiesDo(me, { kind: 'status', status: 454 });
		const { port } = new URL(me.sites.https);
		const urls = Array.from({ length: 60 }, (_, site) => `https://127.0.1.${site}:${port}/`);
		const { items } = await me.open(urls, { reuse: false }, COME_OUT);
		expect(detailsOf(items[59]).error).toMatch(
			/^The order's proxies open no page\. 30 proxies of the order in a row opened nothing.*firewall/,
		);
		expect(me.extracted).toBeLessThanOrEqual(45);
	});

	it('is none for the first few pages that it refuses: the others are tried before those again', async () => {
		const urls = pagesOf(me, '127.0.0.1', 26);
		for (const url of urls.slice(0, 6)) {
			me.sandbox.pages.faults.add({ path: new URL(url).pathname, kind: 'status', status: 403 });
		}
		const { items } = await me.open(urls, { reuse: false });
		expect(items.filter((item) => outcomesOf(item).endsWith('opened 200'))).toHaveLength(20);
		expect(items.slice(0, 6).map(outcomeOf)).toEqual(Array(6).fill('blocked'));
		expect(me.extracted).toBeLessThanOrEqual(20 + 6 * 3);
	});

	it('leaves few proxies unused when it begins to block after 60 pages', async () => {
		const urls = Array.from({ length: 120 }, () => me.page('/slow?ms=300'));
		const blocks = until(() => me.visits.length >= 60, 60_000).then(() => {
			me.sandbox.pages.faults.add({ kind: 'status', status: 403 });
		});
		const options = { pagesAtATime: 20 };
		await me.open(urls, { reuse: false, options });
		await blocks;
		const used = new Set(me.proxied.map(({ proxy }) => proxy)).size;
		expect(used).toBeLessThan(100);
		expect(me.extracted - used).toBeLessThanOrEqual(12);
	});

	it('keeps none of another site from being opened', async () => {
		me.sandbox.pages.faults.add({ kind: 'status', status: 403, host: 'localhost' });
		const [dead, good] = ['localhost', '127.0.0.1'].map((host) => pagesOf(me, host, 20));
		const urls = dead.flatMap((url, index) => [url, good[index]]);
		const { items } = await me.open(urls, { reuse: false });
		const opened = items.filter((item) => outcomesOf(item).endsWith('opened 200'));
		expect(opened).toHaveLength(20);
		expect(me.extracted).toBeLessThanOrEqual(20 + 15);
	});

	it('ends no run with eleven others behind pages that came', async () => {
		const { port } = new URL(me.sites.http);
		const of = (name: string, count: number) =>
			Array.from(
				{ length: count },
				(_, site) => `http://${name}-${site}.localhost:${port}/article`,
			);
		const dead = of('dead', 12);
		for (const url of dead) proxiesDo(me, { kind: 'cut', host: new URL(url).hostname });
		const { items } = await me.open([...of('first', 20), ...dead, ...of('last', 20)], {
			reuse: false,
		});
		const opened = items.filter((item) => outcomesOf(item).endsWith('opened 200'));
		expect(opened).toHaveLength(40);
	});

	it('is tried on where a page comes in between, and where its pages are not there', async () => {
		me.sandbox.pages.faults.add({ kind: 'status', status: 403, path: '/article/1' });
		const urls = Array.from({ length: 20 }, (_, page) => me.page(`/article/${page % 2}`));
		const missing = Array.from({ length: 20 }, () => me.page('/status/404'));
		const fields = { maxAttempts: 1, options: { pagesAtATime: 1 } };
		const { items } = await me.open([...urls, ...missing], fields);
		for (const item of items) expect(detailsOf(item).attempts).toHaveLength(1);
		expect(me.visits).toHaveLength(40);
	});
});

it.each([
	['each an item', (urls: string[]) => urls],
	['of one item', (urls: string[]) => [{ url: urls }]],
])(
	"pages that fail each day don't keep those behind them from being opened: %s",
	async (_what, itemsOf) => {
		const urls = pagesOf(me, '127.0.0.1', 25);
		for (const url of urls.slice(0, 15)) {
			me.sandbox.pages.faults.add({ kind: 'status', status: 500, path: new URL(url).pathname });
		}
		const options = { skipOpened: true, pagesAtATime: 1 };
		const { items } = await me.open(
			itemsOf(urls),
			{ reuse: false, options, maxAttempts: 1 },
			COME_OUT,
		);
		expect(items.map(({ json }) => json.url)).toEqual(urls);
		expect(items.map(outcomesOf).filter((outcomes) => outcomes === 'opened 200')).toHaveLength(10);
	},
);

describe('a site whose proxies cannot be connected to', () => {
	const refuse = (me: PageOpener): void => {
		me.sandbox.proxyFaults.add({ kind: 'refuse', orderId: me.orderId });
	};

	it('ends with the likely causes', async () => {
		refuse(me);
		const { error } = await me.open(pagesOf(me, '127.0.0.1', 30), { maxAttempts: 10 });
		expect(error?.message).toMatch(/^The site 127\.0\.0\.1 was given up.* \[item \d+\]$/);
		expect(error?.description).toMatch(/firewall.*outside China.*whitelist/);
		expect(me.extracted).toBeLessThanOrEqual(15);
	});

	it('tries no other proxy for the pages that are left, and keeps those that came', async () => {
		const urls = pagesOf(me, '127.0.0.1', 30);
		const opening = me.open([me.page('/article'), me.page('/slow?ms=2000'), ...urls], {
			options: { pagesAtATime: 1 },
			reuse: false,
		});
		while (me.visits.length < 2) await new Promise((next) => setImmediate(next));
		refuse(me);
		const { items, error } = await opening;
		expect(error).toBeUndefined();
		expect(items).toHaveLength(32);
		expect(detailsOf(items[31]).error).toMatch(/^The site 127\.0\.0\.1 was given up/);
		expect(me.extracted).toBeLessThanOrEqual(20);
	});
});

it('an order whose proxies refuse their login does not end the pages of another', async () => {
	const customer = new Customer(bed());
	const [bad, good] = [customer.perIp(1000), customer.perIp(1000)];
	bed().sandbox.proxyFaults.add({ kind: 'status', status: 407, orderId: bad.orderId });
	const { http } = await bed().sandbox.pages.open();
	const { items, hints } = await bed().engine.run({
		items: [bad, good].flatMap(({ orderId }) =>
			Array.from({ length: 20 }, (_, page) => ({ url: `${http}/article/${page}`, orderId })),
		),
		credentialId: bed().addCredential(customer.account.keys, { keyType: 'account' }),
		parameters: {
			...{ resource: 'page', operation: 'open', product: 'DPS' },
			options: { reuse: false, simplify: false },
			orderid: typed('={{ $json.orderId }}'),
		},
	});
	const opened = items.filter((item) => outcomesOf(item).endsWith('opened 200'));
	expect(opened).toHaveLength(20);
	expect(hints[0].message).toMatch(/ are left in the orders\.$/);
});

it('a login that all proxies refuse costs few proxies for 50 pages', async () => {
	proxiesDo(me, { kind: 'status', status: 407 });
	const urls = Array.from({ length: 50 }, (_, page) => `${me.sites.https}/article/${page}`);
	const { items } = await me.open(urls, {}, COME_OUT);
	expect(items).toHaveLength(50);
	expect(me.extracted).toBeLessThanOrEqual(35);
});

it('a site that lets nobody in stays given up for all runs of a loop with one page each', async () => {
	me.sandbox.pages.faults.add({ kind: 'status', status: 403 });
	const fields = { reuse: false, maxAttempts: 3 };
	const { itemsOfRuns } = await me.open(pagesOf(me, '127.0.0.1', 1), fields, {
		...COME_OUT,
		runs: 15,
	});
	expect(itemsOfRuns).toHaveLength(15);
	const attempts = itemsOfRuns.map(([item]) => detailsOf(item).attempts.length);
	expect(attempts.slice(0, 3)).toEqual([3, 3, 3]);
	expect(attempts.at(-1)).toBe(0);
	// Three for each page, until the first attempt at the tenth
	expect(me.extracted).toBe(28);
});

it('an order that allows no requests is waited for a minute, and takes no more proxies', async () => {
	me.sandbox.proxyFaults.add({ kind: 'status', status: 441, orderId: me.orderId });
	const start = performance.now();
	const urls = Array.from({ length: 30 }, (_, page) => `${me.sites.https}/article/${page}`);
	const { items } = await me.open(urls, { reuse: false }, COME_OUT);
	expect(performance.now() - start).toBeLessThan(75_000);
	expect(detailsOf(items[29])).toMatchObject({ attempts: [] });
	expect(detailsOf(items[29]).error).toMatch(
		/^The order allows no more requests\. .* for a minute\..*per Second/,
	);
	expect(me.extracted).toBeLessThanOrEqual(15);
});

it('hosts to which no proxy finds a way cost no proxies', async () => {
	me.sandbox.proxyFaults.add({ kind: 'status', status: 446, orderId: me.orderId });
	const urls = Array.from({ length: 10 }, (_, host) => `https://host-${host}.example/`);
	const fields = { reuse: false, options: { pagesAtATime: 1 } };
	const { items, hints } = await me.open(urls, fields, COME_OUT);
	expect(items.map(outcomesOf)).toEqual(
		urls.map(() => Array(3).fill('proxyFailed 446').join(', ')),
	);
	expect(me.extracted).toBeLessThanOrEqual(3);
	expect(hints[0].message).not.toMatch(/, \d+ failed/);
});

describe('a page that says when to come again', () => {
	const waiting = async (me: PageOpener, retryAfter: string, times: number, sessionKey = '') => {
		const asked: string[] = [];
		const server = createTlsServer({ cert: CERTIFICATE, key: KEY }, ({ url = '' }, response) => {
			asked.push(url);
			if (asked.filter((one) => one === url).length > times) return response.end('here');
			return response.writeHead(429, { 'Retry-After': retryAfter }).end();
		});
		closeAtEnd(async () => void server.close());
		await once(server.listen(0, '127.0.0.1'), 'listening');
		const { port } = server.address() as AddressInfo;
		const start = performance.now();
		const urls = [`https://127.0.0.1:${port}/1`, `https://127.0.0.1:${port}/2`];
		const { items } = await me.open(urls.slice(0, sessionKey === '' ? 1 : 2), { sessionKey });
		const proxies = items.flatMap((item) => detailsOf(item).attempts.map(({ proxy }) => proxy));
		return { proxies, items, start };
	};

	it('is waited for with the same proxy', async () => {
		const { items, proxies, start } = await waiting(me, '20', 1);
		expect(outcomesOf(items[0])).toBe('blocked 429, opened 200');
		expect(new Set(proxies).size).toBe(1);
		expect(performance.now() - start).toBeGreaterThan(19_000);
		expect(me.extracted).toBe(1);
	});

	it('is waited for at each page of a session', async () => {
		const { items, proxies } = await waiting(me, '20', 1, 'a');
		expect(items.map(outcomesOf)).toEqual(Array(2).fill('blocked 429, opened 200'));
		expect(new Set(proxies).size).toBe(1);
	});

	it('is opened through another one where that did not help', async () => {
		const { items, proxies } = await waiting(me, '1', 2);
		expect(outcomesOf(items[0])).toBe('blocked 429, blocked 429, opened 200');
		expect(proxies[1]).toBe(proxies[0]);
		expect(proxies[2]).not.toBe(proxies[0]);
	});

	it('is not waited for longer than 30 seconds', async () => {
		const { proxies, start } = await waiting(me, '31', 1);
		expect(new Set(proxies).size).toBe(2);
		expect(performance.now() - start).toBeLessThan(15_000);
	});
});

const AREAS = ['北京', '上海', '济南', '成都', '广州'];
/** The order may get an address again while it lives; nothing but that would need one more. */
const byArea = { filters: { area: '={{ $json.area }}', dedup: true } };
/** What would be extracted ahead, would be there then. */
const AHEAD_MS = 5000;

describe('no proxy is extracted for pages that need others', () => {
	it('when a run has several groups of them', async () => {
		const pages = Array.from({ length: 30 }, (_, index) => ({
			url: me.page(`/article#${index}`),
			area: AREAS[index < 15 ? 0 : 1],
		}));
		const { error } = await me.open(pages, byArea);
		await sleep(AHEAD_MS);
		expect(error).toBeUndefined();
		expect(me.extracted).toBe(30);
	});

	it('when an earlier run has left one for each', async () => {
		const pages = AREAS.map((area) => ({ url: me.page('/slow?ms=300'), area }));
		const fields = { ...byArea, options: { pagesAtATime: 1 } };
		await me.open(pages, fields);
		await me.open(pages, fields);
		await sleep(AHEAD_MS);
		expect(me.extracted).toBe(AREAS.length);
	});
});

it('pages that no proxy lets through use up no more proxies', async () => {
	me.sandbox.proxyFaults.add({ kind: 'status', status: 447, orderId: me.orderId });
	const pages = Array.from({ length: 20 }, () => me.page('/article'));
	const { items } = await me.open(pages, { reuse: false }, { settings: CONTINUE });
	for (const item of items)
		expect(detailsOf(item).error).toContain('has to be verified with a real name');
	await sleep(AHEAD_MS);
	expect(me.visits).toEqual([]);
	expect(me.extracted).toBe(5);
});

it('proxies that refused a wrong login are there again when it is right', async () => {
	me.sandbox.proxyFaults.add({ kind: 'status', status: 407, orderId: me.orderId });
	const pages = Array.from({ length: 4 }, () => me.page('/article'));
	await me.open(pages, {}, { settings: CONTINUE });
	const { extracted } = me;
	me.sandbox.proxyFaults.clear();
	await sleep(60_000);
	const again = await me.open(pages);
	expect(again.error).toBeUndefined();
	expect(me.extracted).toBe(extracted);
});

it('a proxy is used although the service does not say how long it lives', async () => {
	const server = createServer((_request, response) => response.end('through the proxy'));
	closeAtEnd(async () => void server.close());
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	await inShop(
		bed().engine,
		({ path }) => (path === '/api/getdps' ? list([`127.0.0.1:${port}`]) : success({})),
		async (shop) => {
			const { items } = await shop.run({
				...{ resource: 'page', operation: 'open', product: 'DPS' },
				url: 'http://example.com/',
				options: { simplify: false },
			});
			expect(detailsOf(items[0]).attempts).toHaveLength(1);
			expect(items[0].json.data).toBe('through the proxy');
			expect(shop.extractions.filter(({ path }) => path === '/api/getdps')).toHaveLength(1);
		},
	);
});

it('a run that may extract no more says why the other pages were not tried', async () => {
	const pages = Array.from({ length: 8 }, (_, index) => me.page(`/article/${index}`));
	const options = { maxExtractionsPerRun: 3 };
	const { hints, items } = await me.open(pages, { reuse: false, options });
	expect(items).toHaveLength(8);
	expect(me.extracted).toBe(3);
	expect(hints.map(({ message }) => message).join(' ')).toMatch(
		/5 not tried: no proxies left.* 5 pages with 'not tried: no proxies left', such as: 'Max Extractions per Execution' .* Raise the limit in 'Options' to go on\./,
	);
});
