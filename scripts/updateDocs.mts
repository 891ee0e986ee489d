/**
 * Usage: npm run docs. Writes the tables of the documentation that come from the code's own tables; with
 * `--check` it only tells whether they are current.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GENERATED_FILES, withCurrentTables } from './docsTables.mts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
for (const name of GENERATED_FILES) {
	const file = join(root, name);
	const current = await readFile(file, 'utf8');
	const updated = withCurrentTables(name, current);
	if (!process.argv.includes('--check')) {
		await writeFile(file, updated);
	} else if (current !== updated) {
		console.error(`${name} is not current. Run "npm run docs".`);
		process.exitCode = 1;
	}
}
