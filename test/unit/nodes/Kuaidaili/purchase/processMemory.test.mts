import { OpenPurchases } from '../../../../../nodes/Kuaidaili/purchase/processMemory.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let now = 0;
let purchases: OpenPurchases;

beforeEach(() => {
	now = 1_000_000;
	purchases = new OpenPurchases(() => now);
});

const begin = (secretId = 'a', lookedAt = now) => purchases.begin(secretId, lookedAt);

it('a purchase is not another one to itself, nor those of other key pairs', () => {
	const own = begin();
	begin('b');
	expect(purchases.hasOthers(own)).toBe(false);
});

it('one that is on its way counts, however long it takes', () => {
	begin();
	const own = begin();
	expect(purchases.hasOthers(own)).toBe(true);
	now += 5 * HOUR;
	expect(purchases.hasOthers(begin())).toBe(true);
});

it('one that is settled does not count, and its order is known', () => {
	const other = begin();
	const own = begin();
	purchases.end(other, '1');
	expect(purchases.hasOthers(own)).toBe(false);
	expect(purchases.isKnown('1')).toBe(true);
	expect(purchases.isKnown('2')).toBe(false);
});

it('its order may be missing in lists for 10 minutes, where they count it', () => {
	purchases.end(begin(), '1', 'tunnels');
	purchases.end(begin(), '2', 'others');
	purchases.end(begin(), '3');
	now += 10 * MINUTE;
	expect(purchases.recentlyPlaced('tunnels')).toEqual(['1']);
	now += 1;
	expect(purchases.recentlyPlaced('tunnels')).toEqual([]);
});

it('one that placed nothing leaves no order', () => {
	purchases.end(begin());
	expect(purchases.hasOthers(begin())).toBe(false);
});

describe('an unclear one', () => {
	it('counts for who looks before its order is too late to come', () => {
		purchases.endUnclear(begin());
		now += 10 * MINUTE;
		const first = begin();
		expect(purchases.hasOthers(first)).toBe(true);
		purchases.end(first);
		now += 1;
		expect(purchases.hasOthers(begin())).toBe(false);
	});

	it('counts for a long run that looked before it, also much later', () => {
		const lookedAt = now;
		purchases.endUnclear(begin('a', lookedAt));
		now += 5 * HOUR;
		expect(purchases.hasOthers(begin('a', lookedAt))).toBe(true);
	});

	it('counts for itself no more than it did before', () => {
		const own = begin();
		purchases.endUnclear(own);
		expect(purchases.hasOthers(own)).toBe(false);
	});
});

describe('a day later', () => {
	it('a run that looked so long ago cannot tell any more', () => {
		const own = begin();
		now += 24 * HOUR;
		expect(purchases.hasOthers(own)).toBe(false);
		now += 1;
		expect(purchases.hasOthers(own)).toBe(true);
	});

	it('orders are known as long as a run may ask', () => {
		const lookedAt = now;
		purchases.end(begin(), '1');
		now += 24 * HOUR;
		begin('a', lookedAt);
		expect(purchases.isKnown('1')).toBe(true);
	});

	it('orders and unclear ones are forgotten in the end', () => {
		purchases.end(begin(), '1');
		purchases.endUnclear(begin());
		now += 25 * HOUR;
		const own = begin();
		expect(purchases.isKnown('1')).toBe(false);
		expect(purchases.hasOthers(own)).toBe(false);
	});
});

it('orders of a run of many thousand are all known', () => {
	const numbers = Array.from({ length: 10_000 }, (_none, index) => String(index));
	for (const orderid of numbers) {
		now += 1000;
		purchases.end(begin(), orderid);
	}
	expect(numbers.filter((orderid) => !purchases.isKnown(orderid))).toEqual([]);
});
