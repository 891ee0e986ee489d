import { InvalidFieldError } from '../../../../../nodes/shared/fields/invalidFieldError.ts';
import {
	expiringWithin,
	readTimeWindow,
	type TimeWindow,
} from '../../../../../nodes/shared/orders/timeLeft.ts';

function read(amount: unknown, unit: unknown): TimeWindow {
	return readTimeWindow(expiringWithin, (name) => (name === 'expiringWithin' ? amount : unit));
}

it.each([
	[3, 'days', 259_200_000, '3 days'],
	[1, 'days', 86_400_000, '1 day'],
	[1, 'hours', 3_600_000, '1 hour'],
	[36, 'hours', 129_600_000, '36 hours'],
	[10_000, 'days', 864_000_000_000, '10000 days'],
	// Expressions give numbers as texts
	['12', 'hours', 43_200_000, '12 hours'],
])('%j %s are %d ms', (amount, unit, ms, inWords) => {
	expect(read(amount, unit)).toEqual({ ms, inWords });
});

it.each([0, -1, 1.5, 10_001, '', 'three', NaN, Infinity, null, undefined, true, [3], {}])(
	'%j is no amount',
	(amount) => {
		expect(() => read(amount, 'days')).toThrow(InvalidFieldError);
		expect(() => read(amount, 'days')).toThrow(/^'Expiring Within' (?:is empty|can't be )/);
	},
);

it.each(['', 'minutes', 'day', 'Days', 'DAYS', 1, null, undefined, 'constructor', '__proto__'])(
	'%j is no unit',
	(unit) => {
		expect(() => read(3, unit)).toThrow(InvalidFieldError);
		expect(() => read(3, unit)).toThrow(/^'Expiring Within Unit' (?:is empty|can't be )/);
	},
);
