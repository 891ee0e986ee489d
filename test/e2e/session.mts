import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoCredentials } from '../../harness/credentials.mts';
import { CERTIFICATE } from '../../sandbox/pages/certificate.mts';
import {
	installByHand,
	openN8n,
	type N8nRelease,
	type N8nServer,
	type RestClient,
} from '../../harness/realN8n/index.mts';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.mts';
import { onShutdown } from '../../scripts/shutdown.mjs';
import { credentialsOfAllKeys } from './keys.mts';

const ENOUGH_IN_FEN = 1_000_000_00;

/** One release of n8n with the package in it, and a sandbox that it works with. */
export interface E2eSession {
	readonly sandbox: Sandbox;
	readonly server: N8nServer;
	readonly n8n: RestClient;
	readonly userFolder: string;
	close(): Promise<void>;
}

export async function openSession(
	release: N8nRelease,
	say: (line: string) => void,
): Promise<E2eSession> {
	const sandbox = await startSandbox({ catalogueSize: 500 });
	onShutdown(() => sandbox.close());
	sandbox.store.account(sandbox.keys.account.secretId).balanceInFen = ENOUGH_IN_FEN;
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
		credentials: [...demoCredentials(sandbox), ...credentialsOfAllKeys(sandbox)],
		settings: { NODE_EXTRA_CA_CERTS: trusted },
		say,
	});
	const close = async () => {
		await server.stop();
		await sandbox.close();
	};
	return { sandbox, server, n8n, userFolder, close };
}
