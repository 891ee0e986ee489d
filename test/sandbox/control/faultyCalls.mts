import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.mts';
import { call } from '../client.mts';

export const PATH = '/api/getproxy';
export const EXPIRY = '/api/getorderexpiretime';

export let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ rateLimits: false, forwardProxies: false });
});

afterAll(() => sandbox.close());

beforeEach(() => {
	sandbox.faults.clear();
	sandbox.log.clear();
});

export function ask(path = PATH) {
	return call(sandbox.hosts.baseUrl, path, sandbox.keys.opsVip, { num: '2', format: 'json' });
}
