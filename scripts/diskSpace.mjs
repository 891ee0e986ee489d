// @ts-check
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

const GIGABYTE = 1e9;

/**
 * Says so before a long download starts, not in the middle of it.
 *
 * @param {string} folder where the files will go; it need not exist yet
 * @param {number} gigabytes
 * @param {string} [advice] what else a person can do
 */
export async function requireDiskSpace(folder, gigabytes, advice = '') {
	let existing = folder;
	while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
	const { bavail, bsize } = await statfs(existing);
	const free = (bavail * bsize) / GIGABYTE;
	if (free >= gigabytes) return;
	throw new Error(
		`The disk of ${existing} has ${free.toFixed(1)} GB left, and about ${gigabytes} GB are needed. ` +
			`Free some space and start again. ${advice}`.trim(),
	);
}
