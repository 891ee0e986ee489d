import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { CERTIFICATE, KEY } from '../sandbox/pages/certificate.mts';

export interface HttpsTarget {
	/** `https://127.0.0.1:PORT` */
	url: string;
	/** How many requests it has answered. */
	requests: number;
	close(): Promise<void>;
}

/**
 * A page over https that tells every visitor where they seem to come from, whatever its path:
 * `{"address": …, "port": …}`, like the page `/ip` of the sandbox over http.
 */
export async function startHttpsTarget(): Promise<HttpsTarget> {
	const server = createServer({ cert: CERTIFICATE, key: KEY }, ({ socket }, response) => {
		target.requests += 1;
		response.setHeader('content-type', 'application/json');
		response.end(JSON.stringify({ address: socket.remoteAddress, port: socket.remotePort }));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const target = {
		url: `https://127.0.0.1:${portOf(server.address())}`,
		requests: 0,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
	return target;
}

function portOf(address: string | AddressInfo | null): number {
	if (typeof address !== 'object' || address === null) throw new Error('It does not listen');
	return address.port;
}
