import { join } from 'node:path';
import { isShuttingDown } from '../scripts/shutdown.mjs';
import type { ExampleName } from './examples.mts';
import { DEMO_OWNER } from '../harness/realN8n/owner.mts';
import { cacheFolder, isPortFree } from '../harness/realN8n/index.mts';
import { lastLines } from '../harness/realN8n/server.mts';
import { newDedicatedProxyOrder, newTunnelProxyOrder, type Sandbox } from '../sandbox/sandbox.mts';
import { openSession } from './session.mts';

const USUAL_PORT = 5678;
const HOUR_MS = 3_600_000;

/** So that "Renew every morning" has something to renew. */
function addOrdersThatAreDue({ store, keys, clock }: Sandbox): void {
	const account = store.account(keys.account.secretId);
	const dueIn = (hours: number) => ({
		expiresAt: new Date(clock.milliseconds() + hours * HOUR_MS),
	});
	store.addOrder(newDedicatedProxyOrder('demo-due-1', account, clock.now(), dueIn(10)));
	store.addOrder(newTunnelProxyOrder('demo-due-2', account, clock.now(), dueIn(30)));
	store.addOrder(newDedicatedProxyOrder('demo-due-3', account, clock.now(), dueIn(60)));
}

/** Shows the package in n8n's editor until the person has seen enough. */
export async function showDemo(port: number = USUAL_PORT): Promise<void> {
	if (!(await isPortFree(port))) {
		throw new Error(
			`Port ${port} is taken by another program. Choose another one: npm run demo -- --port ${port + 1}`,
		);
	}
	const { sandbox, server, exampleIds, addresses } = await openSession({
		userFolder: join(cacheFolder(), `demo-${port}`),
		port,
		logLevel: 'info',
		say: console.log,
	});
	addOrdersThatAreDue(sandbox);
	const addressOf = (example: ExampleName) => `${server.url}/workflow/${exampleIds.get(example)}`;
	console.log(`
n8n is ready.

  Email      ${DEMO_OWNER.email}
  Password   ${DEMO_OWNER.password}

Sign in, open a workflow and press "Execute workflow".

  Extract and use proxies    ${addressOf('extract-and-use-proxies')}

20 proxies come out of the Kuaidaili node, one item each, and HTTP Request asks a page through
each of them. The page (${addresses.pageUrl}) answers with the address that it was asked from:
compare it with "host" of the item.

  Order a tunnel proxy       ${addressOf('order-a-tunnel-proxy')}

Each run places one order and pays for it. The number of the order comes out; what was paid is
in the log of the sandbox:  ${sandbox.controlUrl}/log

  Renew every morning        ${addressOf('renew-every-morning')}

Three orders end within three days, and are renewed. A second run renews nothing.

The other examples are in the list of workflows: ${server.url}/home/workflows

The service is played by the sandbox on this machine: no real money is spent.
Press Ctrl+C to stop.`);

	await server.ended;
	if (isShuttingDown()) return;
	throw new Error(`n8n has ended by itself. Its last lines:\n${lastLines(server.log())}`);
}
