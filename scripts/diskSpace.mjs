import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

const GIGABYTE = 1e9;

/** Says so before a long download starts, not in the middle of it. */
export async function requireDiskSpace(folder: string, gigabytes: number): Promise<void> {
	let existing = folder;
	while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
	const { bavail, bsize } = await statfs(existing);
	const free = (bavail * bsize) / GIGABYTE;
	if (free >= gigabytes) return;
	throw new Error(
		`${folder} has ${free.toFixed(1)} GB of free disk space, and about ${gigabytes} GB are needed. ` +
			'Free some space, or choose a folder on another disk with the variable KUAIDAILI_N8N_CACHE.',
	);
}
