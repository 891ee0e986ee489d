import { DAY_MS, HOUR_MS, MINUTE_MS, type EpochMs } from '../service/chinaTime';
import type { Answered } from '../service/wireTypes';
import { DescribedError } from '../api/callErrors';
import { durationInWords, plural } from '../wording';
import { readRequiredField, type Field } from '../fields/field';
import { choice, typedAmount } from '../fields/valueKinds';

/** Larger than any time that an answer is under way, and too small to matter for an order. */
const LARGEST_DIFFERENCE_MS = 5 * MINUTE_MS;

/**
 * A sentence for the user, where this machine and the service disagree about the time and nothing proves either
 * right.
 */
export function clockDoubt({ clockDifferenceMs = 0 }: Answered): string | undefined {
	if (Math.abs(clockDifferenceMs) <= LARGEST_DIFFERENCE_MS) return undefined;
	const direction = clockDifferenceMs > 0 ? 'behind' : 'ahead of';
	const difference = durationInWords(Math.round(clockDifferenceMs / MINUTE_MS) * MINUTE_MS);
	return `The clock of this machine is ${difference} ${direction} Kuaidaili's clock, so it is unclear how much time orders have left`;
}

/** The moment that an expiry may be compared with. Throws DescribedError where there is a doubt about it. */
export function trustedTime(answered: Answered): EpochMs {
	const { answeredAt, clockDifferenceMs = 0 } = answered;
	const message = clockDoubt(answered);
	if (message === undefined) return answeredAt;
	// The service refuses a timestamp that is so far off, so one that it accepts is right
	const advice =
		Math.abs(clockDifferenceMs) > DAY_MS
			? " If this machine's clock is right, set 'Sign Type' in the credential to 'HMAC-SHA1', with which Kuaidaili confirms this machine's clock with every call."
			: '';
	throw new DescribedError({
		message,
		description: `Nothing was decided by either clock, and nothing was bought. Check the clock and the time zone of the machine that runs n8n, and any proxy or gateway between n8n and Kuaidaili: the time came with Kuaidaili's answer.${advice}`,
	});
}

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
		kind: typedAmount({ min: 1, max: 10_000 }, 3),
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
