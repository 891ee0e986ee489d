import type { Named } from './named';

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
