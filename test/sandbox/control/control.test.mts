import { FAULT_KINDS } from '../../../sandbox/faults/readFault.mts';
import { call, get } from '../client.mts';
import { EXPIRY, sandbox, send } from './controlling.mts';

it('tells who visits', async () => {
	const { json } = await get(`${sandbox.controlUrl}/ip`);
	expect(json).toEqual({ address: '127.0.0.1', port: expect.any(Number) });
});

it('shows a page with its paths, the endpoints and the keys', async () => {
	const { text } = await get(sandbox.controlUrl);
	for (const path of [
		'/ip',
		'/log',
		'/requests',
		'/orders',
		'/accounts',
		'/ledger',
		'/extractions',
		'/faults',
		'/proxy-requests',
		'/proxy-faults',
		'/clock',
	])
		expect(text).toContain(path);
	expect(text).toContain('/api/getproxy');
	for (const { secretId, secretKey } of Object.values(sandbox.keys)) {
		expect(text).toContain(secretId);
		expect(text).toContain(secretKey);
	}
});

it('shows what was handed out', async () => {
	const { orderId, keys } = sandbox.store.order(sandbox.keys.dps.secretId);
	await call(sandbox.hosts.dpsUrl, '/api/getdps', keys, { num: '7' });
	expect(JSON.parse((await send('GET', '/extractions')).text)).toEqual([
		{
			time: expect.stringMatching(/^\d{4}-/),
			path: '/api/getdps',
			orderId,
			product: 'DPS',
			count: 7,
			usedUp: 7,
			secretId: keys.secretId,
			request: 1,
		},
	]);
	const { text } = await send('GET', '/log');
	expect(text).toMatch(
		RegExp(
			`HANDED OUT 7 of DPS order ${orderId}, 7 of what it had left +${keys.secretId} +by request 1`,
		),
	);
	await call(sandbox.hosts.kpsUrl, '/api/getkps', sandbox.keys.kps, { num: '1' });
	expect((await send('GET', '/log')).text).toMatch(
		/HANDED OUT 1 of KPS order \d+ +sandbox-order-kps-id/,
	);
});

it('shows orders with their keys, accounts, and what was paid', async () => {
	const parameters = {
		product: 'OPS',
		pay_type: 'PRE_PAY',
		'prepay.time_type': 'DAY',
		'ops.plan': '3',
	};
	const { account } = sandbox.keys;
	const { json } = await call(sandbox.hosts.baseUrl, '/api/createorder', account, parameters);
	const { orderid } = Object(json.data);
	const shown = JSON.parse((await send('GET', '/orders')).text);
	expect(shown).toHaveLength(sandbox.store.orders.length);
	const { keys } = sandbox.store.orderNumbered(orderid);
	expect(shown.at(-1)).toMatchObject({ orderId: orderid, plan: 'SVIP', keys });

	const { balanceInFen } = sandbox.store.account(account.secretId);
	const accounts = JSON.parse((await send('GET', '/accounts')).text);
	expect(accounts).toMatchObject([{ keys: account, balanceInFen }]);

	const [payment] = sandbox.ledger.entries();
	expect(JSON.parse((await send('GET', '/ledger')).text)).toEqual([
		{ ...payment, time: payment?.time.toISOString() },
	]);
});

it('switches faults on and off', async () => {
	const fault = { kind: 'status', status: 502, path: EXPIRY, times: 3 };
	expect((await send('POST', '/faults', fault)).status).toBe(200);
	expect((await call(sandbox.hosts.baseUrl, EXPIRY, sandbox.keys.opsVip)).status).toBe(502);
	expect(JSON.parse((await send('GET', '/faults')).text)).toEqual([{ ...fault, times: 2 }]);
	expect((await send('DELETE', '/faults')).status).toBe(204);
	expect((await call(sandbox.hosts.baseUrl, EXPIRY, sandbox.keys.opsVip)).status).toBe(200);
});

it('takes a list with every kind of fault', async () => {
	const faults = [
		{ kind: 'delay', ms: 5, when: 'after', host: 'svip' },
		{ kind: 'drip', ms: 5, bytes: 3 },
		{ kind: 'clockOffset', seconds: -60 },
		{ kind: 'dateOffset', seconds: 60 },
		{ kind: 'hang', when: 'after' },
		{ kind: 'cut', when: 'before', how: 'reset' },
		{ kind: 'status', status: 429, retryAfter: '1', location: '/', body: 'b', contentType: 'a/b' },
		{ kind: 'html', body: '<p>' },
		{ kind: 'raw', body: '' },
		{ kind: 'halfBody', promise: 'full' },
		{ kind: 'code', code: -109, msg: 'x' },
		{ kind: 'cache', times: 2 },
		{ kind: 'twice', answer: 'first', cutFirst: 'after', secondCode: -5, gapMs: 5 },
		{ kind: 'forgottenToken', code: -107, secretId: 'x' },
		{ kind: 'changedKeyPair', code: -102 },
	];
	expect(faults.map(({ kind }) => kind)).toEqual(FAULT_KINDS);
	expect(JSON.parse((await send('POST', '/faults', faults)).text)).toEqual(faults);
});

it.each([
	[{ kind: 'explode' }, '"explode" is not a kind of fault'],
	[{ status: 502 }, '"kind" is missing'],
	[{ kind: 'status' }, '"status" is missing'],
	[{ kind: 'status', status: '502' }, '"status" must be a number'],
	[{ kind: 'cut', when: 'never' }, '"when" must be one of: before, after'],
	[{ kind: 'cut', host: 'elsewhere' }, '"host" must be one of'],
	[{ kind: 'twice', answer: 'both' }, '"answer" must be one of: first, last'],
	[{ kind: 'forgottenToken', code: -103 }, '"code" must be one of: -104, -107, -122'],
	[{ kind: 'changedKeyPair', code: '-102' }, '"code" must be one of: -102, -104'],
	[{ kind: 'cut', time: 1 }, 'Not known here: time'],
	['cut', 'A JSON object is needed'],
	[null, 'A JSON object is needed'],
])('refuses %j', async (body, message) => {
	const reply = await send('POST', '/faults', body);
	expect(reply.status).toBe(400);
	expect(JSON.parse(reply.text).message).toContain(message);
	expect(sandbox.faults.list()).toEqual([]);
});

it('makes proxies refuse, and takes it back', async () => {
	const fault = { status: 457, orderId: '900000000000001', times: 2 };
	expect(JSON.parse((await send('POST', '/proxy-faults', fault)).text)).toEqual([fault]);
	expect(sandbox.proxyFaults.list()).toEqual([fault]);
	await send('POST', '/proxy-faults', { status: 440 });
	expect(JSON.parse((await send('GET', '/proxy-faults')).text)).toHaveLength(2);
	expect((await send('DELETE', '/proxy-faults')).status).toBe(204);
	expect(sandbox.proxyFaults.list()).toEqual([]);
});

it.each([
	[{ status: 500 }, '"status" must be one of: 407, 429, 440'],
	[{ times: 1 }, 'either a "status" or "dies"'],
	[{ dies: 'slowly' }, '"dies" must be one of: refuse, silent'],
	[{ status: 440, order: '1' }, 'Not known here: order'],
])('refuses the refusal %j', async (body, message) => {
	const reply = await send('POST', '/proxy-faults', body);
	expect(reply.status).toBe(400);
	expect(JSON.parse(reply.text).message).toContain(message);
	expect(sandbox.proxyFaults.list()).toEqual([]);
});

it('shows and forgets what came to the proxies', async () => {
	sandbox.proxyLog.add({
		...{ time: sandbox.clock.now(), proxy: '127.1.2.3:15818', method: 'CONNECT' },
		...{ target: '127.0.0.1:443', clientAddress: '127.0.0.1', username: 't1' },
		...{ orderId: undefined, refusedWith: 407, died: undefined, exit: undefined, place: {} },
	});
	expect(JSON.parse((await send('GET', '/proxy-requests')).text)).toMatchObject([
		{ proxy: '127.1.2.3:15818', username: 't1', refusedWith: 407 },
	]);
	expect((await send('DELETE', '/proxy-requests')).status).toBe(204);
	expect(sandbox.proxyLog.entries()).toEqual([]);
});

it('moves the clock', async () => {
	const set = await send('POST', '/clock', { set: '2030-01-01T00:00:00Z', advanceMs: 3_600_000 });
	const { now } = JSON.parse(set.text);
	expect(now).toMatch(/^2030-01-01T01:00:0/);
	expect(sandbox.clock.now().toISOString()).toMatch(/^2030-01-01T01:00:0/);
	expect((await send('POST', '/clock', { set: 'soon' })).status).toBe(400);
	expect((await send('POST', '/clock', { advance: 1 })).status).toBe(400);
});
