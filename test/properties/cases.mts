import fc, { type IRawProperty } from 'fast-check';

/**
 * How often each property is tried. Together at least as often as `FEWEST_CASES`; a test adds them up.
 */
export const CASES = {
	parametersOfReads: 1400,
	parametersOfPurchases: 1200,
	parametersWithoutEngine: 3500,
	wholeAnswers: 400,
	brokenAnswers: 1300,
	changedAnswers: 1300,
	bytesWithoutEngine: 3500,
} as const;

export const FEWEST_CASES = 10_000;

type Property = keyof typeof CASES;

/** The same cases in each run, so that a change is what breaks a test; others on request. */
const DEFAULT_SEED = 20_261_121;

function wholeNumberFrom(variable: string, otherwise: number): number {
	const text = process.env[variable] ?? '';
	if (text === '') return otherwise;
	if (!/^\d{1,9}$/.test(text)) throw new Error(`${variable} has to be a whole number`);
	return Number(text);
}

const seed = wholeNumberFrom('PROPERTIES_SEED', DEFAULT_SEED);
const times = wholeNumberFrom('PROPERTIES_TIMES', 1);

/** Longest time for one property; a busy machine is several times slower than a quiet one. */
export const LONGEST_PROPERTY_MS = 300_000 * times;

/**
 * Tries a property as often as `CASES` says. `PROPERTIES_SEED=7` tries other cases and
 * `PROPERTIES_TIMES=5` five times as many; a failure names the seed and the smallest case that fails.
 */
export async function tryOut<Ts>(name: Property, property: IRawProperty<Ts>): Promise<void> {
	const numRuns = CASES[name] * times;
	const details = await fc.check(property, { seed, numRuns, includeErrorInReport: true });
	const report = await fc.asyncDefaultReportMessage(details);
	if (report !== undefined) throw new Error(report);
	expect(details.numRuns).toBe(numRuns);
}
