import type { IDataObject } from 'n8n-workflow';

import type { Fault, Order } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import {
	CREATE,
	Customer,
	EXPIRY,
	LIST,
	records,
	RENEW,
	textOf,
	WEEK,
} from '../support/customer.mts';
import type { RunResult } from '../support/engine.mts';
import { CONTINUE, RETRY } from '../support/nodeSettings.mts';
import { sleep } from '../support/sleep.mts';
import { TestBed } from '../support/testBed.mts';

/*
 * A proxy or gateway on the way delivers one GET twice, which nginx does by default when the first
 * delivery fails; or the answer says something else than what was done. What was paid is what the ledger
 * of the sandbox says.
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
	/** What is read before it. */
	readonly looks: string;
	run(customer: Customer, settings: Settings): Promise<RunResult>;
}

type Settings = Parameters<Customer['buy']>[1];

function renewal(
	looks: string,
	fields: IDataObject,
	order: (customer: Customer) => Order,
): Purchase {
	return {
		path: RENEW,
		looks,
		run: async (customer, settings) =>
			await customer.renewByNumber(order(customer), fields, settings),
	};
}

const tunnel = (customer: Customer) => customer.tunnel(DAY);
const PER_IP = { renewalOf: 'perIp', dpsIpCount: 1000 };
const IPS = '/api/getipbalance';

const PURCHASES: Readonly<Record<string, Purchase>> = {
	'an order': {
		path: CREATE,
		looks: LIST,
		run: async (customer, settings) => await customer.buy({}, settings),
	},
	'a renewal in any case': renewal(EXPIRY, { ...WEEK, renewWhen: 'always' }, tunnel),
	'a renewal if expiring': renewal(EXPIRY, WEEK, tunnel),
	'IPs in any case': renewal(IPS, { ...PER_IP, renewWhen: 'always' }, (one) => one.perIp(50)),
	'IPs if few are left': renewal(IPS, { ...PER_IP, balanceBelow: 100 }, (one) => one.perIp(50)),
};

/** Longer than the service wants between two calls, so that only the signature keeps the second one out. */
const SLOW = { gapMs: 1_100 };

const TWICE: ReadonlyArray<[name: string, fault: Partial<Fault & { kind: 'twice' }>]> = [
	['at once, with the last answer', {}],
	['slowly, with the last answer', SLOW],
	['slowly, with the first answer', { ...SLOW, answer: 'first' }],
	['after a cut, as by nginx', { ...SLOW, cutFirst: 'after' }],
	['a minute apart', { gapMs: 20_000 }],
];

describe.each(Object.entries(PURCHASES))('%s', (_what, { path, looks, run }) => {
	describe.each(['hmacsha1', 'token'])('with sign type %s', (signType) => {
		it.each(TWICE)('delivered twice %s, is sent and paid once, and told', async (_how, more) => {
			const customer = new Customer(bed());
			bed().sandbox.faults.add({ kind: 'twice', path, ...more });
			const result = await run(customer, { settings: RETRY, credential: { signType } });

			expect(customer.requests(path).map(({ delivery }) => delivery)).toEqual([1, 2]);
			expect(customer.paid).toBe(1);
			const [{ json }] = result.items;
			expect(json.orderid).toBe(customer.payments[0].orderId);
			expect(json[path === CREATE ? 'created' : 'renewed']).toBe(true);
			// The last answer is the refusal of a replay, so the order has to be looked at
			expect(json.verified).toBe(more.answer === 'first' ? undefined : true);
			expect(result.hints).toEqual([]);

			const signed = (requests: typeof customer) =>
				requests.requests(path).map(({ parameters }) => parameters.sign_type);
			expect(signed(customer)).toEqual(['hmacsha1', 'hmacsha1']);
			for (const { parameters } of customer.requests(looks)) {
				expect(parameters.sign_type).toBe(signType);
			}
		});
	});
});

it('an order whose first delivery is lost before the work is bought by the second', async () => {
	const customer = new Customer(bed());
	bed().sandbox.faults.add({ kind: 'twice', path: CREATE, cutFirst: 'before' });
	const [record] = records(await customer.buy());
	expect(record.orderid).toBe(customer.payments[0].orderId);
	expect(record).not.toHaveProperty('verified');
	expect(customer.paid).toBe(1);
});

describe.each([-112, -120])('after %i', (code) => {
	it.each(['an order', 'IPs in any case'])(
		'%s that an earlier delivery brought is not bought again, though it shows late',
		async (what) => {
			const customer = new Customer(bed());
			const { path } = PURCHASES[what];
			const order = customer.perIp(50);
			customer.sandbox.faults.add({ kind: 'code', code, path, times: 1 });
			const running =
				path === CREATE
					? customer.buy()
					: customer.renewByNumber(order, { ...PER_IP, renewWhen: 'always' });
			await customer.asked(path);
			await sleep(1500);
			const { orderId } = path === CREATE ? customer.tunnel(DAY) : order;
			order.ipBalance = 1050;
			const [record] = records(await running);
			expect(record).toMatchObject({ orderid: orderId, verified: true });
			expect(customer.requests(path)).toHaveLength(1);
		},
	);
});

describe('an order of somebody else', () => {
	it.each(['before', 'after'] as const)(
		'of another term is not taken for one whose answer was lost (%s the work)',
		async (when) => {
			const customer = new Customer(bed());
			customer.sandbox.faults.add(
				{ kind: 'cut', when, path: CREATE, times: 1 },
				{ kind: 'delay', ms: 300, path: CREATE },
			);
			const running = customer.buy();
			await customer.asked(CREATE);
			const { orderId } = customer.tunnel(365 * DAY);
			const result = await running;
			const [own] = customer.payments;
			if (when === 'after') {
				expect(records(result)).toMatchObject([{ orderid: own.orderId, verified: true }]);
			} else {
				expect(textOf(result)).toContain(`what may be this order (${orderId}), but it ends at `);
				expect(customer.paid).toBe(0);
			}
		},
	);
});

describe('a cache on the way', () => {
	it('gives no two items the same order', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'cache', path: CREATE });
		const settings = { items: [{}, {}], settings: CONTINUE };
		const [first, second] = records(
			await customer.buy({ options: { maxOrdersPerRun: 2 } }, settings),
		);
		expect(first.orderid).toBe(customer.payments[0].orderId);
		expect(second.orderid).toBeUndefined();
		expect(String(second.error)).toContain('The order may have been placed: ');
	});
});
