// @ts-check
/** Usage: node scripts/ensureInstalled.mjs. Makes the commands work in a fresh clone. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './dependencies.mjs';
import { isShuttingDown, shutDown, shutDownOnSignals } from './shutdown.mjs';

shutDownOnSignals();
try {
	await ensureInstalled(dirname(dirname(fileURLToPath(import.meta.url))), console.log);
} catch (error) {
	if (!isShuttingDown()) console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
await shutDown();
