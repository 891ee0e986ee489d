import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.mts';
import { get, signed } from '../client.mts';
import { accountOf, ask, create, CREATE, ORDERS, PURCHASES, requestOf } from '../ordering.mts';
import { attempt, sandbox } from './paying.mts';

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
