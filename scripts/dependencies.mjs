// @ts-check
/** Whether node_modules holds what package-lock.json names, and how to get it there. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { requireDiskSpace } from './diskSpace.mjs';
import { withLock } from './lock.mjs';
import { DiskFullError, runNpm } from './npm.mjs';

const NEEDED_GIGABYTES = 1;

/** @typedef {{ version?: string, optional?: boolean, peer?: boolean }} LockedPackage */

/**
 * Compares contents, not dates: a checkout changes the date of package-lock.json without a reason
 * to install anything. Optional packages may be missing, they belong to other platforms.
 *
 * @param {string} root
 * @returns {Promise<string | undefined>} why an install is needed
 */
export async function whyInstall(root) {
	const wanted = await readPackages(join(root, 'package-lock.json'));
	if (!wanted)
		throw new Error('package-lock.json is missing or damaged. Restore it and start again.');
	const present = await readPackages(join(root, 'node_modules', '.package-lock.json'));
	if (!present) return 'nothing is installed yet';
	for (const [path, { version, optional, peer }] of Object.entries(wanted)) {
		if (path === '' || optional || peer) continue;
		if (present[path]?.version !== version) return `${path} is not at ${version}`;
	}
	return undefined;
}

/**
 * @param {string} file
 * @returns {Promise<Record<string, LockedPackage> | undefined>}
 */
async function readPackages(file) {
	try {
		return JSON.parse(await readFile(file, 'utf8')).packages;
	} catch {
		return undefined;
	}
}

/**
 * @param {string} root
 * @param {(line: string) => void} say
 */
export async function ensureInstalled(root, say) {
	if (!(await whyInstall(root))) return;
	const install = async () => {
		const reason = await whyInstall(root);
		if (!reason) return;
		await requireDiskSpace(root, NEEDED_GIGABYTES);
		say(`Installing what the project needs (${reason}). The first time takes about a minute.`);
		await installAll(root, say);
		say('Installed.');
	};
	await withLock(join(root, '.cache', 'install.lock'), install, () =>
		say('Another run is installing what the project needs; waiting for it.'),
	);
}

/**
 * @param {string} root
 * @param {(line: string) => void} say
 */
async function installAll(root, say) {
	try {
		// Not `npm ci`: the lockfile names binaries of other platforms, which a mirror may lack.
		// `--no-save` leaves package.json and package-lock.json as they are.
		await runNpm(['install', '--no-save', '--no-audit', '--no-fund'], {
			cwd: root,
			what: 'installing what the project needs',
			say,
		});
	} catch (error) {
		// npm would take packages with missing files for whole ones the next time.
		if (error instanceof DiskFullError) {
			await rm(join(root, 'node_modules'), { recursive: true, force: true, maxRetries: 3 });
		}
		throw error;
	}
}
