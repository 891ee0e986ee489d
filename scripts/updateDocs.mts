/**
 * Usage: npm run docs. Writes the tables of the documentation that come from the code's own tables, and the output
 * schemas, which come from runs of the operations.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GENERATED_FILES, withCurrentTables } from './docsTables.mts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
for (const name of GENERATED_FILES) {
	const file = join(root, name);
	await writeFile(file, withCurrentTables(name, await readFile(file, 'utf8')));
}

// n8n's engine keeps its settings there, and reads where that is only once
const userFolder = await mkdtemp(join(tmpdir(), 'output-schemas-'));
Object.assign(process.env, { N8N_USER_FOLDER: userFolder, N8N_LOG_LEVEL: 'silent' });
process.chdir(root);
const { writeSchemas } = await import('../test/operations/outputSchemas.mts');
await writeSchemas();
await rm(userFolder, { recursive: true, force: true });
// Timers of n8n would keep the process alive
process.exit();
