import '../support/closeAtEnd.mts';
import { runAsOne, testFiles } from '../../together.mts';
import { endDeduplicationRecords } from '../support/deduplication.mts';
import { resetDate } from '../../virtualTime.mts';

/** All tests of a folder of `test/`, or a part of its files, in one: n8n takes two seconds to load, and most files less to run. */
export function runTogether(folder: string, { part = 1, parts = 1 } = {}): void {
	const files = testFiles(folder).filter((_file, index) => index % parts === part - 1);
	runAsOne(files, () => {
		endDeduplicationRecords();
		resetDate();
	});
}
