import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import '../support/closeAtEnd.mts';
import { endDeduplicationRecords } from '../support/deduplication.mts';
import { resetDate } from '../../virtualTime.mts';

/** All tests of a folder in one file: n8n takes two seconds to load, and most files less to run. */
export function runTogether(folder: string, { part = 1, parts = 1 } = {}): void {
	const path = join(__dirname, '..', folder);
	const files = readdirSync(path).filter((file) => file.endsWith('.test.mts'));
	for (const file of files.filter((_file, index) => index % parts === part - 1)) {
		describe(`${folder}/${file}`, () => {
			require(join(path, file));
			afterAll(() => {
				endDeduplicationRecords();
				resetDate();
			});
		});
	}
}
