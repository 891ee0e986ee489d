import { refuseShortTerm } from '../../../../../../../nodes/Kuaidaili/actions/order/renew/renewedExpiry.ts';
import { refuseSmallTopUp } from '../../../../../../../nodes/Kuaidaili/actions/order/renew/topUp.ts';
import type { TimeWindow } from '../../../../../../../nodes/shared/orders/timeWindow.ts';

const DAY = 24 * 3_600_000;
const THREE_DAYS: TimeWindow = { ms: 3 * DAY, inWords: '3 days' };

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

it('a renewal that adds less than the limit is refused, because the next run would renew again', () => {
	expect(() => refuseSmallTopUp('IP Balance Below', 1001, 1000)).toThrow(
		"'IP Balance Below' is 1001, which cannot be used",
	);
	expect(() => refuseSmallTopUp('IP Balance Below', 1000, 1000)).not.toThrow();
});
