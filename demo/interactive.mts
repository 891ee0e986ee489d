import { join } from 'node:path';
import { isShuttingDown } from '../scripts/shutdown.mjs';
import type { ExampleName } from './examples.mts';
import { credentialInWords } from '../harness/credentials.mts';
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
			`Another program is using port ${port}. Choose a different one: npm run demo -- --port ${port + 1}`,
		);
	}
	const userFolder = join(cacheFolder(), `demo-${port}`);
	const logFile = join(userFolder, 'n8n.log');
	const { sandbox, server, exampleIds, inputs } = await openSession({
		userFolder,
		port,
		logLevel: 'info',
		settings: { N8N_LOG_OUTPUT: 'console,file', N8N_LOG_FILE_LOCATION: logFile },
		say: console.log,
	});
	addOrdersThatAreDue(sandbox);
	const addressOf = (example: ExampleName) => `${server.url}/workflow/${exampleIds.get(example)}`;
	console.log(`
n8n is ready.

  Email      ${DEMO_OWNER.email}
  Password   ${DEMO_OWNER.password}

Sign in, open a workflow, and click "Execute workflow".

  Scrape pages               ${addressOf('scrape-pages-through-private-proxies')}

The Kuaidaili node opens five pages, each through a proxy of its own.

  Crawl a list               ${addressOf('crawl-a-list')}

It follows a list, its next pages, and the details: each of them becomes a row.
Pages to try yourself, among them a shop: ${inputs.siteUrl}
The proxies of the sandbox lead to these pages only.

  Order a tunnel proxy       ${addressOf('order-a-tunnel-proxy')}

Each run places one order and pays for it. The last node shows the order number and the cost.
All payments and requests are in the sandbox log: ${sandbox.controlUrl}/log
What was paid before you stopped a run is in n8n's own log: ${logFile}

  Renew every morning        ${addressOf('renew-every-morning')}

Three orders expire within three days and get renewed. A second run renews nothing.

You find the other examples in the list of workflows: ${server.url}/home/workflows

Credentials are there already. To make one of your own, choose "Kuaidaili API" and enter the key
pair of the account, or of a private proxy order, and the hosts of the sandbox:

${credentialInWords(sandbox)}

The sandbox on this machine simulates Kuaidaili, so no real money is spent.
Press Ctrl+C to stop.`);

	await server.ended;
	if (isShuttingDown()) return;
	throw new Error(`n8n stopped unexpectedly. Its last lines:\n${lastLines(server.log())}`);
}
