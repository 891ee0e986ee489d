import {
	newDedicatedProxyOrder,
	newPrivateProxyOrder,
	startSandbox,
	type Order,
	type Sandbox,
} from '../../../sandbox/sandbox.mts';
import { call, get, post, signed, type Parameters } from '../client.mts';
import { accountOf } from '../ordering.mts';

const PATHS = {
	get: '/api/getipwhitelist',
	set: '/api/setipwhitelist',
	add: '/api/addwhiteip',
	delete: '/api/delwhiteip',
};

type Action = keyof typeof PATHS;

const SECOND = 1000;

let sandbox: Sandbox;
let order: Order;

beforeEach(async () => {
	sandbox = await startSandbox({ rateLimits: false, forwardProxies: false, catalogueSize: 10 });
	order = sandbox.store.order(sandbox.keys.dps.secretId);
});

afterEach(() => sandbox.close());

async function ask(action: Action, parameters: Parameters = {}, keys = order.keys) {
	const { baseUrl } = sandbox.hosts;
	return (await call(baseUrl, PATHS[action], keys, parameters, sandbox.clock.now())).json;
}

async function list(): Promise<unknown> {
	const { code, data } = await ask('get');
	expect(code).toBe(0);
	return data;
}

const done = (msg: string) => ({ code: 0, msg, data: '' });

it('is empty at first', async () => {
	expect(await list()).toEqual({ count: 0, ipwhitelist: [], limit: 50 });
});

it('is replaced, added to and deleted from, and reads back at once, the newest first', async () => {
	expect(await ask('set', { iplist: '1.1.1.1,2.2.2.2' })).toEqual(
		done('ip whitelist updated to 1.1.1.1,2.2.2.2'),
	);
	expect(await ask('add', { iplist: '3.3.3.3' })).toEqual(done('3.3.3.3 add to ip whitelist'));
	expect(await list()).toEqual({
		count: 3,
		ipwhitelist: ['3.3.3.3', '2.2.2.2', '1.1.1.1'],
		limit: 50,
	});
	expect(await ask('delete', { iplist: '3.3.3.3,1.1.1.1' })).toEqual(
		done('3.3.3.3,1.1.1.1 deleted from ip whitelist'),
	);
	expect(await list()).toMatchObject({ ipwhitelist: ['2.2.2.2'] });
	await ask('set', { iplist: '4.4.4.4' });
	expect(await list()).toMatchObject({ count: 1, ipwhitelist: ['4.4.4.4'] });
});

it('is of one order and of no other', async () => {
	await ask('set', { iplist: '1.1.1.1' });
	expect((await ask('get', {}, sandbox.keys.kps)).data).toMatchObject({ count: 0 });
});

it.each<[action: Action, rest: string[]]>([
	['set', ['192.0.2.8']],
	['add', ['192.0.2.8', '1.1.1.1']],
])('without an iplist, %s takes the address of the caller', async (action, ipwhitelist) => {
	await ask('set', { iplist: '1.1.1.1' });
	sandbox.settings.clientAddress = '192.0.2.8';
	expect((await ask(action)).msg).toContain('192.0.2.8');
	expect(await list()).toMatchObject({ ipwhitelist });
});

it('an empty iplist clears the list, by GET and by POST', async () => {
	for (const send of [get, post] as const) {
		await ask('set', { iplist: '1.1.1.1' });
		const method = send === get ? 'GET' : 'POST';
		const parameters = signed(order.keys, method, PATHS.set, { iplist: '' });
		const reply = await send(sandbox.hosts.baseUrl + PATHS.set, parameters);
		expect(reply.json).toEqual(done('ip whitelist updated to '));
		expect(await list()).toMatchObject({ count: 0, ipwhitelist: [] });
	}
});

it.each<[action: Action, iplist: string | undefined, code: number]>([
	['add', '', -4],
	['add', '1.1.1', -4],
	['add', '1.1.1.1,', -4],
	['add', '1.1.1.1, 2.2.2.2', -4],
	['add', 'example.com', -4],
	['add', '2001:db8::1', -4],
	['set', '1.1.1.256', -4],
	['set', ',', -4],
	['delete', undefined, -1],
	['delete', '', -7],
])('%s refuses the iplist "%s" with %d and changes nothing', async (action, iplist, code) => {
	await ask('set', { iplist: '1.1.1.1' });
	const parameters: Parameters = iplist === undefined ? {} : { iplist };
	expect(await ask(action, parameters)).toMatchObject({ code, data: '' });
	expect(await list()).toMatchObject({ ipwhitelist: ['1.1.1.1'] });
});

it('has an address once, however often it comes', async () => {
	await ask('set', { iplist: '1.1.1.1,1.1.1.1' });
	await ask('add', { iplist: '1.1.1.1,2.2.2.2' });
	expect(await list()).toMatchObject({ count: 2 });
});

it('does not mind the deletion of what is not there', async () => {
	await ask('set', { iplist: '1.1.1.1' });
	expect((await ask('delete', { iplist: '9.9.9.9,no address' })).code).toBe(0);
	expect(await list()).toMatchObject({ ipwhitelist: ['1.1.1.1'] });
});

describe('the limit', () => {
	const addresses = (count: number) =>
		Array.from({ length: count }, (_, index) => `10.0.0.${index}`).join(',');

	it.each([
		['a private-proxy order', newPrivateProxyOrder],
		['a dedicated-proxy order', newDedicatedProxyOrder],
	] as const)('of %s is what was bought', async (_name, newOrder) => {
		order = sandbox.store.addOrder(
			newOrder('wide', accountOf(sandbox), new Date(), { whiteipCount: 60 }),
		);
		expect(await list()).toMatchObject({ limit: 60 });
		expect((await ask('set', { iplist: addresses(60) })).code).toBe(0);
	});

	it('is 50 for a tunnel, and beyond it nothing is changed', async () => {
		order = sandbox.store.order(sandbox.keys.tps.secretId);
		expect(await ask('set', { iplist: addresses(51) })).toMatchObject({ code: -5, data: '' });
		expect(await list()).toMatchObject({ count: 0, limit: 50 });
		expect((await ask('set', { iplist: addresses(50) })).code).toBe(0);
		expect(await ask('add', { iplist: '1.1.1.1' })).toMatchObject({ code: -5 });
		expect((await ask('add', { iplist: '10.0.0.0' })).code).toBe(0);
		expect(await list()).toMatchObject({ count: 50 });
	});
});

describe('a change', () => {
	const admitted = () =>
		['1.1.1.1', '2.2.2.2'].filter((each) => sandbox.whitelists.admits(order, each));

	it('takes effect a minute later by the clock of the sandbox', async () => {
		await ask('set', { iplist: '1.1.1.1' });
		expect(admitted()).toEqual([]);
		sandbox.clock.advance(59 * SECOND);
		expect(admitted()).toEqual([]);
		sandbox.clock.advance(SECOND);
		expect(admitted()).toEqual(['1.1.1.1']);
	});

	it('lets those out who are deleted, as late', async () => {
		sandbox.whitelists.replaceNow(order, ['1.1.1.1', '2.2.2.2']);
		expect(admitted()).toEqual(['1.1.1.1', '2.2.2.2']);
		await ask('delete', { iplist: '1.1.1.1' });
		expect(await list()).toMatchObject({ ipwhitelist: ['2.2.2.2'] });
		expect(admitted()).toEqual(['1.1.1.1', '2.2.2.2']);
		sandbox.clock.advance(60 * SECOND);
		expect(admitted()).toEqual(['2.2.2.2']);
	});

	it('has a minute of its own when another follows', async () => {
		await ask('set', { iplist: '1.1.1.1' });
		sandbox.clock.advance(30 * SECOND);
		await ask('set', { iplist: '2.2.2.2' });
		expect(admitted()).toEqual([]);
		sandbox.clock.advance(30 * SECOND);
		expect(admitted()).toEqual(['1.1.1.1']);
		sandbox.clock.advance(30 * SECOND);
		expect(admitted()).toEqual(['2.2.2.2']);
	});

	it('keeps others of setipwhitelist away with -1 until it is applied, where a test wants so', async () => {
		await ask('set', { iplist: '1.1.1.1' });
		expect((await ask('set', { iplist: '2.2.2.2' })).code).toBe(0);
		sandbox.settings.whitelistWhileChanging = 'refuse';
		expect(await ask('set', { iplist: '1.1.1.1' })).toMatchObject({ code: -1, data: '' });
		expect(await list()).toMatchObject({ ipwhitelist: ['2.2.2.2'] });
		sandbox.clock.advance(60 * SECOND);
		expect((await ask('set', { iplist: '1.1.1.1' })).code).toBe(0);
		expect((await ask('set', { iplist: '' })).code).toBe(-1);
	});
});
