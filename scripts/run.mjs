// @ts-check
/**
 * Usage: node scripts/run.mjs <file.mts> [arguments]
 *
 * Runs a TypeScript program of this repository, in a fresh clone too: what is missing is installed
 * first. All of it happens in this one process, so that a signal cannot get lost on the way.
 */
import { dirname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureInstalled } from './npm.mjs';
import { isShuttingDown, shutDown, shutDownOnSignals } from './shutdown.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const program = process.argv[2];
shutDownOnSignals();
try {
	if (!program) throw new Error('Usage: node scripts/run.mjs <file.mts> [arguments]');
	// Before the long download: they start n8n by its shell script, and end it by its process group
	if (process.platform === 'win32') {
		throw new Error(
			'This program runs on Linux and macOS. On Windows, run it in WSL. "npm test" and "npm run build" run on Windows itself.',
		);
	}
	await ensureInstalled(root);
	const [commonJs, modules] = await Promise.all([import('tsx/cjs/api'), import('tsx/esm/api')]);
	// The sources of the package are CommonJS; programs that read its tables import them.
	commonJs.register();
	modules.register();
	// The program finds its own path and arguments where it would without this wrapper.
	process.argv.splice(1, 2, resolve(program));
	await import(pathToFileURL(resolve(program)).href);
} catch (error) {
	if (!isShuttingDown()) console.error(isForPeople(error) ? error.message : error);
	await shutDown();
	process.exit(1);
}

/**
 * A plain Error carries a message for the person; any other kind is a defect, shown with its place.
 *
 * @param {unknown} error
 * @returns {error is Error}
 */
function isForPeople(error) {
	return error instanceof Error && error.constructor === Error;
}
