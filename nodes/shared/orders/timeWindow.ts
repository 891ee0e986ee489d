import { readRequiredField, type Field } from '../fields/field';
import { choice, typedAmount } from '../fields/valueKinds';

const UNITS = {
	days: { name: 'Days', singular: 'day', ms: 86_400_000 },
	hours: { name: 'Hours', singular: 'hour', ms: 3_600_000 },
} as const;

/** A time from now on, such as the next 3 days. */
export interface TimeWindow {
	readonly ms: number;
	/** Such as "3 days". */
	readonly inWords: string;
}

/** Both fields of a time from now on. */
export interface TimeWindowFields {
	readonly amount: Field;
	readonly unit: Field;
}

export const expiringWithin: TimeWindowFields = {
	amount: {
		name: 'expiringWithin',
		displayName: 'Expiring Within',
		description: 'Maximum time left before an order expires, in the unit below',
		// It decides what is bought
		kind: typedAmount({ min: 1, max: 10_000 }, 3),
	},
	unit: {
		name: 'expiringWithinUnit',
		displayName: 'Expiring Within Unit',
		description: 'The unit for the time above',
		kind: choice(Object.entries(UNITS).map(([value, { name }]) => ({ name, value }))),
	},
};

/**
 * Reads both fields. They are the node's own, so they are always checked.
 *
 * @throws InvalidFieldError
 */
export function readTimeWindow(
	{ amount, unit }: TimeWindowFields,
	valueOf: (name: string) => unknown,
): TimeWindow {
	const count = Number(readRequiredField(amount, valueOf(amount.name)));
	const unitName = readRequiredField(unit, valueOf(unit.name));
	const { singular, ms } = unitName === 'hours' ? UNITS.hours : UNITS.days;
	return { ms: count * ms, inWords: `${count} ${singular}${count === 1 ? '' : 's'}` };
}
