import { DAY_MS, HOUR_MS } from '../service/chinaTime';
import { plural } from '../wording';
import { readRequiredField } from '../fields/reader';
import type { Field } from '../fields/field';
import { choice, number } from '../fields/kinds';

const UNITS = {
	days: { name: 'Days', singular: 'day', ms: DAY_MS },
	hours: { name: 'Hours', singular: 'hour', ms: HOUR_MS },
} as const;

export interface TimeWindow {
	readonly ms: number;
	readonly inWords: string;
}

export const expiringWithin = {
	amount: {
		name: 'expiringWithin',
		displayName: 'Expiring Within',
		description: 'Maximum time left before an order expires, in the unit below',
		// It decides what is bought
		kind: number({ min: 1, max: 10_000, preset: 3, costsMoney: true }),
	},
	unit: {
		name: 'expiringWithinUnit',
		displayName: 'Expiring Within Unit',
		description: 'The unit for the time above',
		kind: choice(Object.entries(UNITS).map(([value, { name }]) => ({ name, value }))),
	},
} satisfies Record<string, Field>;

/** The fields are the node's own, so they are always checked. */
export function readTimeWindow(valueOf: (name: string) => unknown): TimeWindow {
	const { amount, unit } = expiringWithin;
	const count = Number(readRequiredField(amount, valueOf(amount.name)));
	const unitName = readRequiredField(unit, valueOf(unit.name));
	const { singular, ms } = unitName === 'hours' ? UNITS.hours : UNITS.days;
	return { ms: count * ms, inWords: plural(count, singular) };
}
