import type { Fault, Order } from '../../../sandbox/sandbox.mts';
import { moveDate, resetDate } from '../../virtualTime.mts';
import { CLOSING, ORDER_EXPIRY, ORDER_INFO, Owner, records, typed } from '../support/owner.mts';
import { World, type OrderKind } from '../../operations/world.mts';
import { answering, bed, owner, sent } from './orderOwner.mts';

const GET = { resource: 'order', operation: 'get' };
const CLOSE = { resource: 'order', operation: 'close' };

function orderCredential({ keys }: Order): string {
	return bed().addCredential(keys);
}

afterEach(resetDate);

describe('Order: Get', () => {
	it('gives the details of a prepaid order in one call', async () => {
		const me = owner();
		const order = me.dedicated({ expiresAt: new Date('2031-03-04T05:06:07Z') });
		moveDate(Date.parse('2031-03-04T05:06:00Z') - Date.now());
		const run = await me.run(GET, { credentialId: orderCredential(order) });
		const [record] = records(run);
		expect(record).toMatchObject({
			orderid: order.orderId,
			pay_type: 'PRE_PAY',
			product: 'KPS',
			status: 'VALID',
			expire_time: '2031-03-04 13:06:07',
			expiresAt: '2031-03-04T13:06:07+08:00',
		});
		expect(record.secondsLeft).toBeLessThanOrEqual(7);
		expect(record.secondsLeft).toBeGreaterThan(0);
		expect(run.hints).toMatchObject([
			{ message: expect.stringContaining('left out: proxy_password.') },
		]);
		expect(sent(ORDER_INFO)).toEqual([{}]);
		expect(bed().sandbox.log.count()).toBe(1);
	});

	it('leaves out secrets wherever they stand', async () => {
		const me = owner();
		const order = me.meteredTunnel();
		const logins = [{ username: 'u', password: 'secretword' }];
		const data = {
			pay_type: 'POST_PAY',
			tunnel: { host: 'x', tunnel_password: 'secretword' },
			logins,
		};
		bed().sandbox.faults.add(answering(ORDER_INFO, data));
		const run = await me.run(GET, { credentialId: orderCredential(order) });
		expect(records(run)).toEqual([
			{
				pay_type: 'POST_PAY',
				payTypeName: 'Pay-As-You-Go',
				tunnel: { host: 'x' },
				logins: [{ username: 'u' }],
			},
		]);
		expect(run.hints[0].message).toContain('left out: tunnel_password, password.');
		expect(run.saved).not.toContain('secretword');
	});

	it('leaves out secrets and says which, for an order that is paid as used and so has no expiry', async () => {
		const me = owner();
		const order = me.meteredTunnel();
		const run = await me.run(GET, { credentialId: orderCredential(order) });
		const [record] = records(run);
		expect(record).toEqual({
			orderid: order.orderId,
			pay_type: 'POST_PAY',
			payTypeName: 'Pay-As-You-Go',
			product: 'TPS',
			productName: 'Tunnel Proxy',
			status: 'VALID',
			freeze_amount: expect.any(String),
			unit_price: expect.any(String),
			tunnel_username: order.login.username,
			tunnel_host: order.entrance.host,
			tunnel_port_http: order.entrance.httpPort,
			tunnel_port_socks: '',
			tunnel_bandwidth: 5,
			tunnel_req: 5,
		});
		expect(run.hints.map(({ message }) => message)).toEqual([
			"Secret fields were left out: tunnel_password. To get them, turn on 'Include Secrets' in 'Options'.",
		]);
		expect(run.saved).not.toContain(order.login.password);
		expect(bed().sandbox.log.count(ORDER_EXPIRY)).toBe(0);
	});

	it.each<[OrderKind, product: string, secret: string[]]>([
		['tpsPro', 'TPS_PRO', ['tunnel_password']],
		['fps', 'FPS', ['proxy_password']],
		['sfps', 'FPS_STATIC', []],
		['sfpsPackage', 'FPS_STATIC', ['proxy_password']],
	])('hides the password of the order %s as for tunnels', async (kind, product, secret) => {
		const { keys, theOrder } = new World(bed().sandbox, 'order', kind);
		const credentialId = bed().addCredential(keys);
		const run = await owner().run(GET, { credentialId });
		const [record] = records(run);
		expect(record).toMatchObject({ orderid: theOrder.orderId, product, status: 'VALID' });
		for (const name of secret) expect(record).not.toHaveProperty(name);
		const hints = run.hints.map(({ message }) => message).join();
		expect(hints).toContain(secret.join());
		if (!('login' in theOrder)) throw new Error('The order has no login');
		const { password } = theOrder.login;
		expect(run.saved).not.toContain(password);
		if (secret.length === 0) return;
		const options = { includeSecrets: true };
		const shown = records(await owner().run({ ...GET, options }, { credentialId }));
		expect(Object.values(shown[0])).toContain(password);
	});

	it('gives whatever the service has, but nothing that is named like a secret', async () => {
		const me = owner();
		const credentialId = orderCredential(me.tunnel());
		const shown = {
			orderid: '1',
			pay_type: 'POST_PAY',
			keyboard: 'k',
			monkey: 'm',
			note: { a: [1] },
		};
		const hidden = {
			password: 'a',
			Tunnel_PassWord: 'b',
			passwd: 'c',
			secret_key: 'd',
			api_token: 'e',
			credentials: 'f',
			key: 'g',
			api_key: 'h',
			secret_id: 'i',
		};
		bed().sandbox.faults.add(answering(ORDER_INFO, { ...shown, ...hidden }));
		const run = await me.run(GET, { credentialId });
		expect(records(run)).toEqual([{ ...shown, payTypeName: 'Pay-As-You-Go' }]);
		for (const name of Object.keys(hidden)) expect(run.hints[0].message).toContain(name);
	});

	it.each([
		['status,expire_time', 'status,expire_time'],
		[' status ， expire_time ', 'status,expire_time'],
		['={{ ["status", "expire_time"] }}', 'status,expire_time'],
	])('asks for certain fields only: %j', async (fieldList, sentList) => {
		const me = owner();
		const credentialId = orderCredential(me.tunnel({ expiresAt: me.inDays(1) }));
		const [record] = records(await me.run({ ...GET, fieldList }, { credentialId }));
		expect(Object.keys(record)).toEqual([
			'status',
			'expire_time',
			'expiresAt',
			'secondsLeft',
			'daysLeft',
		]);
		expect(sent(ORDER_INFO)).toEqual([{ field_list: sentList }]);
		expect(bed().sandbox.log.count(ORDER_EXPIRY)).toBe(0);
	});

	it('asks for no expiry that is not wanted', async () => {
		const me = owner();
		const order = me.privateProxy({ payType: 'PRE_PAY_IP' });
		const credentialId = orderCredential(order);
		const run = await me.run({ ...GET, fieldList: 'status' }, { credentialId });
		expect(records(run)).toEqual([{ status: 'VALID' }]);
		expect(bed().sandbox.log.count()).toBe(1);
	});

	it.each(['a b!', 'status;;<x>', '={{ {} }}', 'x'.repeat(65)])(
		'refuses the fields %j and asks nothing',
		async (fieldList) => {
			const me = owner();
			const credentialId = orderCredential(me.tunnel());
			const { error } = await me.run({ ...GET, fieldList }, { credentialId });
			expect(error?.message).toMatch(/^'Fields' (?:is empty|can't be )/);
			expect(bed().sandbox.log.count()).toBe(0);
		},
	);

	it.each(['', [], null, 'the-password'])(
		'does not take %j for an order, and shows nothing of it',
		async (data) => {
			const me = owner();
			const credentialId = orderCredential(me.tunnel());
			bed().sandbox.faults.add(answering(ORDER_INFO, data));
			const run = await me.run(GET, { credentialId });
			expect(run.error?.message).toBe("Kuaidaili's response contains no details of the order");
			expect(run.saved).not.toContain('the-password');
		},
	);

	it.each<[string, Fault]>([
		['half an answer', { kind: 'halfBody', path: ORDER_INFO }],
		[
			'a gateway that repeats it',
			{ kind: 'status', status: 502, path: ORDER_INFO, body: 'tunnel_password=the-password' },
		],
		['a page', { kind: 'html', path: ORDER_INFO, body: '<html>the-password</html>' }],
	])('shows no password of %s', async (_what, fault) => {
		const me = owner();
		const order = me.tunnel();
		order.login.password = 'the-password';
		bed().sandbox.faults.add(fault);
		const run = await me.run(GET, { credentialId: orderCredential(order) });
		expect(run.error).toBeDefined();
		expect(run.saved).not.toContain('the-password');
	});
});

describe('Order: Close', () => {
	it.each<[string, string, (me: Owner) => Order, RegExp]>([
		['a prepaid order', '-3', (me) => me.tunnel(), /'Auto-Renewal: Disable'/],
		['one that is closed', '-2', (me) => me.meteredTunnel({ status: 'CLOSED' }), /already closed/],
		['one that owes money', '-2', (me) => me.meteredTunnel({ status: 'OWING' }), /member center/],
		['an expired one', '-102', (me) => me.tunnel({ expiresAt: me.inDays(-1) }), /still active/],
	])('does not close %s, and says what to do', async (_what, httpCode, make, description) => {
		const me = owner();
		const order = make(me);
		const { status } = order;
		const { error, items } = await me.run(CLOSE, { credentialId: orderCredential(order) });
		expect(items).toEqual([]);
		expect(error).toMatchObject({ httpCode });
		expect(error?.description).toMatch(description);
		expect(order.status).toBe(status);
	});

	it('closes each order once', async () => {
		const me = owner();
		const order = me.meteredTunnel();
		const credentialId = orderCredential(order);
		const settings = { onError: 'continueErrorOutput' } as const;
		const { items, errorItems } = await me.run(CLOSE, { credentialId, settings, items: [{}, {}] });
		expect(items.map(({ json }) => json.closed)).toEqual([true]);
		expect(String(errorItems[0].json.error)).toContain('cannot be closed in its current state');
		const done = bed()
			.sandbox.log.entries(CLOSING)
			.filter(({ workDone }) => workDone);
		expect(done).toHaveLength(1);
	});

	it("asks again after a lost answer, and says that it is unclear with the order's key pair", async () => {
		const me = owner();
		const order = me.meteredTunnel();
		bed().sandbox.faults.add({ kind: 'cut', when: 'after', path: CLOSING, times: 1 });
		const { error } = await me.run(CLOSE, { credentialId: orderCredential(order) });
		expect(error?.message).toBe('It is unclear whether the order was closed');
		expect(error?.description).toContain('(code -2)');
		expect(bed().sandbox.log.count(CLOSING)).toBe(2);
		expect(order.status).toBe('CLOSED');
	});

	it("finds it closed after a lost answer, with the account's key pair, then and later", async () => {
		const me = owner();
		const order = me.meteredTunnel();
		bed().sandbox.faults.add({ kind: 'cut', when: 'after', path: CLOSING, times: 1 });
		for (let run = 0; run < 2; run++) {
			const fields = { ...CLOSE, orderid: typed(order.orderId) };
			expect(records(await me.run(fields))).toEqual([
				{ orderid: order.orderId, closed: true, message: 'The order is closed' },
			]);
		}
		expect(
			bed()
				.sandbox.log.entries(CLOSING)
				.map(({ code }) => code),
		).toEqual([0, -2, -2]);
	});

	it('says that it is unclear where the account does not say it is closed', async () => {
		const me = owner();
		const order = me.meteredTunnel();
		bed().sandbox.faults.add({ kind: 'cut', when: 'before', path: CLOSING, times: 1 });
		bed().sandbox.faults.add({ kind: 'code', code: -2, path: CLOSING, times: 1 });
		const { error } = await me.run({ ...CLOSE, orderid: typed(order.orderId) });
		expect(error?.message).toBe('It is unclear whether the order was closed');
	});
});
