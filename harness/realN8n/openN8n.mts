import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt, runNpm } from '../../scripts/npm.mjs';
import { onShutdown } from '../../scripts/shutdown.mjs';
import type { N8nPlace } from './environment.mts';
import { provideN8n } from './install.mts';
import { withLock } from './lock.mts';
import { DEMO_OWNER } from './owner.mts';
import { packIntoN8n, type InstalledPackage, type Installer } from './packPackage.mts';
import { freePort } from './ports.mts';
import type { N8nProgram } from './program.mts';
import { CURRENT_N8N, type N8nRelease } from './releases.mts';
import { RestClient, type CredentialToTest } from './restClient.mts';
import { runN8nCommand, startServer, writePrivateJson, type N8nServer } from './server.mts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** A build empties `dist` first, so two of them at a time would pack each other's halves. */
const BUILD_LOCK = join(ROOT, '.cache', 'build.lock');

export interface N8nOptions {
	/** Made for each run, and removed at the end. */
	readonly userFolder: string;
	/** The newest that this project knows, if not given. */
	readonly release?: N8nRelease;
	/** Any free one if not given. */
	readonly port?: number;
	readonly logLevel: 'info' | 'debug';
	/** With their ids: n8n keeps those only when credentials are imported. */
	readonly credentials: readonly CredentialToTest[];
	/** As n8n's own installer would do it, if not given. */
	readonly install?: Installer;
	/** Further environment variables of n8n. */
	readonly settings?: Readonly<Record<string, string>>;
	say(line: string): void;
}

/** A running n8n with the package in it, and its owner signed in. */
export interface OpenN8n {
	readonly program: N8nProgram;
	readonly place: N8nPlace;
	readonly server: N8nServer;
	readonly n8n: RestClient;
}

/** Installs n8n where it is not, builds, packs and installs the package, and starts n8n with it. */
export async function openN8n(options: N8nOptions): Promise<OpenN8n> {
	const { userFolder, release = CURRENT_N8N, port, logLevel, credentials, settings, say } = options;
	const { install = packIntoN8n } = options;
	const program = await provideN8n(release, say);
	say(`Using ${program.origin}.`);
	await makeUserFolder(userFolder);

	const installed = await withLock(
		BUILD_LOCK,
		async () => await buildAndPack(install, userFolder, say),
		() => say('Another run is building the node; waiting for it.'),
	);
	say(`Put ${installed.name} ${installed.version} into n8n.`);

	const place: N8nPlace = {
		userFolder,
		port: port ?? (await freePort()),
		logLevel,
		brokerPort: await freePort(),
		encryptionKey: randomBytes(24).toString('hex'),
		settings,
	};
	await importCredentials(program, place, credentials);
	const server = await startServer(program, place);
	const n8n = new RestClient(server.url);
	await n8n.setUpOwner(DEMO_OWNER);
	say(`Started n8n at ${server.url}.`);
	return { program, place, server, n8n };
}

async function buildAndPack(
	install: Installer,
	userFolder: string,
	say: N8nOptions['say'],
): Promise<InstalledPackage> {
	say('Building and packing the node.');
	if (!isBuilt) await runNpm(['run', '--silent', 'build'], ROOT);
	return await install(ROOT, userFolder);
}

async function makeUserFolder(folder: string): Promise<void> {
	const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
	await remove();
	onShutdown(remove);
	await mkdir(folder, { recursive: true });
}

/** By n8n's own command, because only that keeps the ids which workflows refer to. */
async function importCredentials(
	program: N8nProgram,
	place: N8nPlace,
	credentials: readonly CredentialToTest[],
): Promise<void> {
	const file = join(place.userFolder, 'credentials.json');
	await writePrivateJson(file, credentials);
	await runN8nCommand(program, place, ['import:credentials', `--input=${file}`]);
	await rm(file);
}
