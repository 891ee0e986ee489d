import type { Parameters } from '../client.mts';
import { accountOf, ask, create, field, orderOf, ORDERS } from '../ordering.mts';
import { codeOf, codesOf, NAMES, sandbox } from './buying.mts';

describe('money', () => {
	it('is taken from the balance once, and -4 comes when one fen is missing', async () => {
		const account = accountOf(sandbox);
		const before = account.balanceInFen;
		await create(sandbox, ORDERS.ops);
		const price = before - account.balanceInFen;
		expect(price).toBeGreaterThan(0);
		expect(sandbox.ledger.total()).toBe(price);

		account.balanceInFen = price - 1;
		const orders = sandbox.store.orders.length;
		expect((await create(sandbox, ORDERS.ops)).code).toBe(-4);
		expect(account.balanceInFen).toBe(price - 1);
		expect(sandbox.store.orders).toHaveLength(orders);
		expect(sandbox.ledger.count()).toBe(1);

		account.balanceInFen = price;
		expect((await create(sandbox, ORDERS.ops)).code).toBe(0);
		expect(account.balanceInFen).toBe(0);
		const balance = await ask(sandbox, '/api/getaccountbalance', sandbox.keys.account, {});
		expect(balance.data).toEqual({ balance: '0.00' });
	});

	it.each(NAMES)('%s costs a whole number of fen', async (name) => {
		await create(sandbox, ORDERS[name]);
		expect(sandbox.ledger.total()).toBeGreaterThan(0);
		expect(Number.isSafeInteger(sandbox.ledger.total())).toBe(true);
	});

	it('more costs more', async () => {
		const prices: number[] = [];
		for (const [unit, number] of [
			['DAY', '1'],
			['DAY', '2'],
			['WEEK', '1'],
			['MONTH', '1'],
			['YEAR', '3'],
		]) {
			sandbox.ledger.clear();
			await create(sandbox, {
				...ORDERS.tps,
				'prepay.time_type': String(unit),
				'prepay.time_number': String(number),
			});
			prices.push(sandbox.ledger.total());
		}
		expect(prices).toEqual(prices.toSorted((left, right) => left - right));
		expect(new Set(prices).size).toBe(prices.length);
	});
});

describe('coupons', () => {
	const wanting = { ...ORDERS.ops, is_coupon: '1' };

	async function price(parameters: Parameters): Promise<number> {
		sandbox.ledger.clear();
		expect((await create(sandbox, parameters)).code).toBe(0);
		return sandbox.ledger.total();
	}

	it('without one the order is made and a warning given', async () => {
		const reply = await create(sandbox, wanting);
		orderOf(sandbox, reply);
		expect(field(reply.data, 'warning')).toBe('no available coupon');
	});

	it('no warning when none is asked for', async () => {
		expect((await create(sandbox, ORDERS.ops)).data).toEqual({ orderid: expect.any(String) });
	});

	it('the best usable one is used, once', async () => {
		const full = await price(ORDERS.ops);
		const account = accountOf(sandbox);
		account.coupons = [
			{ offInFen: 10, fromInFen: 0 },
			{ offInFen: 50, fromInFen: full },
			{ offInFen: 90, fromInFen: full + 1 },
		];
		const reply = await create(sandbox, wanting);
		expect(reply.data).toEqual({ orderid: expect.any(String) });
		expect(sandbox.ledger.entries().at(-1)?.amountInFen).toBe(full - 50);
		expect(account.coupons).toEqual([
			{ offInFen: 10, fromInFen: 0 },
			{ offInFen: 90, fromInFen: full + 1 },
		]);
		expect(await price(ORDERS.ops)).toBe(full);
		expect(await price(wanting)).toBe(full - 10);
		expect(await price(wanting)).toBe(full);
	});

	it('one of more than the price costs nothing more and gives nothing back', async () => {
		const account = accountOf(sandbox);
		account.coupons = [{ offInFen: 1_000_000, fromInFen: 0 }];
		const before = account.balanceInFen;
		expect(await price(wanting)).toBe(0);
		expect(account.balanceInFen).toBe(before);
		expect(sandbox.ledger.count()).toBe(1);
	});

	it('is kept when the order fails', async () => {
		const account = accountOf(sandbox);
		account.coupons = [{ offInFen: 1, fromInFen: 0 }];
		account.balanceInFen = 0;
		expect(await codeOf(wanting)).toBe(-4);
		expect(account.coupons).toHaveLength(1);
	});
});

describe('-71 and -72', () => {
	it.each([
		['conditions not met', -71],
		['fails', -72],
	] as const)('pay-as-used: %s', async (payAsUsed, code) => {
		accountOf(sandbox).payAsUsed = payAsUsed;
		expect(await codesOf([ORDERS.tpsPayAsUsed, ORDERS.tps])).toEqual([code, 0]);
		expect(sandbox.store.orders.filter(({ payType }) => payType === 'POST_PAY')).toHaveLength(1);
	});
});
