import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

import type { ProxyFault } from '../../../sandbox/forwarding/proxyFaults.mts';
import { CERTIFICATE, KEY } from '../../../sandbox/pages/certificate.mts';
import { until } from '../../virtualTime.mts';
import { closeAtEnd } from '../support/closeAtEnd.mts';
import { Customer, typed } from '../support/customer.mts';
import { CONTINUE } from '../support/runSettings.mts';
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

it('a site through which no page comes is given up after ten proxies, and no other one', async () => {
	me.sandbox.pages.faults.add({ kind: 'status', status: 403, host: '127.0.0.1' });
	const urls = [...pagesOf(me, '127.0.0.1', 20), ...pagesOf(me, 'localhost', 1)];
	const { items, hints } = await me.open(urls, { reuse: false }, COME_OUT);
	expect(me.extracted).toBeLessThanOrEqual(16);
	const [first] = items;
	const [last, ofAnother] = items.slice(-2);
	expect(outcomesOf(ofAnother)).toBe('opened 200');
	expect(detailsOf(last).attempts).toEqual([]);
	expect(outcomeOf(last)).toBe('notTried');
	expect(detailsOf(last).error).toMatch(
		/^The site 127\.0\.0\.1 was given up in this execution\. 10 proxies in a row opened no page of 127\.0\.0\.1.* The next execution tries it again\.$/,
	);
	// Those that were tried say what they came to
	expect(detailsOf(first).attempts).toHaveLength(1);
	expect(outcomeOf(first)).toBe(detailsOf(first).attempts[0].outcome);
	expect(detailsOf(first).error).toMatch(/ Stopped early: 10 proxies in a row opened no page/);
	expect(hints.map(({ message }) => message)).toContainEqual(
		expect.stringMatching(
			/^\d+ pages with 'not tried: site given up', such as: The site 127\.0\.0\.1 was given up in this execution\. 10 proxies/,
		),
	);
});

it('a site leaves few proxies unused when it begins to block after 60 pages', async () => {
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

it('many sites of which every proxy refuses all cost few proxies', async () => {
	proxiesDo(me, { kind: 'status', status: 454 });
	const { port } = new URL(me.sites.https);
	const urls = Array.from({ length: 60 }, (_, site) => `https://127.0.1.${site}:${port}/`);
	const { items } = await me.open(urls, { reuse: false }, COME_OUT);
	expect(detailsOf(items[59]).error).toMatch(
		/^The order's proxies open no page\. 30 proxies of the order in a row opened nothing.*firewall/,
	);
	expect(me.extracted).toBeLessThanOrEqual(45);
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

it('a site whose proxies cannot be connected to ends with the likely causes', async () => {
	proxiesDo(me, { kind: 'refuse' });
	const { error } = await me.open(pagesOf(me, '127.0.0.1', 30), { maxAttempts: 10 });
	expect(error?.message).toMatch(/^The site 127\.0\.0\.1 was given up.* \[item \d+\]$/);
	expect(error?.description).toMatch(/firewall.*outside China.*whitelist/);
	expect(me.extracted).toBeLessThanOrEqual(15);
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

it('a page that says when to come again is waited for with the same proxy', async () => {
	let times = 0;
	const server = createServer({ cert: CERTIFICATE, key: KEY }, (_request, response) => {
		if (times > 0) return response.end('here');
		times += 1;
		return response.writeHead(429, { 'Retry-After': '20' }).end();
	});
	closeAtEnd(async () => void server.close());
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	const start = performance.now();
	const { items } = await me.open([`https://127.0.0.1:${port}/1`]);
	expect(outcomesOf(items[0])).toBe('blocked 429, opened 200');
	expect(performance.now() - start).toBeGreaterThan(19_000);
	expect(me.extracted).toBe(1);
});

it('no proxy is extracted ahead for pages that need others', async () => {
	const pages = Array.from({ length: 30 }, (_, index) => ({
		url: me.page(`/article#${index}`),
		area: index < 15 ? '北京' : '上海',
	}));
	// The order may get an address again while it lives; nothing but that would need one more
	const { error } = await me.open(pages, { filters: { area: '={{ $json.area }}', dedup: true } });
	// Until what would be extracted ahead would be there
	await sleep(5000);
	expect(error).toBeUndefined();
	expect(me.extracted).toBe(30);
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
