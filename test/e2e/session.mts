import { demoCredentials } from '../../harness/credentials.mts';
import { CERTIFICATE_FILE } from '../../sandbox/pages/certificate.mts';
import {
	installByHand,
	openN8n,
	openSandbox,
	sessionFolder,
	type N8nRelease,
	type N8nSession,
	type OpenN8n,
} from '../../harness/realN8n/index.mts';
import { credentialsOfAllKeys } from './keys.mts';

const ENOUGH_IN_FEN = 1_000_000_00;

/** An n8n with the package in it, and a sandbox that it works with. */
export interface E2eSession extends N8nSession {
	readonly program: OpenN8n['program'];
	close(): Promise<void>;
}

/** @param settings further environment variables of n8n */
export async function openSession(
	release: N8nRelease,
	settings: Readonly<Record<string, string>>,
	say: (line: string) => void,
): Promise<E2eSession> {
	const sandbox = await openSandbox({ catalogueSize: 500 });
	sandbox.store.account(sandbox.keys.account.secretId).balanceInFen = ENOUGH_IN_FEN;
	const userFolder = sessionFolder(`e2e-${release.version}`);
	const { program, server, n8n } = await openN8n({
		release,
		userFolder,
		install: installByHand,
		// The more n8n logs, the more the search for secrets in its log is worth.
		logLevel: 'debug',
		credentials: [...demoCredentials(sandbox), ...credentialsOfAllKeys(sandbox)],
		settings: { ...settings, NODE_EXTRA_CA_CERTS: CERTIFICATE_FILE },
		say,
	});
	const close = async () => {
		await server.stop();
		await sandbox.close();
	};
	return { sandbox, n8n, program, server, userFolder, close };
}
