import type { Named } from './orderTerms';

/** The carriers that the service tells apart everywhere; single endpoints know more. In the order of their names. */
export const CARRIERS: ReadonlyArray<Named<number>> = [
	{ value: 3, displayName: 'China Mobile' },
	{ value: 2, displayName: 'China Telecom' },
	{ value: 1, displayName: 'China Unicom' },
];

/** @returns undefined for codes that are no carrier, such as -1 where none is available */
export function carrierName(code: unknown): string | undefined {
	return CARRIERS.find(({ value }) => String(value) === String(code))?.displayName;
}
