import { startHttpsTarget, type HttpsTarget } from '../../../harness/httpsTarget.mts';
import { startSandbox, type Sandbox } from '../../../sandbox/sandbox.mts';
import { call, type Parameters } from '../client.mts';
import { exitOf, open, type ProxyAddress } from './proxyClient.mts';

let sandbox: Sandbox;
let secure: HttpsTarget;

beforeAll(async () => {
	secure = await startHttpsTarget();
	sandbox = await startSandbox({ rateLimits: false, catalogueSize: 10 });
});

afterAll(async () => {
	await sandbox.close();
	await secure.close();
});

type KeyName = keyof Sandbox['keys'];

async function ask(
	host: keyof Sandbox['hosts'],
	path: string,
	key: KeyName,
	parameters: Parameters = {},
) {
	const url = sandbox.hosts[host];
	return await call(url, path, sandbox.keys[key], parameters, sandbox.clock.now());
}

async function login(key: KeyName): Promise<string> {
	const reply = await ask('baseUrl', '/api/getproxyauthorization', key, { plaintext: '1' });
	const { username, password } = Object(reply.json.data);
	return `${username}:${password}`;
}

function addressIn(entry: string): ProxyAddress {
	const [host = '', port] = entry.split(/[:,]/);
	return { host, port: Number(port) };
}

const pages = () => [`${sandbox.controlUrl}/ip`, secure.url];

it.each<[path: string, host: keyof Sandbox['hosts'], key: KeyName, parameters: Parameters]>([
	['/api/getdps', 'dpsUrl', 'dps', { num: '2', f_et: '1' }],
	['/api/getdps', 'dpsUrl', 'dpsPerIp', { num: '2' }],
	['/api/getkps', 'kpsUrl', 'kpsSeveral', { num: '5' }],
	['/api/getkps', 'kpsUrl', 'kpsDynamic', { num: '2' }],
	['/api/gettps', 'tpsUrl', 'tps', { num: '1' }],
	['/api/gettps', 'tpsUrl', 'tpsMinute', { num: '1' }],
	['/api/gettpspro', 'tpsUrl', 'tpsPro', { num: '1' }],
	['/api/getfps', 'fpsUrl', 'fps', {}],
	['/api/getfpsip', 'fpsUrl', 'fps', { num: '2', period: '1' }],
	['/api/getsfps', 'baseUrl', 'sfpsPackage', {}],
])('what %s hands out works with the login of the order (%s, %s)', async (path, host, key, own) => {
	const reply = await ask(host, path, key, { ...own, format: 'json' });
	expect(reply.json).toMatchObject({ code: 0 });
	const entries: string[] = Object(reply.json.data).proxy_list;
	expect(entries.length).toBeGreaterThan(0);
	const known = await login(key);
	for (const at of entries.map(addressIn)) {
		for (const page of pages()) {
			expect(await exitOf(at, page, { login: known })).toMatch(/^127\./);
			const { status, body } = await open(at, page);
			expect({ status, body }).toEqual({ status: 407, body: 'White IP Failed: 127.0.0.1' });
		}
	}
});

it('each of what getsfps hands out of a retail order works with its own login', async () => {
	const { text } = await ask('baseUrl', '/api/getsfps', 'sfps', { sep: '2' });
	const entries = text.split('\n');
	const logins = entries.map((entry) => entry.split(':').slice(2, 4).join(':'));
	for (const [index, entry] of entries.entries()) {
		const at = addressIn(entry);
		for (const page of pages()) {
			expect(await exitOf(at, page, { login: logins[index] })).toBe(at.host);
			const other = logins[(index + 1) % logins.length];
			expect((await open(at, page, { login: other })).status).toBe(407);
		}
	}
});

it('the exit of a dynamic dedicated proxy is the public_ip of getkpsbyid', async () => {
	const order = sandbox.store.order(sandbox.keys.kpsDynamic.secretId);
	if (order.product !== 'KPS') throw new Error('It is no dedicated proxy');
	const [id = ''] = order.machineIds;
	const { ip, port, public_ip } = Object(
		(await ask('kpsUrl', '/api/getkpsbyid', 'kpsDynamic', { f_id: id })).json.data,
	);
	const known = { login: await login('kpsDynamic') };
	for (const page of pages()) {
		expect(await exitOf({ host: ip, port: Number(port) }, page, known)).toBe(public_ip);
	}
});

it.each<[path: string, host: keyof Sandbox['hosts'], key: KeyName, parameters: Parameters]>([
	['/api/getdps', 'dpsUrl', 'dps', { num: '1', f_et: '1' }],
	['/api/getfpsip', 'fpsUrl', 'fps', { num: '1', period: '1' }],
])('what %s hands out ends with 454', async (path, host, key, own) => {
	const { json } = await ask(host, path, key, { ...own, format: 'json' });
	const [entry = ''] = Object(json.data).proxy_list;
	const seconds = Number(entry.split(',')[1] ?? 60);
	const known = { login: await login(key) };
	sandbox.clock.advance((seconds - 5) * 1000);
	for (const page of pages()) expect((await open(addressIn(entry), page, known)).status).toBe(200);
	sandbox.clock.advance(6000);
	for (const page of pages()) {
		expect(await open(addressIn(entry), page, known)).toMatchObject({
			status: 454,
			body: 'Proxy Authentication Expired',
		});
	}
});

it('all of an order let a client on its whitelist pass, a minute after it was added', async () => {
	await ask('baseUrl', '/api/addwhiteip', 'kpsSeveral');
	const { json } = await ask('kpsUrl', '/api/getkps', 'kpsSeveral', { num: '5', format: 'json' });
	const entries: string[] = Object(json.data).proxy_list;
	const statuses = async () =>
		await Promise.all(
			entries.flatMap((entry) =>
				pages().map(async (page) => (await open(addressIn(entry), page)).status),
			),
		);
	expect(new Set(await statuses())).toEqual(new Set([407]));
	sandbox.clock.advance(60_000);
	expect(new Set(await statuses())).toEqual(new Set([200]));
});
