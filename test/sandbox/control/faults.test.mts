import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.mts';
import { call, get, signed, type Parameters } from '../client.mts';

const PATH = '/api/getproxy';
const EXPIRY = '/api/getorderexpiretime';

let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ rateLimits: false, forwardProxies: false });
});

afterAll(() => sandbox.close());

beforeEach(() => {
	sandbox.faults.clear();
	sandbox.log.clear();
});

function ask(path = PATH) {
	return call(sandbox.hosts.baseUrl, path, sandbox.keys.opsVip, { num: '2', format: 'json' });
}

/* What each fault does to a caller is tried with the node, in test/engine/calls and test/engine/purchases. */

describe('which calls are hit', () => {
	it('as many as it was switched on for', async () => {
		sandbox.faults.add({ kind: 'code', code: -109, times: 2 });
		const codes = [await ask(), await ask(), await ask()].map(({ json }) => json.code);
		expect(codes).toEqual([-109, -109, 0]);
	});

	it('those of one path and host', async () => {
		sandbox.faults.add({ kind: 'code', code: -109, path: PATH, host: 'svip' });
		expect((await ask()).json.code).toBe(0);
		expect((await ask(EXPIRY)).json.code).toBe(0);
		const { svipUrl } = sandbox.hosts;
		const reply = await call(svipUrl, PATH, sandbox.keys.opsSvip, { num: '1', format: 'json' });
		expect(reply.json.code).toBe(-109);
	});

	it('one after the other, when several decide the outcome', async () => {
		sandbox.faults.add(
			{ kind: 'status', status: 502, times: 1 },
			{ kind: 'code', code: -120, times: 1 },
		);
		expect((await ask()).status).toBe(502);
		expect((await ask()).json.code).toBe(-120);
		expect((await ask()).json.code).toBe(0);
	});

	it('lists what can still strike', async () => {
		sandbox.faults.add({ kind: 'hang', path: '/api/other' }, { kind: 'cut', times: 2 });
		await expect(ask()).rejects.toThrow();
		expect(sandbox.faults.list()).toEqual([
			{ kind: 'hang', path: '/api/other' },
			{ kind: 'cut', times: 1 },
		]);
	});
});

describe('codes of the service', () => {
	it('with words of its own, in the format of the call', async () => {
		sandbox.faults.add({ kind: 'code', code: -4, msg: '提取失败: 库存不足', times: 1 });
		const reply = await call(sandbox.hosts.baseUrl, PATH, sandbox.keys.opsVip, { num: '1' });
		expect(reply.text).toBe('ERROR(-4): 提取失败: 库存不足');
	});

	it('leave the signature used, so that sending it again is a replay', async () => {
		sandbox.faults.add({ kind: 'code', code: -120, times: 1 });
		const parameters = signed(sandbox.keys.opsVip, 'GET', EXPIRY);
		const send = async () => (await get(sandbox.hosts.baseUrl + EXPIRY, parameters)).json.code;
		expect(await send()).toBe(-120);
		expect(await send()).toBe(-114);
	});
});

const LIST = '/api/getaccountorders';

const list = async (parameters: Parameters = {}) =>
	(await call(sandbox.hosts.baseUrl, LIST, sandbox.keys.account, parameters)).json.data;

describe('A cache', () => {
	it('keeps the answers to other questions and keys apart', async () => {
		sandbox.faults.add({ kind: 'cache', path: LIST });
		const all = await list();
		expect(await list({ product: 'TPS' })).not.toEqual(all);
		sandbox.faults.clear();
		sandbox.faults.add({ kind: 'cache' });
		const [dps, kps] = [sandbox.keys.dps, sandbox.keys.kps].map((keys) =>
			call(sandbox.hosts.baseUrl, '/api/getorderinfo', keys),
		);
		expect((await dps)?.json.data).not.toEqual((await kps)?.json.data);
	});
});

it('an incident and a fault that decides the outcome can hit one call', async () => {
	const { opsVip } = sandbox.keys;
	sandbox.faults.add(
		{ kind: 'changedKeyPair', times: 1 },
		{ kind: 'cut', when: 'after', times: 1 },
	);
	const parameters = signed(opsVip, 'GET', EXPIRY);
	await expect(get(sandbox.hosts.baseUrl + EXPIRY, parameters)).rejects.toThrow('fetch failed');
	expect(sandbox.log.last()).toMatchObject({ code: -104, workDone: false, outcome: 'cut' });
});
