import type { IDataObject } from 'n8n-workflow';

import type { Fault, Order } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import { BALANCE, Customer, ORDER_KINDS, records, RENEW, textOf } from '../support/customer.mts';
import { RETRY } from '../support/nodeSettings.mts';
import { useTestBed } from '../support/testBed.mts';

/* Renewals that add IPs or traffic. What was paid is what the ledger of the sandbox says. */

const bed = useTestBed();

const LOST: Fault = { kind: 'cut', when: 'after', path: RENEW, times: 1 };
const MISSED: Fault = { kind: 'cut', when: 'before', path: RENEW, times: 1 };

interface Kind {
	readonly fields: IDataObject;
	/** The name of the rest in the output, and what one renewal adds. */
	readonly rest: string;
	readonly adds: number;
	readonly added: string;
	readonly label: string;
	/** An order with so much left. */
	order(customer: Customer, left: number): Order;
	/** The endpoint that tells how much is left. */
	readonly path: string;
	readonly unclear: string;
}

const KINDS: Readonly<Record<string, Kind>> = {
	IPs: {
		fields: { renewalOf: 'perIp', proxyLifetime: 'minutes', dpsIpCount: 1000 },
		rest: 'ip_balance',
		adds: 1000,
		added: '1,000 IPs',
		label: 'IP Balance Below',
		order: (customer, left) => customer.perIp(left),
		path: '/api/getipbalance',
		unclear: 'The IPs may have been bought: ',
	},
	traffic: {
		fields: { renewalOf: 'traffic', fpsFlow: 1 },
		rest: 'flow_left',
		adds: 1024,
		added: '1 GB',
		label: 'Traffic Below (MB)',
		order: (customer, left) => customer.overseas(left),
		path: '/api/getfpsflow',
		unclear: 'The traffic may have been bought: ',
	},
};

describe.each(Object.entries(KINDS))('more %s', (_what, kind) => {
	const { fields, rest, adds, order: newOrder, path } = kind;
	const named = fields.renewalOf === 'perIp' ? ORDER_KINDS.perIp : ORDER_KINDS.traffic;
	const below = (balanceBelow: number) => ({ ...fields, balanceBelow });

	it('are bought once by a workflow that runs twice, by what the editor offers at first', async () => {
		const customer = new Customer(bed());
		const order = newOrder(customer, 99);
		const [first, second] = [
			await customer.renewByNumber(order, below(100)),
			await customer.renewByNumber(order, below(100)),
		];
		expect(records(first)).toEqual([
			expect.objectContaining({ orderid: order.orderId, renewed: true }),
		]);
		expect(records(second)).toEqual([
			{
				orderid: order.orderId,
				...named,
				renewed: false,
				reason: expect.stringContaining('so nothing was bought'),
				text: expect.stringContaining(`order ${order.orderId} was not renewed: The order has `),
				[rest]: 99 + adds,
				expire_time: expect.any(String),
				expiresAt: expect.any(String),
				secondsLeft: expect.any(Number),
				daysLeft: expect.any(Number),
			},
		]);
		expect(customer.paid).toBe(1);
	});

	it('are not bought for an order that has as much as the limit, and nothing else is asked', async () => {
		const customer = new Customer(bed());
		const order = newOrder(customer, 100);
		const options = { minimumBalance: 1 };
		const result = await customer.renewByNumber(order, { ...below(100), options });
		expect(records(result)[0]).toMatchObject({ renewed: false, [rest]: 100 });
		expect(customer.requests(BALANCE)).toEqual([]);
		expect(customer.paid).toBe(0);
	});

	it('are refused where they would not reach the limit, before any request', async () => {
		const customer = new Customer(bed());
		const result = await customer.renew(newOrder(customer, 5), below(adds + 1));
		expect(result.error?.message).toContain(`'${kind.label}' can't be ${adds + 1}`);
		expect(result.error?.description).toContain('a second run could renew again');
		expect(customer.calls).toEqual([]);
	});

	it('are bought where they just reach the limit', async () => {
		const customer = new Customer(bed());
		await customer.renew(newOrder(customer, 5), below(adds));
		expect(customer.paid).toBe(1);
	});

	it.each(['expiring', 'Always', '', 'never'])(
		'are refused where the choice is %j, before any request',
		async (renewWhen) => {
			const customer = new Customer(bed());
			const result = await customer.renew(newOrder(customer, 5), {
				...below(100),
				renewWhen: `={{ ${JSON.stringify(renewWhen)} }}`,
			});
			expect(result.error?.message).toMatch(/'Renew' (?:is empty|can't be )/);
			expect(customer.calls).toEqual([]);
		},
	);

	it('whose answer is lost are found, by what is left', async () => {
		const customer = new Customer(bed());
		const order = newOrder(customer, 50);
		customer.sandbox.faults.add(LOST);
		const result = await customer.renew(order, below(100), { settings: RETRY });
		expect(records(result)).toEqual([
			{
				orderid: order.orderId,
				...named,
				[rest]: 50 + adds,
				renewed: true,
				verified: true,
				purchasedAt: expect.any(String),
				text: `Renewed ${named.productName} order ${order.orderId} by ${kind.added}`,
			},
		]);
		expect(customer.requests(RENEW)).toHaveLength(1);
		expect(customer.paid).toBe(1);
	});

	it('that were not bought are unclear, with the number of the order and what is left', async () => {
		const customer = new Customer(bed());
		const order = newOrder(customer, 50);
		customer.sandbox.faults.add(MISSED);
		const result = await customer.renew(order, below(100), { settings: RETRY });
		expect(textOf(result)).toContain(kind.unclear);
		expect(textOf(result)).toContain(`for order ${order.orderId}`);
		expect(textOf(result)).toMatch(/found 50 \w+ left, as before/);
		expect(customer.requests(RENEW)).toHaveLength(1);
		expect(customer.paid).toBe(0);
	});

	it('are not bought where nobody says how much is left', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'code', code: -109, path });
		const result = await customer.renew(newOrder(customer, 5), below(100));
		expect(textOf(result)).toContain('nothing was bought for this item');
		expect(customer.requests(RENEW)).toEqual([]);
	});
});

it('traffic is not bought for an order by time, which has no limit', async () => {
	const customer = new Customer(bed());
	const order = customer.overseas(0);
	order.flowInGb = undefined;
	const result = await customer.renew(order, { ...KINDS.traffic.fields, balanceBelow: 100 });
	expect(records(result)).toMatchObject([{ renewed: false }]);
	expect(records(result)[0].reason).toContain('This is a prepaid order');
	expect(customer.requests(RENEW)).toEqual([]);
});

it.each([
	['minutes', 1500],
	['minutes', 1_001_000],
	['hours', 150],
	['hours', 100_100],
])('the number of IPs is checked by their lifetime: %s, %i', async (proxyLifetime, dpsIpCount) => {
	const customer = new Customer(bed());
	const fields = { renewalOf: 'perIp', renewWhen: 'always', proxyLifetime, dpsIpCount };
	const { error } = await customer.renew(customer.tunnel(DAY), fields);
	expect(error?.message).toContain(`'IPs to Add' can't be ${dpsIpCount}`);
	expect(customer.requests(RENEW)).toEqual([]);
});

it.each([1, 6, 10, 35, 110, 200, 500, 1000])('%i GB of traffic are sent', async (fpsFlow) => {
	const customer = new Customer(bed());
	const fields = { renewalOf: 'traffic', renewWhen: 'always', fpsFlow };
	await customer.renew(customer.overseas(5), fields);
	expect(customer.requests(RENEW)).toMatchObject([{ parameters: { 'fps.flow': String(fpsFlow) } }]);
});

describe('auto-renewal', () => {
	it.each([
		['is left alone by itself', undefined, undefined],
		['is turned on', true, '1'],
		['is turned off', false, '0'],
	])('%s', async (_what, isAutoRenew, sent) => {
		const customer = new Customer(bed());
		const order = customer.tunnel(DAY);
		await customer.renew(order, {
			timeType: 'WEEK',
			...(isAutoRenew === undefined ? {} : { isAutoRenew }),
		});
		const [{ parameters }] = customer.requests(RENEW);
		expect(parameters.is_auto_renew).toBe(sent);
		expect(parameters.auto_renew_unit).toBe(isAutoRenew === true ? 'MONTH' : undefined);
	});
});

it('a refusal names the order, also with the key pair of the order', async () => {
	const customer = new Customer(bed());
	const order = customer.tunnel(DAY);
	customer.sandbox.faults.add({ kind: 'code', code: -5, path: RENEW });
	for (const run of [
		await customer.renew(order, { timeType: 'WEEK' }),
		await customer.renewByNumber(order, { timeType: 'WEEK' }),
	]) {
		expect(textOf(run)).toContain(`order ${order.orderId}`);
		expect(run.error).toMatchObject({ httpCode: '-5' });
	}
});
