import { type Fault, type Sandbox, startSandbox } from '../../../sandbox/sandbox.mts';
import { get, type Reply, signed } from '../client.mts';
import {
	accountOf,
	ask,
	create,
	CREATE,
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

/** Sends it and does not care what comes of it. */
async function attempt(kind: PurchaseKind): Promise<void> {
	const { path, keys, parameters } = requestOf(sandbox, kind);
	await get(sandbox.hosts.baseUrl + path, signed(keys, 'GET', path, parameters)).catch(() => {});
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
});

/* What each fault leaves paid is tried with the node, in test/engine/purchases/faults. */

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
