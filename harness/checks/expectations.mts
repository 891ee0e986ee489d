import { excerpt } from '../outsideData.mts';

/** Throws with the reason when a claim does not hold. */
export function expect(holds: boolean, otherwise: string): void {
	if (!holds) throw new Error(otherwise);
}

export function expectEqual(actual: unknown, expected: unknown, what: string): void {
	expect(actual === expected, `${what} is ${excerpt(actual)}, expected ${excerpt(expected)}`);
}
