// @ts-check
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * An empty folder that is removed when the work is done. It stands inside the repository, so that what
 * is put there finds the packages it needs.
 *
 * @template T
 * @param {string} name
 * @param {(folder: string) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function inTemporaryFolder(name, work) {
	await mkdir(join(ROOT, '.cache'), { recursive: true });
	const folder = await mkdtemp(join(ROOT, '.cache', `${name}-`));
	try {
		return await work(folder);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/**
 * Packs what was built and unpacks it again.
 *
 * @param {string} folder
 * @returns {string} where the files of the package are
 */
export function unpackInto(folder) {
	const report = execFileSync(
		'npm',
		['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
		{
			cwd: ROOT,
			encoding: 'utf8',
			stdio: ['ignore', 'pipe', 'ignore'],
			shell: process.platform === 'win32',
		},
	);
	const parsed = JSON.parse(report);
	// npm 12 names the packages, earlier versions list them
	const [{ filename }] = Array.isArray(parsed) ? parsed : Object.values(parsed);
	execFileSync('tar', ['-xzf', filename], { cwd: folder });
	return join(folder, 'package');
}
