import { credentialData } from '../../harness/credentials.mts';
import {
	freePort,
	openN8n,
	openSandbox,
	sessionFolder,
	type CredentialToTest,
	type N8nSession,
} from '../../harness/realN8n/index.mts';
import type { KeyPair, Sandbox } from '../../sandbox/sandbox.mts';
import { addSoakKeys, ORDER_NAMES, TOKEN_LIFE_S, type KeyName, type SoakKeys } from './keys.mts';

/**
 * Sandbox and n8n share the processors with whatever else runs: so much later than it came a request
 * may be noticed, and the next one then seems too early. Over a longer time nothing is forgiven.
 */
const NOTICED_LATE_MS = 50;

/** In how many ways the proxies die that pages are opened through, and how many of them do. */
const DEATHS = [
	['refuse', 10],
	// Few proxies are used on a busy machine, and what refuses first can't die otherwise
	['reset', 17],
	['hang', 23],
] as const;

/** All with tokens, each key pair with a token of its own. */
export function credentialOf(key: KeyName): { readonly id: string; readonly name: string } {
	return { id: `kdlSoak${key}`.padEnd(24, '0'), name: `Soak ${key} (token)` };
}

export interface SoakSession extends N8nSession {
	readonly orders: SoakKeys['orders'];
	/** A site whose pages are opened, without a slash at its end. */
	readonly pages: string;
	/** Where the memory of n8n is told. */
	readonly probeUrl: string;
}

function credential(
	{ hosts }: Sandbox,
	name: KeyName,
	keys: KeyPair,
	keyType: 'account' | 'order',
): CredentialToTest {
	const data = credentialData(hosts, keys, keyType, 'token');
	return { ...credentialOf(name), type: 'kuaidailiApi', data };
}

/** A real n8n with the packed package, whose memory can be asked for, and the sandbox. */
export async function openSession(say: (line: string) => void): Promise<SoakSession> {
	const sandbox = await openSandbox({
		rateLimits: { toleranceMs: NOTICED_LATE_MS },
		catalogueSize: 500,
	});
	sandbox.tokens.lifeSeconds = TOKEN_LIFE_S;
	const { account, orders } = addSoakKeys(sandbox);
	const { http: pages } = await sandbox.pages.open();
	const { orderId } = orders.dpsPages;
	for (const [kind, everyNth] of DEATHS) sandbox.proxyFaults.add({ orderId, kind, everyNth });

	const probePort = await freePort();
	const preloaded = ['../../harness/realN8n/endWithParent.mjs', 'memoryProbe.mjs'].map(
		(file) => `--import=${new URL(file, import.meta.url).href}`,
	);
	const userFolder = sessionFolder('soak');
	const { server, n8n } = await openN8n({
		userFolder,
		logLevel: 'info',
		credentials: [
			credential(sandbox, 'account', account, 'account'),
			...ORDER_NAMES.map((name) => credential(sandbox, name, orders[name].keys, 'order')),
		],
		settings: {
			NODE_OPTIONS: preloaded.join(' '),
			SOAK_PROBE_PORT: String(probePort),
			// What is asked here is whether memory grows, not how fast a database does
			EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
		},
		say,
	});
	const probeUrl = `http://127.0.0.1:${probePort}`;
	return { server, n8n, userFolder, sandbox, orders, pages, probeUrl };
}
