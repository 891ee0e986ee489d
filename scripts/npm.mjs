// @ts-check
/** Runs npm, shows that it is still at work, and says in plain words why it failed. */
import { basename } from 'node:path';
import { startChild, stopChild } from './children.mjs';
import { onShutdown } from './shutdown.mjs';

const PROGRESS_EVERY_MS = 10_000;
const KEPT_OUTPUT = 20_000;
const SHOWN_LINES = 15;
const STOP_GRACE_MS = 2_000;

/** @type {ReadonlyArray<readonly [RegExp, string]>} */
const CAUSES = [
	[
		/\b(ENOSPC|EDQUOT)\b|no space left on device/i,
		'The disk is full. Free some space and start again.',
	],
	[
		/\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED)\b/,
		'The npm registry cannot be reached. Check the network connection (and the proxy settings of npm) and start again.',
	],
	[
		/\b(E404|ETARGET|ENOVERSIONS)\b/,
		'The npm registry does not have one of the packages. If npm uses a mirror, it may be incomplete.',
	],
	[/\b(EACCES|EPERM|EROFS)\b/, 'npm may not write there. Check who owns the folder.'],
	[
		/gyp ERR!|not found: make|node-gyp/,
		'A native part could not be built. It needs python3, make and a C++ compiler (Debian: apt-get install python3 make g++).',
	],
];

/**
 * @param {string} output what npm printed
 * @returns {string | undefined} the cause in plain words
 */
export function explainNpmFailure(output) {
	return CAUSES.find(([pattern]) => pattern.test(output))?.[1];
}

/** @param {number} ms */
export function formatElapsed(ms) {
	const seconds = Math.round(ms / 1000);
	return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** The npm that runs this program, or else the one on the PATH. */
function npmCommand() {
	const own = process.env.npm_execpath;
	if (own && basename(own) === 'npm-cli.js') return [process.execPath, own];
	return [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}

/**
 * npm tells the programs that it runs about the package it runs them for. Another npm must not
 * take that for its own settings.
 */
function cleanEnvironment() {
	const kept = Object.entries(process.env).filter(
		([name]) =>
			!/^npm_(package|lifecycle)_/i.test(name) &&
			!/^(npm_config_local_prefix|INIT_CWD)$/i.test(name),
	);
	return Object.fromEntries(kept);
}

/**
 * @param {readonly string[]} args
 * @param {{ cwd: string, what: string, say: (line: string) => void }} options `what` completes
 *   "still …" and "… failed", for example "installing n8n"
 */
export async function runNpm(args, { cwd, what, say }) {
	const [command = 'npm', ...before] = npmCommand();
	const startedAt = Date.now();
	const child = startChild(command, [...before, ...args], { cwd, env: cleanEnvironment() });
	const forget = onShutdown(() => stopChild(child, STOP_GRACE_MS));
	let output = '';
	/** @param {Buffer} chunk */
	const keep = (chunk) => {
		output = (output + chunk.toString()).slice(-KEPT_OUTPUT);
	};
	child.stdout.on('data', keep);
	child.stderr.on('data', keep);
	const progress = setInterval(
		() => say(`  still ${what} (${formatElapsed(Date.now() - startedAt)})`),
		PROGRESS_EVERY_MS,
	);
	try {
		const code = await new Promise((resolve, reject) => {
			child.once('error', reject);
			child.once('close', resolve);
		});
		if (code === 0) return;
	} catch (error) {
		output += String(error);
	} finally {
		clearInterval(progress);
		forget();
	}
	const lines = output.trim().split('\n').slice(-SHOWN_LINES);
	throw new Error(
		[
			`${what[0]?.toUpperCase()}${what.slice(1)} failed. ${explainNpmFailure(output) ?? ''}`.trim(),
			`npm ${args.join(' ')} said:`,
			...lines.map((line) => `  ${line}`),
		].join('\n'),
	);
}
