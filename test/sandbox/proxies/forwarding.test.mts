import { request } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { buildCatalogue } from '../../../sandbox/catalogue/openProxies.mts';
import { OWN_PORTS, Places } from '../../../sandbox/catalogue/places.mts';
import { closeListener, listen } from '../../../sandbox/forwarding/listeners.mts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/sandbox.mts';
import { until } from '../../engine/support/until.mts';
import { call } from '../client.mts';
import { open, type ProxyAddress } from './proxyClient.mts';

describe('where there is no other loopback address than 127.0.0.1', () => {
	const places = () => new Places('own ports', Math.random);

	it('each proxy has a port of its own', () => {
		const catalogue = buildCatalogue(OWN_PORTS, places(), Math.random);
		expect(new Set(catalogue.map(({ address }) => address))).toEqual(new Set(['127.0.0.1']));
		const ports = new Set(catalogue.map(({ port }) => port));
		expect(ports.size).toBe(OWN_PORTS);
		expect(Math.min(...ports)).toBeGreaterThan(1023);
		expect(Math.max(...ports)).toBeLessThan(32_768);
	});

	it('proxies of orders use the ports that the catalogue left, again when they run out', () => {
		const own = places();
		const kept = buildCatalogue(OWN_PORTS - 2, own, Math.random).map(({ port }) => port);
		const [first, second, again] = [1, 2, 3].map(() => own.next(() => 15_818).port);
		expect([...kept, first, second]).toHaveLength(new Set([...kept, first, second]).size);
		expect(again).toBe(first);
	});

	it('no port is left for them when the catalogue has all', () => {
		const own = places();
		buildCatalogue(OWN_PORTS, own, Math.random);
		expect(() => own.next(() => 15_818)).toThrow('at most');
	});
});

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

	it('closes the listener that was handed out longest ago', async () => {
		await start({ maxOpenProxies: 3, seed: 11 });
		const [first] = await extract(1);
		const later = await extract(3);
		const url = `${sandbox.controlUrl}/ip`;
		if (!first) throw new Error('No proxy was handed out');
		await expect(open(first, url)).rejects.toThrow('ECONNREFUSED');
		for (const place of later) expect((await open(place, url)).status).toBe(200);
	});

	it('hands out another address when something else has taken one', async () => {
		await start({ catalogueSize: 8, seed: 5 });
		const taken = sandbox.catalogue.slice(0, 6);
		const others = await Promise.all(
			taken.map(async ({ address, port }) => await listen(address, port, () => {})),
		);
		const free = await extract(8);
		await Promise.all(others.map(async (other) => other && (await closeListener(other))));
		expect(free.map(({ host, port }) => `${host}:${port}`).toSorted()).toEqual(
			sandbox.catalogue
				.slice(6)
				.map(({ address, port }) => `${address}:${port}`)
				.toSorted(),
		);
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
