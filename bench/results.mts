import type { Measure, Measured } from './measure.mts';

/** How one measure came out; `failure` where it could not be taken to its end. */
export interface Result {
	readonly measure: Pick<Measure, 'name' | 'goal'>;
	readonly measured?: Measured;
	readonly failure?: string;
}

export function isMet({ measure, measured }: Result): boolean {
	return measured !== undefined && measured.ratio <= measure.goal;
}

/** One line for a person who waits for it. */
export function inWords({ ratio, low, high, pairs, ...more }: Measured): string {
	const spread =
		pairs > 1 ? ` (${rounded(low)} to ${rounded(high)} in the middle half of ${pairs} pairs)` : '';
	const rest = Object.entries(more).map(([name, value]) => `; ${name}: ${shown(value)}`);
	return `${rounded(ratio)}${spread}${rest.join('')}`;
}

function shown(value: unknown): string {
	if (typeof value === 'string') return value;
	return JSON.stringify(value, roundNumbers);
}

function roundNumbers(_key: string, value: unknown): unknown {
	return typeof value === 'number' ? rounded(value) : value;
}

function rounded(value: number): number {
	return Math.round(value * 1_000) / 1_000;
}
