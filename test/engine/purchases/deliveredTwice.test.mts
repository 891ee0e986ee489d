import type { IDataObject } from 'n8n-workflow';

import type { Order } from '../../../sandbox/sandbox.mts';
import { CREATE, Customer, DAY, RENEW, textOf } from '../support/customer.mts';
import type { RunResult, RunSettings } from '../support/engine.mts';
import { TestBed } from '../support/testBed.mts';

/*
 * A proxy or gateway on the way delivers one GET twice, which nginx does by default when the first
 * delivery fails. What was paid is what the ledger of the sandbox says.
 */

let theBed: TestBed;
const bed = () => theBed;
beforeAll(async () => {
	theBed = await TestBed.start();
});
afterEach(() => {
	const tooFast = theBed.sandbox.log.refusals().filter(({ delivery }) => delivery === 1);
	theBed.reset();
	expect(tooFast).toEqual([]);
});
afterAll(() => theBed.close());

const WEEK: IDataObject = { timeType: 'WEEK', timeNumber: 1 };

interface Purchase {
	readonly path: string;
	/** What its output may say although it was paid: something else may have done it at the same moment. */
	readonly isLeftToOthers?: true;
	run(customer: Customer, settings: Settings): Promise<RunResult>;
}

type Settings = Parameters<Customer['buy']>[1];

function renewal(
	fields: IDataObject,
	order: (customer: Customer) => Order,
	others: Partial<Purchase> = {},
): Purchase {
	return {
		path: RENEW,
		run: async (customer, settings) =>
			await customer.renewByNumber(order(customer), fields, settings),
		...others,
	};
}

const tunnel = (customer: Customer) => customer.tunnel(DAY);
const PER_IP = { renewalOf: 'perIp', dpsIpCount: 1000 };

const PURCHASES: Readonly<Record<string, Purchase>> = {
	'an order': { path: CREATE, run: async (customer, settings) => await customer.buy({}, settings) },
	'a renewal in any case': renewal({ ...WEEK, renewWhen: 'always' }, tunnel),
	'a renewal if expiring': renewal(WEEK, tunnel, { isLeftToOthers: true }),
	'IPs in any case': renewal({ ...PER_IP, renewWhen: 'always' }, (customer) => customer.perIp(50)),
	'IPs if few are left': renewal(
		{ ...PER_IP, balanceBelow: 100 },
		(customer) => customer.perIp(50),
		{
			isLeftToOthers: true,
		},
	),
};

const TRIES: ReadonlyArray<[name: string, settings: RunSettings['settings']]> = [
	['without Retry On Fail', {}],
	['with 2 tries', { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 }],
	['with 5 tries', { retryOnFail: true, maxTries: 5, waitBetweenTries: 1 }],
];

const HOW_OFTEN = [
	['once', { times: 1 }],
	['always', {}],
] as const;

const SIGN_TYPES = ['hmacsha1', 'token'] as const;

describe.each(Object.entries(PURCHASES))('%s', (_what, { path, run, isLeftToOthers }) => {
	describe.each(SIGN_TYPES)('with sign type %s', (signType) => {
		describe.each(HOW_OFTEN)('delivered twice %s', (_often, times) => {
			it.each(TRIES)(
				'is sent and paid once, and its order is named, %s',
				async (_tries, settings) => {
					const customer = new Customer(bed());
					bed().sandbox.faults.add({ kind: 'twice', path, ...times });
					const result = await run(customer, { settings, credential: { signType } });

					const deliveries = customer.requests(path).map(({ delivery }) => delivery);
					expect(deliveries).toEqual([1, 2]);
					expect(customer.paid).toBe(1);
					const [{ orderId }] = customer.payments;
					const told = `${JSON.stringify(result.items)} ${textOf(result)}`;
					expect(told).toContain(orderId);
					// The second answer is a replay with a signature, and too fast with a token
					if (signType === 'hmacsha1') {
						expect(result.items[0].json.verified).toBe(true);
					} else if (isLeftToOthers === true) {
						expect(result.items[0].json.renewed).toBe(false);
						expect(result.items[0].json.reason).toContain('arrived twice');
					} else {
						expect(textOf(result)).toContain('may ');
					}
				},
			);
		});
	});
});

it('an order is found where the first delivery is cut after the work, as by nginx', async () => {
	const customer = new Customer(bed());
	bed().sandbox.faults.add({ kind: 'twice', cutFirst: 'after', path: CREATE });
	const { items } = await customer.buy();
	expect(items[0].json).toMatchObject({ orderid: customer.payments[0].orderId, verified: true });
	expect(customer.paid).toBe(1);
});

it('an order whose first delivery was lost before the work is bought by the second', async () => {
	const customer = new Customer(bed());
	bed().sandbox.faults.add({ kind: 'twice', cutFirst: 'before', path: CREATE });
	const { items } = await customer.buy();
	expect(items[0].json.orderid).toBe(customer.payments[0].orderId);
	expect(customer.paid).toBe(1);
});

describe('a refusal for the pace that is none of a second delivery', () => {
	it('is looked into, and the order sent again after a pause', async () => {
		const customer = new Customer(bed());
		bed().sandbox.faults.add({ kind: 'code', code: -120, path: CREATE, times: 1 });
		const { items } = await customer.buy();
		expect(items[0].json.orderid).toBe(customer.payments[0].orderId);
		expect(items[0].json).not.toHaveProperty('verified');
		expect(customer.requests(CREATE)).toHaveLength(2);
		expect(customer.paid).toBe(1);
	});

	it('is no proof where a new order like it appears meanwhile', async () => {
		const customer = new Customer(bed());
		bed().sandbox.faults.add({ kind: 'code', code: -120, path: CREATE, times: 1 });
		const running = customer.buy();
		await customer.asked(CREATE);
		const { orderId } = customer.tunnel(DAY);
		const result = await running;
		expect(textOf(result)).toContain('The order may have been placed: ');
		expect(textOf(result)).toContain(`what may be this order (${orderId})`);
		expect(customer.requests(CREATE)).toHaveLength(1);
	});
});
