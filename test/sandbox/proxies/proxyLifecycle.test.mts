import { request } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.mts';
import { open, type ProxyAddress } from './proxyClient.mts';

/** A target that takes connections and says nothing. */
async function startSilentTarget() {
	const sockets = new Set<Socket>();
	const server: Server = createServer((socket) => {
		sockets.add(socket);
		// What is not read hides the end of the connection.
		socket.resume().on('error', () => {});
		socket.on('close', () => sockets.delete(socket));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return { port, sockets, close: () => new Promise((resolve) => server.close(resolve)) };
}

/** The entrance of a tunnel without a period, and the login to it. */
function tunnelOf(sandbox: Sandbox): { at: ProxyAddress; login: string } {
	const order = sandbox.store.order(sandbox.keys.tps.secretId);
	if (order.product !== 'TPS') throw new Error('It is no tunnel');
	const { host, httpPort } = order.entrance;
	const { username, password } = order.login;
	return { at: { host, port: Number(httpPort) }, login: `${username}:${password}` };
}

function openTunnel({ at, login }: ReturnType<typeof tunnelOf>, target: string): Promise<Socket> {
	return new Promise((resolve, reject) => {
		const headers = { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
		request({ ...at, method: 'CONNECT', path: target, headers, agent: false })
			.on('connect', (_response, socket: Socket) => resolve(socket.on('error', () => {})))
			.on('error', reject)
			.end();
	});
}

async function until(isSo: () => boolean): Promise<void> {
	for (let tries = 0; tries < 200 && !isSo(); tries += 1) await sleep(10);
	expect(isSo()).toBe(true);
}

it('closing the sandbox ends tunnels and requests that are under way, and leaves nothing', async () => {
	const silent = await startSilentTarget();
	const before = process.getActiveResourcesInfo().filter((name) => name !== 'Timeout').length;
	const sandbox = await startSandbox({ rateLimits: false, catalogueSize: 10 });
	const tunnel = tunnelOf(sandbox);
	const idle = await openTunnel(tunnel, `127.0.0.1:${silent.port}`);
	const ended = new Promise((resolve) => idle.resume().on('close', resolve));
	const page = open(tunnel.at, `http://127.0.0.1:${silent.port}/`, { login: tunnel.login });
	const failed = expect(page).rejects.toThrow();
	await until(() => silent.sockets.size === 2);

	await sandbox.close();
	await Promise.all([ended, failed]);
	await until(() => silent.sockets.size === 0);
	await sleep(50);
	const after = process.getActiveResourcesInfo().filter((name) => name !== 'Timeout').length;
	expect(after).toBeLessThanOrEqual(before);
	await silent.close();
});

it('a client that leaves takes its connection to the target along', async () => {
	const silent = await startSilentTarget();
	const sandbox = await startSandbox({ rateLimits: false, catalogueSize: 10 });
	const tunnel = tunnelOf(sandbox);
	const client = await openTunnel(tunnel, `127.0.0.1:${silent.port}`);
	const page = request({
		...tunnel.at,
		path: `http://127.0.0.1:${silent.port}/`,
		headers: { 'proxy-authorization': `Basic ${Buffer.from(tunnel.login).toString('base64')}` },
		agent: false,
	}).on('error', () => {});
	page.end();
	await until(() => silent.sockets.size === 2);
	client.destroy();
	page.destroy();
	await until(() => silent.sockets.size === 0);
	await sandbox.close();
	await silent.close();
});
