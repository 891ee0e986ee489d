import type { IDataObject, INode } from 'n8n-workflow';

import type { Fault, Order } from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import { shareOf, triesAll } from '../../fullMatrices.mts';
import { many } from '../../many.mts';
import { API } from '../support/api.mts';
import { Customer, WEEK, WEEK_ALWAYS, type CustomerRun } from '../support/customer.mts';
import type { RunResult } from '../support/engine.mts';
import { records } from '../support/results.mts';
import { CONTINUE, RETRY } from '../support/runSettings.mts';
import { sleep } from '../support/sleep.mts';
import { TestBed } from '../support/testBed.mts';
import { useWorkbench } from '../support/workbench.mts';

/*
 * What happens to the money when something goes wrong. Nothing is mocked: the built node runs in n8n's
 * engine, and what was paid is what the sandbox's ledger says.
 */
interface Operation {
	name: 'create' | 'renew';
	path: string;
	/** Where the node looks before a purchase, and after an unclear one. */
	looks: string;
	run(
		customer: Customer,
		orders: readonly Order[],
		fields: IDataObject,
		run: CustomerRun,
	): Promise<RunResult>;
	/** What the message about an unclear outcome says. */
	unclear: RegExp;
	/** What its description says about where to look. */
	whereToLook: RegExp;
}

const OPERATIONS: readonly Operation[] = [
	{
		name: 'create',
		path: API.createorder,
		looks: API.getaccountorders,
		run: async (customer, _orders, fields, run) => await customer.buy(fields, run),
		unclear: /^The order may have been placed: /,
		whereToLook: /Order: Get Many.*order list/,
	},
	{
		name: 'renew',
		path: API.reneworder,
		looks: API.getorderexpiretime,
		run: async (customer, [first, ...others], fields, run) =>
			others.length === 0
				? await customer.renew(first, { ...WEEK_ALWAYS, ...fields }, run)
				: await customer.renewEach([first, ...others], { ...WEEK_ALWAYS, ...fields }, run),
		unclear: /^The order may have been renewed: /,
		whereToLook: /expiry time.*Order: Get/,
	},
];

interface Trouble {
	name: string;
	fault: Fault;
	/** How often the troubled item is paid, and what the node says of it. */
	paid: 0 | 1;
	outcome: 'unclear' | 'verified' | 'success';
	/** How many requests that buy the troubled item makes. */
	requests: number;
	/** Whether the service does not say either what there was before, or what there is now. */
	looksFail?: true;
}

/** What was paid can be seen at the service afterwards. */
const unclear = (name: string, fault: Fault, paid: 0 | 1): Trouble => ({
	name,
	fault,
	paid,
	outcome: paid === 1 ? 'verified' : 'unclear',
	requests: 1,
});

const repeated = (code: number): Trouble => ({
	name: `code ${code}`,
	fault: { kind: 'code', code },
	paid: 1,
	outcome: 'success',
	requests: 2,
});

const ANSWERS_LOST: readonly Trouble[] = [
	unclear('a connection cut before the work', { kind: 'cut', when: 'before' }, 0),
	unclear('a connection cut after the work', { kind: 'cut', when: 'after' }, 1),
	unclear('no answer within the time-out, before the work', { kind: 'hang', when: 'before' }, 0),
	unclear('no answer within the time-out, after the work', { kind: 'hang', when: 'after' }, 1),
	unclear('status 502 before the work', { kind: 'status', status: 502, when: 'before' }, 0),
	unclear('status 502 after the work', { kind: 'status', status: 502, when: 'after' }, 1),
	unclear('status 503 before the work', { kind: 'status', status: 503, when: 'before' }, 0),
	unclear('status 503 after the work', { kind: 'status', status: 503, when: 'after' }, 1),
	unclear('status 401 after the work', { kind: 'status', status: 401, when: 'after' }, 1),
	unclear('status 429 after the work', { kind: 'status', status: 429, when: 'after' }, 1),
	unclear('half of the JSON', { kind: 'halfBody', promise: 'half' }, 1),
	unclear('a connection cut in the middle of the answer', { kind: 'halfBody', promise: 'full' }, 1),
	unclear('a connection reset before the work', { kind: 'cut', how: 'reset', when: 'before' }, 0),
	unclear('a connection reset after the work', { kind: 'cut', how: 'reset', when: 'after' }, 1),
	unclear('an HTML page before the work', { kind: 'html', when: 'before' }, 0),
	unclear('an HTML page after the work', { kind: 'html', when: 'after' }, 1),
	unclear('code -109 before the work', { kind: 'code', code: -109, when: 'before' }, 0),
	unclear('code -109 after the work', { kind: 'code', code: -109, when: 'after' }, 1),
	unclear('an unknown code after the work', { kind: 'code', code: -999, when: 'after' }, 1),
];

/** Something on the way delivers the request twice; the pace is not judged here, so that both get through. */
const TWICE: readonly Trouble[] = [
	unclear('a request that arrives twice, with the last answer', { kind: 'twice' }, 1),
	unclear('a request that arrives twice, after a cut', { kind: 'twice', cutFirst: 'after' }, 1),
	{
		name: 'a request that arrives twice, with the first answer',
		fault: { kind: 'twice', answer: 'first' } as const,
		paid: 1 as const,
		outcome: 'success' as const,
	},
].map((trouble): Trouble => ({ ...trouble, requests: 2 }));

const TROUBLES: readonly Trouble[] = [
	...ANSWERS_LOST,
	...ANSWERS_LOST.filter(({ paid }) => paid === 1).map(
		(trouble): Trouble => ({
			...trouble,
			name: `${trouble.name}, and nothing to be seen afterwards`,
			outcome: 'unclear',
			looksFail: true,
		}),
	),
	repeated(-120),
	repeated(-112),
	// It may be the second delivery of a request that was carried out
	unclear('code -114 before the work', { kind: 'code', code: -114, when: 'before' }, 0),
	unclear('code -114 after the work', { kind: 'code', code: -114, when: 'after' }, 1),
	...TWICE,
];

const SETTINGS: ReadonlyArray<[name: string, settings: Partial<INode>]> = [
	['plain', {}],
	['Retry On Fail', RETRY],
	['Continue On Fail', CONTINUE],
	['Retry and Continue On Fail', { ...RETRY, ...CONTINUE }],
];

type Case = [
	operation: Operation,
	trouble: Trouble,
	settingsName: string,
	settings: Partial<INode>,
	itemCount: 1 | 3,
];

const ITEM_COUNTS = [1, 3] as const;

const COMBINATIONS = SETTINGS.flatMap(([name, settings]) =>
	ITEM_COUNTS.map((count) => [name, settings, count] as const),
);

/** All of them for `npm run fuzz`; else each trouble once, with the next one of the combinations. */
const CASES: Case[] = OPERATIONS.flatMap((operation, o) =>
	TROUBLES.flatMap((trouble, t) =>
		COMBINATIONS.filter((_combination, c) => triesAll || c === (t + o) % COMBINATIONS.length).map(
			(combination): Case => [operation, trouble, ...combination],
		),
	),
);

const { bed: unpaced } = useWorkbench({ rateLimits: false });

async function runCase([operation, trouble, , settings, itemCount]: Case) {
	const customer = new Customer(unpaced());
	const { faults } = customer.sandbox;
	const orders = many(itemCount, () => customer.tunnel(30 * DAY));
	const items = orders.map(({ orderId: order }, n) => ({ n, order }));
	if (trouble.looksFail === true)
		faults.add({ kind: 'status', status: 503, path: operation.looks });
	const troubled = itemCount === 1 ? 0 : 1;
	const fault = { ...trouble.fault, path: operation.path, times: 1 };
	if (troubled === 0) faults.add(fault);
	else void customer.asked(operation.path).then(() => faults.add(fault));
	const isHanging = trouble.fault.kind === 'hang';
	const options = {
		maxOrdersPerRun: 10,
		timeout: `={{ $json.n === ${troubled} && ${isHanging} ? 3 : 60 }}`,
	};
	const run = { items, settings };
	const result = await operation.run(customer, orders, { options }, run);
	const { paid, payments } = customer;
	const requests = customer.requests(operation.path).length;
	return { result, paid, orders: payments.map(({ orderId }) => orderId), requests };
}

function outcomeOf({ items, error }: RunResult, itemIndex: number): 'success' | 'error' | 'none' {
	const item = items.find(({ pairedItem }) =>
		typeof pairedItem === 'object' && !Array.isArray(pairedItem)
			? pairedItem.item === itemIndex
			: false,
	);
	if (item !== undefined) return 'error' in item.json ? 'error' : 'success';
	return error?.context?.itemIndex === itemIndex ? 'error' : 'none';
}

function textOfError({ items, error }: RunResult): string {
	const failed = items.find(({ json }) => 'error' in json);
	return failed === undefined
		? `${error?.message}. ${error?.description}`
		: String(failed.json.error);
}

it.each(CASES.map((each) => [each[0].name, each[1].name, each[2], each[4], each] as const))(
	'%s, %s, %s, %i items: paid once at most, and nothing lost',
	async (_operation, _trouble, _settings, itemCount, theCase) => {
		const [operation, trouble, , settings] = theCase;
		const { result, paid, orders, requests } = await runCase(theCase);
		const troubled = itemCount === 1 ? 0 : 1;
		const isDone = trouble.outcome !== 'unclear';
		// An unclear new order ends the run, and the next attempt buys what was not tried
		const goesOn =
			operation.name === 'renew' ||
			settings.onError !== undefined ||
			settings.retryOnFail === true ||
			isDone;
		const others = itemCount === 1 ? 0 : goesOn ? 2 : 1;

		expect(paid).toBe(trouble.paid + others);
		expect(requests).toBe(trouble.requests + others);
		expect(outcomeOf(result, troubled)).toBe(isDone ? 'success' : 'error');
		const verified = result.items.filter(({ json }) => json.verified === true);
		expect(verified.map(({ pairedItem }) => pairedItem)).toEqual(
			trouble.outcome === 'verified' ? [{ item: troubled }] : [],
		);
		if (trouble.outcome === 'unclear') {
			const text = textOfError(result);
			expect(text).toMatch(operation.unclear);
			expect(text).toMatch(operation.whereToLook);
			expect(text).toMatch(
				new RegExp(`item ${troubled} at \\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2} \\(`),
			);
			expect(text).not.toMatch(/retry on fail/i);
		}
		// Every order that was paid without trouble is in the output, or in the text of the error
		const shown = `${JSON.stringify(result.items)} ${textOfError(result)}`;
		const certain = orders.filter((_order, index) => index !== troubled || isDone);
		for (const orderId of certain) expect(shown).toContain(orderId);
		if (isDone) expect(result.items.map(({ json }) => json.orderid)).toEqual(orders);
	},
);

/*
 * A proxy or gateway on the way delivers one GET twice, which nginx does by default when the first
 * delivery fails; or the answer says something else than what was done. What was paid is what the ledger
 * of the sandbox says.
 */

let bed: TestBed;
beforeAll(async () => {
	bed = await TestBed.start();
});
afterEach(() => {
	const tooFast = bed.sandbox.log.refusals().filter(({ delivery }) => delivery === 1);
	bed.reset();
	expect(tooFast).toEqual([]);
});
afterAll(() => bed.close());

interface Purchase {
	readonly path: string;
	/** What is read before it. */
	readonly looks: string;
	run(customer: Customer, settings: CustomerRun): Promise<RunResult>;
}

const PER_IP = { renewalOf: 'perIp', dpsIpCount: 1000, renewWhen: 'always' };

const PURCHASES: Readonly<Record<string, Purchase>> = {
	'an order': {
		path: API.createorder,
		looks: API.getaccountorders,
		run: async (customer, settings) => await customer.buy({}, settings),
	},
	'a renewal if expiring': {
		path: API.reneworder,
		looks: API.getorderexpiretime,
		run: async (customer, settings) =>
			await customer.renewByNumber(customer.tunnel(DAY), WEEK, settings),
	},
	'IPs in any case': {
		path: API.reneworder,
		looks: API.getipbalance,
		run: async (customer, settings) =>
			await customer.renewByNumber(customer.perIp(50), PER_IP, settings),
	},
};

/** Longer than the service wants between two calls, so that only the signature keeps the second one out. */
const SLOW = { gapMs: 1_100 };

const DELIVERIES: ReadonlyArray<[name: string, fault: Partial<Fault & { kind: 'twice' }>]> = [
	['at once, with the last answer', {}],
	['slowly, with the last answer', SLOW],
	['slowly, with the first answer', { ...SLOW, answer: 'first' }],
	['after a cut, as by nginx', { ...SLOW, cutFirst: 'after' }],
	['a minute apart', { gapMs: 20_000 }],
];

/** Each delivery of each purchase once, with the other sign type beside each: purchases are signed in one way only. */
const DELIVERED = Object.entries(PURCHASES).flatMap(([what, purchase], p) =>
	DELIVERIES.flatMap(([how, more], d) =>
		shareOf(['hmacsha1', 'token'], 2, p + d).map(
			(signType) => [what, how, signType, purchase, more] as const,
		),
	),
);

it.each(DELIVERED)(
	'%s delivered twice %s, with sign type %s, is sent and paid once, and told',
	async (_what, _how, signType, { path, looks, run }, more) => {
		const customer = new Customer(bed);
		bed.sandbox.faults.add({ kind: 'twice', path, ...more });
		const result = await run(customer, { settings: RETRY, credential: { signType } });

		expect(customer.requests(path).map(({ delivery }) => delivery)).toEqual([1, 2]);
		expect(customer.paid).toBe(1);
		const [{ json }] = result.items;
		expect(json.orderid).toBe(customer.payments[0].orderId);
		expect(json[path === API.createorder ? 'created' : 'renewed']).toBe(true);
		// The last answer is the refusal of a replay, so the order has to be looked at
		expect(json.verified).toBe(more.answer === 'first' ? undefined : true);
		expect(result.hints.map(({ message }) => message)).toEqual([`${String(json.text)}.`]);

		const signed = customer.requests(path).map(({ parameters }) => parameters.sign_type);
		expect(signed).toEqual(['hmacsha1', 'hmacsha1']);
		for (const { parameters } of customer.requests(looks)) {
			expect(parameters.sign_type).toBe(signType);
		}
	},
);

it('an order whose first delivery is lost before the work is bought by the second', async () => {
	const customer = new Customer(bed);
	bed.sandbox.faults.add({ kind: 'twice', path: API.createorder, cutFirst: 'before' });
	const [record] = records(await customer.buy());
	expect(record.orderid).toBe(customer.payments[0].orderId);
	expect(record).not.toHaveProperty('verified');
	expect(customer.paid).toBe(1);
});

describe.each([-112, -120])('after %i', (code) => {
	it.each(['an order', 'IPs in any case'])(
		'%s that an earlier delivery brought is not bought again, though it shows late',
		async (what) => {
			const customer = new Customer(bed);
			const { path } = PURCHASES[what];
			const order = customer.perIp(50);
			customer.sandbox.faults.add({ kind: 'code', code, path, times: 1 });
			const running =
				path === API.createorder ? customer.buy() : customer.renewByNumber(order, PER_IP);
			await customer.asked(path);
			await sleep(1500);
			const { orderId } = path === API.createorder ? customer.tunnel(DAY) : order;
			order.ipBalance = 1050;
			const [record] = records(await running);
			expect(record).toMatchObject({ orderid: orderId, verified: true });
			expect(customer.requests(path)).toHaveLength(1);
		},
	);
});

it('a cache on the way gives no two items the same order', async () => {
	const customer = new Customer(bed);
	customer.sandbox.faults.add({ kind: 'cache', path: API.createorder });
	const settings = { items: [{}, {}], settings: CONTINUE };
	const [first, second] = records(
		await customer.buy({ options: { maxOrdersPerRun: 2 } }, settings),
	);
	expect(first.orderid).toBe(customer.payments[0].orderId);
	expect(second.orderid).toBeUndefined();
	expect(String(second.error)).toContain('The order may have been placed: ');
});
