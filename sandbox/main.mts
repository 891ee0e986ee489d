import { endMisused, readCommandLine, wholeNumber } from '../scripts/commandLine.mts';
import { yuan } from './accounts/account.mts';
import { table } from './control/timeline.mts';
import { startSandbox, type Sandbox } from './sandbox.mts';

/** From the first one. */
const LAST_PORT = 9;

const usage = `Usage: npm run sandbox [-- options]

  --port-base <n>        the first of ten ports (8711 if not given); any free ones with 0
  --ignore-inapplicable  parameters without effect are ignored, not refused, as the service does
  --help                 show this`;

const values = readCommandLine(usage, {
	'port-base': { type: 'string', default: '8711' },
	'ignore-inapplicable': { type: 'boolean', default: false },
});
const portBase = wholeNumber(usage, values['port-base'], { least: 0, most: 65_535 - LAST_PORT });
const port = (place: number) => portBase && portBase + place;

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
	['Control', `${controlUrl} (/log: what was asked, paid, and handed out)`],
])}

${table([
	['', 'SecretId', 'SecretKey'],
	...Object.entries(keys).map(([name, { secretId, secretKey }]) => [name, secretId, secretKey]),
])}

Orders and renewals are paid from the account balance of ${yuan(balanceInFen)} yuan.

Press Ctrl+C to stop.`;
}

function isPortInUse(error: unknown): boolean {
	return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

let sandbox: Sandbox | undefined;
let pages: Awaited<ReturnType<Sandbox['pages']['open']>>;
try {
	sandbox = await startSandbox({
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
		inapplicableParameters: values['ignore-inapplicable'] ? 'ignore' : 'refuse',
	});
	pages = await sandbox.pages.open({ http: port(8), https: port(LAST_PORT) });
} catch (error) {
	await sandbox?.close();
	if (!isPortInUse(error)) throw error;
	endMisused(usage, `A port from ${portBase} to ${portBase + LAST_PORT} is in use.`);
}

console.log(describe(sandbox, pages));

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
	process.once(signal, () => void sandbox.close());
}
