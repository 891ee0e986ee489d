import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.mts';
import { call, type Parameters } from '../client.mts';

const PATH = '/api/getproxyauthorization';

const KEYS = ['dps', 'dpsPerIp', 'kps', 'tps', 'tpsPro', 'fps', 'sfpsPackage'] as const;

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startSandbox({ rateLimits: false, forwardProxies: false, catalogueSize: 10 });
});

afterEach(() => sandbox.close());

async function ask(key: keyof Sandbox['keys'], parameters: Parameters = {}) {
	return (await call(sandbox.hosts.baseUrl, PATH, sandbox.keys[key], parameters)).json;
}

it.each(KEYS)('gives the login of the order %s', async (key) => {
	const order = sandbox.store.order(sandbox.keys[key].secretId);
	const login = { username: 'user-of-it', password: 'p:ß@%' };
	Object.assign(order, { login });
	const credentials = Buffer.from('user-of-it:p:ß@%', 'utf8').toString('base64');
	const hidden = { code: 0, msg: '', data: { type: 'Basic', credentials } };
	expect(await ask(key)).toEqual(hidden);
	expect(await ask(key, { plaintext: '0' })).toEqual(hidden);
	expect(await ask(key, { plaintext: '1' })).toEqual({
		...hidden,
		data: { type: 'Basic', credentials, ...login },
	});
});
