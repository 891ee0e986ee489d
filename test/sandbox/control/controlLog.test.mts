import { call, get, post } from '../client.mts';
import { EXPIRY, sandbox, send } from './controlling.mts';

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
