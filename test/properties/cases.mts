import fc, { type IRawProperty } from 'fast-check';

import { seed, wholeNumberFrom } from '../seed.mts';

/** How often each property is tried by `npm test`; `npm run fuzz` tries other cases, and more of them. */
export const CASES = {
	parametersOfReads: 520,
	parametersOfPurchases: 330,
	parametersOfEvents: 200,
	wholeAnswers: 140,
	brokenAnswers: 140,
	changedAnswers: 140,
	answersToEvents: 60,
	purchaseStories: 30,
} as const;

/** Of all properties together. */
export const CASES_IN_ALL = Object.values(CASES).reduce((sum, count) => sum + count, 0);

type Property = keyof typeof CASES;

const times = wholeNumberFrom('PROPERTIES_TIMES', 1);

/** Longest time for one property; a busy machine is several times slower than a quiet one. */
export const LONGEST_PROPERTY_MS = 300_000 * times;

/** Reports a case by a short text instead of all that it holds. */
export function named<T extends object>(
	cases: fc.Arbitrary<T>,
	textOf: (one: T) => string,
): fc.Arbitrary<T> {
	return cases.map((one) => {
		Object.defineProperty(one, fc.toStringMethod, { value: () => textOf(one) });
		return one;
	});
}

/** One value of each of these, always the same with the same seed. */
export function oneOfEach<T>(arbitraries: ReadonlyArray<fc.Arbitrary<T>>): T[] {
	return arbitraries.flatMap((each, index) => fc.sample(each, { seed: seed + index, numRuns: 1 }));
}

/**
 * Tries a property as often as `CASES` says. `npm run fuzz` tries other cases, and more; a failure names the
 * seed and the smallest case that fails.
 *
 * @param examples are tried first, so that what they are about is met with every seed
 */
export async function tryOut<Ts>(
	name: Property,
	property: IRawProperty<Ts>,
	examples: Ts[] = [],
): Promise<void> {
	const numRuns = CASES[name] * times;
	expect(examples.length).toBeLessThan(numRuns);
	const details = await fc.check(property, { seed, numRuns, examples, includeErrorInReport: true });
	const report = await fc.asyncDefaultReportMessage(details);
	if (report !== undefined) throw new Error(report);
	expect(details.numRuns).toBe(numRuns);
}
