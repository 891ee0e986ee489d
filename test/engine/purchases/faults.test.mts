import type { IDataObject, INode } from 'n8n-workflow';

import { credentialData } from '../../../harness/credentials.mts';
import {
	type Fault,
	newAccount,
	newTunnelProxyOrder,
	type Order,
	type Sandbox,
	startSandbox,
} from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import { shareOf, triesAll } from '../../fullMatrices.mts';
import { until } from '../../virtualTime.mts';
import { API } from '../support/api.mts';
import { Customer, typed, WEEK } from '../support/customer.mts';
import { Engine, type RunResult } from '../support/engine.mts';
import { records, textOf } from '../support/results.mts';
import { CONTINUE, RETRY } from '../support/runSettings.mts';
import { sleep } from '../support/sleep.mts';
import { TestBed } from '../support/testBed.mts';

/*
 * What happens to the money when something goes wrong. Nothing is mocked: the built node runs in n8n's
 * engine, and what was paid is what the sandbox's ledger says.
 */
interface Operation {
	name: 'create' | 'renew';
	path: string;
	/** Where the node looks before a purchase, and after an unclear one. */
	looks: string;
	parameters: IDataObject;
	/** What the message about an unclear outcome says. */
	unclear: RegExp;
	/** What its description says about where to look. */
	whereToLook: RegExp;
}

const OPERATIONS: readonly Operation[] = [
	{
		name: 'create',
		path: '/api/createorder',
		looks: '/api/getaccountorders',
		parameters: { product: 'TPS', payType: 'PRE_PAY', prepayTimeType: 'DAY', tpsMaxRps: 5 },
		unclear: /^The order may have been placed: /,
		whereToLook: /Order: Get Many.*order list/,
	},
	{
		name: 'renew',
		path: '/api/reneworder',
		looks: '/api/getorderexpiretime',
		parameters: { renewWhen: 'always', renewalOf: 'prepaid', timeType: 'DAY', timeNumber: 1 },
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
	['Retry On Fail', { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 }],
	['Continue On Fail', { onError: 'continueRegularOutput' }],
	[
		'Retry and Continue On Fail',
		{ retryOnFail: true, maxTries: 3, waitBetweenTries: 1, onError: 'continueRegularOutput' },
	],
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

/** Lets `before` requests pass, then sets the fault for one call. The pace of 1 per second leaves time. */
async function troubleAfter(
	sandbox: Sandbox,
	{ path }: Operation,
	fault: Fault,
	before: number,
	runEnded: () => boolean,
) {
	const answered = () =>
		sandbox.log.entries(path).filter(({ outcome }) => outcome === 'answered').length;
	await until(() => answered() >= before || runEnded(), 120_000);
	sandbox.faults.add({ ...fault, path, times: 1 });
}

let lastCase = 0;

/**
 * Keys of its own for each case: the node keeps the pace per key in the whole process, so cases with
 * one key would wait for each other. Several items renew one order each.
 */
function prepare({ store, clock }: Sandbox, { name }: Operation, itemCount: number) {
	const owner = `money-${++lastCase}`;
	const account = store.addAccount(newAccount(owner, { balanceInFen: 1_000_000_00 }));
	const numbers = Array.from({ length: itemCount }, (_none, n) => n);
	const orders = numbers.map((n) =>
		name === 'renew'
			? store.addOrder(newTunnelProxyOrder(`${owner}-order-${n}`, account, clock.now()))
			: undefined,
	);
	const [only] = itemCount === 1 ? orders : [];
	return {
		credential: only?.keys ?? account.keys,
		keyType: only === undefined ? ('account' as const) : ('order' as const),
		items: numbers.map((n) => ({ n, order: orders[n]?.orderId })),
		orderid: only === undefined ? typed('={{ $json.order }}') : undefined,
	};
}

async function runCase([operation, trouble, , settings, itemCount]: Case) {
	const sandbox = await startSandbox({
		seed: 1,
		catalogueSize: 1,
		forwardProxies: false,
		// Other tests are about the pace
		rateLimits: false,
	});
	try {
		const engine = new Engine();
		const { credential, keyType, items, orderid } = prepare(sandbox, operation, itemCount);
		const credentialId = engine.addCredential(credentialData(sandbox.hosts, credential, keyType));
		if (trouble.looksFail === true) {
			sandbox.faults.add({ kind: 'status', status: 503, path: operation.looks });
		}
		const troubled = itemCount === 1 ? 0 : 1;
		let hasEnded = false;
		const [result] = await Promise.all([
			engine
				.run({
					credentialId,
					items,
					parameters: {
						resource: 'order',
						operation: operation.name,
						...operation.parameters,
						...(orderid === undefined ? {} : { orderid }),
						options: {
							maxOrdersPerRun: 10,
							timeout: `={{ $json.n === ${troubled} && ${trouble.fault.kind === 'hang'} ? 3 : 60 }}`,
						},
					},
					settings,
				})
				.finally(() => (hasEnded = true)),
			troubleAfter(sandbox, operation, trouble.fault, troubled, () => hasEnded),
		]);
		return {
			result,
			paid: sandbox.ledger.count(),
			orders: sandbox.ledger.entries().map(({ orderId }) => orderId),
			requests: sandbox.log.count(operation.path),
		};
	} finally {
		await sandbox.close();
	}
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
		path: API.reneworder,
		looks,
		run: async (customer, settings) =>
			await customer.renewByNumber(order(customer), fields, settings),
	};
}

const tunnel = (customer: Customer) => customer.tunnel(DAY);
const PER_IP = { renewalOf: 'perIp', dpsIpCount: 1000 };

const PURCHASES: Readonly<Record<string, Purchase>> = {
	'an order': {
		path: API.createorder,
		looks: API.getaccountorders,
		run: async (customer, settings) => await customer.buy({}, settings),
	},
	'a renewal in any case': renewal(
		API.getorderexpiretime,
		{ ...WEEK, renewWhen: 'always' },
		tunnel,
	),
	'a renewal if expiring': renewal(API.getorderexpiretime, WEEK, tunnel),
	'IPs in any case': renewal(API.getipbalance, { ...PER_IP, renewWhen: 'always' }, (one) =>
		one.perIp(50),
	),
	'IPs if few are left': renewal(API.getipbalance, { ...PER_IP, balanceBelow: 100 }, (one) =>
		one.perIp(50),
	),
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
		const customer = new Customer(bed());
		bed().sandbox.faults.add({ kind: 'twice', path, ...more });
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
	const customer = new Customer(bed());
	bed().sandbox.faults.add({ kind: 'twice', path: API.createorder, cutFirst: 'before' });
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
				path === API.createorder
					? customer.buy()
					: customer.renewByNumber(order, { ...PER_IP, renewWhen: 'always' });
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

describe('an order of somebody else', () => {
	it.each(['before', 'after'] as const)(
		'of another term is not taken for one whose answer was lost (%s the work)',
		async (when) => {
			const customer = new Customer(bed());
			customer.sandbox.faults.add(
				{ kind: 'cut', when, path: API.createorder, times: 1 },
				{ kind: 'delay', ms: 300, path: API.createorder },
			);
			const running = customer.buy();
			await customer.asked(API.createorder);
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
		customer.sandbox.faults.add({ kind: 'cache', path: API.createorder });
		const settings = { items: [{}, {}], settings: CONTINUE };
		const [first, second] = records(
			await customer.buy({ options: { maxOrdersPerRun: 2 } }, settings),
		);
		expect(first.orderid).toBe(customer.payments[0].orderId);
		expect(second.orderid).toBeUndefined();
		expect(String(second.error)).toContain('The order may have been placed: ');
	});
});
