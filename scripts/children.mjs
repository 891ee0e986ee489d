// @ts-check
/**
 * The processes that this program started. Each one heads a group of its own, so that whatever
 * it starts in turn can be ended together with it, and so that Ctrl+C in the terminal reaches
 * this program alone, which then stops them in order.
 */
import { spawn } from 'node:child_process';

const GROUPS = process.platform !== 'win32';

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 * @returns {import('node:child_process').ChildProcessByStdio<null, import('node:stream').Readable, import('node:stream').Readable>}
 */
export function startChild(command, args, options = {}) {
	const child = spawn(command, args, {
		...options,
		stdio: ['ignore', 'pipe', 'pipe'],
		detached: GROUPS,
	});
	running.add(child);
	child.once('error', () => running.delete(child));
	child.once('exit', () => {
		signalGroup(child, 'SIGKILL');
		running.delete(child);
	});
	return child;
}

/**
 * Asks a process to end, and ends its whole group when it does not do so in time.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {number} graceMs
 */
export async function stopChild(child, graceMs) {
	if (!running.has(child)) return;
	const ended = new Promise((resolve) => child.once('exit', resolve));
	child.kill('SIGTERM');
	const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs);
	await ended;
	clearTimeout(timer);
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {NodeJS.Signals} signal
 */
function signalGroup(child, signal) {
	if (child.pid === undefined) return;
	try {
		if (GROUPS) process.kill(-child.pid, signal);
		else child.kill(signal);
	} catch {
		// Nothing of the group is left.
	}
}

// The last net: runs on every way out of this program except a SIGKILL.
process.on('exit', () => {
	for (const child of running) signalGroup(child, 'SIGKILL');
});
