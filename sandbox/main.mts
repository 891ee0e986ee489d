import { parseArgs } from 'node:util';
import { yuan } from './accounts/account.mts';
import { table } from './control/timeline.mts';
import type { PagePorts } from './pages/pages.mts';
import { startSandbox, type Sandbox, type SandboxOptions } from './sandbox.mts';

const USAGE =
	'Usage: tsx sandbox/main.mts [--port-base 8711] [--catalogue-size 5000] [--no-rate-limits] [--ignore-inapplicable]';

/** From the first one. */
const LAST_PORT = 9;

function fail(message: string): never {
	console.error(message);
	process.exit(1);
}

function readOptions(): { portBase: number; options: SandboxOptions; pagePorts: PagePorts } {
	const { values } = parseArgs({
		options: {
			'port-base': { type: 'string', default: '8711' },
			'catalogue-size': { type: 'string', default: '5000' },
			'no-rate-limits': { type: 'boolean', default: false },
			'ignore-inapplicable': { type: 'boolean', default: false },
		},
	});
	const portBase = wholeNumber('--port-base', values['port-base'], {
		least: 0,
		most: 65_535 - LAST_PORT,
	});
	// Any free ones with 0
	const port = (place: number) => portBase && portBase + place;
	return {
		portBase,
		pagePorts: { http: port(8), https: port(LAST_PORT) },
		options: {
			ports: {
				base: port(0),
				dps: port(1),
				svip: port(2),
				auth: port(3),
				control: port(4),
				kps: port(5),
				tps: port(6),
				fps: port(7),
			},
			catalogueSize: wholeNumber('--catalogue-size', values['catalogue-size'], {
				least: 1,
				most: 1_000_000,
			}),
			rateLimits: !values['no-rate-limits'],
			inapplicableParameters: values['ignore-inapplicable'] ? 'ignore' : 'refuse',
		},
	};
}

function wholeNumber(
	name: string,
	text: string,
	{ least, most }: { least: number; most: number },
): number {
	const value = Number(text);
	if (!Number.isInteger(value) || value < least || value > most) {
		throw new RangeError(`${name} must be a whole number from ${least} to ${most}, not "${text}"`);
	}
	return value;
}

function describe(
	{ hosts, controlUrl, keys, store, catalogue, addressPlan }: Sandbox,
	pages: { http: string; https: string },
): string {
	const { balanceInFen } = store.account(keys.account.secretId);
	const places =
		addressPlan === 'own addresses'
			? 'each with its own loopback address'
			: 'all on 127.0.0.1 with different ports, because this machine has no other loopback address';
	return `Sandbox: a local simulation of the Kuaidaili API. No real service, no real money.
Accounts, orders, and prices are made up, and so are the region, anonymity, carrier, and speed of
the ${catalogue.length} proxies. The proxies themselves are real forward proxies to loopback targets,
${places}.

${table([
	['Base URL', hosts.baseUrl],
	['Private Proxy URL', hosts.dpsUrl],
	['SVIP URL', hosts.svipUrl],
	['Token URL', hosts.authUrl],
	['Dedicated Proxy URL', hosts.kpsUrl],
	['Tunnel Proxy URL', hosts.tpsUrl],
	['Overseas Proxy URL', hosts.fpsUrl],
	['Pages', `${pages.http} and ${pages.https}, to visit through the proxies`],
	['Control', `${controlUrl} (/log: what was asked, paid, and handed out; /ip: your address)`],
])}

${table([
	['', 'SecretId', 'SecretKey'],
	...Object.entries(keys).map(([name, { secretId, secretKey }]) => [name, secretId, secretKey]),
])}

Orders and renewals are paid from the account balance of ${yuan(balanceInFen)} yuan.

Press Ctrl+C to stop.`;
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

function isPortInUse(error: unknown): boolean {
	return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

let start: ReturnType<typeof readOptions>;
try {
	start = readOptions();
} catch (error) {
	fail(`${messageOf(error)}\n${USAGE}`);
}

let sandbox: Sandbox | undefined;
let pages: Awaited<ReturnType<Sandbox['pages']['open']>>;
try {
	sandbox = await startSandbox(start.options);
	pages = await sandbox.pages.open(start.pagePorts);
} catch (error) {
	await sandbox?.close();
	const { portBase } = start;
	if (!isPortInUse(error)) throw error;
	fail(
		`A port from ${portBase} to ${portBase + LAST_PORT} is in use. Stop the program that uses it, or choose other ports with --port-base.`,
	);
}

console.log(describe(sandbox, pages));

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
	process.once(signal, () => void sandbox.close());
}
