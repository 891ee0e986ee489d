import fc from 'fast-check';

import type { PollResult } from '../../../../../nodes/KuaidailiTrigger/events/event.ts';
import { lastPollOf, emitOnce } from '../../../../../nodes/KuaidailiTrigger/events/emitOnce.ts';
import { toChinaTime } from '../../../../../nodes/shared/service/chinaTime.ts';
import { deepFreeze } from '../../../support/frozen.mts';
import { expectSame, SOME_RUNS } from '../../../support/properties.mts';

const NOON = Date.parse('2026-06-18T12:00:00+08:00');
const MINUTE = 60_000;
const WINDOW = 60 * MINUTE;

type State = PollResult['state'] | undefined;

/** Orders by number, with their expiry in minutes after noon. */
function ordersOf(expiries: Readonly<Record<string, number>>) {
	return Object.entries(expiries).map(([orderid, minutes]) => ({
		orderid,
		expire_time: toChinaTime(NOON + minutes * MINUTE),
	}));
}

/** A look some minutes after noon: what it tells of orders that end within the hour. */
function fetchSnapshot(
	minutes: number,
	expiries: Readonly<Record<string, number>>,
	state: State,
	isWanted: (orderid: string) => boolean = () => true,
) {
	const { orders, state: after } = emitOnce(
		{ orders: ordersOf(expiries), answeredAt: NOON + minutes * MINUTE },
		deepFreeze(state),
		(_since, last, now) => ({ from: last, to: now + WINDOW }),
		({ orderid }) => isWanted(orderid),
	);
	// As n8n keeps it
	const stored: State = JSON.parse(JSON.stringify(after));
	return { emitted: orders.map(({ orderid }) => orderid), state: stored };
}

it('tells what is in the span, to its very end', () => {
	expect(fetchSnapshot(0, { a: 1, b: 60, c: 61, d: 0, e: -1 }, undefined).emitted).toEqual([
		'a',
		'b',
	]);
});

it('tells nothing twice, and the next ones when they come', () => {
	const first = fetchSnapshot(0, { a: 1, b: 60, c: 61 }, undefined);
	const second = fetchSnapshot(1, { a: 1, b: 60, c: 61 }, first.state);
	expect(second.emitted).toEqual(['c']);
	expect(fetchSnapshot(1, { a: 1, b: 60, c: 61 }, second.state).emitted).toEqual([]);
});

it('tells an order again when its expiry is another one, also an earlier one', () => {
	const first = fetchSnapshot(0, { a: 30 }, undefined);
	const second = fetchSnapshot(1, { a: 40 }, first.state);
	expect(second.emitted).toEqual(['a']);
	expect(fetchSnapshot(2, { a: 40 }, second.state).emitted).toEqual([]);
	expect(fetchSnapshot(2, { a: 20 }, second.state).emitted).toEqual(['a']);
	expect(fetchSnapshot(2, { a: 30 }, second.state).emitted).toEqual([]);
});

it('tells an order once that is in the list twice', () => {
	const [order] = ordersOf({ a: 30 });
	const seen = { orders: [order, { ...order }], answeredAt: NOON };
	const span = () => ({ from: NOON, to: NOON + WINDOW });
	expect(emitOnce(seen, undefined, span, () => true).orders).toEqual([order]);
});

it('leaves out orders without an expiry', () => {
	const orders = [{ orderid: '1' }, { orderid: '2', expire_time: '' }];
	const span = () => ({ from: -Infinity, to: Infinity });
	const emitted = emitOnce({ orders, answeredAt: NOON }, undefined, span, () => true);
	expect(emitted.orders).toEqual([]);
});

it('tells what was not wanted at first as soon as it is', () => {
	const first = fetchSnapshot(0, { a: 30 }, undefined, () => false);
	expect(first.emitted).toEqual([]);
	expect(fetchSnapshot(1, { a: 30 }, first.state).emitted).toEqual(['a']);
});

it('tells after a long pause what came into the span and left it meanwhile', () => {
	const { state } = fetchSnapshot(0, {}, undefined);
	expect(fetchSnapshot(600, { a: 100, b: 600, c: 660, d: 661 }, state).emitted).toEqual([
		'a',
		'b',
		'c',
	]);
});

it('forgets what cannot come again', () => {
	const first = fetchSnapshot(0, { a: 10, b: 20 }, undefined);
	expect(Object.keys(Object(first.state?.emitted))).toHaveLength(2);
	const second = fetchSnapshot(10, { b: 20 }, first.state);
	expect(Object.keys(Object(second.state?.emitted))).toHaveLength(1);
	expect(fetchSnapshot(20, {}, second.state).state).toEqual({
		since: NOON,
		lastPoll: NOON + 20 * MINUTE,
		emitted: {},
	});
});

it('does not go back in time with a clock that does', () => {
	const first = fetchSnapshot(30, { a: 60 }, undefined);
	const second = fetchSnapshot(10, { a: 60, b: 20, c: 80 }, first.state);
	expect(second.emitted).toEqual(['c']);
	expect(lastPollOf(second.state)).toBe(NOON + 30 * MINUTE);
});

it('knows the first look and the last one', () => {
	expect(lastPollOf(undefined)).toBeUndefined();
	expect(lastPollOf({})).toBeUndefined();
	const first = fetchSnapshot(0, {}, undefined);
	const second = fetchSnapshot(5, {}, first.state);
	expect(second.state).toEqual({ since: NOON, lastPoll: NOON + 5 * MINUTE, emitted: {} });
	expect(lastPollOf(second.state)).toBe(NOON + 5 * MINUTE);
});

it.each<[state: State]>([
	[{}],
	[{ since: 'x', lastPoll: null, emitted: [] }],
	[{ emitted: 'a' }],
	[{ emitted: { 'a 1': 'x' } }],
])('begins anew with the state %j', (state) => {
	expect(fetchSnapshot(0, { a: 30 }, state)).toEqual(fetchSnapshot(0, { a: 30 }, undefined));
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
			let state: State;
			let now = 0;
			let last = 0;
			const emitted = new Set<string>();
			for (const { minutes, expiries } of steps) {
				now += minutes;
				if (state === undefined) last = now;
				const due = Object.entries(expiries)
					.filter(([, expiry]) => expiry > last && expiry <= now + 60)
					.map(([orderid, expiry]) => `${orderid} ${expiry}`)
					.filter((name) => !emitted.has(name));
				const news = fetchSnapshot(now, expiries, state);
				expectSame(
					news.emitted.map((orderid) => `${orderid} ${expiries[orderid]}`),
					due,
				);
				due.forEach((name) => emitted.add(name));
				state = news.state;
				last = now;
			}
		}),
		SOME_RUNS,
	);
});
