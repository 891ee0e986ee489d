import type { Fault } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import { CREATE, Customer, LIST, records, textOf, WITHOUT_REPORT } from '../support/customer.mts';
import { itWithOwnBed } from '../support/itWithOwnBed.mts';
import { CONTINUE, RETRY } from '../support/nodeSettings.mts';
import { BLIND, elsewhere, ids, LOST, MISSED, SLOWLY, UNCLEAR } from './lostOrders.mts';

const REFUSED: Fault = { kind: 'code', code: -4, path: CREATE };

itWithOwnBed({
	async 'an order whose answer is lost is found, and paid once'(bed) {
		const customer = new Customer(bed);
		elsewhere(customer, {}, {});
		customer.sandbox.faults.add(LOST);
		const result = await customer.buy(WITHOUT_REPORT, { settings: RETRY });
		expect(result.error).toBeUndefined();
		const [order] = customer.sandbox.store.ordersOf(customer.account).slice(-1);
		expect(records(result)).toEqual([
			{
				orderid: ids(customer.payments)[0],
				product: 'TPS',
				productName: 'Tunnel Proxy',
				pay_type: 'PRE_PAY',
				payTypeName: 'Prepaid',
				created: true,
				verified: true,
				purchasedAt: expect.stringMatching(/\+08:00$/),
				expire_time: expect.any(String),
				expiresAt: expect.any(String),
				secondsLeft: expect.any(Number),
				daysLeft: expect.any(Number),
			},
		]);
		expect(Date.parse(String(records(result)[0].expiresAt))).toBe(
			Math.floor((order.expiresAt?.getTime() ?? 0) / 1000) * 1000,
		);
		// The last one is for the expiry
		expect(customer.calls).toEqual([LIST, CREATE, LIST, LIST]);
		const statuses = customer.requests(LIST).map(({ parameters }) => parameters.status);
		expect(statuses).toEqual(['ALL', 'ALL', 'ALL']);
		expect(customer.paid).toBe(1);
	},

	async 'the list is read right before each purchase, and once for the expiry of all'(bed) {
		const customer = new Customer(bed);
		const result = await customer.buy(WITHOUT_REPORT, { items: [{}, {}, {}] });
		expect(customer.calls).toEqual([LIST, CREATE, LIST, CREATE, LIST, CREATE, LIST]);
		expect(records(result).some((record) => 'verified' in record)).toBe(false);
	},

	async 'all digits of its number are kept where it comes as a number'(bed) {
		bed.sandbox.settings.orderNumbers = 'unsafe number';
		const customer = new Customer(bed);
		customer.sandbox.faults.add(LOST);
		const result = await customer.buy();
		expect(ids(customer.payments)[0]).toMatch(/^\d{16}$/);
		expect(records(result)[0]).toMatchObject({
			orderid: ids(customer.payments)[0],
			verified: true,
		});
	},

	async 'it is found with a token'(bed) {
		const customer = new Customer(bed);
		customer.sandbox.faults.add(LOST);
		const result = await customer.buy({}, { credential: { signType: 'token' } });
		expect(records(result)[0]).toMatchObject({ verified: true });
		expect(customer.paid).toBe(1);
	},

	async 'a run repeated after an unclear error buys once more only'(bed) {
		const customer = new Customer(bed);
		customer.sandbox.faults.add(MISSED);
		expect(textOf(await customer.buy())).toContain(UNCLEAR);
		const again = await customer.buy();
		expect(records(again).map(({ orderid }) => orderid)).toEqual(ids(customer.payments));
		expect(customer.paid).toBe(1);
	},

	async 'it is not taken for one of those that the run bought before'(bed) {
		const customer = new Customer(bed);
		customer.sandbox.faults.add(SLOWLY);
		const running = customer.buy({}, { items: [{}, {}, {}], settings: CONTINUE });
		await customer.asked(CREATE, 2);
		customer.sandbox.faults.add(MISSED);
		const result = await running;
		expect(records(result)).toMatchObject([
			{ orderid: ids(customer.payments)[0] },
			{ orderid: ids(customer.payments)[1] },
			{ error: expect.stringContaining('found no new order like this') },
		]);
		expect(customer.paid).toBe(2);
	},

	async 'each of several is found in turn, and none twice'(bed) {
		const customer = new Customer(bed);
		customer.sandbox.faults.add({ ...LOST, times: 3 });
		const result = await customer.buy({}, { items: [{}, {}, {}] });
		expect(result.error).toBeUndefined();
		expect(records(result).map(({ verified }) => verified)).toEqual([true, true, true]);
		expect(records(result).map(({ orderid }) => orderid)).toEqual(ids(customer.payments));
		expect(customer.requests(CREATE)).toHaveLength(3);
		expect(customer.paid).toBe(3);
	},

	async 'it is found once for Retry On Fail, though a later item fails'(bed) {
		const customer = new Customer(bed);
		customer.sandbox.faults.add(LOST);
		const [result] = await Promise.all([
			customer.buy({}, { items: [{}, {}], settings: { ...RETRY, maxTries: 2 } }),
			customer.asked(LIST, 2).then(() => customer.sandbox.faults.add({ ...REFUSED, times: 2 })),
		]);
		expect(result.error?.description).toContain('(code -4)');
		expect(result.error?.description).toContain(`order ${ids(customer.payments)[0]}, Tunnel`);
		expect(customer.requests(CREATE)).toHaveLength(3);
		expect(customer.paid).toBe(1);
	},

	async 'a success without an order number is found as well'(bed) {
		const customer = new Customer(bed);
		const body = '{"code":0,"msg":"create order success","data":""}';
		customer.sandbox.faults.add({ kind: 'raw', when: 'after', body, path: CREATE, times: 1 });
		const result = await customer.buy();
		expect(records(result)[0]).toMatchObject({
			orderid: ids(customer.payments)[0],
			verified: true,
		});
	},

	async 'the key pair of an order buys nothing, and asks nothing'(bed) {
		const customer = new Customer(bed);
		const { keys } = customer.tunnel(DAY);
		const result = await customer.buy({}, { credential: { keyType: 'order', ...keys } });
		expect(result.error?.message).toContain("needs the account's key pair");
		expect(result.error?.description).not.toContain('question');
		expect(customer.calls).toEqual([]);
	},
});

describe('several executions at once', () => {
	/** Each wants a tunnel of its own, by which its order is known. */
	async function atOnce(customer: Customer, faults: Fault[], count: number) {
		customer.sandbox.faults.add(...faults);
		const wanted = Array.from({ length: count }, (_none, index) => index + 5);
		const results = await Promise.all(
			wanted.map(async (tpsMaxRps) => await customer.buy({ tpsMaxRps }, { settings: RETRY })),
		);
		const ownOrders = new Map(
			customer
				.requests(CREATE)
				.map(({ parameters }) => [
					Number(parameters['tps.max_rps']),
					customer.payments.find(({ nonce }) => nonce === parameters.nonce)?.orderId,
				]),
		);
		return wanted.map((tpsMaxRps, index) => ({
			result: results[index],
			claimed: records(results[index]).map(({ orderid }) => orderid),
			/** What was really placed for it. */
			placed: ownOrders.get(tpsMaxRps),
		}));
	}

	type Outcomes = Awaited<ReturnType<typeof atOnce>>;

	/** Every claim is true, and what is not claimed is told as unclear. */
	function expectTruth(customer: Customer, outcomes: Outcomes): void {
		expect(customer.requests(CREATE)).toHaveLength(outcomes.length);
		for (const { result, claimed, placed } of outcomes) {
			if (claimed.length > 0) expect(claimed).toEqual([placed]);
			else expect(textOf(result)).toContain(UNCLEAR);
		}
		const claims = outcomes.flatMap(({ claimed }) => claimed);
		expect(new Set(claims).size).toBe(claims.length);
	}

	const MIXES: Readonly<Record<string, Fault[]>> = {
		'all answers lost': [{ ...LOST, times: 4 }],
		'nothing placed at all': [{ ...MISSED, times: 4 }],
		'the first one not placed': [MISSED],
		'the first one lost, the second one not placed': [LOST, MISSED],
		'the first one not placed, the second one lost': [MISSED, LOST],
		'each second one lost': [LOST, { ...SLOWLY, ms: 1 }, LOST],
		'slow answers, the first one not placed, the second one lost': [
			{ ...SLOWLY, ms: 1200, when: 'after' },
			MISSED,
			LOST,
		],
		'a slow list': [LOST, MISSED, { kind: 'delay', ms: 1500, when: 'after', path: LIST }],
		'no list for anybody': [LOST, MISSED, BLIND],
	};

	itWithOwnBed(
		Object.fromEntries(
			Object.entries(MIXES).map(([name, faults]) => [
				`claim only what they placed: ${name}`,
				async (bed) => {
					const customer = new Customer(bed);
					expectTruth(customer, await atOnce(customer, faults, 4));
				},
			]),
		),
	);

	itWithOwnBed({
		async "of different accounts do not stand in each other's way"(bed) {
			const customers = [new Customer(bed), new Customer(bed), new Customer(bed)];
			bed.sandbox.faults.add({ ...LOST, times: 3 });
			const results = await Promise.all(customers.map(async (each) => await each.buy()));
			expect(results.flatMap(records).map(({ orderid }) => orderid)).toEqual(
				customers.flatMap(({ payments }) => ids(payments)),
			);
			expect(results.flatMap(records).every(({ verified }) => verified === true)).toBe(true);
		},
	});
});
