import {
	notYetExpiring,
	readRenewWhen,
	refuseShortTerm,
} from '../../../../../../../nodes/Kuaidaili/actions/order/renew/renewWhen.ts';
import { InvalidFieldError } from '../../../../../../../nodes/shared/fields/invalidFieldError.ts';
import { DescribedError } from '../../../../../../../nodes/shared/transport/callErrors.ts';
import type { TimeWindow } from '../../../../../../../nodes/shared/orders/timeWindow.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const THREE_DAYS: TimeWindow = { ms: 3 * DAY, inWords: '3 days' };
const END = '2026-06-18 12:01:43';
const ENDS_AT = Date.parse('2026-06-18T04:01:43Z');

const from =
	(values: Record<string, unknown>) =>
	(name: string): unknown =>
		values[name] ?? '';

describe('when to renew', () => {
	it('is always, whatever the fields of the window hold', () => {
		const fields = { renewWhen: 'always', expiringWithin: 'x', expiringWithinUnit: 'x' };
		expect(readRenewWhen(from(fields))).toBeUndefined();
	});

	it('is within a window', () => {
		const fields = { renewWhen: 'expiring', expiringWithin: 36, expiringWithinUnit: 'hours' };
		expect(readRenewWhen(from(fields))).toEqual({ ms: 36 * HOUR, inWords: '36 hours' });
	});

	it.each(['', 'Always', 'ALWAYS', 'never', true, null, 0])('cannot be %j', (renewWhen) => {
		const fields = { renewWhen, expiringWithin: 3, expiringWithinUnit: 'days' };
		expect(() => readRenewWhen(from(fields))).toThrow(InvalidFieldError);
	});
});

describe('a renewal as short as the window', () => {
	it.each([
		['DAY', 2],
		// An order that has ended would have three days left at most, and be renewed again
		['DAY', 3],
	])('is refused: %s, %d', (timeType, timeNumber) => {
		expect(() => refuseShortTerm(THREE_DAYS, { timeType, timeNumber })).toThrow(
			`'Expiring Within' is "3 days", which cannot be used`,
		);
	});

	it('is judged by the shortest month', () => {
		const month = { timeType: 'MONTH', timeNumber: 1 };
		expect(() => refuseShortTerm({ ms: 28 * DAY, inWords: '28 days' }, month)).toThrow();
		expect(() => refuseShortTerm({ ms: 27 * DAY, inWords: '27 days' }, month)).not.toThrow();
	});

	it.each([
		['DAY', 4],
		['WEEK', 1],
		['YEAR', 1],
		// How long an unknown unit lasts is not known
		['QUARTER', 1],
	])('is not: %s, %d', (timeType, timeNumber) => {
		expect(() => refuseShortTerm(THREE_DAYS, { timeType, timeNumber })).not.toThrow();
	});
});

describe('an order', () => {
	const at = (answeredAt: number) =>
		notYetExpiring({ expireTime: END, expiresAt: ENDS_AT, answeredAt }, THREE_DAYS);

	it.each([
		['with exactly as much time left', ENDS_AT - 3 * DAY],
		['with less time left', ENDS_AT - DAY],
		['that ends now', ENDS_AT],
		['that has ended', ENDS_AT + 30 * DAY],
	])('%s is to be renewed', (_which, now) => {
		expect(at(now)).toBeUndefined();
	});

	it('with more time left is let through, with the reason', () => {
		expect(at(ENDS_AT - 3 * DAY - 1)).toEqual({
			renewed: false,
			reason: 'The order has more than 3 days left, so nothing was bought',
			expire_time: END,
			expiresAt: '2026-06-18T12:01:43+08:00',
			secondsLeft: 3 * 86_400,
		});
	});

	it('that does not end is refused, and the text says that nothing was bought', () => {
		const look = () =>
			notYetExpiring({ expireTime: '', expiresAt: undefined, answeredAt: ENDS_AT }, THREE_DAYS);
		expect(look).toThrow(DescribedError);
		expect(look).toThrow(
			expect.objectContaining({
				text: expect.objectContaining({
					description: expect.stringContaining('Nothing was bought for this item.'),
				}),
			}),
		);
	});
});
