// @ts-check
/** The steps of `npm test` and `npm run check`: each is a program, and shows what it said if it failed. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild, stopChild } from './children.mjs';
import { ensureInstalled, npmCommand } from './npm.mjs';
import { isShuttingDown, onShutdown, shutDown, shutDownOnSignals } from './shutdown.mjs';

/** A real n8n has ten seconds to end. */
const STOP_GRACE_MS = 15_000;
const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @type {string[]} */
const failed = [];

/** @param {number} ms */
function formatElapsed(ms) {
	const seconds = Math.round(ms / 1000);
	return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * @param {string} name
 * @param {readonly string[]} command
 * @param {{ live?: boolean }} [options] `live` shows what it says at once, not only when it fails
 * @returns {Promise<boolean>} whether it passed
 */
async function runStep(name, [command = '', ...args], { live = false } = {}) {
	const startedAt = Date.now();
	const child = startChild(command, args, { cwd: root });
	const forget = onShutdown(() => stopChild(child, STOP_GRACE_MS));
	/** @type {Buffer[]} */
	const output = [];
	for (const stream of [child.stdout, child.stderr]) {
		stream.on('data', (chunk) => (live ? process.stdout.write(chunk) : output.push(chunk)));
	}
	/** @type {{ code?: number | null, signal?: NodeJS.Signals | null }} */
	const { code, signal } = await new Promise((resolve) => {
		child.once('error', (error) => {
			output.push(Buffer.from(`${error.message}\n`));
			resolve({});
		});
		child.once('close', (code, signal) => resolve({ code, signal }));
	});
	forget();
	if (isShuttingDown()) return false;
	const elapsed = formatElapsed(Date.now() - startedAt);
	if (code === 0) {
		console.log(`passed: ${name} (${elapsed})`);
		return true;
	}
	failed.push(name);
	process.stdout.write(Buffer.concat(output));
	// Such as SIGKILL, where the machine has run out of memory: no output tells of it
	console.log(`FAILED: ${name} (${elapsed}${signal ? `, ended by ${signal}` : ''})`);
	return false;
}

/** @param {string} script of package.json */
export const runScript = async (script) => await runStep(script, [...npmCommand(), 'run', script]);

/**
 * Not by npm, which ends before what it runs: a program has to end what it has started itself, such as a real n8n.
 *
 * @param {string} name @param {readonly string[]} args
 */
export async function runProgram(name, ...args) {
	return await runStep(name, [process.execPath, join(root, 'scripts/run.mjs'), ...args]);
}

/** In MB, for what lives shortly: of each test nearly all. With less, the garbage is collected several times as often. */
const YOUNG_MEMORY = 32;

/** @param {string} name @param {readonly string[]} args */
export async function runJest(name, args) {
	const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
	const node = [process.execPath, `--max-semi-space-size=${YOUNG_MEMORY}`];
	return await runStep(name, [...node, jest, ...args], { live: true });
}

/**
 * Runs the steps, in a fresh clone too: missing packages are installed first.
 *
 * @param {() => Promise<unknown>} steps
 */
export async function runSteps(steps) {
	shutDownOnSignals();
	try {
		await ensureInstalled(root);
		await steps();
		if (failed.length > 0) throw new Error(`Failed: ${failed.join(', ')}.`);
	} catch (error) {
		if (!isShuttingDown()) console.error(error instanceof Error ? error.message : error);
		process.exitCode = 1;
	}
	await shutDown();
}
