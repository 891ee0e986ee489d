// @ts-check
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Installs Debian packages where a program of theirs is missing; does nothing where it is there.
 *
 * @param {string} program the command that must be found afterwards
 * @param {readonly string[]} packages
 * @param {(line: string) => void} say
 * @param {() => readonly string[]} [otherFolders] to look into before those of the PATH
 * @returns {Promise<string>} the path of the program
 * @throws with the names of the packages when they cannot be installed from here
 */
export async function ensureProgram(program, packages, say, otherFolders = () => []) {
	const found = findProgram(program, otherFolders());
	if (found) return found;
	const names = packages.join(' ');
	const byHand = `'${program}' is missing. Install it first; on Debian: apt-get install ${names}`;
	if (process.getuid?.() !== 0 || !findProgram('apt-get')) throw new Error(byHand);
	say(`Installing ${names}.`);
	await aptGet(['update'], byHand);
	await aptGet(['install', '-y', '--no-install-recommends', ...packages], byHand);
	const installed = findProgram(program, otherFolders());
	if (!installed) throw new Error(byHand);
	return installed;
}

/**
 * @param {string} program
 * @param {readonly string[]} [otherFolders]
 */
function findProgram(program, otherFolders = []) {
	const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
	return [...otherFolders, ...folders]
		.map((folder) => join(folder, program))
		.find((path) => existsSync(path));
}

/**
 * @param {readonly string[]} args
 * @param {string} byHand
 * @returns {Promise<void>}
 */
async function aptGet(args, byHand) {
	const child = spawn('apt-get', args, {
		stdio: ['ignore', 'pipe', 'pipe'],
		env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
	});
	let output = '';
	const keep = (/** @type {Buffer} */ chunk) => {
		output += chunk.toString();
	};
	child.stdout.on('data', keep);
	child.stderr.on('data', keep);
	const code = await new Promise((resolve, reject) => {
		child.once('error', reject);
		child.once('close', resolve);
	});
	if (code !== 0)
		throw new Error(`${byHand}\n${output.trimEnd().split('\n').slice(-5).join('\n')}`);
}
