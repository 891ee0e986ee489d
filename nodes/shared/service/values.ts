/** Whole numbers from `min` to `max` in steps; without `max` the service states none. */
export interface AmountRange {
	readonly min: number;
	readonly max?: number;
	/** Amounts are multiples of it. */
	readonly step?: number;
}

/** A value of the service with its name in the editor, as a choice there takes it. */
export interface Named<T extends number | string> {
	readonly value: T;
	readonly name: string;
	/** What the name means, if it isn't obvious. */
	readonly description?: string;
}

/** The carriers that every endpoint knows; some endpoints know more. Sorted by name. */
export const CARRIERS: ReadonlyArray<Named<number>> = [
	{ value: 3, name: 'China Mobile' },
	{ value: 2, name: 'China Telecom' },
	{ value: 1, name: 'China Unicom' },
];

/** @returns undefined for codes that are no carrier, such as -1 where none is available */
export function carrierName(code: unknown): string | undefined {
	return CARRIERS.find(({ value }) => String(value) === String(code))?.name;
}
