/**
 * Usage: npm run readme. Writes the tables of the README that come from the code's own tables; with
 * `--check` it only tells whether they are current.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { updatedReadme } from './readmeTables.mts';

const file = join(dirname(dirname(fileURLToPath(import.meta.url))), 'README.md');
const current = await readFile(file, 'utf8');
const updated = updatedReadme(current);
if (process.argv.includes('--check')) {
	if (current !== updated) {
		console.error('README.md is not current. Run "npm run readme".');
		process.exitCode = 1;
	}
} else {
	await writeFile(file, updated);
}
