import { join } from 'node:path';
import { isShuttingDown } from '../scripts/shutdown.mjs';
import type { ExampleName } from './examples.mts';
import { DEMO_OWNER } from '../harness/realN8n/owner.mts';
import { cacheFolder, isPortFree } from '../harness/realN8n/index.mts';
import { lastLines } from '../harness/realN8n/server.mts';
import { openSession } from './session.mts';

const USUAL_PORT = 5678;

/** Shows the package in n8n's editor until the person has seen enough. */
export async function showDemo(port: number = USUAL_PORT): Promise<void> {
	if (!(await isPortFree(port))) {
		throw new Error(
			`Port ${port} is taken by another program. Choose another one: npm run demo -- --port ${port + 1}`,
		);
	}
	const { sandbox, server, exampleIds } = await openSession({
		userFolder: join(cacheFolder(), `demo-${port}`),
		port,
		logLevel: 'info',
		say: console.log,
	});
	const addressOf = (example: ExampleName) => `${server.url}/workflow/${exampleIds.get(example)}`;
	console.log(`
n8n is ready.

  Email      ${DEMO_OWNER.email}
  Password   ${DEMO_OWNER.password}

Sign in, open a workflow and press "Execute workflow".

  Extract and use proxies    ${addressOf('extract-and-use-proxies')}

20 proxies come out of the Kuaidaili node, one item each, and HTTP Request asks a page through
each of them. The page answers with the address that it was asked from: compare it with "host"
of the item.

  Order a tunnel proxy       ${addressOf('order-a-tunnel-proxy')}

Each run places one order and pays for it. The number of the order comes out; what was paid is
in the log of the sandbox:  ${sandbox.controlUrl}/log

  Renew every morning        ${addressOf('renew-every-morning')}

The other examples are in the list of workflows: ${server.url}/home/workflows

The service is played by the sandbox on this machine: no real money is spent.
Press Ctrl+C to stop.`);

	await server.ended;
	if (isShuttingDown()) return;
	throw new Error(`n8n has ended by itself. Its last lines:\n${lastLines(server.log())}`);
}
