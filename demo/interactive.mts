import { join } from 'node:path';
import { isShuttingDown } from '../scripts/shutdown.mjs';
import type { ExampleName } from './examples.mts';
import { credentialInWords } from '../harness/credentials.mts';
import { DEMO_OWNER } from '../harness/realN8n/owner.mts';
import { cacheFolder, isPortFree } from '../harness/realN8n/index.mts';
import { lastLines } from '../harness/realN8n/server.mts';
import { newDedicatedProxyOrder, newTunnelProxyOrder, type Sandbox } from '../sandbox/sandbox.mts';
import { openSession, ROWS_TABLE } from './session.mts';

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
		dryRun: true,
		say: console.log,
	});
	addOrdersThatAreDue(sandbox);
	const addressOf = (example: ExampleName) => `${server.url}/workflow/${exampleIds.get(example)}`;
	console.log(`
n8n is ready: ${server.url}   Email ${DEMO_OWNER.email}   Password ${DEMO_OWNER.password}

Sign in, open a workflow, and click "Execute workflow":

  Scrape pages          ${addressOf('scrape-pages-through-private-proxies')}   the data table ${ROWS_TABLE} takes its rows
  Crawl a list          ${addressOf('crawl-a-list')}
  Check my setup        ${addressOf('check-my-setup')}
  Renew every morning   ${addressOf('renew-every-morning')}   three orders are due; dryRun is on
  Order a tunnel        ${addressOf('order-a-tunnel-proxy')}   places and pays an order
  What was spent        ${addressOf('what-was-spent')}
  Ask an AI agent       ${addressOf('ask-an-ai-agent')}   its model is a stand-in, no AI

Pages to try yourself (shop, API, article, failures): ${inputs.siteUrl}
Payments and requests: ${sandbox.controlUrl}/log        n8n's own log: ${logFile}

Credentials are there. To make one of your own, choose "Kuaidaili API":

${credentialInWords(sandbox)}

All of it is simulated on this machine, and the proxies lead to these pages only. Ctrl+C stops it.`);

	await server.ended;
	if (isShuttingDown()) return;
	throw new Error(`n8n stopped unexpectedly. Its last lines:\n${lastLines(server.log())}`);
}
