// @ts-check
/**
 * Compares what npm installed with package-lock.json, by the hashes of the packages. With `--no-save`, npm
 * installs what package.json allows without a word about a lockfile that names something else.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const SHOWN = 20;

/** @typedef {{ version?: string, integrity?: string, optional?: boolean }} LockedPackage */
/** @typedef {Readonly<Record<string, LockedPackage>>} LockedPackages */

/**
 * @param {LockedPackages} locked by path, from package-lock.json
 * @param {LockedPackages} installed the same from npm's record in node_modules
 * @returns {string[]} one sentence for each difference
 */
export function differences(locked, installed) {
	const found = [];
	for (const [path, { version, integrity }] of Object.entries(installed)) {
		const wanted = locked[path];
		if (wanted === undefined) found.push(`${path} ${version} is not in the lockfile`);
		else if (wanted.version !== version || wanted.integrity !== integrity) {
			found.push(`${path} ${version} is not what the lockfile names (${wanted.version})`);
		} else if (integrity === undefined) found.push(`${path} ${version} has no hash`);
	}
	for (const [path, { version, optional }] of Object.entries(locked)) {
		// Optional packages belong to other platforms
		const isExpected = path !== '' && optional !== true;
		if (isExpected && installed[path] === undefined) {
			found.push(`${path} ${version} is not installed`);
		}
	}
	return found;
}

/**
 * @param {string} file
 * @returns {LockedPackages}
 */
function readPackages(file) {
	return JSON.parse(readFileSync(file, 'utf8')).packages;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
	const found = differences(
		readPackages('package-lock.json'),
		readPackages('node_modules/.package-lock.json'),
	);
	for (const line of found.slice(0, SHOWN)) console.error(line);
	if (found.length > SHOWN) console.error(`and ${found.length - SHOWN} more`);
	if (found.length > 0) process.exitCode = 1;
}
