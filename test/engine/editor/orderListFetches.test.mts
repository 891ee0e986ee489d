import type { IDataObject } from 'n8n-workflow';

import { orderKeys } from '../support/orderKeys.mts';
import { ORDER_KEYS, ORDER_LIST, Owner, picked, records } from '../support/owner.mts';
import { sleep } from '../support/sleep.mts';
import { asked, bed, failure, open, owner, values, withOrders } from './orderSearch.mts';

describe('the list', () => {
	it('is asked for once in a minute, whatever is typed meanwhile, and then again', async () => {
		const { me } = withOrders();
		const started = performance.now.bind(performance);
		let later = 0;
		const clock = jest.spyOn(performance, 'now').mockImplementation(() => started() + later);
		try {
			const first = await values(me);
			for (const typed of ['t', 'tu', '']) await values(me, typed);
			// Another operation shows others, of the same answer
			await values(me, undefined, { resource: 'order', operation: 'close' });
			await values(me, undefined, { resource: 'whitelist', operation: 'add' });
			later += 59_000;
			expect(await values(me)).toEqual(first);
			expect(asked()).toHaveLength(1);
			later += 1_000;
			// The service has another clock, and keeps its pace
			await sleep(1100);
			const added = me.tunnel({ expiresAt: new Date('2040-01-01T00:00:00Z') });
			expect(await values(me, '2040')).toEqual([added.orderId]);
			expect(asked()).toHaveLength(2);
		} finally {
			clock.mockRestore();
		}
	});

	it('that a right key was given is not shown to a wrong key of the same name', async () => {
		const { me } = withOrders();
		await values(me);
		bed().engine.credentials.edit(me.credentialId, { secretKey: 'wrong' });
		const { message } = await failure(me);
		expect(message).toMatch(
			/^Secret Key doesn't belong to Secret ID\. .*'Secret ID' and 'Secret Key'/,
		);
	});

	it('keeps the pace together with an execution', async () => {
		const { me } = withOrders();
		const [found, run] = await Promise.all([
			values(me),
			me.run({ resource: 'order', operation: 'getAll' }),
		]);
		expect(records(run).map((record) => record.orderid)).toEqual(found);
		expect(asked()).toHaveLength(2);
	});

	it('hands over no key pair', async () => {
		const { me, orders } = withOrders();
		const shown = JSON.stringify(await open(me));
		for (const { keys } of Object.values(orders)) {
			expect(shown).not.toContain(keys.secretId);
			expect(shown).not.toContain(keys.secretKey);
		}
		expect(bed().sandbox.log.count(ORDER_KEYS)).toBe(0);
	});

	it('gives what the node then works with', async () => {
		const { me, orders } = withOrders();
		const [value] = await values(me, 'Tunnel Proxy, to');
		const enable = { resource: 'autoRenewal', operation: 'enable' };
		const run = await me.run({ ...enable, orderid: picked(String(value)) });
		expect(records(run)).toMatchObject([{ orderid: orders.tunnel.orderId, enabled: true }]);
		expect(orders.tunnel.autoRenewal.enabled).toBe(true);
	});
});

describe('a credential with which there is no list', () => {
	it('is that of one order, and says that the field stays empty, without asking', async () => {
		const credentialId = bed().addCredential(orderKeys(bed(), 'tunnel-proxy'));
		const { message } = await failure({ credentialId });
		expect(message).toBe(
			"The credential holds an order's key pair, so there is nothing to choose. Leave this field empty to use that order.",
		);
		expect(bed().sandbox.log.count()).toBe(0);
	});

	it('is that of an order which is said to be that of the account', async () => {
		const keys = orderKeys(bed(), 'tunnel-proxy');
		const credentialId = bed().addCredential(keys, { keyType: 'account' });
		const { message } = await failure({ credentialId });
		expect(message).toMatch(
			/^This operation doesn't accept this kind of key pair.*account's key pair/,
		);
		expect(message).toContain('(code -123)');
	});

	it('has no Secret ID', async () => {
		const { message } = await failure(owner({ secretId: '' }));
		expect(message).toMatch(/^The credential cannot be used\. 'Secret ID'/);
		expect(asked()).toEqual([]);
	});
});

describe('a list that cannot be had', () => {
	it.each([
		[
			'a refusal',
			{ kind: 'code', code: -108, msg: '原因在此' },
			/API whitelist.*原因在此 \(code -108\)/,
		],
		['an unknown code', { kind: 'code', code: -77, msg: '原因' }, /code -77: 原因/],
		['a gateway', { kind: 'status', status: 502 }, /HTTP status 502/],
		['a cut connection', { kind: 'cut' }, /was lost before the whole response arrived/],
		// A list has no time-out to raise
		['silence', { kind: 'hang' }, /within 15 seconds\. Try again in a few minutes\.$/],
		['half an answer', { kind: 'halfBody' }, /^Kuaidaili's response/],
		['no list', { kind: 'raw', body: '{"code":0,"msg":"","data":{}}' }, /contains no list/],
		[
			'an entry without a number',
			{ kind: 'raw', body: '{"code":0,"msg":"","data":[{"product":"TPS"}]}' },
			/missing fields/,
		],
		[
			'an empty list',
			{ kind: 'raw', body: '{"code":0,"msg":"","data":[]}' },
			/no active orders\.$/,
		],
	] as const)('says why: %s', async (_what, fault, reason) => {
		bed().sandbox.faults.add({ ...fault, path: ORDER_LIST });
		const error = await failure(withOrders().me);
		expect(error.message).toMatch(reason);
		expect(error.message).toMatch(/[.…]$/);
		expect(error.message).not.toContain('[item');
		expect(['NodeApiError', 'NodeOperationError']).toContain(error.name);
	});

	it('is had after a failure, which is not kept', async () => {
		bed().sandbox.faults.add({ kind: 'status', status: 501, path: ORDER_LIST, times: 1 });
		const { me } = withOrders();
		await failure(me);
		expect(await values(me)).toHaveLength(4);
		expect(asked()).toHaveLength(2);
	});
});

describe('the areas of an order that is chosen with the key pair of the account', () => {
	const AREAS = { resource: 'privateProxyResource', operation: 'getAll' };

	async function areas({ credentialId }: Owner, orderid: IDataObject[string]) {
		const parameters = { ...AREAS, orderid };
		return await bed().engine.searchList({ field: 'area', parameters, credentialId });
	}

	it('are those of that order', async () => {
		const me = owner();
		const order = me.privateProxy();
		const { results } = await areas(me, picked(order.orderId));
		expect(results.length).toBeGreaterThan(10);
		expect(bed().sandbox.log.last('/api/dpsresources')?.parameters.secret_id).toBe(
			order.keys.secretId,
		);
		expect(bed().sandbox.log.count(ORDER_KEYS)).toBe(1);
	});

	it('are asked for anew for another order', async () => {
		const me = owner();
		const orders = [me.privateProxy(), me.privateProxy()];
		for (const { orderId } of orders) await areas(me, picked(orderId));
		const keys = bed()
			.sandbox.log.entries('/api/dpsresources')
			.map(({ parameters }) => parameters.secret_id);
		expect(keys).toEqual(orders.map((order) => order.keys.secretId));
	});

	it('cannot be had for an expression, which is explained, and nothing is asked', async () => {
		const orderid = { __rl: true, mode: 'code', value: '={{ $json.orderid }}' };
		await expect(areas(owner(), orderid)).rejects.toThrow(
			/^'Order' can't be "={{ \$json\.orderid }}"\. .*'By Code' and enter the code\.$/,
		);
		expect(bed().sandbox.log.count()).toBe(0);
	});

	it('cannot be had for an order of another kind', async () => {
		const me = owner();
		await expect(areas(me, picked(me.tunnel().orderId))).rejects.toThrow(
			/not a private proxy order.*\(code -3\)/,
		);
	});
});
