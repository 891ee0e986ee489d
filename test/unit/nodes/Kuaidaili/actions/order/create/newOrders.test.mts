import { findOtherNewOrders } from '../../../../../../../nodes/Kuaidaili/actions/order/create/newOrders.ts';
import { chinaTime } from '../../../../../../../sandbox/time/chinaTime.mts';
import { DAY } from '../../../../../../durations.mts';

/* Which new orders may come from a second delivery of the same request. */

const NOW = Date.UTC(2026, 10, 1);

function listOf(...lifetimesInDays: readonly number[]) {
	const orders = lifetimesInDays.map((days, index) => ({
		orderid: `other ${index}`,
		product: 'TPS',
		pay_type: 'PRE_PAY',
		expire_time: chinaTime(new Date(NOW + days * DAY)),
	}));
	return { orders, answeredAt: NOW, clockDifferenceMs: 0 };
}

function found(timeType: string, days: number): boolean {
	const term = { timeType, timeNumber: 1 };
	const kind = { product: 'TPS', payType: 'PRE_PAY', term };
	return findOtherNewOrders(kind, listOf(), listOf(days)) !== undefined;
}

it.each([
	['WEEK', 7, true],
	['WEEK', 8, false],
	['WEEK', 6, false],
	['MONTH', 28, true],
	['MONTH', 31, true],
	['MONTH', 32, false],
	['YEAR', 366, true],
	// Sent with 'Skip Local Checks': nobody knows how long it lasts
	['DECADE', 7, true],
])('one that ends in as long as a %s would have it: %i days, %s', (unit, days, expected) => {
	expect(found(unit, days)).toBe(expected);
});
