import fc from 'fast-check';

import type { News } from '../../../../../nodes/KuaidailiTrigger/events/event.ts';
import { lastLookOf, tellOnce } from '../../../../../nodes/KuaidailiTrigger/events/toldOnce.ts';
import { toChinaTime } from '../../../../../nodes/shared/service/chinaTime.ts';
import { deepFreeze } from '../../../support/frozen.mts';
import { expectSame, SOME_RUNS } from '../../../support/properties.mts';

const NOON = Date.parse('2026-06-18T12:00:00+08:00');
const MINUTE = 60_000;
const WINDOW = 60 * MINUTE;

type Memory = News['memory'] | undefined;

/** Orders by number, with their expiry in minutes after noon. */
function ordersOf(expiries: Readonly<Record<string, number>>) {
	return Object.entries(expiries).map(([orderid, minutes]) => ({
		orderid,
		expire_time: toChinaTime(NOON + minutes * MINUTE),
	}));
}

/** A look some minutes after noon: what it tells of orders that end within the hour. */
function look(
	minutes: number,
	expiries: Readonly<Record<string, number>>,
	memory: Memory,
	isWanted: (orderid: string) => boolean = () => true,
) {
	const { orders, memory: after } = tellOnce(
		{ orders: ordersOf(expiries), answeredAt: NOON + minutes * MINUTE },
		deepFreeze(memory),
		(_since, last, now) => ({ from: last, to: now + WINDOW }),
		({ orderid }) => isWanted(orderid),
	);
	// As n8n keeps it
	const stored: Memory = JSON.parse(JSON.stringify(after));
	return { told: orders.map(({ orderid }) => orderid), memory: stored };
}

it('tells what is in the span, to its very end', () => {
	expect(look(0, { a: 1, b: 60, c: 61, d: 0, e: -1 }, undefined).told).toEqual(['a', 'b']);
});

it('tells nothing twice, and the next ones when they come', () => {
	const first = look(0, { a: 1, b: 60, c: 61 }, undefined);
	const second = look(1, { a: 1, b: 60, c: 61 }, first.memory);
	expect(second.told).toEqual(['c']);
	expect(look(1, { a: 1, b: 60, c: 61 }, second.memory).told).toEqual([]);
});

it('tells an order again when its expiry is another one, also an earlier one', () => {
	const first = look(0, { a: 30 }, undefined);
	const second = look(1, { a: 40 }, first.memory);
	expect(second.told).toEqual(['a']);
	expect(look(2, { a: 40 }, second.memory).told).toEqual([]);
	expect(look(2, { a: 20 }, second.memory).told).toEqual(['a']);
	expect(look(2, { a: 30 }, second.memory).told).toEqual([]);
});

it('tells an order once that is in the list twice', () => {
	const [order] = ordersOf({ a: 30 });
	const seen = { orders: [order, { ...order }], answeredAt: NOON };
	const span = () => ({ from: NOON, to: NOON + WINDOW });
	expect(tellOnce(seen, undefined, span, () => true).orders).toEqual([order]);
});

it('leaves out orders without an expiry', () => {
	const orders = [{ orderid: '1' }, { orderid: '2', expire_time: '' }];
	const span = () => ({ from: -Infinity, to: Infinity });
	const told = tellOnce({ orders, answeredAt: NOON }, undefined, span, () => true);
	expect(told.orders).toEqual([]);
});

it('tells what was not wanted at first as soon as it is', () => {
	const first = look(0, { a: 30 }, undefined, () => false);
	expect(first.told).toEqual([]);
	expect(look(1, { a: 30 }, first.memory).told).toEqual(['a']);
});

it('tells after a long pause what came into the span and left it meanwhile', () => {
	const { memory } = look(0, {}, undefined);
	expect(look(600, { a: 100, b: 600, c: 660, d: 661 }, memory).told).toEqual(['a', 'b', 'c']);
});

it('forgets what cannot come again', () => {
	const first = look(0, { a: 10, b: 20 }, undefined);
	expect(Object.keys(Object(first.memory?.told))).toHaveLength(2);
	const second = look(10, { b: 20 }, first.memory);
	expect(Object.keys(Object(second.memory?.told))).toHaveLength(1);
	expect(look(20, {}, second.memory).memory).toEqual({
		since: NOON,
		lastLook: NOON + 20 * MINUTE,
		told: {},
	});
});

it('does not go back in time with a clock that does', () => {
	const first = look(30, { a: 60 }, undefined);
	const second = look(10, { a: 60, b: 20, c: 80 }, first.memory);
	expect(second.told).toEqual(['c']);
	expect(lastLookOf(second.memory)).toBe(NOON + 30 * MINUTE);
});

it('knows the first look and the last one', () => {
	expect(lastLookOf(undefined)).toBeUndefined();
	expect(lastLookOf({})).toBeUndefined();
	const first = look(0, {}, undefined);
	const second = look(5, {}, first.memory);
	expect(second.memory).toEqual({ since: NOON, lastLook: NOON + 5 * MINUTE, told: {} });
	expect(lastLookOf(second.memory)).toBe(NOON + 5 * MINUTE);
});

it.each<[memory: Memory]>([
	[{}],
	[{ since: 'x', lastLook: null, told: [] }],
	[{ told: 'a' }],
	[{ told: { 'a 1': 'x' } }],
])('begins anew with the memory %j', (memory) => {
	expect(look(0, { a: 30 }, memory)).toEqual(look(0, { a: 30 }, undefined));
});

it('tells each order and expiry once, whatever happens', () => {
	const step = fc.record({
		minutes: fc.integer({ min: 0, max: 90 }),
		expiries: fc.dictionary(
			fc.constantFrom('a', 'b', 'c', 'd'),
			fc.integer({ min: -30, max: 500 }),
		),
	});
	fc.assert(
		fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
			let memory: Memory;
			let now = 0;
			let last = 0;
			const told = new Set<string>();
			for (const { minutes, expiries } of steps) {
				now += minutes;
				if (memory === undefined) last = now;
				const due = Object.entries(expiries)
					.filter(([, expiry]) => expiry > last && expiry <= now + 60)
					.map(([orderid, expiry]) => `${orderid} ${expiry}`)
					.filter((name) => !told.has(name));
				const news = look(now, expiries, memory);
				expectSame(
					news.told.map((orderid) => `${orderid} ${expiries[orderid]}`),
					due,
				);
				due.forEach((name) => told.add(name));
				memory = news.memory;
				last = now;
			}
		}),
		SOME_RUNS,
	);
});
