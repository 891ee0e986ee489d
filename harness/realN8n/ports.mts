import { createServer } from 'node:net';

const LOOPBACK = '127.0.0.1';

/** A port of this machine that nobody listens on. */
export async function freePort(): Promise<number> {
	const port = await listenOnce(0);
	if (port === undefined) throw new Error('This machine has no free port.');
	return port;
}

export async function isPortFree(port: number): Promise<boolean> {
	return (await listenOnce(port)) !== undefined;
}

async function listenOnce(port: number): Promise<number | undefined> {
	const server = createServer();
	return await new Promise((resolve) => {
		server.once('error', () => resolve(undefined));
		server.listen(port, LOOPBACK, () => {
			const address = server.address();
			const found = typeof address === 'object' && address ? address.port : undefined;
			server.close(() => resolve(found));
		});
	});
}
