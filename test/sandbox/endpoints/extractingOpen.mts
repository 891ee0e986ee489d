import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.mts';
import { call, type Parameters, type Reply } from '../client.mts';

export const PATH = '/api/getproxy';

export type KeyName = keyof Sandbox['keys'];

export let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({
		rateLimits: false,
		forwardProxies: false,
		catalogueSize: 4000,
		seed: 7,
	});
});

afterAll(() => sandbox.close());

afterEach(() => sandbox.clock.reset());

export async function ask(parameters: Parameters, key: KeyName = 'opsVip'): Promise<Reply> {
	const host = key === 'opsSvip' ? sandbox.hosts.svipUrl : sandbox.hosts.baseUrl;
	return await call(host, PATH, sandbox.keys[key], parameters, sandbox.clock.now());
}

export async function entries(parameters: Parameters, key: KeyName = 'opsVip'): Promise<string[]> {
	return (await ask(parameters, key)).text.split('\r\n');
}
