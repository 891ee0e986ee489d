import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentialData } from '../../harness/credentials.mts';
import {
	freePort,
	openN8n,
	type CredentialToTest,
	type OpenN8n,
} from '../../harness/realN8n/index.mts';
import { startSandbox, type KeyPair, type Sandbox } from '../../sandbox/sandbox.mts';
import { onShutdown } from '../../scripts/shutdown.mjs';

/** Much shorter than the hour of the real service, so that a token ends while others wait for it. */
export const TOKEN_LIFE_S = 30;

/**
 * Sandbox and n8n share the processors with whatever else runs: so much later than it came a request
 * may be noticed, and the next one then seems too early. Over a longer time nothing is forgiven.
 */
const NOTICED_LATE_MS = 50;

const A_LOT = 10_000_000_00;

/** All with tokens: three key pairs, each with a token of its own. */
export const CREDENTIALS = {
	account: { id: 'kdlSoakAccount00', name: 'Soak account (token)' },
	openProxies: { id: 'kdlSoakOpenProxy', name: 'Soak open proxies (token)' },
	tunnel: { id: 'kdlSoakTunnel000', name: 'Soak tunnel (token)' },
} as const;

export interface SoakSession extends OpenN8n {
	readonly sandbox: Sandbox;
	/** Where the memory of n8n is told. */
	readonly probeUrl: string;
}

function credential(
	{ hosts }: Sandbox,
	{ id, name }: { readonly id: string; readonly name: string },
	keys: KeyPair,
	keyType: 'account' | 'order',
): CredentialToTest {
	return { id, name, type: 'kuaidailiApi', data: credentialData(hosts, keys, keyType, 'token') };
}

/** A real n8n with the packed package, whose memory can be asked for, and the sandbox. */
export async function openSession(say: (line: string) => void): Promise<SoakSession> {
	const sandbox = await startSandbox({
		tokenLifeSeconds: TOKEN_LIFE_S,
		rateLimits: { toleranceMs: NOTICED_LATE_MS },
		catalogueSize: 500,
		forwardProxies: false,
	});
	onShutdown(() => sandbox.close());
	const { keys, store } = sandbox;
	store.account(keys.account.secretId).balanceInFen = A_LOT;

	const probePort = await freePort();
	const preloaded = ['../../harness/realN8n/endWithParent.mjs', 'memoryProbe.mjs'].map(
		(file) => `--import=${new URL(file, import.meta.url).href}`,
	);
	const open = await openN8n({
		userFolder: join(tmpdir(), `kuaidaili-soak-${process.pid}`),
		logLevel: 'info',
		credentials: [
			credential(sandbox, CREDENTIALS.account, keys.account, 'account'),
			credential(sandbox, CREDENTIALS.openProxies, keys.opsSvip, 'order'),
			credential(sandbox, CREDENTIALS.tunnel, keys.tps, 'order'),
		],
		settings: {
			NODE_OPTIONS: preloaded.join(' '),
			SOAK_PROBE_PORT: String(probePort),
			// What is asked here is whether memory grows, not how fast a database does
			EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
		},
		say,
	});
	return { ...open, sandbox, probeUrl: `http://127.0.0.1:${probePort}` };
}
