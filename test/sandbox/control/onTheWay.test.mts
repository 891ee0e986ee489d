import { call, get, type Parameters } from '../client.mts';
import { CREATE, requestOf, startShop } from '../ordering.mts';
import type { Sandbox } from '../../../sandbox/sandbox.mts';

const ORDERS = '/api/getaccountorders';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(() => sandbox.close());

const list = async (parameters: Parameters = {}) =>
	(await call(sandbox.hosts.baseUrl, ORDERS, sandbox.keys.account, parameters)).json.data;

describe('A cache', () => {
	it('replays the answer of the first call, which later ones do not reach', async () => {
		const order = sandbox.store.order(sandbox.keys.tps.secretId);
		sandbox.faults.add({ kind: 'cache', path: ORDERS, times: 2 });
		const before = await list();
		order.status = 'OWING';
		expect(await list()).toEqual(before);
		expect(sandbox.log.entries().map(({ workDone }) => workDone)).toEqual([true, false]);
		expect(await list()).not.toEqual(before);
	});

	it('keeps the answers to other questions and keys apart', async () => {
		sandbox.faults.add({ kind: 'cache', path: ORDERS });
		const all = await list();
		expect(await list({ product: 'TPS' })).not.toEqual(all);
		sandbox.faults.clear();
		sandbox.faults.add({ kind: 'cache' });
		const [dps, kps] = [sandbox.keys.dps, sandbox.keys.kps].map((keys) =>
			call(sandbox.hosts.baseUrl, '/api/getorderinfo', keys),
		);
		expect((await dps)?.json.data).not.toEqual((await kps)?.json.data);
	});
});

it.each([-4, -5, -6, -120])('A second delivery can be refused by %i', async (code) => {
	const { path, keys, parameters } = requestOf(sandbox, 'create');
	const { value: signature } = sandbox.tokens.obtain(keys.secretId);
	sandbox.faults.add({ kind: 'twice', secondCode: code, times: 1 });
	const byToken = { ...parameters, secret_id: keys.secretId, signature };
	const { json } = await get(sandbox.hosts.baseUrl + path, byToken);
	expect([path, json.code]).toEqual([CREATE, code]);
	expect(sandbox.ledger.count('create')).toBe(1);
	expect(sandbox.log.entries().map(({ workDone }) => workDone)).toEqual([true, false]);
});

it('The Date header alone can be days off', async () => {
	const days = (seconds: number) => seconds * 24 * 3600;
	sandbox.faults.add({ kind: 'dateOffset', seconds: days(10), times: 1 });
	const { headers, json } = await call(sandbox.hosts.baseUrl, ORDERS, sandbox.keys.account);
	// Signed with the right time, and believed
	expect(json.code).toBe(0);
	const ahead = Date.parse(headers.get('date') ?? '') - sandbox.clock.milliseconds();
	expect(Math.abs(ahead / 1000 - days(10))).toBeLessThan(60);
});

describe('An expiry', () => {
	const FORMS = [
		['seconds', '2026-11-23 18:00:05'],
		['minutes', '2026-11-23 18:00'],
		['ISO', '2026-11-23T18:00:05+08:00'],
		['slashes', '2026/11/23 18:00:05'],
		['epoch', 1795428005],
		['words', '下周一'],
		['null', null],
	] as const;

	it.each(FORMS)('in the form %s is %s, for all orders or one', async (form, written) => {
		const { tps, dps } = sandbox.keys;
		const [order, other] = [tps, dps].map((keys) => sandbox.store.order(keys.secretId));
		if (!order || !other) throw new Error('They are there from the start');
		order.expiresAt = other.expiresAt = new Date('2026-11-23T10:00:05Z');
		sandbox.clock.set(new Date('2026-11-20T00:00:00Z'));
		const token = sandbox.tokens.obtain(sandbox.keys.account.secretId).value;
		const asked = { secret_id: sandbox.keys.account.secretId, signature: token };
		const expiries = async () => {
			const { json } = await get(sandbox.hosts.baseUrl + ORDERS, asked);
			if (!Array.isArray(json.data)) throw new Error('There is no list');
			const byNumber = new Map(json.data.map(({ orderid, expire_time }) => [orderid, expire_time]));
			return [byNumber.get(order.orderId), byNumber.get(other.orderId)];
		};
		order.expiryForm = form;
		expect(await expiries()).toEqual([written, '2026-11-23 18:00:05']);
		delete order.expiryForm;
		sandbox.settings.expiryForm = form;
		expect(await expiries()).toEqual([written, written]);
	});
});
