import { OpenPurchases } from '../../../../../nodes/Kuaidaili/purchase/processMemory.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let now = 0;
let purchases: OpenPurchases;

beforeEach(() => {
	now = 1_000_000;
	purchases = new OpenPurchases(() => now);
});

const TEXT = { message: 'It may have been bought', description: 'Look.' };

const begin = (secretId = 'a', lookedAt = now, subject = 'tunnels', before: unknown = undefined) =>
	purchases.begin({ secretId, lookedAt, subject, before, account: undefined });

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
	purchases.end(begin(), '1');
	purchases.end(begin('a', now, 'others'), '2');
	purchases.end(begin(), undefined);
	now += 10 * MINUTE;
	expect(purchases.recentlyPlaced('tunnels')).toEqual(['1']);
	now += 1;
	expect(purchases.recentlyPlaced('tunnels')).toEqual([]);
});

it('what was there before may still be shown for 10 minutes', () => {
	purchases.end(begin('a', now, 'tunnels', 'first'), '1');
	purchases.end(begin('a', now, 'others', 'second'), '2');
	purchases.end(begin('a', now, 'tunnels', undefined), '3');
	now += 10 * MINUTE;
	expect(purchases.recentlyBefore('tunnels')).toEqual(['first']);
	now += 1;
	expect(purchases.recentlyBefore('tunnels')).toEqual([]);
});

it('one that was not made leaves nothing', () => {
	purchases.undo(begin('a', now, 'tunnels', 'first'));
	expect(purchases.recentlyBefore('tunnels')).toEqual([]);
	expect(purchases.hasOthers(begin())).toBe(false);
});

describe('an unclear one', () => {
	it('counts for who looks before its order is too late to come', () => {
		purchases.endUnclear(begin(), TEXT);
		now += 10 * MINUTE;
		const first = begin();
		expect(purchases.hasOthers(first)).toBe(true);
		purchases.undo(first);
		now += 1;
		expect(purchases.hasOthers(begin())).toBe(false);
	});

	it('counts for a long run that looked before it, also much later', () => {
		const lookedAt = now;
		purchases.endUnclear(begin('a', lookedAt), TEXT);
		now += 5 * HOUR;
		expect(purchases.hasOthers(begin('a', lookedAt))).toBe(true);
	});

	it('is told to others of its subject for 10 minutes', () => {
		const own = begin();
		expect(purchases.recentlyUnclear('tunnels')).toBeUndefined();
		purchases.endUnclear(own, TEXT);
		now += 10 * MINUTE;
		expect(purchases.recentlyUnclear('tunnels')).toBe(TEXT);
		expect(purchases.recentlyUnclear('others')).toBeUndefined();
		now += 1;
		expect(purchases.recentlyUnclear('tunnels')).toBeUndefined();
	});

	it('counts for itself no more than it did before', () => {
		const own = begin();
		purchases.endUnclear(own, TEXT);
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
		purchases.endUnclear(begin(), TEXT);
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
