import '../support/closeAtEnd.mts';
import { runAsOne, testFiles } from '../../together.mts';
import { endDeduplicationRecords } from '../support/deduplication.mts';
import { resetDate } from '../../virtualTime.mts';

/** All tests of folders of `test/`, or a part of their files, in one: n8n takes four seconds to load, and most files less to run. */
export function runTogether(folders: readonly string[], { part = 1, parts = 1 } = {}): void {
	const files = folders.flatMap(testFiles).filter((_file, index) => index % parts === part - 1);
	runAsOne(files, () => {
		endDeduplicationRecords();
		resetDate();
	});
}
