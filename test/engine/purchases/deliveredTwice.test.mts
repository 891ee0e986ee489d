import type { IDataObject } from 'n8n-workflow';

import type { Order } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import { CREATE, Customer, LIST, RENEW, textOf, WEEK } from '../support/customer.mts';
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

interface Purchase {
	readonly path: string;
	/** It succeeds although something else may have done it at the same moment. */
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
						expect(result.items[0].json).toMatchObject({ renewed: true, verified: false });
						expect(result.items[0].json.reason).toContain('arrived twice');
					} else {
						expect(textOf(result)).toContain('may ');
					}
				},
			);
		});
	});
});

/** Longer than the service wants between two calls, so that it lets the second one in. */
const SLOW = { gapMs: 1_100 };

const texts = (hints: RunResult['hints']) => hints.map(({ message }) => message);

/** What the warning says of the second of two purchases. */
const EXCESS: Readonly<Record<string, RegExp>> = {
	'an order': /has another new order of the same product and pay type: \d+\./,
	'a renewal in any case': /later than after one renewal\./,
	'a renewal if expiring': /later than after one renewal\./,
	'IPs in any case': /had 50 IPs before and has 2,050 now, more than this renewal adds\./,
	'IPs if few are left': /had 50 IPs before and has 2,050 now, more than this renewal adds\./,
};

describe.each(Object.entries(PURCHASES))(
	'%s, delivered twice and slowly',
	(what, { path, run }) => {
		it.each(['first', 'last'] as const)(
			'with a token is sent once, and the second payment is told, with the %s answer',
			async (answer) => {
				const customer = new Customer(bed());
				bed().sandbox.faults.add({ kind: 'twice', path, answer, times: 1, ...SLOW });
				const { items, hints } = await run(customer, { credential: { signType: 'token' } });

				expect(customer.requests(path).map(({ delivery }) => delivery)).toEqual([1, 2]);
				expect(customer.paid).toBe(2);
				expect(items[0].json.duplicateWarning).toMatch(EXCESS[what]);
				expect(texts(hints)).toEqual([items[0].json.duplicateWarning]);
				const told = JSON.stringify(items);
				for (const { orderId } of customer.payments) expect(told).toContain(orderId);
			},
		);

		it('with a token is bought without a warning where it is delivered once', async () => {
			const customer = new Customer(bed());
			const { items, hints } = await run(customer, { credential: { signType: 'token' } });
			expect(customer.paid).toBe(1);
			expect(items[0].json).not.toHaveProperty('duplicateWarning');
			expect(texts(hints)).toEqual([]);
		});

		it('signed is paid once, and nothing more is asked', async () => {
			const customer = new Customer(bed());
			bed().sandbox.faults.add({ kind: 'twice', path, answer: 'first', times: 1, ...SLOW });
			const { items } = await run(customer, {});
			expect(customer.paid).toBe(1);
			expect(items[0].json).not.toHaveProperty('duplicateWarning');
		});
	},
);

describe('A second payment', () => {
	it('is told with the item, and not with the next one', async () => {
		const customer = new Customer(bed());
		bed().sandbox.faults.add({ kind: 'twice', path: CREATE, times: 1, ...SLOW });
		const { items, hints } = await customer.buy(
			{ options: { maxOrdersPerRun: 3 } },
			{ items: [{}, {}], credential: { signType: 'token' } },
		);
		expect(items.map(({ json }) => 'duplicateWarning' in json)).toEqual([true, false]);
		expect(texts(hints)).toEqual([
			`Item 0: ${String(items[0].json.duplicateWarning)}`,
			'2 orders were placed for 2 input items.',
		]);
	});

	it('is told by the error of a later item, which takes the output with it', async () => {
		const customer = new Customer(bed());
		const { faults } = bed().sandbox;
		faults.add({ kind: 'twice', path: CREATE, times: 1, ...SLOW });
		const running = customer.buy(
			{ options: { maxOrdersPerRun: 3 } },
			{ items: [{}, {}], credential: { signType: 'token' } },
		);
		await customer.asked(CREATE, 2);
		faults.add({ kind: 'cut', path: CREATE, times: 1 });
		const result = await running;
		const text = textOf(result);
		expect(text).toContain('Item 0: The order list has another new order');
		for (const { orderId } of customer.payments) expect(text).toContain(orderId);
	});

	it("counts against 'Max Orders per Run'", async () => {
		const customer = new Customer(bed());
		bed().sandbox.faults.add({ kind: 'twice', path: RENEW, ...SLOW });
		const result = await customer.renewAll(
			{
				orderid: { __rl: true, mode: 'code', value: '={{ $json.orderid }}' },
				...WEEK,
				options: { maxOrdersPerRun: 2 },
			},
			{
				items: [1, 2, 3].map(() => ({ orderid: tunnel(customer).orderId })),
				credential: { signType: 'token' },
			},
		);
		expect(textOf(result)).toContain('allows 2, and this execution has made 2');
		expect(customer.paid).toBe(2);
	});

	it('is not looked for where the service does not tell', async () => {
		const customer = new Customer(bed());
		const { faults } = bed().sandbox;
		faults.add({ kind: 'status', status: 500, path: LIST });
		const { items } = await customer.buy({}, { credential: { signType: 'token' } });
		expect(items[0].json.orderid).toBe(customer.payments[0].orderId);
		expect(items[0].json).not.toHaveProperty('duplicateWarning');
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
