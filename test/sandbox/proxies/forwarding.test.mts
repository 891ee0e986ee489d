import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/sandbox.mts';
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
