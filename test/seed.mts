import { seededRandom } from '../sandbox/random.mts';

/** The same in each run, so that a change is what breaks a test; `npm run fuzz` has another one each time. */
const DEFAULT_SEED = 20_261_121;
const DEFAULT_START = Date.parse('2026-01-15T04:00:00.500Z');
const LATEST_START = Date.parse('2030-01-01T00:00:00Z');

export function wholeNumberFrom(variable: string, otherwise: number): number {
	const text = process.env[variable] ?? '';
	if (text === '') return otherwise;
	if (!/^\d{1,9}$/.test(text)) throw new Error(`${variable} has to be a whole number`);
	return Number(text);
}

export const seed = wholeNumberFrom('PROPERTIES_SEED', DEFAULT_SEED);

/** The moment at which virtual time starts, in milliseconds. */
export function startOfTime(seedOfRun = seed): number {
	if (seedOfRun === DEFAULT_SEED) return DEFAULT_START;
	const share = seededRandom(seedOfRun)();
	return Math.floor(DEFAULT_START + share * (LATEST_START - DEFAULT_START));
}
