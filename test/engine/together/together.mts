import '../support/closeAtEnd.mts';
import { runAsOne, testFiles } from '../../together.mts';
import { endDeduplicationRecords } from '../support/deduplication.mts';
import { resetDate } from '../../virtualTime.mts';

/** All tests of a folder in one file: n8n takes two seconds to load, and most files less to run. */
export function runTogether(folder: string, { part = 1, parts = 1 } = {}): void {
	const files = testFiles(`engine/${folder}`);
	runAsOne(
		files.filter((_file, index) => index % parts === part - 1),
		() => {
			endDeduplicationRecords();
			resetDate();
		},
	);
}
