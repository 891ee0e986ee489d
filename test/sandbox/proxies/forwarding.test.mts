import { request } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/sandbox.mts';
import { until } from '../../engine/support/until.mts';
import { call } from '../client.mts';
import { open, type ProxyAddress } from './proxyClient.mts';

describe('forwarding', () => {
	let sandbox: Sandbox;

	async function start(options: SandboxOptions = {}): Promise<void> {
		sandbox = await startSandbox({ rateLimits: false, ...options });
	}

	afterEach(() => sandbox.close());

	async function extract(num: number): Promise<ProxyAddress[]> {
		const parameters = { num: String(num), sep: '2' };
		const host = sandbox.hosts.svipUrl;
		const { text } = await call(host, '/api/getproxy', sandbox.keys.opsSvip, parameters);
		return text.split('\n').map((entry) => {
			const [host = '', port] = entry.split(':');
			return { host, port: Number(port) };
		});
	}

	it('goes nowhere but to loopback', async () => {
		await start();
		const [place] = await extract(1);
		if (!place) throw new Error('No proxy was handed out');
		for (const host of ['192.0.2.1', 'example.com', '0.0.0.0', '127.evil.example', '[::1]']) {
			expect((await open(place, `http://${host}/`)).status).toBe(403);
			expect((await open(place, `https://${host}:80/`)).status).toBe(403);
		}
		const port = new URL(sandbox.controlUrl).port;
		expect((await open(place, `http://localhost:${port}/ip`)).status).toBe(200);
	});

	it('listens from the moment an address is handed out, and not before', async () => {
		await start();
		const [unknown] = sandbox.catalogue;
		if (!unknown) throw new Error('The catalogue is empty');
		await expect(
			open({ host: unknown.address, port: unknown.port }, `${sandbox.controlUrl}/ip`),
		).rejects.toThrow('ECONNREFUSED');
	});
});

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

it('closing the sandbox ends tunnels and requests that are under way, and leaves nothing', async () => {
	const silent = await startSilentTarget();
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
	await expect(open(tunnel.at, 'http://127.0.0.1:1/')).rejects.toThrow('ECONNREFUSED');
	await silent.close();
});
