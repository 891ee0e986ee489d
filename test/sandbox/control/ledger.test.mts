import type { Sandbox } from '../../../sandbox/sandbox.mts';
import { get, signed } from '../client.mts';
import {
	accountOf,
	ask,
	create,
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

it('says which request each payment is of', async () => {
	await attempt('create');
	await ask(sandbox, '/api/getaccountbalance', sandbox.keys.account, {});
	accountOf(sandbox).balanceInFen -= 1;
	await attempt('renew');
	const [first, second] = sandbox.ledger.entries();
	expect([first?.request, second?.request]).toEqual([1, 3]);
	expect(sandbox.log.entries().map(({ number }) => number)).toEqual([1, 2, 3]);
	expect(second?.balanceInFen).toBe(accountOf(sandbox).balanceInFen);
	const paid = (first?.balanceInFen ?? 0) - (second?.balanceInFen ?? 0) - 1;
	expect(paid).toBe(second?.amountInFen);

	sandbox.ledger.clear();
	sandbox.log.clear();
	await attempt('create');
	expect(sandbox.ledger.entries()).toMatchObject([{ request: 4 }]);
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

// A second signature is a replay, of which the caller is told
it.each([
	['token', 0, 2],
	['hmacsha1', -114, 1],
])('delivered twice, an order by %s gets %i and pays %i', async (signType, code, payments) => {
	const { path, keys, parameters } = requestOf(sandbox, 'create');
	const { value } = sandbox.tokens.obtain(keys.secretId);
	const byToken = { ...parameters, secret_id: keys.secretId, signature: value };
	const sent = signType === 'token' ? byToken : signed(keys, 'GET', path, parameters);
	const before = accountOf(sandbox).balanceInFen;
	sandbox.faults.add({ kind: 'twice', times: 1 });
	expect((await get(sandbox.hosts.baseUrl + path, sent)).json.code).toBe(code);
	expect(sandbox.ledger.count('create')).toBe(payments);
	expect(before - accountOf(sandbox).balanceInFen).toBe(sandbox.ledger.total());
	expect(sandbox.log.entries()).toMatchObject([
		{ delivery: 1, outcome: 'dropped', workDone: true },
		{ delivery: 2, outcome: 'answered', workDone: code === 0 },
	]);
});
