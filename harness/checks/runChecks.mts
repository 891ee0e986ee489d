import { isShuttingDown } from '../../scripts/shutdown.mjs';
import type { CheckGroup } from './checkGroup.mts';
import { Report, type Check } from './report.mts';

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
