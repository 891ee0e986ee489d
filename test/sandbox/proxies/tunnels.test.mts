import { Agent } from 'node:http';
import { type HttpsTarget, startHttpsTarget } from '../../../harness/httpsTarget.mts';
import type { OverseasProxyOrder, TunnelProxyOrder } from '../../../sandbox/accounts/order.mts';
import type { TunnelOrder } from '../../../sandbox/forwarding/tunnels/tunnels.mts';
import {
	type KeyPair,
	newOverseasProxyOrder,
	newTunnelProProxyOrder,
	newTunnelProxyOrder,
	type Sandbox,
	type SandboxOptions,
	startSandbox,
} from '../../../sandbox/sandbox.mts';
import { call, type Parameters } from '../client.mts';
import { accountOf } from '../ordering.mts';
import { exitOf, open, type Opening } from './proxyClient.mts';

const SECOND = 1000;

let sandbox: Sandbox;
let secure: HttpsTarget;

beforeAll(async () => {
	secure = await startHttpsTarget();
});

afterAll(() => secure.close());

async function start(options: SandboxOptions = {}): Promise<void> {
	sandbox = await startSandbox({
		...{ rateLimits: false, catalogueSize: 10 },
		// The clock moves by hours, and the client signs by its own.
		timestampToleranceSeconds: 100_000,
		...options,
	});
}

beforeEach(() => start());

afterEach(() => sandbox.close());

const page = () => `${sandbox.controlUrl}/ip`;

const entranceOf = ({ entrance }: TunnelOrder) => ({
	host: entrance.host,
	port: Number(entrance.httpPort),
});

/** What a request through the tunnel says of itself, and what is added to user name and password. */
interface Asked extends Omit<Opening, 'login'> {
	suffix?: string;
	note?: string;
	url?: string;
}

function loginTo({ login }: TunnelOrder, suffix = '', note = ''): string {
	return `${login.username}${suffix}:${login.password}${note}`;
}

async function exit(order: TunnelOrder, asked: Asked = {}): Promise<string> {
	const { suffix, note, url = page(), ...opening } = asked;
	const login = loginTo(order, suffix, note);
	return await exitOf(entranceOf(order), url, { ...opening, login });
}

async function statusOf(
	order: TunnelOrder,
	suffix: string,
	note = '',
): Promise<number | undefined> {
	const login = loginTo(order, suffix, note);
	const plain = await open(entranceOf(order), page(), { login });
	const tunneled = await open(entranceOf(order), secure.url, { login });
	expect(tunneled.status).toBe(plain.status);
	if (plain.status === 407) expect(plain.body).toMatch(/^Proxy Authentication Failed:/);
	return plain.status;
}

function tps(settings: Partial<TunnelProxyOrder> = {}) {
	const order = newTunnelProxyOrder('tunnel', accountOf(sandbox), new Date(), settings);
	return sandbox.store.addOrder(order);
}

function pro() {
	return sandbox.store.addOrder(newTunnelProProxyOrder('pro', accountOf(sandbox), new Date()));
}

function fps(settings: Partial<OverseasProxyOrder> = {}) {
	const order = newOverseasProxyOrder('overseas', accountOf(sandbox), new Date(), settings);
	return sandbox.store.addOrder(order);
}

const wherever = /^127\.255\.\d+\.\d+$/;

const PRODUCTS = [
	['a tunnel', tps],
	['a Pro tunnel', pro],
	['an overseas tunnel', fps],
] as const;

describe.each(PRODUCTS)('%s', (_name, newOrder) => {
	it('is entered at an address, with the documented port', () => {
		const order: TunnelOrder = newOrder();
		const port = order.product === 'FPS' ? '18866' : '15818';
		expect(order.entrance).toMatchObject({ host: expect.stringMatching(/^127\./), httpPort: port });
	});

	it('leaves from another address with every connection, to http and https pages', async () => {
		const order = newOrder();
		const exits = [
			await exit(order),
			await exit(order),
			await exit(order, { url: secure.url }),
			await exit(order, { url: secure.url }),
		];
		expect(new Set(exits).size).toBe(4);
		for (const each of exits) expect(each).toMatch(wherever);
	});

	it('leaves from the same address while the client keeps its connection', async () => {
		const order = newOrder();
		const agent = new Agent({ keepAlive: true, maxSockets: 1 });
		const first = await exit(order, { agent });
		expect(await exit(order, { agent })).toBe(first);
		expect(await exit(order, { agent })).toBe(first);
		agent.destroy();
		expect(await exit(order)).not.toBe(first);
	});

	it('wants a login or a client on the whitelist', async () => {
		const order = newOrder();
		const entrance = entranceOf(order);
		expect(await open(entrance, page())).toMatchObject({
			status: 407,
			body: 'White IP Failed: 127.0.0.1',
		});
		expect(await open(entrance, page(), { login: 'somebody:else' })).toMatchObject({
			status: 407,
			body: expect.stringMatching(/^Proxy Authentication Failed:/),
		});
		sandbox.whitelists.replaceNow(order, ['127.0.0.1']);
		expect(await exitOf(entrance, page())).toMatch(wherever);
		expect(await exitOf(entrance, secure.url)).toMatch(wherever);
	});

	it('answers 454 when the order is over, 503 when the target does not answer', async () => {
		const order = newOrder();
		const login = loginTo(order);
		const nobody = await open(entranceOf(order), 'http://127.0.0.1:1/', { login });
		expect(nobody).toMatchObject({ status: 503, body: 'Proxy Connect Error' });
		order.status = 'EXPIRED';
		expect(await statusOf(order, '')).toBe(454);
	});

	it('is logged with what was asked for', async () => {
		const order = newOrder();
		const address = await exit(order);
		expect(sandbox.proxyLog.last()).toMatchObject({
			proxy: `${order.entrance.host}:${order.entrance.httpPort}`,
			method: 'GET',
			target: new URL(sandbox.controlUrl).host,
			clientAddress: '127.0.0.1',
			username: order.login.username,
			orderId: order.orderId,
			refusedWith: undefined,
			exit: address,
		});
		await open(entranceOf(order), secure.url, { login: 'a:b' });
		expect(sandbox.proxyLog.last()).toMatchObject({
			method: 'CONNECT',
			username: 'a',
			orderId: undefined,
			refusedWith: 407,
			exit: undefined,
		});
	});
});

describe('441: a tunnel beyond its requests per second', () => {
	it.each([
		['a tunnel', () => tps({ maxRps: 5 })],
		['a Pro tunnel', pro],
	])('%s counts pages and connections of all its clients', async (_name, newOrder) => {
		await sandbox.close();
		// A second is 100 here, so that a busy machine does not spread the requests over two.
		await start({ rateLimits: { scale: 100 } });
		const order = newOrder();
		for (const url of [page(), secure.url, page(), secure.url, page()]) await exit(order, { url });
		const login = loginTo(order);
		for (const url of [page(), secure.url]) {
			const { status, body } = await open(entranceOf(order), url, { login });
			expect({ status, body }).toEqual({ status: 441, body: 'Request Rate Over Limit' });
		}
		expect(sandbox.proxyLog.last()).toMatchObject({ orderId: order.orderId, refusedWith: 441 });
		order.maxRps = 6;
		expect(await exit(order)).toMatch(wherever);
	});
});

describe('a tunnel without a period', () => {
	it('holds an address for 30 seconds for a string after the password', async () => {
		const order = tps();
		const held = await exit(order, { note: ':abc' });
		expect(await exit(order, { note: ':abc', url: secure.url })).toBe(held);
		sandbox.clock.advance(29 * SECOND);
		expect(await exit(order, { note: ':abc' })).toBe(held);
		expect(await exit(order, { note: ':abcd' })).not.toBe(held);
		expect(await exit(order)).not.toBe(held);
		// The requests in between have not prolonged it.
		sandbox.clock.advance(SECOND);
		expect(await exit(order, { note: ':abc' })).not.toBe(held);
	});
});

describe('a tunnel with a period', () => {
	it('changes its address after each period, counted from the first request', async () => {
		const order = tps({ period: 60 });
		const first = await exit(order);
		sandbox.clock.advance(59 * SECOND);
		expect(await exit(order, { url: secure.url })).toBe(first);
		sandbox.clock.advance(SECOND);
		const second = await exit(order);
		expect(second).not.toBe(first);
		sandbox.clock.advance(59 * SECOND);
		expect(await exit(order)).toBe(second);
		sandbox.clock.advance(SECOND);
		expect(await exit(order)).not.toBe(second);
	});

	it('has one channel, whatever string comes', async () => {
		const order = tps({ period: 60 });
		const first = await exit(order);
		expect(await exit(order, { note: ':3' })).toBe(first);
		expect(await exit(order, { note: ':abc' })).toBe(first);
	});

	it('has several channels if it was sold so, by number and by any string', async () => {
		const order = tps({ period: 60, channels: 4 });
		const numbers = [1, 2, 3, 4];
		const exits: string[] = [];
		for (const number of numbers) exits.push(await exit(order, { note: `:${number}` }));
		expect(new Set(exits).size).toBe(4);
		for (const number of numbers) {
			expect(await exit(order, { note: `:${number}`, url: secure.url })).toBe(exits[number - 1]);
		}
		for (const text of ['5', 'abc', '0', '']) {
			const mapped = await exit(order, { note: `:${text}` });
			expect(exits).toContain(mapped);
			expect(await exit(order, { note: `:${text}` })).toBe(mapped);
		}
	});

	it('chooses the channel by a header, which only http pages can bring', async () => {
		const order = tps({ period: 60, channels: 4 });
		const third = await exit(order, { note: ':3' });
		const headers = { 'kdl-tps-channel': '3' };
		expect(await exit(order, { headers })).toBe(third);
		const without = await exit(order);
		expect(await exit(order, { headers, url: secure.url })).toBe(without);
		const other = await exit(order, { headers, note: ':2' });
		expect(other).not.toBe(third);
	});

	it('chooses the channel by the address of the client when nothing is said', async () => {
		const order = tps({ period: 60, channels: 50 });
		const first = await exit(order);
		expect(await exit(order)).toBe(first);
		expect(await exit(order, { localAddress: '127.0.0.9' })).not.toBe(first);
	});
});

describe('a Pro tunnel', () => {
	it('holds an address for a session, as long as the period says', async () => {
		const order = pro();
		const suffix = '-period-0.5-sid-s01';
		const held = await exit(order, { suffix });
		expect(await exit(order, { suffix, url: secure.url })).toBe(held);
		expect(await exit(order, { suffix: '-sid-s01-period-0.5' })).toBe(held);
		sandbox.clock.advance(29 * SECOND);
		expect(await exit(order, { suffix })).toBe(held);
		sandbox.clock.advance(SECOND);
		expect(await exit(order, { suffix })).not.toBe(held);
	});

	it('has a channel for each period and session', async () => {
		const order = pro();
		const suffixes = ['-period-1-sid-a', '-period-1-sid-b', '-period-2-sid-a', '-period-1'];
		const exits: string[] = [];
		for (const suffix of suffixes) exits.push(await exit(order, { suffix }));
		expect(new Set(exits).size).toBe(4);
		for (const [index, suffix] of suffixes.entries()) {
			expect(await exit(order, { suffix })).toBe(exits[index]);
		}
	});

	it.each([
		['-area-EC', { area: 'EC' }],
		['-prov-33', { prov: '33' }],
		['-city-330100-period-30-sid-abcdef', { city: '330100' }],
		['-period-0.25-area-SWC', { area: 'SWC' }],
		['-type-enh-pool-q10', {}],
	])('goes to the place in %s', async (suffix, place) => {
		const order = pro();
		const address = await exit(order, { suffix });
		expect(sandbox.proxyLog.last()).toMatchObject({ exit: address, place });
		expect(sandbox.proxyLog.last()?.place).toEqual(place);
	});

	it.each([
		'-',
		'-period-',
		'-period-0',
		'-period-0.3',
		'-period-31',
		'-period-1.0',
		'-period-1-period-2',
		'-sid-abcdefg',
		'-sid-',
		'-period-1-sid-a-b',
		'-area-XX',
		'-area-ec',
		'-prov-3301',
		'-city-3301',
		'-region-US',
		'-Period-1',
		'period-1',
		'-period-1-',
	])('refuses "%s"', async (suffix) => {
		expect(await statusOf(pro(), suffix)).toBe(407);
	});
});

describe('an overseas tunnel', () => {
	it('goes where the user name says, or where the order says', async () => {
		const order = fps({ transferArea: 'JP' });
		const cases = [
			['', { region: 'JP' }],
			['-region-US', { region: 'US' }],
			['-region-US-area-New York-period-1', { region: 'US', area: 'New York' }],
			['-area-Osaka', { region: 'JP', area: 'Osaka' }],
			['-cont-eu', { cont: 'eu' }],
			['-period-0', { region: 'JP' }],
		] as const;
		for (const [suffix, place] of cases) {
			await exit(order, { suffix });
			expect(sandbox.proxyLog.last()?.place).toEqual(place);
		}
	});

	it('holds an address for the minutes of the period', async () => {
		const order = fps();
		const suffix = '-region-US-period-1';
		const held = await exit(order, { suffix });
		expect(await exit(order, { suffix, url: secure.url })).toBe(held);
		expect(await exit(order, { suffix: '-region-GB-period-1' })).not.toBe(held);
		sandbox.clock.advance(59 * SECOND);
		expect(await exit(order, { suffix })).toBe(held);
		sandbox.clock.advance(SECOND);
		expect(await exit(order, { suffix })).not.toBe(held);
	});

	it('reads headers too, which the user name beats, and which only http pages can bring', async () => {
		const order = fps();
		const headers = { 'Kdl-Region': 'JP', 'Kdl-Area': 'Osaka', 'Kdl-Period': '1' };
		const held = await exit(order, { headers });
		expect(sandbox.proxyLog.last()?.place).toEqual({ region: 'JP', area: 'Osaka' });
		expect(await exit(order, { headers })).toBe(held);
		await exit(order, { headers, suffix: '-region-GB' });
		expect(sandbox.proxyLog.last()?.place).toEqual({ region: 'GB', area: 'Osaka' });
		await exit(order, { headers, url: secure.url });
		expect(sandbox.proxyLog.last()?.place).toEqual({ region: 'US' });
		await exit(order, { headers: { 'Kdl-Region': 'nowhere' } });
		expect(sandbox.proxyLog.last()?.place).toEqual({ region: 'US' });
	});

	it.each([
		'-region-USA',
		'-region-us',
		'-cont-xx',
		'-period-0.5',
		'-period-31',
		'-sid-a',
		'-area-',
	])('refuses "%s"', async (suffix) => {
		expect(await statusOf(fps(), suffix)).toBe(407);
	});
});

const CURRENT = '/api/tpscurrentip';
const CURRENT_PRO = '/api/tpsprocurrentip';
const CHANGE = '/api/changetpsip';

const MINUTE = 60 * SECOND;

async function ask(path: string, keys: KeyPair, parameters: Parameters = {}) {
	return (await call(sandbox.hosts.tpsUrl, path, keys, parameters)).json;
}

const success = (data: unknown) => ({ code: 0, msg: '', data });

describe('tpscurrentip', () => {
	it('is what the last page saw, and follows the period', async () => {
		const order = tps({ period: 60 });
		const address = await exit(order);
		expect(await ask(CURRENT, order.keys)).toEqual(success({ current_ip: address }));
		sandbox.clock.advance(MINUTE);
		const { data } = await ask(CURRENT, order.keys);
		expect(data).not.toEqual({ current_ip: address });
		expect(data).toEqual({ current_ip: await exit(order) });
	});

	it('lists the channels that are in use', async () => {
		const order = tps({ period: 60, channels: 4 });
		expect(await ask(CURRENT, order.keys)).toEqual(
			success({ current_ip: '', current_ip_list: [] }),
		);
		const third = await exit(order, { note: ':3' });
		const first = await exit(order, { note: ':1' });
		expect(await ask(CURRENT, order.keys)).toEqual(
			success({ current_ip: first, current_ip_list: [first, third] }),
		);
	});
});

describe('tpsprocurrentip', () => {
	it('gives the addresses that are held, by session', async () => {
		const order = pro();
		const one = await exit(order, { suffix: '-period-1-sid-one' });
		const two = await exit(order, { suffix: '-period-5-sid-two' });
		// Too short, no session, not held.
		for (const suffix of ['-period-0.25-sid-three', '-period-5', '-sid-four', '']) {
			await exit(order, { suffix });
		}
		expect(await ask(CURRENT_PRO, order.keys)).toEqual(success({ one, two }));
		expect(await ask(CURRENT_PRO, order.keys, { sid: '' })).toEqual(success({ one, two }));
		expect(await ask(CURRENT_PRO, order.keys, { sid: 'two' })).toEqual(success({ two }));
		expect(await ask(CURRENT_PRO, order.keys, { sid: 'none' })).toEqual(success({}));
		sandbox.clock.advance(MINUTE);
		expect(await ask(CURRENT_PRO, order.keys)).toEqual(success({ two }));
	});
});

describe('changetpsip', () => {
	it('makes the tunnel leave from another address at once', async () => {
		const order = tps({ period: 60 });
		const before = await exit(order);
		const { code, data } = await ask(CHANGE, order.keys);
		const after = await exit(order);
		expect(after).not.toBe(before);
		expect({ code, data }).toEqual({ code: 0, data: { new_ip: after } });
		expect(await ask(CURRENT, order.keys)).toEqual(success({ current_ip: after }));
	});

	it('twice per period, and then -5 until the next one', async () => {
		const order = tps({ period: 60 });
		await exit(order);
		expect((await ask(CHANGE, order.keys)).code).toBe(0);
		sandbox.clock.advance(MINUTE - 1000);
		expect((await ask(CHANGE, order.keys)).code).toBe(0);
		const address = await exit(order);
		expect(await ask(CHANGE, order.keys)).toMatchObject({ code: -5, data: '' });
		expect(await exit(order)).toBe(address);
		sandbox.clock.advance(1000);
		expect((await ask(CHANGE, order.keys)).code).toBe(0);
		expect((await ask(CHANGE, order.keys)).code).toBe(0);
		expect((await ask(CHANGE, order.keys)).code).toBe(-5);
	});

	it('changes all channels, or those whose addresses are named', async () => {
		const order = tps({ period: 60, channels: 4 });
		const visitAll = async () => {
			const exits: string[] = [];
			for (const channel of [1, 2, 3]) exits.push(await exit(order, { note: `:${channel}` }));
			return exits;
		};
		const before = await visitAll();
		const [first = '', second = '', third = ''] = before;
		const some = await ask(CHANGE, order.keys, { changeip: `${first},${third}` });
		const between = await visitAll();
		expect(between[1]).toBe(second);
		expect(new Set([...before, ...between]).size).toBe(5);
		expect(some).toEqual(success({ new_ip: between[0], new_ip_list: between }));

		const all = await ask(CHANGE, order.keys, { changeip: '' });
		const after = await visitAll();
		expect(new Set([...between, ...after]).size).toBe(6);
		expect(all).toEqual(success({ new_ip: after[0], new_ip_list: after }));
	});

	it('-2 with an address that is not in use, which does not count as a change', async () => {
		const order = tps({ period: 60, channels: 2 });
		const address = await exit(order);
		for (const changeip of ['192.0.2.1', `${address},192.0.2.1`, ',', `${address},`]) {
			expect(await ask(CHANGE, order.keys, { changeip })).toMatchObject({ code: -2, data: '' });
		}
		expect(await exit(order)).toBe(address);
		expect((await ask(CHANGE, order.keys, { changeip: address })).code).toBe(0);
		expect((await ask(CHANGE, order.keys)).code).toBe(0);
	});
});
