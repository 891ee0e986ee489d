import {
	newTunnelProxyOrder,
	startSandbox,
	type KeyPair,
	type Sandbox,
} from '../../../sandbox/sandbox.mts';
import type { TunnelProxyOrder } from '../../../sandbox/accounts/order.mts';
import type { TunnelOrder } from '../../../sandbox/forwarding/tunnels/tunnels.mts';
import { call, type Parameters } from '../client.mts';
import { accountOf } from '../ordering.mts';
import { exitOf } from './proxyClient.mts';

const CURRENT = '/api/tpscurrentip';
const CURRENT_PRO = '/api/tpsprocurrentip';
const CHANGE = '/api/changetpsip';

const MINUTE = 60_000;

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startSandbox({
		...{ rateLimits: false, catalogueSize: 10 },
		// The clock moves by hours, and the client signs by its own.
		timestampToleranceSeconds: 100_000,
	});
});

afterEach(() => sandbox.close());

async function ask(path: string, keys: KeyPair, parameters: Parameters = {}) {
	return (await call(sandbox.hosts.tpsUrl, path, keys, parameters)).json;
}

function tps(settings: Partial<TunnelProxyOrder>) {
	const order = newTunnelProxyOrder('tunnel', accountOf(sandbox), new Date(), settings);
	return sandbox.store.addOrder(order);
}

function visit({ entrance, login }: TunnelOrder, suffix = '', note = ''): Promise<string> {
	return exitOf(
		{ host: entrance.host, port: Number(entrance.httpPort) },
		`${sandbox.controlUrl}/ip`,
		{ login: `${login.username}${suffix}:${login.password}${note}` },
	);
}

const success = (data: unknown) => ({ code: 0, msg: '', data });

describe('tpscurrentip', () => {
	it('is what the last page saw, and follows the period', async () => {
		const order = tps({ period: 60 });
		const address = await visit(order);
		expect(await ask(CURRENT, order.keys)).toEqual(success({ current_ip: address }));
		sandbox.clock.advance(MINUTE);
		const { data } = await ask(CURRENT, order.keys);
		expect(data).not.toEqual({ current_ip: address });
		expect(data).toEqual({ current_ip: await visit(order) });
	});

	it('lists the channels that are in use', async () => {
		const order = tps({ period: 60, channels: 4 });
		expect(await ask(CURRENT, order.keys)).toEqual(
			success({ current_ip: '', current_ip_list: [] }),
		);
		const third = await visit(order, '', ':3');
		const first = await visit(order, '', ':1');
		expect(await ask(CURRENT, order.keys)).toEqual(
			success({ current_ip: first, current_ip_list: [first, third] }),
		);
	});
});

describe('tpsprocurrentip', () => {
	const proOrder = () => {
		const order = sandbox.store.order(sandbox.keys.tpsPro.secretId);
		if (order.product !== 'TPS_PRO') throw new Error('It is no Pro order');
		return order;
	};

	it('gives the addresses that are held, by session', async () => {
		const order = proOrder();
		const one = await visit(order, '-period-1-sid-one');
		const two = await visit(order, '-period-5-sid-two');
		// Too short, no session, not held.
		for (const suffix of ['-period-0.25-sid-three', '-period-5', '-sid-four', '']) {
			await visit(order, suffix);
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
		const before = await visit(order);
		const { code, data } = await ask(CHANGE, order.keys);
		const after = await visit(order);
		expect(after).not.toBe(before);
		expect({ code, data }).toEqual({ code: 0, data: { new_ip: after } });
		expect(await ask(CURRENT, order.keys)).toEqual(success({ current_ip: after }));
	});

	it('twice per period, and then -5 until the next one', async () => {
		const order = tps({ period: 60 });
		await visit(order);
		expect((await ask(CHANGE, order.keys)).code).toBe(0);
		sandbox.clock.advance(MINUTE - 1000);
		expect((await ask(CHANGE, order.keys)).code).toBe(0);
		const address = await visit(order);
		expect(await ask(CHANGE, order.keys)).toMatchObject({ code: -5, data: '' });
		expect(await visit(order)).toBe(address);
		sandbox.clock.advance(1000);
		expect((await ask(CHANGE, order.keys)).code).toBe(0);
		expect((await ask(CHANGE, order.keys)).code).toBe(0);
		expect((await ask(CHANGE, order.keys)).code).toBe(-5);
	});

	it('changes all channels, or those whose addresses are named', async () => {
		const order = tps({ period: 60, channels: 4 });
		const visitAll = async () => {
			const exits: string[] = [];
			for (const channel of [1, 2, 3]) exits.push(await visit(order, '', `:${channel}`));
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
		const address = await visit(order);
		for (const changeip of ['192.0.2.1', `${address},192.0.2.1`, ',', `${address},`]) {
			expect(await ask(CHANGE, order.keys, { changeip })).toMatchObject({ code: -2, data: '' });
		}
		expect(await visit(order)).toBe(address);
		expect((await ask(CHANGE, order.keys, { changeip: address })).code).toBe(0);
		expect((await ask(CHANGE, order.keys)).code).toBe(0);
	});
});
