import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runToEnd } from '../harness/realN8n/program.mts';
import { runNpm } from '../scripts/npm.mjs';
import { onShutdown } from '../scripts/shutdown.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** A well-known community node for one service, as this package is one. */
const OTHER = '@mendable/n8n-nodes-firecrawl@2.1.2';

export interface PackedPackage {
	/** Where its packed files are. */
	readonly folder: string;
	readonly packedBytes: number;
	readonly unpackedBytes: number;
}

export interface BothPackages {
	readonly ours: PackedPackage;
	readonly other: PackedPackage;
	/** The name and version of the other. */
	readonly otherName: string;
}

let both: Promise<BothPackages> | undefined;

/** Packs this package and fetches the other, once. */
export function packBoth(say: (line: string) => void): Promise<BothPackages> {
	both ??= pack(say);
	return both;
}

async function pack(say: (line: string) => void): Promise<BothPackages> {
	const temporary = await mkdtemp(join(tmpdir(), 'kuaidaili-bench-packages-'));
	onShutdown(() => rm(temporary, { recursive: true, force: true }));
	const packed = async (name: string, args: readonly string[], what: string) => {
		const folder = join(temporary, name);
		await mkdir(folder);
		await runNpm(['pack', ...args, '--ignore-scripts', '--pack-destination', folder], {
			cwd: ROOT,
			what,
			say,
		});
		return await unpack(folder);
	};
	return {
		ours: await packed('ours', [], 'packing this package'),
		other: await packed('other', [OTHER], `fetching ${OTHER}`),
		otherName: OTHER,
	};
}

async function unpack(folder: string): Promise<PackedPackage> {
	const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
	if (tarball === undefined) throw new Error('npm pack made no package.');
	const file = join(folder, tarball);
	const tar = await runToEnd('tar', ['-xzf', file, '-C', folder]);
	if (tar.code !== 0) throw new Error(`The package could not be unpacked: ${tar.output.trim()}`);
	const unpacked = join(folder, 'package');
	return {
		folder: unpacked,
		packedBytes: (await stat(file)).size,
		unpackedBytes: await bytesIn(unpacked),
	};
}

async function bytesIn(folder: string): Promise<number> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile());
	const sizes = await Promise.all(
		files.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
	);
	return sizes.reduce((sum, size) => sum + size, 0);
}
