import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNpm } from '../scripts/npm.mjs';

/** @returns bytes of what npm hands out for the package in `root` */
export async function packedBytes(root: string): Promise<number> {
	const folder = await mkdtemp(join(tmpdir(), 'kuaidaili-bench-package-'));
	try {
		await runNpm(['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], root);
		const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
		if (tarball === undefined) throw new Error('npm pack made no package.');
		return (await stat(join(folder, tarball))).size;
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
