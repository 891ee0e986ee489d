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

/** Packs what a repository has built, and puts it into the n8n of a user folder. */
export type Installer = (root: string, userFolder: string) => Promise<InstalledPackage>;

/**
 * Where n8n's own installer would have put it after a download: the packed files and nothing else, without
 * the fields that the installer drops. Needs no network.
 */
export const packIntoN8n: Installer = async (root, userFolder) =>
	await withPacked(root, async (tarball) => await unpack(tarball, nodesFolderIn(userFolder)));

/** By the command of the README, with the packed file in place of the package's name. */
export const installByHand: Installer = async (root, userFolder) =>
	await withPacked(root, async (tarball) => {
		const nodesFolder = nodesFolderIn(userFolder);
		await mkdir(nodesFolder, { recursive: true });
		await runNpm(['install', '--omit=peer', tarball], nodesFolder);
		const modules = await readdir(join(nodesFolder, 'node_modules'));
		const [name, ...others] = modules.filter((each) => !each.startsWith('.'));
		if (name === undefined || others.length > 0) {
			throw new Error(`npm installed not one package, but ${[name, ...others].join(', ')}.`);
		}
		const folder = join(nodesFolder, 'node_modules', name);
		return { name, version: readString(await readDescription(folder), 'version'), folder };
	});

const nodesFolderIn = (userFolder: string) => join(userFolder, '.n8n', 'nodes');

async function withPacked<T>(root: string, work: (tarball: string) => Promise<T>): Promise<T> {
	const temporary = await mkdtemp(join(tmpdir(), 'kuaidaili-pack-'));
	try {
		await runNpm(['pack', '--silent', '--pack-destination', temporary], root);
		const tarball = (await readdir(temporary)).find((name) => name.endsWith('.tgz'));
		if (!tarball) throw new Error('npm pack made no package.');
		return await work(join(temporary, tarball));
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
