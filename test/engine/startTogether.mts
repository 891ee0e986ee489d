import { setTimeout as sleep } from 'node:timers/promises';

/** The sandbox shares the process: what starts at the very same time delays each other's requests. */
const BETWEEN_STARTS_MS = 60;

/**
 * For cases that mostly wait: all are started before the first test, and each test then looks at the
 * outcome of its own. Without it the waits would add up to minutes.
 *
 * @returns the outcome of a case, by its name
 */
export function startTogether<Outcome>(
	cases: Readonly<Record<string, () => Promise<Outcome>>>,
): (name: string) => Promise<Outcome> {
	const outcomes = new Map<string, Promise<Outcome>>();
	beforeAll(async () => {
		for (const [name, run] of Object.entries(cases)) {
			const outcome = run();
			// A failure belongs to the test that asks for it
			outcome.catch(() => undefined);
			outcomes.set(name, outcome);
			await sleep(BETWEEN_STARTS_MS);
		}
	}, 30_000);
	return async (name) => {
		const outcome = outcomes.get(name);
		if (outcome === undefined) throw new Error(`There is no case "${name}"`);
		return await outcome;
	};
}
