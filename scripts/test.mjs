// @ts-check
/**
 * Usage: node scripts/test.mjs [--quick]. All that `npm test` proves, in a fresh clone too: missing
 * packages are installed first. The tests and the other checks run side by side; tests of timing run
 * alone. With --quick, only the checks that name a forgotten step, within 20 s.
 */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild, stopChild } from './children.mjs';
import { ensureInstalled, npmCommand } from './npm.mjs';
import { isShuttingDown, onShutdown, shutDown, shutDownOnSignals } from './shutdown.mjs';

const STOP_GRACE_MS = 2_000;
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
async function check(name, [command = '', ...args], { live = false } = {}) {
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
const runScript = async (script) => await check(script, [...npmCommand(), 'run', script]);

/** @param {string} name @param {readonly string[]} args */
async function runJest(name, args) {
	const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
	return await check(name, [process.execPath, jest, ...args], { live: true });
}

/** Tests of tables, architecture, and documentation; one worker, beside the type check. */
const QUICK_TESTS = [
	...[
		'--selectProjects',
		'no-engine',
		'--maxWorkers',
		'1',
		'--testPathIgnorePatterns',
		'release.test',
	],
	...['--', 'test/unit/architecture', 'test/docs', 'test/operations', 'everyEndpoint', 'retryPlan'],
];

async function quickChecks() {
	await Promise.all([runScript('typecheck'), runJest('quick tests', QUICK_TESTS)]);
}

/** @param {Promise<boolean>} build */
async function testsThatNeverWait(build) {
	if (await build) await runJest('tests', ['--config', 'jest.together.config.cjs']);
}

/** @param {Promise<boolean>} build */
async function otherChecks(build) {
	await runScript('typecheck');
	await runScript('lint');
	await runScript('lint:types');
	await runScript('format:check');
	if (!(await build)) return;
	await runScript('lint:package');
	await runScript('smoke');
}

async function allChecks() {
	const build = runScript('build');
	await Promise.all([testsThatNeverWait(build), otherChecks(build)]);
	if (await build) await runJest('tests of timing', ['--selectProjects', 'timing']);
}

shutDownOnSignals();
try {
	await ensureInstalled(root);
	await (process.argv.includes('--quick') ? quickChecks() : allChecks());
	if (failed.length > 0) throw new Error(`Failed: ${failed.join(', ')}.`);
} catch (error) {
	if (!isShuttingDown()) console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
await shutDown();
