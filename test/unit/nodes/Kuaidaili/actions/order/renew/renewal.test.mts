import fc from 'fast-check';

import {
	movedByTerm,
	passUnlessExpiring,
	stateOfExpiry,
} from '../../../../../../../nodes/Kuaidaili/actions/order/renew/renewal.ts';
import {
	endOfTerm,
	shortestMs,
	type OrderTerm,
} from '../../../../../../../nodes/shared/orders/term.ts';
import type { TimeWindow } from '../../../../../../../nodes/shared/orders/timeLeft.ts';
import { localTimeIn } from '../../../../../../../nodes/shared/service/chinaTime.ts';
import { addTerm, type TimeUnit } from '../../../../../../../sandbox/time/chinaTime.mts';
import { expectSame, SOME_RUNS } from '../../../../../support/properties.mts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const THREE_DAYS: TimeWindow = { ms: 3 * DAY, inWords: '3 days' };
const UNITS: readonly TimeUnit[] = ['DAY', 'WEEK', 'MONTH', 'YEAR'];
const NOW = Date.parse('2026-06-18T04:01:43Z');

const term = (timeType: string, timeNumber = 1): OrderTerm => ({ timeType, timeNumber });

it.each([
	[term('DAY', 3), 3],
	[term('WEEK', 2), 14],
	[term('MONTH'), 28],
	[term('MONTH', 9), 252],
	[term('YEAR', 3), 1095],
	[term('QUARTER'), 0],
	[term(''), 0],
	[term('constructor'), 0],
])('%j lasts %d days at least', (given, days) => {
	expect(shortestMs(given)).toBe(days * DAY);
});

/** A moment, a term from then on, and when the service says that it ends. */
const anyTerm = fc
	.record({
		start: fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2032, 0, 1) }),
		unit: fc.constantFrom(...UNITS),
		number: fc.integer({ min: 1, max: 15 }),
	})
	.map(({ start, unit, number }) => ({
		start,
		given: term(unit, number),
		end: addTerm(new Date(start), { unit, number }).getTime(),
	}));

it('any term ends when the service says', () => {
	fc.assert(
		fc.property(anyTerm, ({ start, given, end }) => expectSame(endOfTerm(start, given), end)),
		SOME_RUNS,
	);
});

describe('an expiry that moved', () => {
	it('by any term of the calendar is known, from any moment on', () => {
		fc.assert(
			fc.property(anyTerm, ({ start, given, end }) =>
				expectSame(movedByTerm(start, end, start - DAY, given), true),
			),
			SOME_RUNS,
		);
	});

	it('is known of an order that has ended, from its end or from the renewal on', () => {
		const ended = NOW - 5 * DAY;
		expect(movedByTerm(ended, NOW + 7 * DAY, NOW, term('WEEK'))).toBe(true);
		expect(movedByTerm(ended, ended + 7 * DAY, NOW, term('WEEK'))).toBe(true);
	});

	it.each<[string, number, OrderTerm]>([
		['by less than the term', 6 * DAY, term('WEEK')],
		['by more than the term', 8 * DAY, term('WEEK')],
		['by twice the term', 14 * DAY, term('WEEK')],
		['by twice the day', 2 * DAY, term('DAY')],
		['by a day instead of a month', DAY, term('MONTH')],
		['by two months instead of one', 60 * DAY, term('MONTH')],
		['not at all', 0, term('DAY')],
		['backwards', -7 * DAY, term('WEEK')],
		['by a term that is not known', DAY, term('QUARTER')],
	])('is not taken for the renewal where it moved %s', (_how, moved, given) => {
		const before = NOW + DAY;
		expect(movedByTerm(before, before + moved, NOW, given)).toBe(false);
	});

	it.each([
		[-2 * HOUR, true],
		[-2 * HOUR - 1, false],
		[2 * HOUR, true],
		[2 * HOUR + 1, false],
	])('may be %d ms off: %p', (off, isKnown) => {
		const before = NOW + DAY;
		expect(movedByTerm(before, before + 7 * DAY + off, NOW, term('WEEK'))).toBe(isKnown);
	});

	it('does not count from the renewal on while the order has not ended', () => {
		// It moved by a day only, though it now ends a week after the renewal
		expect(movedByTerm(NOW + 6 * DAY, NOW + 7 * DAY, NOW, term('WEEK'))).toBe(false);
	});
});

describe('an order', () => {
	const END = '2026-06-18 12:01:43';
	const localTime = localTimeIn('Asia/Shanghai');
	const at = (answeredAt: number) => {
		const expiry = { expireTime: END, expiresAt: NOW, answeredAt, clockDifferenceMs: 0 };
		return passUnlessExpiring(stateOfExpiry(expiry), THREE_DAYS, localTime);
	};

	it.each([
		['with exactly as much time left', NOW - 3 * DAY],
		['with less time left', NOW - DAY],
		['that ends now', NOW],
		['that has just ended', NOW + DAY],
	])('%s is to be renewed', (_which, now) => {
		expect(at(now)).toBeUndefined();
	});

	it.each([
		['that ended more than a day ago', NOW + DAY + 1],
		['with more time left', NOW - 3 * DAY - 1],
	])('%s is let through', (_which, now) => {
		expect(at(now)?.record.renewed).toBe(false);
	});
});
