import { isShuttingDown } from '../../scripts/shutdown.mjs';
import { excerpt } from '../outsideData.mts';

/** Throws with the reason when a claim does not hold. */
export function expect(holds: boolean, otherwise: string): void {
	if (!holds) throw new Error(otherwise);
}

export function expectEqual(actual: unknown, expected: unknown, what: string): void {
	expect(actual === expected, `${what} is ${excerpt(actual)}, expected ${excerpt(expected)}`);
}

/** Says of one claim whether it holds. The proof throws when it does not. */
export type Check = (claim: string, prove: () => unknown) => Promise<void>;

/** Claims that belong together, proved on what is set up for them. */
export interface CheckGroup<Setup> {
	/** Named when the group breaks off before its claims are through. */
	readonly name: string;
	run(setup: Setup, check: Check): Promise<void>;
}

/** One line for each check, and the sum at the end. */
export class Report {
	private passed = 0;

	private failed = 0;

	constructor(private readonly say: (line: string) => void) {}

	readonly check: Check = async (claim, prove) => {
		try {
			await prove();
			this.passed += 1;
			this.say(`ok      ${claim}`);
		} catch (error) {
			this.failed += 1;
			this.say(`FAILED  ${claim}: ${error instanceof Error ? error.message : String(error)}`);
		}
	};

	/** @returns whether everything holds */
	finish(): boolean {
		this.say(`${this.passed} passed, ${this.failed} failed`);
		return this.failed === 0 && this.passed > 0;
	}
}

/** Those with this word in their name; all if none is given. */
export function groupsNamed<Setup>(
	groups: ReadonlyArray<CheckGroup<Setup>>,
	word = '',
): ReadonlyArray<CheckGroup<Setup>> {
	return groups.filter(({ name }) => name.toLowerCase().includes(word.toLowerCase()));
}

/**
 * Runs groups of checks one after the other; one that breaks off does not keep the others from running.
 *
 * @returns whether everything holds
 */
export async function runChecks<Setup>(
	groups: ReadonlyArray<CheckGroup<Setup>>,
	setup: Setup,
	say: (line: string) => void,
): Promise<boolean> {
	const report = new Report(say);
	say('');
	await runGroups(groups, setup, report);
	say('');
	return report.finish();
}

/** The same for one of several setups that share a report. */
export async function runGroups<Setup>(
	groups: ReadonlyArray<CheckGroup<Setup>>,
	setup: Setup,
	report: Report,
): Promise<void> {
	// What would fail from then on would fail because it is being stopped.
	const check: Check = async (claim, prove) => {
		if (!isShuttingDown()) await report.check(claim, prove);
	};
	for (const { name, run } of groups) {
		try {
			await run(setup, check);
		} catch (error) {
			await check(name, () => {
				throw error;
			});
		}
	}
}
