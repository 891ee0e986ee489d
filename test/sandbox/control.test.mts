import { FAULT_KINDS } from '../../sandbox/faults/readFault.mts';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.mts';
import { call, get } from './client.mts';

const EXPIRY = '/api/getorderexpiretime';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startSandbox({ rateLimits: false, forwardProxies: false });
});

afterEach(() => sandbox.close());

async function send(method: string, path: string, body?: unknown) {
	const response = await fetch(sandbox.controlUrl + path, {
		method,
		headers: body === undefined ? {} : { 'content-type': 'application/json' },
		body: body === undefined ? undefined : JSON.stringify(body),
	});
	return { status: response.status, text: await response.text() };
}

it('tells who visits', async () => {
	const { json } = await get(`${sandbox.controlUrl}/ip`);
	expect(json).toEqual({ address: '127.0.0.1', port: expect.any(Number) });
});

it('shows a page with its paths, the endpoints and the keys', async () => {
	const { text } = await get(sandbox.controlUrl);
	for (const path of ['/ip', '/requests', '/orders', '/accounts', '/ledger', '/faults', '/clock'])
		expect(text).toContain(path);
	expect(text).toContain('/api/getproxy');
	for (const { secretId, secretKey } of Object.values(sandbox.keys)) {
		expect(text).toContain(secretId);
		expect(text).toContain(secretKey);
	}
});

it('shows and forgets the requests', async () => {
	await call(sandbox.hosts.baseUrl, EXPIRY, sandbox.keys.opsVip);
	expect(JSON.parse((await send('GET', '/requests')).text)).toMatchObject([
		{
			host: 'base',
			method: 'GET',
			path: EXPIRY,
			parameters: { secret_id: sandbox.keys.opsVip.secretId },
			code: 0,
			workDone: true,
			refusedByRateLimit: false,
		},
	]);
	expect((await send('DELETE', '/requests')).status).toBe(204);
	expect(sandbox.log.count()).toBe(0);
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
		{ kind: 'hang', when: 'after' },
		{ kind: 'cut', when: 'before', how: 'reset' },
		{ kind: 'status', status: 429, retryAfter: '1', location: '/', body: 'b', contentType: 'a/b' },
		{ kind: 'html', body: '<p>' },
		{ kind: 'raw', body: '' },
		{ kind: 'halfBody', promise: 'full' },
		{ kind: 'code', code: -109, msg: 'x' },
		{ kind: 'twice', answer: 'first', cutFirst: 'after', gapMs: 5 },
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

it('moves the clock', async () => {
	const set = await send('POST', '/clock', { set: '2030-01-01T00:00:00Z', advanceMs: 3_600_000 });
	const { now } = JSON.parse(set.text);
	expect(now).toMatch(/^2030-01-01T01:00:0/);
	expect(sandbox.clock.now().toISOString()).toMatch(/^2030-01-01T01:00:0/);
	expect((await send('POST', '/clock', { set: 'soon' })).status).toBe(400);
	expect((await send('POST', '/clock', { advance: 1 })).status).toBe(400);
});
