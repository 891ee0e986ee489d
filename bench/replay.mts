import { createServer } from 'node:http';
import { onShutdown } from '../scripts/shutdown.mjs';

export interface Replay {
	readonly url: string;
	/** How many requests were answered. */
	readonly requests: () => number;
}

/**
 * Gives the same answer to every request: an answer of the sandbox, without the work of making it, so
 * that a comparison shows what the callers do.
 */
export async function replay(answer: string): Promise<Replay> {
	const body = Buffer.from(answer);
	let requests = 0;
	const server = createServer((_request, response) => {
		requests += 1;
		response.writeHead(200, {
			'content-type': 'application/json; charset=utf-8',
			'content-length': body.length,
		});
		response.end(body);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	onShutdown(async () => {
		server.closeAllConnections();
		server.close();
	});
	const address = server.address();
	if (typeof address !== 'object' || address === null) throw new Error('No port is free');
	return { url: `http://127.0.0.1:${address.port}`, requests: () => requests };
}
