import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoCredentials } from '../../harness/credentials.mts';
import { CERTIFICATE } from '../../sandbox/pages/certificate.mts';
import {
	installByHand,
	openN8n,
	signInTo,
	type N8nRelease,
	type N8nServer,
	type RestClient,
	type RunningN8n,
} from '../../harness/realN8n/index.mts';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.mts';
import { onShutdown } from '../../scripts/shutdown.mjs';
import { credentialsOfAllKeys } from './keys.mts';

const ENOUGH_IN_FEN = 1_000_000_00;

/** An n8n with the package in it, and a sandbox that it works with. */
export interface E2eSession {
	readonly sandbox: Sandbox;
	readonly n8n: RestClient;
	/** Undefined for an n8n that somebody else started. */
	readonly started: StartedN8n | undefined;
	close(): Promise<void>;
}

/** What is known of an n8n that was started here: what it prints, and where it keeps its files. */
export interface StartedN8n {
	readonly server: N8nServer;
	readonly userFolder: string;
}

async function openSandbox(): Promise<Sandbox> {
	const sandbox = await startSandbox({ catalogueSize: 500 });
	onShutdown(() => sandbox.close());
	sandbox.store.account(sandbox.keys.account.secretId).balanceInFen = ENOUGH_IN_FEN;
	return sandbox;
}

const credentialsFor = (sandbox: Sandbox) => [
	...demoCredentials(sandbox),
	...credentialsOfAllKeys(sandbox),
];

/** @param settings further environment variables of n8n */
export async function openSession(
	release: N8nRelease,
	settings: Readonly<Record<string, string>>,
	say: (line: string) => void,
): Promise<E2eSession> {
	const sandbox = await openSandbox();
	const userFolder = join(tmpdir(), `kuaidaili-e2e-${process.pid}-${release.version}`);
	const trusted = `${userFolder}.pem`;
	await writeFile(trusted, CERTIFICATE);
	onShutdown(async () => await rm(trusted, { force: true }));
	const { server, n8n } = await openN8n({
		release,
		userFolder,
		install: installByHand,
		// The more n8n logs, the more the search for secrets in its log is worth.
		logLevel: 'debug',
		credentials: credentialsFor(sandbox),
		settings: { ...settings, NODE_EXTRA_CA_CERTS: trusted },
		say,
	});
	const close = async () => {
		await server.stop();
		await sandbox.close();
	};
	return { sandbox, n8n, started: { server, userFolder }, close };
}

/** Works with an n8n that is already there. Its own installation of the package is what is tried. */
export async function joinSession(running: RunningN8n): Promise<E2eSession> {
	const sandbox = await openSandbox();
	const n8n = await signInTo(running, credentialsFor(sandbox));
	return { sandbox, n8n, started: undefined, close: async () => await sandbox.close() };
}
