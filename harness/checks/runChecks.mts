import type { CheckGroup } from './checkGroup.mts';
import { Report } from './report.mts';

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
	for (const { name, run } of groups) {
		try {
			await run(setup, report.check);
		} catch (error) {
			await report.check(name, () => {
				throw error;
			});
		}
	}
	say('');
	return report.finish();
}
