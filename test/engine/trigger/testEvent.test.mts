import type { IDataObject } from 'n8n-workflow';

import { DAY } from '../../durations.mts';
import { Customer, ORDER_KINDS, RENEW, WEEK } from '../support/customer.mts';
import { Poller } from '../support/poller.mts';
import { useTestBed } from '../support/testBed.mts';

/* What a test of the trigger shows, and what 'Order: Renew' behind it buys, by the ledger of the sandbox. */

const bed = useTestBed();

const BY_TRIGGER: IDataObject = { __rl: true, mode: 'code', value: '={{ $json.orderid }}' };

function triggerOf(customer: Customer, parameters: IDataObject): Poller {
	return new Poller(bed().engine, {
		parameters,
		credentialId: bed().addCredential(customer.account.keys, { keyType: 'account' }),
	});
}

/** What comes out of the trigger, tried out by hand. */
async function tried(customer: Customer, parameters: IDataObject): Promise<IDataObject[]> {
	const told = await triggerOf(customer, parameters).tryOut();
	return (told ?? []).map(({ json }) => json);
}

describe('a test event of an order that expires soon', () => {
	const EXPIRING = { event: 'orderExpiring' };

	it('renews nothing by what the editor offers at first, with either key pair', async () => {
		const customer = new Customer(bed());
		const order = customer.tunnel(DAY);
		const items = await tried(customer, EXPIRING);
		expect(items).toEqual([expect.objectContaining({ orderid: order.orderId, test: true })]);
		for (const result of [
			await customer.renewByNumber(order, { orderid: BY_TRIGGER }, { items }),
			await customer.renew(order, {}, { items }),
		]) {
			expect(result.items.map(({ json }) => json)).toEqual([
				expect.objectContaining({
					renewed: false,
					reason: expect.stringContaining('This is a test event of Kuaidaili Trigger'),
					expire_time: items[0].expire_time,
				}),
			]);
		}
		expect(customer.requests(RENEW)).toEqual([]);
		expect(customer.paid).toBe(0);
	});

	it('renews by an explicit choice', async () => {
		const customer = new Customer(bed());
		const order = customer.tunnel(DAY);
		const items = await tried(customer, EXPIRING);
		await customer.renewByNumber(
			order,
			{ orderid: BY_TRIGGER, renewWhen: 'always', ...WEEK },
			{ items },
		);
		expect(customer.paid).toBe(1);
	});

	it('is no test event once the trigger is active: the order is renewed', async () => {
		const customer = new Customer(bed());
		const order = customer.tunnel(DAY);
		const items = (await triggerOf(customer, EXPIRING).activate())?.map(({ json }) => json);
		expect(items).toEqual([expect.objectContaining({ orderid: order.orderId })]);
		expect(items?.[0]).not.toHaveProperty('test');
		await customer.renewByNumber(order, { orderid: BY_TRIGGER, ...WEEK }, { items });
		expect(customer.paid).toBe(1);
	});
});

it('a test event of an order with few IPs left buys none by what the editor offers at first', async () => {
	const customer = new Customer(bed());
	const order = customer.perIp(50);
	const chosen = { __rl: true, mode: 'code', value: order.orderId };
	const items = await tried(customer, { event: 'ipBalanceBelow', orderid: chosen });
	expect(items).toEqual([expect.objectContaining({ orderid: order.orderId, test: true })]);
	const result = await customer.renewByNumber(
		order,
		{ orderid: BY_TRIGGER, renewalOf: 'perIp', dpsIpCount: 1000 },
		{ items },
	);
	expect(result.items[0].json).toMatchObject({ renewed: false, ip_balance: 50 });
	expect(customer.paid).toBe(0);
});

describe('a test event whose mark is gone, behind a node like Edit Fields', () => {
	const EDITED = [{ orderid: '000000000000000' }];

	it('orders nothing, also with the mark', async () => {
		const customer = new Customer(bed());
		const testEvent = await tried(customer, { event: 'orderExpired' });
		expect(testEvent).toEqual([expect.objectContaining({ test: true })]);
		for (const settings of [{ items: EDITED, testEvent }, { items: testEvent }]) {
			const { items } = await customer.buy({}, settings);
			expect(items.map(({ json }) => json)).toEqual([
				{
					...ORDER_KINDS.tunnel,
					created: false,
					reason: expect.stringContaining('This is a test event of Kuaidaili Trigger'),
				},
			]);
		}
		expect(customer.paid).toBe(0);
	});

	it('renews nothing', async () => {
		const customer = new Customer(bed());
		const order = customer.tunnel(DAY);
		const testEvent = await tried(customer, { event: 'orderExpiring' });
		const items = [{ orderid: order.orderId }];
		const result = await customer.renewByNumber(order, WEEK, { items, testEvent });
		expect(result.items[0].json).toMatchObject({ renewed: false });
		expect(customer.paid).toBe(0);
	});

	it('is none where the trigger was active, as in a run by hand with its saved items', async () => {
		const customer = new Customer(bed());
		const testEvent = [{ event: 'orderExpired', orderid: '1', status: 'EXPIRED' }];
		const result = await customer.buy({}, { items: EDITED, testEvent });
		expect(result.error).toBeUndefined();
		expect(customer.paid).toBe(1);
	});
});

it('a test event leaves automatic renewal as it is', async () => {
	const customer = new Customer(bed());
	const order = customer.tunnel(DAY);
	const items = await tried(customer, { event: 'orderExpiring' });
	const enable = async (input: IDataObject[]) =>
		await bed().engine.run({
			credentialId: bed().addCredential(customer.account.keys, { keyType: 'account' }),
			parameters: {
				resource: 'autoRenewal',
				operation: 'enable',
				orderid: BY_TRIGGER,
				timeType: 'MONTH',
			},
			items: input,
		});
	const { orderId: orderid } = order;
	expect((await enable(items)).items.map(({ json }) => json)).toEqual([
		{ orderid, changed: false, reason: expect.stringContaining('This is a test event') },
	]);
	expect(customer.requests('/api/setautorenew')).toEqual([]);
	// Other data may have such fields as well
	await enable([{ orderid, test: true, event: 'Black Friday' }]);
	expect(customer.requests('/api/setautorenew')).toHaveLength(1);
});
