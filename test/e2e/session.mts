import { demoCredentials } from '../../harness/credentials.mts';
import { CERTIFICATE_FILE } from '../../sandbox/pages/certificate.mts';
import {
	installByHand,
	openN8n,
	openSandbox,
	sessionFolder,
	signInTo,
	type N8nRelease,
	type N8nSession,
	type OpenN8n,
	type RunningN8n,
} from '../../harness/realN8n/index.mts';
import type { Sandbox } from '../../sandbox/sandbox.mts';
import { credentialsOfAllKeys } from './keys.mts';

const ENOUGH_IN_FEN = 1_000_000_00;

/** An n8n with the package in it, and a sandbox that it works with. */
export interface E2eSession extends Pick<N8nSession, 'sandbox' | 'n8n'> {
	/** Undefined for an n8n that somebody else started. */
	readonly started: StartedN8n | undefined;
	close(): Promise<void>;
}

/** What is known of an n8n that was started here: its program, what it prints, and where it keeps its files. */
export interface StartedN8n extends Pick<N8nSession, 'server' | 'userFolder'> {
	readonly program: OpenN8n['program'];
}

async function openRichSandbox(): Promise<Sandbox> {
	const sandbox = await openSandbox({ catalogueSize: 500 });
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
	const sandbox = await openRichSandbox();
	const userFolder = sessionFolder(`e2e-${release.version}`);
	const { program, server, n8n } = await openN8n({
		release,
		userFolder,
		install: installByHand,
		// The more n8n logs, the more the search for secrets in its log is worth.
		logLevel: 'debug',
		credentials: credentialsFor(sandbox),
		settings: { ...settings, NODE_EXTRA_CA_CERTS: CERTIFICATE_FILE },
		say,
	});
	const close = async () => {
		await server.stop();
		await sandbox.close();
	};
	return { sandbox, n8n, started: { program, server, userFolder }, close };
}

/** Works with an n8n that is already there. Its own installation of the package is what is tried. */
export async function joinSession(running: RunningN8n): Promise<E2eSession> {
	const sandbox = await openRichSandbox();
	const n8n = await signInTo(running, credentialsFor(sandbox));
	return { sandbox, n8n, started: undefined, close: async () => await sandbox.close() };
}
