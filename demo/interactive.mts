import { join } from 'node:path';
import { isShuttingDown } from '../scripts/shutdown.mjs';
import { DEMO_OWNER } from './owner.mts';
import { cacheFolder, isPortFree } from './realN8n/index.mts';
import { lastLines } from './realN8n/server.mts';
import { openSession } from './session.mts';

const USUAL_PORT = 5678;

/** Shows the package in n8n's editor until the person has seen enough. */
export async function showDemo(port: number = USUAL_PORT): Promise<void> {
	if (!(await isPortFree(port))) {
		throw new Error(
			`Port ${port} is taken by another program. Choose another one: npm run demo -- --port ${port + 1}`,
		);
	}
	const { server, exampleIds } = await openSession({
		userFolder: join(cacheFolder(), `demo-${port}`),
		port,
		logLevel: 'info',
		say: console.log,
	});
	const first = [...exampleIds.values()][0] ?? '';
	console.log(`
n8n is ready.

  Open       ${server.url}/workflow/${first}
  Email      ${DEMO_OWNER.email}
  Password   ${DEMO_OWNER.password}

Sign in and press "Execute workflow". 20 proxies come out of the Kuaidaili node, one item
each, and HTTP Request asks a page through each of them. The page answers with the address
that it was asked from: compare it with "host" of the item.

The service is played by the sandbox on this machine: nothing is ordered or paid.
Press Ctrl+C to stop.`);

	await server.ended;
	if (isShuttingDown()) return;
	throw new Error(`n8n has ended by itself. Its last lines:\n${lastLines(server.log())}`);
}
