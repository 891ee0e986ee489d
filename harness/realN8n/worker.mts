import type { N8nPlace } from './environment.mts';
import { freePort } from './ports.mts';
import type { N8nProgram } from './program.mts';
import { HEALTH_PATH, startServer, type N8nServer } from './server.mts';

/**
 * Starts a worker of n8n's queue mode next to a main that is in that mode itself, and waits until it
 * takes executions.
 *
 * @param main whose database, key and settings it shares
 * @param concurrency how many executions it runs at a time
 */
export async function startWorker(
	program: N8nProgram,
	main: N8nPlace,
	concurrency: number,
): Promise<N8nServer> {
	const port = await freePort();
	const place: N8nPlace = {
		...main,
		port,
		brokerPort: await freePort(),
		settings: {
			...main.settings,
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			QUEUE_HEALTH_CHECK_PORT: String(port),
			N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
			// As in a container of its own: whoever starts with the log of another one ends what that one runs
			N8N_EVENTBUS_LOGWRITER_LOGBASENAME: `eventLog-${port}`,
		},
	};
	// It has no editor that could answer
	const args = ['worker', `--concurrency=${concurrency}`];
	return await startServer(program, place, { args, readyPaths: [HEALTH_PATH] });
}
