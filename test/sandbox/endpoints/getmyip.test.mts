import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.mts';
import { call } from '../client.mts';

const PATH = '/api/getmyip';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startSandbox({ rateLimits: false, forwardProxies: false, catalogueSize: 10 });
});

afterEach(() => sandbox.close());

async function myIp(): Promise<unknown> {
	return (await call(sandbox.hosts.baseUrl, PATH, sandbox.keys.account)).json;
}

it('says where the call came from', async () => {
	expect(await myIp()).toEqual({ code: 0, msg: '', data: { ip: '127.0.0.1' } });
});

it('says what a test wants it to say', async () => {
	sandbox.settings.clientAddress = '192.0.2.8';
	expect(await myIp()).toMatchObject({ data: { ip: '192.0.2.8' } });
	sandbox.settings.clientAddress = undefined;
	expect(await myIp()).toMatchObject({ data: { ip: '127.0.0.1' } });
});

it('and then the API whitelist of the account sees the same address', async () => {
	sandbox.settings.clientAddress = '192.0.2.8';
	sandbox.store.account(sandbox.keys.account.secretId).apiWhitelist = ['127.0.0.1'];
	expect(await myIp()).toMatchObject({ code: -108 });
	sandbox.settings.clientAddress = '127.0.0.1';
	expect(await myIp()).toMatchObject({ code: 0 });
});
