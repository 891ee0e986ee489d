import { newOpenProxyOrder } from '../../../sandbox/sandbox.mts';
import { call, get, signed } from '../client.mts';
import { ask, EXPIRY, PATH, sandbox } from './faultyCalls.mts';

/** An order that gets two addresses a minute and not one more: it shows whether work was done. */
function orderForOneCall(name: string) {
	const account = sandbox.store.account(sandbox.keys.account.secretId);
	return sandbox.store.addOrder(
		newOpenProxyOrder(name, account, new Date(), { plan: 'VIP', ipsPerMinute: 2 }),
	).keys;
}

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

describe('cut', () => {
	it.each([
		['before', false, undefined],
		['after', true, 0],
	] as const)('%s the work', async (when, workDone, code) => {
		sandbox.faults.add({ kind: 'cut', when, times: 1 });
		const keys = orderForOneCall(`cut-${when}`);
		const extract = () => call(sandbox.hosts.baseUrl, PATH, keys, { num: '2', format: 'json' });
		await expect(extract()).rejects.toThrow('fetch failed');
		expect(sandbox.log.last()).toMatchObject({ workDone, code, outcome: 'cut', fault: 'cut' });
		expect((await extract()).json.code).toBe(workDone ? -51 : 0);
	});
});

describe('answers of something else', () => {
	it('a status before the work, with a page of its own', async () => {
		sandbox.faults.add({ kind: 'status', status: 502, times: 1 });
		const reply = await ask();
		expect(reply.status).toBe(502);
		expect(reply.text).toContain('502 Bad Gateway');
		expect(reply.headers.get('content-type')).toContain('text/html');
		expect(sandbox.log.last()).toMatchObject({ workDone: false, status: 502, code: undefined });
	});

	it('a status after the work', async () => {
		sandbox.faults.add({ kind: 'status', status: 503, when: 'after', times: 1 });
		const keys = orderForOneCall('status-after');
		const extract = () => call(sandbox.hosts.baseUrl, PATH, keys, { num: '2' });
		expect((await extract()).status).toBe(503);
		expect(sandbox.log.last()).toMatchObject({ workDone: true, status: 503, code: 0 });
		expect((await extract()).text).toMatch(/^ERROR\(-51\)/);
	});

	it('429 with Retry-After and a given body', async () => {
		sandbox.faults.add({
			kind: 'status',
			status: 429,
			retryAfter: '2',
			body: '{"slow":"down"}',
			contentType: 'application/json',
			times: 1,
		});
		const reply = await ask();
		expect(reply.status).toBe(429);
		expect(reply.headers.get('retry-after')).toBe('2');
		expect(reply.json).toEqual({ slow: 'down' });
		sandbox.faults.add({ kind: 'status', status: 429, times: 1 });
		expect((await ask()).headers.get('retry-after')).toBeNull();
	});

	it.each(['', 'ERROR', '{"code":0}', '\u0000\uFFFD<'])('the raw body %j', async (body) => {
		sandbox.faults.add({ kind: 'raw', body, times: 1 });
		expect((await ask()).text).toBe(body);
	});
});

describe('half of the answer', () => {
	it('with a length that fits', async () => {
		sandbox.faults.add({ kind: 'halfBody', times: 1 });
		const { text } = await ask();
		expect(text).toMatch(/^\{"msg":"","code":0/);
		expect(() => JSON.parse(text)).toThrow();
		expect(sandbox.log.last()).toMatchObject({ workDone: true, code: 0, outcome: 'answered' });
	});

	it('with the full length promised', async () => {
		sandbox.faults.add({ kind: 'halfBody', promise: 'full', times: 1 });
		await expect(ask()).rejects.toThrow('terminated');
		expect(sandbox.log.last()).toMatchObject({ workDone: true, code: 0, outcome: 'cut' });
	});
});

describe('codes of the service', () => {
	it.each([-107, -109, -112, -114, -120])('%i before the work', async (code) => {
		sandbox.faults.add({ kind: 'code', code, times: 1 });
		const { json } = await ask();
		expect(json).toEqual({ code, msg: expect.stringMatching(/./), data: '' });
		expect(sandbox.log.last()).toMatchObject({ code, workDone: false, refusedByRateLimit: false });
	});

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
