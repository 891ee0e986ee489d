import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { runNpm } from '../../scripts/npm.mjs';
import { onShutdown } from '../../scripts/shutdown.mjs';
import { cacheFolder } from './cacheFolder.mts';
import { withLock } from './lock.mts';
import { findN8nOnPath } from './onPath.mts';
import { runToEnd, type N8nProgram } from './program.mts';
import type { N8nRelease } from './releases.mts';

const NEEDED_GIGABYTES = 3;

type Say = (line: string) => void;

/** The n8n of an earlier run, else a fitting one of the machine, else a new installation. */
export async function provideN8n(release: N8nRelease, say: Say): Promise<N8nProgram> {
	const folder = join(cacheFolder(), `n8n-${release.version}`);
	if (isWhole(folder)) return programIn(folder, release);
	const fromPath = await findN8nOnPath(release);
	if (fromPath) return fromPath;
	await withLock(
		`${folder}.lock`,
		async () => {
			if (!isWhole(folder)) await install(release, folder, say);
		},
		() => say('Another run is installing n8n; waiting for it.'),
	);
	return programIn(folder, release);
}

const binIn = (folder: string) => join(folder, 'node_modules', '.bin');
const nodeIn = (folder: string) => join(binIn(folder), 'node');
const n8nIn = (folder: string) => join(folder, 'node_modules', 'n8n', 'bin', 'n8n');

/** The folder gets its name only when everything is in it. */
function isWhole(folder: string): boolean {
	return existsSync(nodeIn(folder)) && existsSync(n8nIn(folder));
}

function programIn(folder: string, { version }: N8nRelease): N8nProgram {
	return {
		command: nodeIn(folder),
		before: [n8nIn(folder)],
		binFolder: binIn(folder),
		origin: `n8n ${version} in ${folder}`,
	};
}

/** Builds the installation under another name next to its place, then moves it there. */
async function install(release: N8nRelease, folder: string, say: Say): Promise<void> {
	await requireDiskSpace(dirname(folder));
	await removeUnfinished(folder);
	const unfinished = `${folder}.unfinished-${randomBytes(4).toString('hex')}`;
	const discard = () => rm(unfinished, { recursive: true, force: true, maxRetries: 3 });
	const forget = onShutdown(discard);
	try {
		await mkdir(unfinished, { recursive: true });
		await fill(unfinished, release, say);
		// Never take away what another run may have finished and started meanwhile.
		if (isWhole(folder)) return;
		await rm(folder, { recursive: true, force: true });
		await rename(unfinished, folder);
	} finally {
		forget();
		await discard();
	}
}

/** Says so before a long download, not in the middle of it. */
async function requireDiskSpace(folder: string): Promise<void> {
	const { bavail, bsize } = await statfs(folder);
	const gigabytes = (bavail * bsize) / 1e9;
	if (gigabytes >= NEEDED_GIGABYTES) return;
	throw new Error(
		`The disk of ${folder} has ${gigabytes.toFixed(1)} GB left, and about ${NEEDED_GIGABYTES} GB are needed. ` +
			'Free some space, or name a folder on another disk with KUAIDAILI_N8N_CACHE.',
	);
}

async function removeUnfinished(folder: string): Promise<void> {
	for (const name of await readdir(dirname(folder))) {
		if (!name.startsWith(`${basename(folder)}.unfinished-`)) continue;
		await rm(join(dirname(folder), name), { recursive: true, force: true, maxRetries: 3 });
	}
}

async function fill(folder: string, release: N8nRelease, say: Say): Promise<void> {
	const { version, node, overrides } = release;
	say(`Installing n8n ${version}. Once per machine: about 2.4 GB and 5 minutes.`);
	await writeFile(
		join(folder, 'package.json'),
		JSON.stringify({ private: true, dependencies: { n8n: version, node }, overrides }, null, 2),
	);
	const npm = async (args: readonly string[], what: string) => {
		say(`  ${what}`);
		// Without a warning for each package of n8n that asks for a newer Node.js than the one of its own
		await runNpm([...args, '--no-audit', '--no-fund', '--loglevel=error'], folder);
	};
	await npm(
		['install', '--legacy-peer-deps', '--ignore-scripts'],
		`downloading n8n ${version} and its packages`,
	);
	// The only two packages whose install scripts n8n cannot do without.
	await npm(['rebuild', 'sqlite3', '--ignore-scripts=false'], 'preparing the database of n8n');
	await npm(['rebuild', 'node', '--ignore-scripts=false'], `preparing Node.js ${node} for n8n`);
	await requireRunnable(folder, release);
}

async function requireRunnable(folder: string, { version }: N8nRelease): Promise<void> {
	const said = await runToEnd(nodeIn(folder), [n8nIn(folder), '--version']);
	const database = await runToEnd(nodeIn(folder), ['-e', 'require("sqlite3")'], { cwd: folder });
	if (said.code === 0 && said.output.trim() === version && database.code === 0) return;
	throw new Error(
		`The installed n8n ${version} does not run:\n${said.output.trim()}\n${database.output.trim()}`,
	);
}
