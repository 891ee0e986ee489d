import { readFileSync } from 'node:fs';
import type { IDataObject } from 'n8n-workflow';

import type { OrderKind } from '../../operations/world.mts';
import { until } from '../../virtualTime.mts';
import { API } from '../support/api.mts';
import { logFile } from '../support/environment.mts';
import { typed } from '../support/customer.mts';
import { n8nLogger } from '../support/n8nLogger.mts';
import { useProcessClock } from '../support/processClock.mts';
import { CONTINUE } from '../support/runSettings.mts';
import { sleep } from '../support/sleep.mts';
import { detailsOf, outcomesOf, type PageOpener, usePages } from './pageOpener.mts';

const { bed, opener, me } = usePages();
const tunnel = () => opener('tps', 'TPS');

function loginOf({ theOrder }: PageOpener) {
	if (!('login' in theOrder)) throw new Error('The order has no login');
	return theOrder.login;
}

describe('a session', () => {
	const session = { sessionKey: '={{ $json.who }}' };

	it('logs in on one page and reads others, through one proxy', async () => {
		const pages = ['anna', 'bert'].flatMap((who) => [
			{ who, url: me.page('/login'), method: 'POST', body: 'user=demo&password=demo' },
			{ who, url: me.page('/account'), method: 'GET', body: '' },
			{ who, url: me.page('/account'), method: 'GET', body: '' },
		]);
		const { items, error } = await me.open(pages, {
			...session,
			method: '={{ $json.method }}',
			bodyType: 'form',
			body: '={{ $json.body }}',
		});
		expect(error).toBeUndefined();
		for (const { json } of items) expect(json.data).toContain('Welcome, demo.');
		const proxies = items.map((item) => detailsOf(item).proxy);
		expect(new Set(proxies.slice(0, 3)).size).toBe(1);
		expect(new Set(proxies.slice(3)).size).toBe(1);
		expect(proxies[0]).not.toBe(proxies[3]);
		expect(me.extracted).toBe(2);
	});

	it('holds for the execution, in all its nodes: one logs in, the next one reads', async () => {
		const login = {
			...{ url: me.page('/login'), method: 'POST', bodyType: 'form' },
			...{ body: 'user=demo&password=demo', sessionKey: 'anna' },
		};
		const account = { url: me.page('/account'), sessionKey: 'anna', outputField: 'account' };
		const { items, error } = await me.open([{}], account, { before: me.opening(login) });
		expect(error).toBeUndefined();
		expect(items[0].json.account).toContain('Welcome, demo.');
		expect(me.extracted).toBe(1);
		expect(new Set(me.proxied.map(({ proxy }) => proxy)).size).toBe(1);
		// Another execution knows nothing of it, and neither does another key
		const later = await me.open([{}], account);
		expect(later.items[0].json.account).not.toContain('Welcome');
		const other = { before: me.opening({ ...login, sessionKey: 'bert' }) };
		const { items: others } = await me.open([{}], account, other);
		expect(others[0].json.account).not.toContain('Welcome');
	});

	it('of which a page has a field for a password after the log-in has a hint', async () => {
		const login = {
			...{ url: me.page('/login'), method: 'POST', bodyType: 'form' },
			...{ body: 'user=demo&password=demo', sessionKey: 'anna' },
		};
		const open = async (url: string, settings = {}) => {
			const fields = { sessionKey: 'anna', outputField: 'account' };
			const { hints } = await me.open([{}], { ...fields, url }, settings);
			return hints.map(({ message }) => message).join(' ');
		};
		const hint = `1 page of a session with a field for a password although it has logged in, such as ${me.page('/login')}. Check what 'Body' sends`;
		const before = { before: me.opening(login) };
		expect(await open(me.page('/login'), before)).toContain(hint);
		expect(await open(me.page('/account'), before)).not.toContain('password');
		expect(await open(me.page('/login'))).not.toContain('password');
	});

	it('starts anew when its proxy ends, and says so', async () => {
		me.sandbox.pages.faults.add({ kind: 'halfBody', path: '/article', times: 1 });
		const pages = ['/cookies/set?cookie=a%3D1', '/article', '/cookies'].map((path) => ({
			who: 'anna',
			url: me.securePage(path),
		}));
		const { items } = await me.open(pages, session);
		expect(items.map(outcomesOf)).toEqual([
			'opened 200',
			'proxyFailed 200, opened 200',
			'opened 200',
		]);
		expect([items[0].json.data, items[2].json.data]).toEqual([{ a: '1' }, {}]);
		const restarted = items.map((item) => detailsOf(item).sessionRestarted);
		expect(restarted).toEqual([undefined, true, undefined]);
	});
});

describe('pages at a time', () => {
	it('are no more than was entered', async () => {
		const me = opener('kpsSeveral', 'KPS');
		const urls = Array.from({ length: 12 }, () => me.page('/slow?ms=200'));
		const { error } = await me.open(urls, { options: { pagesAtATime: 3 } });
		expect(error).toBeUndefined();
		expect(me.sandbox.pages.visits.mostAtOnce()).toBe(3);
	});

	it('keep to the requests per second that were entered', async () => {
		const urls = Array.from({ length: 6 }, () => me.page('/redirect/1'));
		const start = performance.now();
		await me.open(urls, { options: { requestsPerSecond: 2, pagesAtATime: 20 } });
		expect(me.visits).toHaveLength(12);
		expect(performance.now() - start).toBeGreaterThan(5500);
	});

	it("keep to the order's requests per second together with those of another execution", async () => {
		const other = tunnel();
		Object.assign(other.theOrder, { maxRps: 5 });
		const urls = Array.from({ length: 10 }, (_none, index) => other.page(`/article/${index}`));
		const options = { pagesAtATime: 20 };
		await Promise.all([other.open(urls, { options }), other.open(urls, { options })]);
		expect(other.proxied).toHaveLength(20);
		expect(other.proxied.filter(({ refusedWith }) => refusedWith !== undefined)).toEqual([]);
	});

	it('keep to what was entered in each execution by itself', async () => {
		const other = tunnel();
		const urls = Array.from({ length: 6 }, (_none, index) => other.page(`/article/${index}`));
		const options = { requestsPerSecond: 2, pagesAtATime: 20 };
		const start = performance.now();
		await Promise.all([other.open(urls, { options }), other.open(urls, { options })]);
		expect(performance.now() - start).toBeLessThan(4000);
	});
});

it('many pages share their first extraction also where n8n takes its time for the credential of each item', async () => {
	const { credentials } = bed().engine;
	const decrypt = credentials.getDecrypted.bind(credentials);
	const slow = jest.spyOn(credentials, 'getDecrypted').mockImplementation(async (...args) => {
		await sleep(15);
		return await decrypt(...args);
	});
	const options = { pagesAtATime: 20 };
	const urls = Array.from({ length: 60 }, () => me.page('/slow?ms=300'));
	await me.open(urls, { reuse: false, options });
	slow.mockRestore();
	const calls = me.sandbox.log.entries('/api/getdps');
	const { secretId } = me.keys;
	const ofOrder = calls.filter(({ parameters }) => parameters.secret_id === secretId);
	expect(ofOrder[0].parameters.num).toBe('20');
});

it('an execution that is cancelled ends at once, with nothing left running', async () => {
	const me = tunnel();
	const urls = Array.from({ length: 20 }, () => me.page('/hang'));
	let cancelledAt = NaN;
	const cancelWhen = until(() => me.visits.length > 2).then(() => {
		cancelledAt = performance.now();
	});
	const { status } = await me.open(urls, {}, { cancelWhen, settings: CONTINUE });
	expect(status).toBe('canceled');
	expect(performance.now() - cancelledAt).toBeLessThan(1000);
	const visits = me.visits.length;
	await sleep(3000);
	expect(me.visits).toHaveLength(visits);
	expect(me.visits.filter(({ outcome }) => outcome === 'open')).toEqual([]);
	expect(me.sandbox.pages.visits.mostAtOnce()).toBeLessThanOrEqual(5);
});

describe('an error that ends a run', () => {
	/** Opens pages that never answer, and behind them one of an order of another product. */
	async function openAndFail(count: number) {
		const orders = Array.from({ length: count }, () => me.orderId);
		const items = [...orders, me.tunnel().orderId].map((order, at) => ({
			order,
			url: me.page(`/hang#${at}`),
		}));
		const fields = { orderid: typed('={{ $json.order }}'), options: { pagesAtATime: 3 } };
		const credential = { keyType: 'account', ...me.account.keys };
		return await me.open(items, fields, { credential });
	}

	it('leaves no connection open, and no proxy is extracted after it', async () => {
		// Pages of the first order are under way when the other one is known
		me.sandbox.faults.add({ kind: 'delay', ms: 3000, path: '/api/getorderinfo' });
		const { error } = await openAndFail(20);
		expect(error?.message).toMatch(/^'Product' can't be/);
		const { extracted } = me;
		const visits = me.visits.length;
		await sleep(60_000);
		expect([me.extracted, me.visits.length]).toEqual([extracted, visits]);
		expect([extracted, visits]).toEqual([6, 3]);
		expect(me.visits.filter(({ outcome }) => outcome === 'open')).toEqual([]);
	});
});

describe('as a tool of an agent', () => {
	const asTool = { settings: { type: 'kuaidailiTool' } };

	it.each([
		['POST', 0, asTool.settings],
		['GET', 1, asTool.settings],
		['POST', 0, {}],
		['GET', 1, {}],
	] as const)('with Retry On Fail, %s is sent %i times: %j', async (method, times, kind) => {
		const settings = { ...kind, retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };
		const { error } = await me.open([me.page('/article')], { method }, { settings });
		expect(me.visits).toHaveLength(times);
		expect(me.extracted).toBe(times);
		expect(error?.message ?? '').toMatch(method === 'GET' ? /^$/ : /^Turn off 'Retry On Fail'/);
	});

	it('a call with pages that hang ends within 45 seconds, with those that came', async () => {
		const paths = Array.from({ length: 20 }, (_none, n) =>
			n % 2 ? `/article/${n}` : `/hang?${n}`,
		);
		const start = performance.now();
		const { items } = await me.open([{ url: paths.map((path) => me.page(path)) }], {}, asTool);
		expect(performance.now() - start).toBeLessThanOrEqual(47_000);
		const statuses = items.map(({ json }) => json.pageStatus).filter(Boolean);
		expect(statuses.filter((status) => status === 'opened')).toHaveLength(10);
		expect(statuses.filter((status) => status === 'timeout')).toHaveLength(10);
	});

	it.each([API.getorderinfo, API.getproxyauthorization, API.getdps])(
		'a call in which Kuaidaili does not answer ends within 45 seconds: %s',
		async (path) => {
			me.sandbox.faults.add({ kind: 'hang', path });
			const start = performance.now();
			await me.open([me.page('/article/1'), me.page('/article/2')], {}, asTool);
			expect(performance.now() - start).toBeLessThanOrEqual(47_000);
		},
	);
});

it('no login is in what n8n saves or logs, whatever fails', async () => {
	const { proxyFaults } = me.sandbox;
	const { username, password } = loginOf(me);
	const tool = { type: 'kuaidailiTool' };
	for (const status of [454, 460, 503, 441, 444] as const) {
		for (const [url, settings] of [
			[me.page('/article'), {}],
			[me.securePage('/article'), {}],
			[me.securePage('/article'), tool],
		] as const) {
			proxyFaults.add({ kind: 'status', status, orderId: me.orderId, times: 2 });
			const { saved } = await me.open([url], { maxAttempts: 1 }, { settings });
			expect(saved).not.toContain(username);
			expect(saved).not.toContain(password);
			proxyFaults.clear();
		}
	}
	expect(readFileSync(logFile, 'utf8')).not.toContain(password);
});

it('a login that was changed in the member center is fetched again', async () => {
	await me.open([me.page('/article')]);
	loginOf(me).password = 'another-password';
	for (const url of [me.page('/article'), me.securePage('/article')]) {
		const { items, error } = await me.open([url]);
		expect(error).toBeUndefined();
		expect(outcomesOf(items[0])).toMatch(/^(proxyFailed 407, )?opened 200$/);
	}
});

it('sites see the same browser through the same proxy, with all that it sends', async () => {
	const me = opener('kps', 'KPS');
	const urls = Array.from({ length: 10 }, () => me.securePage('/echo'));
	await me.open(urls);
	await me.open(urls);
	expect(me.visits).toHaveLength(20);
	expect(new Set(me.visits.map(({ headers }) => headers['user-agent'])).size).toBe(1);
	for (const { headers } of me.visits) {
		expect(headers).toMatchObject({
			'accept-language': expect.stringMatching(/^zh-CN/),
			'sec-fetch-mode': 'navigate',
		});
	}
});

describe('nothing is used up, and nothing sent to a page', () => {
	it.each<[string, IDataObject, RegExp]>([
		[
			'for a body without a POST',
			{ method: '={{ "GET" }}', body: 'a=b' },
			/^'Body' holds something that cannot be used/,
		],
		[
			'for a reuse without a value',
			{ reuse: '={{ undefined }}' },
			/^'Reuse Proxies' (?:is empty|can't be )/,
		],
		[
			'for an area that an expression did not find',
			{ filters: { area: '={{ $json.area }}' } },
			/^'Areas?' is empty/,
		],
	])('%s', async (_what, fields, message) => {
		const { error } = await me.open([me.page('/article')], fields);
		expect(error?.message).toMatch(message);
		expect(me.extracted).toBe(0);
		expect(me.visits).toEqual([]);
	});

	it('for an order of another product', async () => {
		const me = opener('opsVip', 'DPS');
		const { error } = await me.open([me.page('/article')]);
		expect(error?.message).toMatch(/^'Product' can't be "Private Proxy \(DPS\)"/);
		expect(error?.description).toBe(
			`Order ${me.orderId} is an open proxy order. Set 'Product' to 'Open Proxy (OPS)', or choose a private proxy order in 'Order'.`,
		);
		expect(me.extracted).toBe(0);
		expect(me.requests().map(({ path }) => path)).toEqual(['/api/getorderinfo']);
	});

	it('for an order of another product, once for all addresses of an item', async () => {
		const me = opener('opsVip', 'DPS');
		const several = { url: [me.page('/article/1'), me.page('/article/2')] };
		const { items } = await me.open([several, several], {}, { settings: CONTINUE });
		expect(items.map(({ json, pairedItem }) => [Object.keys(json), pairedItem])).toEqual([
			[['error'], { item: 0 }],
			[['error'], { item: 1 }],
		]);
	});
});

const clock = useProcessClock();

const THROUGH_TUNNEL = { connection: 'tunnel' };
const SESSION = { sessionKey: 'A' };

/** Lets time pass for the node and the service while a page is open, counted from 1. */
async function passDuring(me: PageOpener, page: number, seconds: number): Promise<void> {
	await until(() => me.visits.length >= page);
	clock.advance(seconds * 1000);
	me.sandbox.clock.advance(seconds * 1000);
}

function exitsOf(me: PageOpener): string[] {
	return me.visits.map(({ through }) => through?.exit ?? '');
}

describe('a session', () => {
	it.each<[string, OrderKind, string, number, IDataObject]>([
		['a tunnel that changes it with each request', 'tps', 'TPS', 30, {}],
		['a tunnel that changes it each minute', 'tpsMinute', 'TPS', 60, {}],
		['a Tunnel Pro', 'tpsPro', 'TPS_PRO', 60, {}],
		['a Tunnel Pro with an interval', 'tpsPro', 'TPS_PRO', 15, { sessionMinutes: 0.25 }],
		["a Tunnel Pro with the order's setting", 'tpsPro', 'TPS_PRO', 600, { sessionMinutes: '' }],
		['an overseas tunnel', 'fps', 'FPS', 600, THROUGH_TUNNEL],
		['one with an interval', 'fps', 'FPS', 60, { ...THROUGH_TUNNEL, sessionMinutes: 1 }],
	])('lasts as long as its IP: %s', async (_name, kind, product, seconds, fields) => {
		const me = opener(kind, product);
		const urls = Array.from({ length: 6 }, () => me.page('/slow?ms=200'));
		const opening = me.open(urls, { ...SESSION, ...fields });
		await passDuring(me, 2, seconds - 5);
		await passDuring(me, 4, 6);
		const { items, error } = await opening;
		expect(error).toBeUndefined();
		const restarts = items.map((item) => detailsOf(item).sessionRestarted === true);
		expect(restarts).toEqual([false, false, false, false, true, false]);
		const exits = exitsOf(me);
		const [first] = exits;
		const last = exits[5];
		expect(exits).toEqual([first, first, first, first, last, last]);
		expect(last).not.toBe(first);
	});

	it.each([
		['TPS_PRO', 'tpsPro', {}],
		['FPS', 'fps', THROUGH_TUNNEL],
	] as const)('is refused where its IP would not stay: %s', async (product, kind, fields) => {
		const me = opener(kind, product);
		const { error } = await me.open([me.page('/article')], {
			...SESSION,
			...fields,
			sessionMinutes: 0,
		});
		expect(error?.message).toMatch(/^'IP Change Interval' can't be "Every Request"/);
		expect(me.proxied).toEqual([]);
		// Without one, it need not stay
		const { items } = await me.open([me.page('/article')], fields);
		expect(items.map(outcomesOf)).toEqual(['opened 200']);
	});
});

it('an interval of a tunnel that an expression makes no number is refused by its name', async () => {
	const me = opener('tpsPro', 'TPS_PRO');
	const { error } = await me.open([me.page('/article')], { sessionMinutes: true });
	expect(error?.message).toBe("'IP Change Interval' can't be true");
});

it('asks anew for the entrance of a tunnel after a failure, and once for all pages', async () => {
	const me = tunnel();
	bed().sandbox.faults.add({ kind: 'code', code: -999, path: '/api/gettps', times: 1 });
	const { items } = await me.open([me.page('/article'), me.page('/article')], {
		options: { pagesAtATime: 1 },
	});
	expect(items.map(({ json }) => json.error)).toEqual([undefined, undefined]);
	expect(me.requests('/api/gettps').map(({ code }) => code)).toEqual([-999, 0]);
});

it('a long run says in the log every ten seconds how far it is', async () => {
	const me = opener('kpsSeveral', 'KPS');
	const info = jest.spyOn(n8nLogger, 'info');
	const urls = Array.from({ length: 5 }, () => me.page('/slow?ms=5000'));
	await me.open(urls, { options: { pagesAtATime: 1 } });
	const told = info.mock.calls
		.map(([text]) => String(text))
		.filter((text) => text.includes('pages'));
	info.mockRestore();
	expect(told).toEqual([
		expect.stringMatching(/^'Kuaidaili' goes on\. Opened [12] of 5 pages\./),
		expect.stringMatching(/^'Kuaidaili' goes on\. Opened [34] of 5 pages\./),
	]);
});
