import type { IDataObject } from 'n8n-workflow';

import { credentialData } from '../../../harness/credentials.mts';
import type { Fault } from '../../../sandbox/sandbox.mts';
import { DAY, HOUR } from '../../durations.mts';
import { uniqueKeys, uniqueName } from '../../uniqueName.mts';
import { CREATE, Customer, LIST, RENEW, textOf, WEEK } from '../support/customer.mts';
import { itWithOwnBed } from '../support/itWithOwnBed.mts';
import { startScriptedService } from '../support/scriptedService.mts';
import { refusal, success } from '../support/scriptedShop.mts';
import { sleep } from '../support/sleep.mts';
import { TestBed } from '../support/testBed.mts';
import { until } from '../support/until.mts';

/* Money is spent once where what a look shows, or what another run does, could mislead. */

const CONTINUE = { onError: 'continueRegularOutput' } as const;
let theBed: TestBed;
beforeAll(async () => {
	theBed = await TestBed.start();
});
afterEach(() => theBed.reset());
afterAll(() => theBed.close());

it('IPs that a repeated delivery brought are not bought again while others are used up', async () => {
	const customer = new Customer(theBed);
	const order = customer.perIp(50);
	theBed.sandbox.faults.add({ kind: 'twice', path: RENEW, times: 1 });
	const fields = { renewalOf: 'perIp', dpsIpCount: 1000, renewWhen: 'always' };
	const running = customer.renewByNumber(order, fields);
	await until(() => customer.paid === 1, 20_000);
	order.ipBalance = 20;
	const result = await running;
	expect(textOf(result)).toContain('The IPs may have been bought: ');
	expect(textOf(result)).toContain('not what this renewal would change');
	expect(customer.requests(RENEW).map(({ delivery }) => delivery)).toEqual([1, 2]);
	expect(customer.paid).toBe(1);
});

/** As the service writes it. */
function chinaTimeIn(ms: number): string {
	return new Date(Date.now() + ms + 8 * HOUR).toISOString().slice(0, 19).replace('T', ' ');
}

it('an order that the list has twice is found', async () => {
	const order = {
		orderid: '965102959536999',
		product: 'TPS',
		pay_type: 'PRE_PAY',
		status: 'VALID',
		expire_time: chinaTimeIn(30 * DAY),
	};
	let isPlaced = false;
	const service = await startScriptedService(({ path }) => {
		if (path !== CREATE) return success(isPlaced ? [order, order] : []);
		isPlaced = true;
		return { status: 502, body: '' };
	});
	const keys = credentialData(service.hosts, uniqueKeys(), 'account');
	const { items } = await theBed.engine.run({
		credentialId: theBed.engine.addCredential(keys),
		parameters: { resource: 'order', operation: 'create', product: 'TPS' },
	});
	await service.close();
	expect(items[0].json).toMatchObject({ orderid: order.orderid, verified: true });
});

it.each<[string, IDataObject]>([
	['names by another code', { product: 'OPS_VIP', pay_type: 'PRE_PAY' }],
	['has without a product', { pay_type: 'PRE_PAY' }],
	['has without a pay type', { product: 'OPS' }],
])('an order that the list %s is not placed again', async (_, kind) => {
	const orders: IDataObject[] = [];
	const service = await startScriptedService(({ path }) => {
		if (path !== CREATE) return path === LIST ? success(orders) : refusal(-1);
		orders.push({ orderid: String(965102959536478 + orders.length), status: 'VALID', ...kind });
		// As from a gateway that delivers the request twice
		return orders.length === 1 ? refusal(-120) : success(orders.at(-1));
	});
	const keys = credentialData(service.hosts, uniqueKeys(), 'account');
	const result = await theBed.engine.run({
		credentialId: theBed.engine.addCredential(keys),
		parameters: { resource: 'order', operation: 'create', product: 'OPS' },
	});
	await service.close();
	expect(orders).toHaveLength(1);
	expect(textOf(result)).toContain('The order may have been placed: ');
	expect(textOf(result)).toContain(
		'may be this order (965102959536478), but without a known product',
	);
});

it('the same order in two items is not renewed for the second while the first is unclear', async () => {
	const customer = new Customer(theBed);
	const order = customer.tunnel(DAY);
	theBed.sandbox.faults.add({ kind: 'delay', ms: 30_000, path: RENEW, times: 1 });
	const fields = { ...WEEK, options: { timeout: 5 } };
	const settings = { items: [{}, {}], settings: CONTINUE };
	const { items } = await customer.renewByNumber(order, fields, settings);
	expect(items.map(({ json }) => json.error)).toEqual([
		expect.stringContaining('The order may have been renewed: '),
		expect.stringContaining('The order may have been renewed: '),
	]);
	// It is renewed by now, later than anybody waited
	await sleep(30_000);
	expect(customer.requests(RENEW)).toHaveLength(1);
	expect(customer.paid).toBe(1);
});

const slowly = (code: number): Fault[] => [
	{ kind: 'delay', when: 'after', ms: 14_000, path: CREATE, times: 1 },
	{ kind: 'code', code, path: CREATE, times: 1 },
];

/** Somebody who clicks on 'Execute step' of one node. */
function clicker(customer: Customer) {
	const settings = { id: uniqueName('node') };
	return async () =>
		await customer.buy(
			{ options: { timeout: 60 } },
			{ settings, executionId: uniqueName('execution') },
		);
}

itWithOwnBed({
	async 'a double click is one beside an earlier click that was refused late'(bed) {
		const customer = new Customer(bed);
		const click = clicker(customer);
		bed.sandbox.faults.add(...slowly(-61));
		const first = click();
		await customer.asked(CREATE);
		await sleep(11_000);
		const second = click();
		await sleep(6000);
		const [refused, bought, again] = await Promise.all([first, second, click()]);
		expect(refused.error).toMatchObject({ httpCode: '-61' });
		expect(bought.items).toHaveLength(1);
		expect(again.items[0].json).toMatchObject({
			orderid: customer.payments[0].orderId,
			created: false,
		});
		expect(customer.paid).toBe(1);
	},

	async 'a click that waited for another one is forgotten, so that later orders can be verified'(
		bed,
	) {
		const customer = new Customer(bed);
		const click = clicker(customer);
		bed.sandbox.faults.add(...slowly(-120));
		const first = click();
		await customer.asked(CREATE);
		await sleep(11_000);
		const [, waited] = await Promise.all([first, click()]);
		expect(waited.items[0].json.created).toBe(false);
		bed.sandbox.faults.add({ kind: 'cut', when: 'after', path: CREATE, times: 1 });
		const { items } = await customer.buy({}, { settings: { id: uniqueName('node') } });
		expect(items[0].json.verified).toBe(true);
		expect(customer.paid).toBe(2);
	},
});
