import { FAULT_KINDS } from '../../../sandbox/faults/readFault.mts';
import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.mts';
import { call, get, post } from '../client.mts';

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
		{ kind: 'twice', answer: 'first', cutFirst: 'after', gapMs: 5 },
		{ kind: 'forgottenToken', code: -107, secretId: 'x' },
		{ kind: 'changedKeyPair', code: -102 },
	];
	expect(faults.map(({ kind }) => kind)).toEqual(FAULT_KINDS);
	expect(JSON.parse((await send('POST', '/faults', faults)).text)).toEqual(faults);
});

it.each([
	['/faults', { kind: 'explode' }, '"explode" is not a kind of fault'],
	['/faults', { status: 502 }, '"kind" is missing'],
	['/faults', { kind: 'status', status: '502' }, '"status" must be a number'],
	['/faults', { kind: 'cut', when: 'never' }, '"when" must be one of: before, after'],
	['/faults', { kind: 'cut', host: 'elsewhere' }, '"host" must be one of'],
	['/faults', { kind: 'changedKeyPair', code: '-102' }, '"code" must be one of: -102, -104'],
	['/faults', { kind: 'cut', time: 1 }, 'Not known here: time'],
	['/faults', 'cut', 'A JSON object is needed'],
	['/faults', null, 'A JSON object is needed'],
	['/proxy-faults', { kind: 'status', status: 500 }, '"status" must be one of: 407, 429, 440'],
	['/proxy-faults', { times: 1 }, '"kind" is missing'],
	['/proxy-faults', { kind: 'status' }, '"status" must be one of: '],
	['/proxy-faults', { kind: 'cut', status: 454 }, 'Only a fault of kind "status"'],
	['/proxy-faults', { kind: 'slowly' }, '"kind" must be one of: status, refuse, hang'],
	['/proxy-faults', { kind: 'status', status: 440, order: '1' }, 'Not known here: order'],
	['/page-faults', {}, '"kind" is missing'],
	['/page-faults', { kind: 'captcha', status: 403 }, 'Only a fault of kind "status"'],
	['/page-faults', { kind: 'x' }, '"kind" must be one of'],
	['/clock', { set: 'soon' }, '"set" must be a date'],
	['/clock', { advance: 1 }, 'Not known here: advance'],
])('refuses at %s %j', async (path, body, message) => {
	const before = sandbox.clock.milliseconds();
	const reply = await send('POST', path, body);
	expect(reply.status).toBe(400);
	expect(JSON.parse(reply.text).message).toContain(message);
	const { faults, proxyFaults, pages } = sandbox;
	expect([faults.list(), proxyFaults.list(), pages.faults.list()]).toEqual([[], [], []]);
	expect(sandbox.clock.milliseconds() - before).toBeLessThan(60_000);
});

it.each([
	[
		'/proxy-faults',
		[
			{ kind: 'status', status: 457, orderId: '900000000000001', times: 2 },
			{ kind: 'status', status: 440 },
		],
	],
	['/proxy-faults', [{ kind: 'stall', afterBytes: 10, everyNth: 10 }]],
	[
		'/page-faults',
		[
			{ kind: 'captcha', path: '/json' },
			{ kind: 'status', status: 403 },
		],
	],
])('takes %s, shows them, and takes them back', async (path, faults) => {
	for (const fault of faults) expect((await send('POST', path, fault)).status).toBe(200);
	expect(JSON.parse((await send('GET', path)).text)).toEqual(faults);
	expect((await send('DELETE', path)).status).toBe(204);
	expect(JSON.parse((await send('GET', path)).text)).toEqual([]);
});

it('shows and forgets visits to the pages', async () => {
	const { http } = await sandbox.pages.open();
	expect((await get(`${sandbox.controlUrl}/pages`)).json).toMatchObject({ http });
	await get(`${http}/json`);
	expect((await get(`${sandbox.controlUrl}/visits`)).json).toMatchObject([{ number: 1 }]);
	await send('DELETE', '/visits');
	expect(sandbox.pages.visits.entries()).toEqual([]);
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
});

const CREATE = '/api/createorder';

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

describe('the log', () => {
	const log = async () => (await send('GET', '/log')).text;

	it('says so when nothing was asked', async () => {
		expect(await log()).toBe('Nothing was asked so far.\n');
	});

	it('has requests in their order, each with what it has paid', async () => {
		const { baseUrl } = sandbox.hosts;
		const { account, opsVip } = sandbox.keys;
		sandbox.clock.set(new Date('2030-01-01T00:00:00Z'));
		const order = {
			product: 'OPS',
			pay_type: 'PRE_PAY',
			'prepay.time_type': 'DAY',
			'ops.plan': '2',
		};
		sandbox.faults.add(
			{ kind: 'twice', path: CREATE, cutFirst: 'after', times: 1 },
			{ kind: 'status', path: EXPIRY, status: 502, times: 1 },
		);
		await call(baseUrl, CREATE, account, order, sandbox.clock.now());
		await call(baseUrl, EXPIRY, opsVip, {}, sandbox.clock.now());
		await call(baseUrl, '/api/gone/', opsVip, {}, sandbox.clock.now());

		const [payment] = sandbox.ledger.entries();
		const text = await log();
		const rows = text.trimEnd().split('\n');
		const wish = `?product=OPS&pay_type=PRE_PAY&prepay.time_type=DAY&ops.plan=2`;
		const time = '2030-01-01T00:00:0\\d\\.\\d{3}Z';
		const expected = [
			['No.', 'Time', 'Host', 'Request', 'Key', 'Answer'],
			['1', time, 'base', `GET ${CREATE}${wish}`, account.secretId, 'code 0, connection cut'],
			[
				...[time, `PAID 3.00 yuan to create ${payment?.orderId}, 997.00 yuan left`],
				...[account.secretId, 'payment 1, by request 1'],
			],
			['2', time, 'base', `GET ${CREATE}${wish} (delivered again)`, account.secretId, 'code -114'],
			['3', time, 'base', `GET ${EXPIRY}`, opsVip.secretId, 'status 502, fault: status'],
			['4', time, 'base', 'GET /api/gone/', opsVip.secretId, 'status 404'],
		];
		expect(rows).toHaveLength(expected.length);
		const cells = rows.map((row) => row.trim().split(/ {2,}/));
		const form = (cell: string) => (cell === time ? expect.stringMatching(`^${time}$`) : cell);
		expect(cells).toEqual(expected.map((row) => row.map(form)));
	});

	it('shows neither keys, nor tokens, nor signatures, and no line twice as long', async () => {
		const { secretId, secretKey } = sandbox.keys.opsVip;
		const form = { secret_id: secretId, secret_key: secretKey };
		const { json } = await post(`${sandbox.hosts.authUrl}/api/get_secret_token`, form);
		const token = String(Object(json.data).secret_token);
		const checked = { secret_id: secretId, secret_token: token };
		await post(`${sandbox.hosts.authUrl}/api/check_secret_token`, checked);
		const parameters = { secret_id: secretId, signature: token, long: 'a\nb'.repeat(1000) };
		await get(sandbox.hosts.baseUrl + EXPIRY, parameters);

		const text = await log();
		expect(text).not.toContain(secretKey);
		expect(text).not.toContain(token);
		expect(text).toContain('secret_token=***');
		expect(text.split('\n')).toHaveLength(5);
		expect(text).toMatch(/long=a ba ba .*…/);
		expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThan(300);
	});
});
