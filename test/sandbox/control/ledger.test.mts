import { setTimeout as sleep } from 'node:timers/promises';
import type { CodeFault, Disruption } from '../../../sandbox/faults/fault.mts';
import { type Fault, type Sandbox, startSandbox } from '../../../sandbox/sandbox.mts';
import { until } from '../../engine/support/until.mts';
import { get, type Reply, signed } from '../client.mts';
import {
	accountOf,
	ask,
	create,
	CREATE,
	field,
	ORDERS,
	type PurchaseKind,
	PURCHASES,
	requestOf,
	startShop,
} from '../ordering.mts';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(() => sandbox.close());

/** How long the sandbox has for its work after a request has reached it. */
const WORK_MS = 300;

/**
 * Sends it and does not care what comes of it.
 *
 * @param givesUp hangs up soon after the request has arrived, however long that takes on a busy machine
 */
async function attempt(kind: PurchaseKind, givesUp = false): Promise<void> {
	const { path, keys, parameters } = requestOf(sandbox, kind);
	const query = new URLSearchParams(signed(keys, 'GET', path, parameters));
	const connection = new AbortController();
	const arrived = sandbox.log.count() + 1;
	const answer = fetch(`${sandbox.hosts.baseUrl}${path}?${query}`, {
		redirect: 'manual',
		signal: connection.signal,
	})
		.then((response) => response.text())
		.catch(() => undefined);
	if (givesUp) {
		await until(() => sandbox.log.count() >= arrived);
		await sleep(WORK_MS);
		connection.abort();
	}
	await answer;
}

it.each(PURCHASES)('%s: writes down who paid how much for what, and when', async (kind) => {
	sandbox.clock.set(new Date('2027-07-07T07:07:07Z'));
	sandbox.store.order(sandbox.keys.opsVip.secretId).expiresAt = new Date('2027-08-01T00:00:00Z');
	const { path, keys, parameters } = requestOf(sandbox, kind);
	const sent = signed(keys, 'GET', path, parameters, sandbox.clock.now());
	const { json } = await get(sandbox.hosts.baseUrl + path, sent);
	expect(sandbox.ledger.entries()).toEqual([
		{
			number: 1,
			request: 1,
			time: expect.any(Date),
			kind,
			orderId: Object(json.data).orderid,
			amountInFen: expect.any(Number),
			balanceInFen: accountOf(sandbox).balanceInFen,
			secretId: keys.secretId,
			nonce: sent.nonce,
		},
	]);
	expect(sandbox.ledger.entries()[0]?.time.toISOString()).toMatch(/^2027-07-07T07:07:0/);
	expect(sandbox.ledger.entries(kind)).toEqual(sandbox.ledger.entries());
	expect(sandbox.ledger.count(kind === 'create' ? 'renew' : 'create')).toBe(0);
});

it('numbers payments in their order, and says which request each is of', async () => {
	await attempt('create');
	await ask(sandbox, '/api/getaccountbalance', sandbox.keys.account, {});
	accountOf(sandbox).balanceInFen -= 1;
	await attempt('renew');
	const [first, second] = sandbox.ledger.entries();
	expect([first?.number, second?.number]).toEqual([1, 2]);
	expect([first?.request, second?.request]).toEqual([1, 3]);
	expect(sandbox.log.entries().map(({ number }) => number)).toEqual([1, 2, 3]);
	expect(second?.balanceInFen).toBe(accountOf(sandbox).balanceInFen);
	const paid = (first?.balanceInFen ?? 0) - (second?.balanceInFen ?? 0) - 1;
	expect(paid).toBe(second?.amountInFen);

	sandbox.ledger.clear();
	sandbox.log.clear();
	await attempt('create');
	expect(sandbox.ledger.entries()).toMatchObject([{ number: 3, request: 4 }]);
});

describe('twenty at once', () => {
	const twenty = (shop: Sandbox) =>
		Promise.all(Array.from({ length: 20 }, async () => (await create(shop, ORDERS.ops)).code));

	const tally = (codes: number[], code: number) => codes.filter((each) => each === code).length;

	it('no more than the balance allows', async () => {
		await create(sandbox, ORDERS.ops);
		const price = sandbox.ledger.total();
		sandbox.ledger.clear();
		accountOf(sandbox).balanceInFen = 7 * price + price / 2;
		const codes = await twenty(sandbox);
		expect([tally(codes, 0), tally(codes, -4)]).toEqual([7, 13]);
		expect(sandbox.ledger.count()).toBe(7);
		expect(accountOf(sandbox).balanceInFen).toBe(price / 2);
	});

	it('with limits one is paid and the others get -120', async () => {
		const limited = await startSandbox({ forwardProxies: false, rateLimits: { scale: 20 } });
		const codes = await twenty(limited);
		expect([tally(codes, 0), tally(codes, -120)]).toEqual([1, 19]);
		expect([limited.ledger.count(), limited.log.refusals(CREATE).length]).toEqual([1, 19]);
		await limited.close();
	});
});

/** What changed: a payment in the ledger, the balance, and what was paid for. */
async function changes(kind: PurchaseKind, action: () => Promise<void>) {
	const state = () => ({
		payments: sandbox.ledger.count(kind),
		others: sandbox.ledger.count(),
		total: sandbox.ledger.total(),
		balance: accountOf(sandbox).balanceInFen,
		orders: sandbox.store.orders.length,
		expiresAt: sandbox.store.order(sandbox.keys.opsVip.secretId).expiresAt?.getTime() ?? 0,
	});
	const before = state();
	await action();
	const after = state();
	expect(before.balance - after.balance).toBe(after.total - before.total);
	expect(after.others - before.others).toBe(after.payments - before.payments);
	return {
		payments: after.payments - before.payments,
		delivered:
			kind === 'create'
				? after.orders - before.orders
				: (after.expiresAt - before.expiresAt) / (24 * 3600_000),
		costs: after.total > before.total,
	};
}

function isSlow({ kind }: Fault): boolean {
	return ['hang', 'drip', 'delay'].includes(kind);
}

const NOTHING = { payments: 0, delivered: 0, costs: false };
const ONCE = { payments: 1, delivered: 1, costs: true };

describe.each(PURCHASES)('%s with a fault', (kind) => {
	const faults: Array<Disruption | CodeFault> = [
		{ kind: 'cut' },
		{ kind: 'cut', how: 'reset' },
		{ kind: 'hang' },
		{ kind: 'status', status: 302, location: 'http://127.0.0.1:1/' },
		{ kind: 'status', status: 429, retryAfter: '1' },
		{ kind: 'status', status: 502 },
		{ kind: 'status', status: 503 },
		{ kind: 'html' },
		{ kind: 'raw', body: '' },
		{ kind: 'raw', body: '{"code":0,"msg":"create order success","data":{"orderid":"1"}}' },
		{ kind: 'code', code: -109 },
	];

	it.each(faults)('before the work: nothing is taken (%j)', async (fault) => {
		sandbox.faults.add({ ...fault, when: 'before', times: 1 });
		expect(await changes(kind, () => attempt(kind, isSlow(fault)))).toEqual(NOTHING);
		expect(sandbox.log.last()).toMatchObject({ workDone: false, fault: fault.kind });
		expect(await changes(kind, () => attempt(kind))).toEqual(ONCE);
	});

	it.each(faults)('after the work: it is taken once (%j)', async (fault) => {
		sandbox.faults.add({ ...fault, when: 'after', times: 1 });
		expect(await changes(kind, () => attempt(kind, isSlow(fault)))).toEqual(ONCE);
		expect(sandbox.log.last()).toMatchObject({ workDone: true, fault: fault.kind });
	});

	it.each<Fault>([
		{ kind: 'halfBody' },
		{ kind: 'halfBody', promise: 'full' },
		{ kind: 'drip', ms: 60_000, bytes: 1 },
		{ kind: 'delay', ms: 60_000, when: 'after' },
	])('the answer is damaged or late: it is taken once (%j)', async (fault) => {
		sandbox.faults.add({ ...fault, times: 1 });
		expect(await changes(kind, () => attempt(kind, isSlow(fault)))).toEqual(ONCE);
	});

	it('nothing is taken after a refusal, whatever happens to the answer', async () => {
		accountOf(sandbox).balanceInFen = 0;
		sandbox.faults.add({ kind: 'cut', when: 'after', times: 1 });
		expect(await changes(kind, () => attempt(kind))).toEqual(NOTHING);
		expect(sandbox.log.last()).toMatchObject({ workDone: false, outcome: 'cut' });
	});

	it('a delay before the work outlasts the caller, and money is taken all the same', async () => {
		sandbox.faults.add({ kind: 'delay', ms: 5 * WORK_MS, times: 1 });
		expect(await changes(kind, () => attempt(kind, true))).toEqual(NOTHING);
		const untilDone = () => until(() => sandbox.log.last()?.workDone === true);
		expect(await changes(kind, untilDone)).toEqual(ONCE);
	});

	it('a replay is not paid', async () => {
		const { path, keys, parameters } = requestOf(sandbox, kind);
		const sent = signed(keys, 'GET', path, parameters);
		const send = async () => {
			await get(sandbox.hosts.baseUrl + path, sent);
		};
		expect(await changes(kind, send)).toEqual(ONCE);
		expect(await changes(kind, send)).toEqual(NOTHING);
		expect(sandbox.log.last()?.code).toBe(-114);
	});
});

describe.each(PURCHASES)('%s delivered twice', (kind) => {
	type SignType = 'token' | 'hmacsha1';

	async function buy(signType: SignType): Promise<Reply['json']> {
		const { path, keys, parameters } = requestOf(sandbox, kind);
		const { value } = sandbox.tokens.obtain(keys.secretId);
		const byToken = { ...parameters, secret_id: keys.secretId, signature: value };
		const sent = signType === 'token' ? byToken : signed(keys, 'GET', path, parameters);
		return (await get(sandbox.hosts.baseUrl + path, sent)).json;
	}

	const TWICE: Fault = { kind: 'twice', times: 1 };

	// With a token it is paid twice; a second signature is a replay, of which the caller is told
	it.each<[SignType, Fault[], code: number, payments: number, first: object]>([
		['token', [TWICE], 0, 2, { outcome: 'dropped', workDone: true }],
		['hmacsha1', [TWICE], -114, 1, { outcome: 'dropped', workDone: true }],
		['token', [{ ...TWICE, cutFirst: 'after' }], 0, 2, { outcome: 'cut', workDone: true }],
		['hmacsha1', [{ ...TWICE, cutFirst: 'after' }], -114, 1, { outcome: 'cut', workDone: true }],
		['token', [{ ...TWICE, cutFirst: 'before' }], 0, 1, { outcome: 'cut', workDone: false }],
		['hmacsha1', [{ ...TWICE, cutFirst: 'before' }], 0, 1, { outcome: 'cut', workDone: false }],
		// Each delivery has its own faults
		['token', [TWICE, { kind: 'status', status: 502, when: 'after', times: 1 }], 0, 2, {}],
		['token', [TWICE, { kind: 'hang', when: 'after', times: 1 }], 0, 2, { outcome: 'hung' }],
		['token', [TWICE, { kind: 'halfBody', promise: 'full', times: 1 }], 0, 2, { outcome: 'cut' }],
	])('by %s with %j gets %i and pays %i', async (signType, faults, code, payments, first) => {
		const before = accountOf(sandbox).balanceInFen;
		sandbox.faults.add(...faults);
		expect((await buy(signType)).code).toBe(code);
		expect(sandbox.ledger.count(kind)).toBe(payments);
		expect(before - accountOf(sandbox).balanceInFen).toBe(sandbox.ledger.total());
		expect(sandbox.log.entries()).toMatchObject([
			{ delivery: 1, ...first },
			{ delivery: 2, outcome: 'answered', workDone: code === 0, fault: undefined, status: 200 },
		]);
		await buy(signType);
		expect(sandbox.log.count()).toBe(3);
	});

	it.each(['first', 'last'] as const)('tells the caller the %s answer', async (answer) => {
		sandbox.faults.add({ ...TWICE, kind: 'twice', answer });
		sandbox.clock.set(new Date('2027-07-07T07:07:07Z'));
		sandbox.store.order(sandbox.keys.opsVip.secretId).expiresAt = new Date('2027-08-01T00:00:00Z');
		const { data } = await buy('token');
		const [first, last] = sandbox.ledger.entries();
		const told = answer === 'first' ? first : last;
		expect(field(data, 'orderid')).toBe(told?.orderId);
		if (kind === 'create') expect(first?.orderId).not.toBe(last?.orderId);
		else expect(field(data, 'expire_time')).toContain(answer === 'first' ? '08-02' : '08-03');
	});
});

it('the rules of pace refuse a second delivery, unless it comes late enough', async () => {
	const limited = await startSandbox({ forwardProxies: false, rateLimits: { scale: 0.2 } });
	const { secretId } = limited.keys.account;
	const signature = limited.tokens.obtain(secretId).value;
	const send = async () => {
		const sent = { ...ORDERS.ops, secret_id: secretId, signature };
		return (await get(limited.hosts.baseUrl + CREATE, sent)).json.code;
	};
	limited.faults.add({ kind: 'twice', gapMs: 250, times: 1 });
	expect(await send()).toBe(0);
	expect(limited.ledger.count()).toBe(2);

	limited.limits.settings.scale = 20;
	limited.faults.add({ kind: 'twice', times: 1 });
	expect(await send()).toBe(-120);
	expect(limited.log.count()).toBe(4);
	expect(limited.ledger.count()).toBe(2);
	await limited.close();
});

it('closing the sandbox does not wait for the second delivery', async () => {
	sandbox.faults.add({ kind: 'twice', gapMs: 3_600_000 });
	const buying = attempt('create');
	await until(() => sandbox.ledger.count() === 1);
	await sandbox.close();
	await buying;
	expect(sandbox.ledger.count()).toBe(1);
});
