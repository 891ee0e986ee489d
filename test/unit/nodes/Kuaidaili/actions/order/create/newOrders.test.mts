import { findNewOrder } from '../../../../../../../nodes/Kuaidaili/actions/order/create.operation.ts';
import { localTimeIn } from '../../../../../../../nodes/shared/service/chinaTime.ts';
import { chinaTime } from '../../../../../../../sandbox/time/chinaTime.mts';
import { DAY } from '../../../../../../durations.mts';

/* Which new order is taken for the one whose answer was lost. */

const NOW = Date.UTC(2026, 10, 1);

function listOf(...lifetimesInDays: readonly number[]) {
	const orders = lifetimesInDays.map((days, index) => ({
		orderid: `other ${index}`,
		product: 'TPS',
		pay_type: 'PRE_PAY',
		status: 'VALID',
		expire_time: chinaTime(new Date(NOW + days * DAY)),
	}));
	return { orders, answeredAt: NOW, clockDifferenceMs: 0 };
}

function found(timeType: string, ...days: number[]): string {
	const term = { timeType, timeNumber: 1 };
	const localTime = localTimeIn('UTC');
	const wanted = { product: 'TPS', payType: 'PRE_PAY', term, localTime };
	return findNewOrder(wanted, listOf(), listOf(...days), { isOwn: () => undefined }).kind;
}

it.each([
	['WEEK', 7, 'made'],
	['WEEK', 8, 'unexplained'],
	['WEEK', 6, 'unexplained'],
	['MONTH', 28, 'made'],
	['MONTH', 31, 'made'],
	['MONTH', 32, 'unexplained'],
	['YEAR', 366, 'made'],
	// Sent with 'Skip Validation': nobody knows how long it lasts
	['DECADE', 7, 'unexplained'],
])('for a %s, one that ends in %i days: %s', (unit, days, expected) => {
	expect(found(unit, days)).toBe(expected);
});

it('one of several is found by its end, and none where two would do', () => {
	expect(found('WEEK', 1, 7, 30)).toBe('made');
	expect(found('WEEK', 7, 7)).toBe('unexplained');
	expect(found('WEEK')).toBe('none');
});
