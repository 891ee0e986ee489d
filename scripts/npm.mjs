// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { onShutdown } from './shutdown.mjs';

/** The npm that runs this program, or else the one on the PATH. */
export function npmCommand() {
	const own = process.env.npm_execpath;
	if (own && basename(own) === 'npm-cli.js') return [process.execPath, own];
	return [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}

/** Whether `dist` is that of the sources for certain: `.ci/run` says so, where nothing has changed since `npm test`. */
export const isBuilt = process.env.KUAIDAILI_BUILT === '1';

/**
 * All that npm says goes to stderr, so that stdout stays this program's own.
 *
 * @param {readonly string[]} args
 * @param {string} cwd
 */
export async function runNpm(args, cwd) {
	const [command = 'npm', ...before] = npmCommand();
	const child = spawn(command, [...before, ...args], { cwd, stdio: ['ignore', 2, 2] });
	const forget = onShutdown(async () => child.kill());
	const [code] = await once(child, 'close');
	forget();
	if (code !== 0) throw new Error(`"npm ${args.join(' ')}" failed; npm says why above.`);
}

/** @param {string} root */
export async function ensureInstalled(root) {
	const isInstalled = (/** @type {string} */ file) => existsSync(join(root, 'node_modules', file));
	/** @type {{ devDependencies: Record<string, string> }} */
	const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
	// npm writes this file last: it is missing after an installation that was interrupted. A library is missing after
	// a pull that brought it
	if (['.package-lock.json', ...Object.keys(devDependencies)].every(isInstalled)) return;
	// Not `npm ci`: the lockfile names binaries of other platforms, which a mirror may lack
	await runNpm(['install', '--no-save', '--no-audit', '--no-fund'], root);
}
