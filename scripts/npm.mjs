// @ts-check
/** Runs npm, shows that it is still at work, and says in plain words why it failed. */
import { basename } from 'node:path';
import { startChild, stopChild } from './children.mjs';
import { onShutdown } from './shutdown.mjs';

const PROGRESS_EVERY_MS = 10_000;
const KEPT_OUTPUT = 20_000;
const SHOWN_LINES = 15;
const NOISE = /^npm (http|warn Unknown|info|verbose)/;
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

/** @param {number} ms */
export function formatElapsed(ms) {
	const seconds = Math.round(ms / 1000);
	return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** The npm that runs this program, or else the one on the PATH. */
export function npmCommand() {
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

/** The disk became full. Files are missing, and npm would not notice the next time. */
export class DiskFullError extends Error {}

/**
 * @param {readonly string[]} args
 * @param {{ cwd: string, what: string, say: (line: string) => void }} options `what` completes
 *   "still …" and "… failed", for example "installing n8n"
 */
export async function runNpm(args, { cwd, what, say }) {
	const [command = 'npm', ...before] = npmCommand();
	const startedAt = Date.now();
	// Whatever this program's own npm was told to print, this one must say what goes wrong.
	const child = startChild(command, [...before, ...args, '--loglevel=http'], {
		cwd,
		env: cleanEnvironment(),
	});
	const forget = onShutdown(() => stopChild(child, STOP_GRACE_MS));
	const output = new NpmOutput();
	/** @param {Buffer} chunk */
	const read = (chunk) => {
		output.add(chunk);
		// npm itself goes on to the end and calls it a success.
		if (output.diskFull) void stopChild(child, STOP_GRACE_MS);
	};
	child.stdout.on('data', read);
	child.stderr.on('data', read);
	const progress = setInterval(() => {
		const elapsed = formatElapsed(Date.now() - startedAt);
		say(`  still ${what} (${elapsed}${output.takeTrouble()})`);
	}, PROGRESS_EVERY_MS);
	/** @type {number | null} */
	let code = null;
	try {
		code = await new Promise((resolve, reject) => {
			child.once('error', reject);
			child.once('close', resolve);
		});
	} catch (error) {
		output.add(Buffer.from(String(error)));
	} finally {
		clearInterval(progress);
		forget();
	}
	if (code === 0 && !output.diskFull) return;
	const message = [
		`${what[0]?.toUpperCase()}${what.slice(1)} failed. ${output.cause() ?? ''}`.trim(),
		`npm ${args.join(' ')} said:`,
		...output.lastLines().map((line) => `  ${line}`),
	].join('\n');
	throw output.diskFull ? new DiskFullError(message) : new Error(message);
}

/** What npm prints, and what it means. */
class NpmOutput {
	diskFull = false;

	#text = '';

	#trouble = '';

	/** @param {Buffer} chunk */
	add(chunk) {
		const text = chunk.toString();
		this.#text = (this.#text + text).slice(-KEPT_OUTPUT);
		if (/\b(ENOSPC|EDQUOT)\b/.test(text)) this.diskFull = true;
		this.#trouble = /attempt \d+ failed with (\w+)/.exec(text)?.[1] ?? this.#trouble;
	}

	/** A note on what npm is fighting with since the last time this was asked. */
	takeTrouble() {
		const trouble = this.#trouble;
		this.#trouble = '';
		return trouble && `; the npm registry does not answer: ${trouble}, npm tries again`;
	}

	cause() {
		return CAUSES.find(([pattern]) => pattern.test(this.#text))?.[1];
	}

	lastLines() {
		const lines = this.#text.split('\n').filter((line) => line.trim() && !NOISE.test(line));
		return lines.filter((line, index) => line !== lines[index - 1]).slice(-SHOWN_LINES);
	}
}
