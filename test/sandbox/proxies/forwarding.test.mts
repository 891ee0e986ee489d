import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.mts';
import { call } from '../client.mts';
import { open } from './proxyClient.mts';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ rateLimits: false });
});

afterAll(() => sandbox.close());

it('a proxy goes nowhere but to loopback', async () => {
	const { hosts, keys, pages } = sandbox;
	const { text } = await call(hosts.svipUrl, '/api/getproxy', keys.opsSvip, { num: '1' });
	const [host = '', proxyPort] = text.split(':');
	const place = { host, port: Number(proxyPort) };
	for (const target of ['192.0.2.1', 'example.com', '0.0.0.0', '127.evil.example', '[::1]']) {
		expect((await open(place, `http://${target}/`)).status).toBe(403);
		expect((await open(place, `https://${target}:80/`)).status).toBe(403);
	}
	const { port } = new URL((await pages.open()).http);
	expect((await open(place, `http://localhost:${port}/ip`)).status).toBe(200);
});
