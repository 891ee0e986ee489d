import fc from 'fast-check';

import {
	findSecondRenewal,
	movedByTerm,
} from '../../../../../../../nodes/Kuaidaili/actions/order/renew/renewedExpiry.ts';
import {
	shortestMs,
	type OrderTerm,
} from '../../../../../../../nodes/Kuaidaili/actions/order/term.ts';
import { localTimeIn } from '../../../../../../../nodes/shared/service/localTime.ts';
import { addTerm, type TimeUnit } from '../../../../../../../sandbox/time/term.mts';
import { expectSame, SOME_RUNS } from '../../../../../support/properties.mts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const UNITS: readonly TimeUnit[] = ['DAY', 'WEEK', 'MONTH', 'YEAR'];
const localTime = localTimeIn('Europe/Berlin');
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

describe('an expiry that moved', () => {
	it('by any term of the calendar is known, from any moment on', () => {
		const moment = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2032, 0, 1) });
		fc.assert(
			fc.property(
				moment,
				fc.constantFrom(...UNITS),
				fc.integer({ min: 1, max: 15 }),
				(before, unit, number) => {
					const after = addTerm(new Date(before), { unit, number }).getTime();
					expectSame(movedByTerm(before, after, before - DAY, term(unit, number)), true);
				},
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

describe('More than one renewal', () => {
	const expiry = (expiresAt: number | undefined, answeredAt = NOW) => ({
		expiresAt,
		expireTime: '2026-06-18 12:01:43',
		answeredAt,
	});
	const soon = expiry(NOW + DAY);

	it.each<[string, ReturnType<typeof expiry>, number, OrderTerm]>([
		['two days instead of one', soon, NOW + 3 * DAY, term('DAY')],
		['two months instead of one', soon, NOW + 61 * DAY, term('MONTH')],
		['two weeks of an order that has ended', expiry(NOW - DAY), NOW + 14 * DAY, term('WEEK')],
	])('is seen: %s', (_what, before, after, given) => {
		expect(findSecondRenewal(before, expiry(after), given, localTime)).toContain(
			'later than after one renewal',
		);
	});

	it.each<[string, ReturnType<typeof expiry>, number | undefined, OrderTerm | undefined]>([
		['one week', soon, NOW + 8 * DAY, term('WEEK')],
		['one long month', soon, NOW + 32 * DAY, term('MONTH')],
		[
			'one week from now on, of an order that has ended',
			expiry(NOW - DAY),
			NOW + 7 * DAY,
			term('WEEK'),
		],
		['nothing yet', soon, NOW + DAY, term('WEEK')],
		['a unit that is not known', soon, NOW + 900 * DAY, term('QUARTER')],
		['a unit that every object has', soon, NOW + 900 * DAY, term('constructor')],
		['no term', soon, NOW + 900 * DAY, undefined],
		['no expiry before', expiry(undefined), NOW + 900 * DAY, term('WEEK')],
		['no expiry afterwards', soon, undefined, term('WEEK')],
	])('is not claimed: %s', (_what, before, after, given) => {
		expect(findSecondRenewal(before, expiry(after), given, localTime)).toBeUndefined();
	});
});
