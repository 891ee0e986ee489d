import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNpm } from '../../scripts/npm.mjs';
import { isRecord, readString } from '../outsideData.mts';
import { runToEnd } from './program.mts';

export interface InstalledPackage {
	readonly name: string;
	readonly version: string;
	readonly folder: string;
}

/**
 * Puts a repository's package where n8n's own installer would have put it after a download: the
 * packed files and nothing else, without the fields that the installer drops.
 */
export async function packIntoN8n(root: string, userFolder: string): Promise<InstalledPackage> {
	const temporary = await mkdtemp(join(tmpdir(), 'kuaidaili-pack-'));
	try {
		await runNpm(['pack', '--silent', '--pack-destination', temporary], root);
		const tarball = (await readdir(temporary)).find((name) => name.endsWith('.tgz'));
		if (!tarball) throw new Error('npm pack made no package.');
		return await unpack(join(temporary, tarball), join(userFolder, '.n8n', 'nodes'));
	} finally {
		await rm(temporary, { recursive: true, force: true });
	}
}

async function unpack(tarball: string, nodesFolder: string): Promise<InstalledPackage> {
	const staged = join(nodesFolder, 'node_modules', '.staged');
	await mkdir(staged, { recursive: true });
	const tar = await runToEnd('tar', ['-xzf', tarball, '-C', staged, '--strip-components=1']);
	if (tar.code !== 0) throw new Error(`The package could not be unpacked: ${tar.output.trim()}`);
	const description = await readDescription(staged);
	const name = readString(description, 'name');
	const version = readString(description, 'version');
	await writeFile(join(staged, 'package.json'), JSON.stringify(description, null, 2));

	const folder = join(nodesFolder, 'node_modules', name);
	await rm(folder, { recursive: true, force: true });
	await rename(staged, folder);
	const ledger = { name: 'installed-nodes', private: true, dependencies: { [name]: version } };
	await writeFile(join(nodesFolder, 'package.json'), JSON.stringify(ledger, null, 2));
	return { name, version, folder };
}

const DROPPED_BY_N8N = new Set(['devDependencies', 'peerDependencies', 'optionalDependencies']);

async function readDescription(folder: string): Promise<Record<string, unknown>> {
	const description: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
	if (!isRecord(description)) throw new Error('The packed package.json is not an object.');
	if (Object.keys(isRecord(description.dependencies) ? description.dependencies : {}).length > 0) {
		throw new Error('The packed package has dependencies. n8n nodes must not have any.');
	}
	return Object.fromEntries(
		Object.entries(description).filter(([field]) => !DROPPED_BY_N8N.has(field)),
	);
}
