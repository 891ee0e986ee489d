import {
	addManyOrders,
	newAccount,
	startSandbox,
	type Order,
	type Sandbox,
	type SandboxOptions,
} from '../../../sandbox/sandbox.mts';
import { accountOf, ask, field } from '../ordering.mts';

const DAY_MS = 24 * 3600_000;
const NOW = new Date('2026-05-01T04:00:00Z');

let sandbox: Sandbox;

const start = async (options: SandboxOptions = {}) => {
	sandbox = await startSandbox({
		rateLimits: false,
		forwardProxies: false,
		catalogueSize: 100,
		now: NOW,
		...options,
	});
	return sandbox;
};

afterEach(() => sandbox.close());

const daysUntil = (order: Order | undefined) =>
	order?.expiresAt && (order.expiresAt.getTime() - NOW.getTime()) / DAY_MS;

async function listed(status: string, keys = sandbox.keys.account) {
	const { code, data } = await ask(sandbox, '/api/getaccountorders', keys, { status });
	expect(code).toBe(0);
	if (!Array.isArray(data)) throw new Error('It is no list');
	const entries: unknown[] = data;
	return entries;
}

function control(method: string, path: string, body: unknown) {
	return fetch(sandbox.controlUrl + path, {
		method,
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
}

it('1,000 orders of one account, with keys and numbers of their own', async () => {
	await start();
	const account = sandbox.store.addAccount(newAccount('rich'));
	const orders = addManyOrders(sandbox.store, account, NOW, { count: 1000 });
	expect(new Set(orders.map(({ orderId }) => orderId)).size).toBe(1000);
	expect(new Set(orders.map(({ keys }) => keys.secretId)).size).toBe(1000);
	expect(sandbox.store.ordersOf(account)).toEqual(orders);

	const entries = await listed('VALID', account.keys);
	expect(entries.map((entry) => field(entry, 'orderid'))).toEqual(
		orders.map(({ orderId }) => orderId),
	);
	expect(new Set(entries.map((entry) => field(entry, 'product')))).toEqual(
		new Set(['OPS', 'DPS', 'KPS', 'TPS', 'FPS', 'SFPS']),
	);
	expect(sandbox.ledger.count()).toBe(0);
});

it('expire one after the other over a range of days', async () => {
	await start();
	const add = (count: number, range: object = {}) =>
		addManyOrders(sandbox.store, accountOf(sandbox), NOW, { count, sorts: ['tps'], ...range });
	expect(add(5, { fromDay: -2, toDay: 2 }).map(daysUntil)).toEqual([-2, -1, 0, 1, 2]);
	expect(add(2).map(daysUntil)).toEqual([1, 60]);
	expect(add(1, { fromDay: 3 }).map(daysUntil)).toEqual([3]);
	expect(add(0)).toEqual([]);
});

describe('over the control port', () => {
	beforeEach(() => start());

	it('are added to the account that is there from the start', async () => {
		const before = (await listed('ALL')).length;
		const wanted = { count: 20, fromDay: 1, toDay: 20, sort: 'kpsShared' };
		const reply = await control('POST', '/orders', wanted);
		expect(await reply.json()).toEqual({ added: 20 });
		expect(await listed('ALL')).toHaveLength(before + 20);
		const added = sandbox.store.orders.slice(-20);
		expect(new Set(added.map(({ product }) => product))).toEqual(new Set(['KPS']));
		const days = added.map((order) => Math.round(Number(daysUntil(order))));
		expect(days).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
	});

	it.each([
		[{}, '"count" is missing'],
		[{ count: 0 }, '"count" must be a whole number'],
		[{ count: 1.5 }, '"count" must be a whole number'],
		[{ count: 100_001 }, '"count" must be a whole number'],
		[{ count: '5' }, '"count" must be a number'],
		[{ count: 5, sort: 'xps' }, '"sort" must be one of'],
		[{ count: 5, toDays: 9 }, 'Not known here: toDays'],
		[5, 'A JSON object is needed'],
	])('but not with %j', async (body, message) => {
		const before = sandbox.store.orders.length;
		const reply = await control('POST', '/orders', body);
		expect(reply.status).toBe(400);
		expect(await reply.text()).toContain(JSON.stringify(message).slice(1, -1));
		expect(sandbox.store.orders).toHaveLength(before);
	});
});
