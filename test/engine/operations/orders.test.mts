import type { IDataObject } from 'n8n-workflow';

import type { Account, Fault, Order, OrderStatus } from '../../../sandbox/sandbox.mts';
import {
	BALANCE,
	CLOSING,
	DAY_MS,
	ORDER_EXPIRY,
	ORDER_INFO,
	ORDER_LIST,
	Owner,
	records,
} from '../support/owner.mts';
import { World, type OrderKind } from '../../operations/world.mts';
import { ownParameters } from '../support/ownParameters.mts';
import { useTestBed } from '../support/testBed.mts';

const LIST = { resource: 'order', operation: 'getAll' };
const GET = { resource: 'order', operation: 'get' };
const CLOSE = { resource: 'order', operation: 'close' };
const GET_BALANCE = { resource: 'account', operation: 'getBalance' };

// Its clock is moved here, and calls are signed by the clock of the machine
const bed = useTestBed({ timestampToleranceSeconds: 10 * 365 * 24 * 3600 });

function owner(settings: Partial<Account> = {}): Owner {
	return new Owner(bed(), settings);
}

/** What arrived at the service. */
function sent(path: string) {
	return bed().sandbox.log.entries(path).map(ownParameters);
}

function numbers(list: readonly IDataObject[]) {
	return list.map(({ orderid }) => orderid);
}

function idsOf(orders: readonly Order[]): string[] {
	return orders.map(({ orderId }) => orderId);
}

function orderCredential({ keys }: Order): string {
	return bed().addCredential(keys);
}

describe('Order: Get Many', () => {
	it('lists the orders in force, those that expire first at the top and those that never do last', async () => {
		const me = owner();
		const late = me.tunnel({ expiresAt: me.inDays(20) });
		const endless = me.meteredTunnel();
		const soon = me.privateProxy({ expiresAt: me.inDays(2) });
		const middle = me.dedicated({ expiresAt: me.inDays(10) });
		me.tunnel({ status: 'OWING' });
		me.tunnel({ expiresAt: me.inDays(-1) });
		owner().tunnel();
		const run = await me.run(LIST);
		expect(numbers(records(run))).toEqual(idsOf([soon, middle, late, endless]));
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual(
			run.items.map(() => ({ item: 0 })),
		);
		expect(run.hints).toEqual([]);
		expect(sent(ORDER_LIST)).toEqual([{ status: 'VALID' }]);
	});

	it("keeps the service's fields, and adds the expiry with its zone and the time that is left", async () => {
		const me = owner();
		const order = me.tunnel({ expiresAt: new Date('2031-03-04T05:06:07Z') });
		bed().sandbox.clock.set(new Date('2031-03-04T05:00:00Z'));
		const [record] = records(await me.run(LIST));
		expect(record).toEqual({
			orderid: order.orderId,
			pay_type: 'PRE_PAY',
			product: 'TPS',
			status: 'VALID',
			expire_time: '2031-03-04 13:06:07',
			expiresAt: '2031-03-04T13:06:07+08:00',
			secondsLeft: expect.any(Number),
		});
		// The Date header has no fractions, and the machine may be slow
		expect(record.secondsLeft).toBeLessThanOrEqual(367);
		expect(record.secondsLeft).toBeGreaterThan(360);
	});

	it.each(['empty', 'absent'] as const)(
		'gives an order that is paid as used no expiry, whose expire_time is %s',
		async (payAsUsedExpiry) => {
			bed().sandbox.settings.payAsUsedExpiry = payAsUsedExpiry;
			const me = owner();
			const { orderId } = me.meteredTunnel();
			const [record] = records(await me.run(LIST));
			bed().sandbox.settings.payAsUsedExpiry = 'empty';
			expect(record).toEqual({
				orderid: orderId,
				pay_type: 'POST_PAY',
				product: 'TPS',
				status: 'VALID',
				...(payAsUsedExpiry === 'empty' ? { expire_time: '' } : {}),
			});
		},
	);

	it('lists Tunnel Pro and overseas orders like the others', async () => {
		const world = new World(bed().sandbox, 'account');
		const kinds = ['tpsPro', 'fps', 'sfps'] as const;
		const orders = kinds.map((kind) => world.addOrder(kind));
		const credentialId = bed().addCredential(world.keys, { keyType: 'account' });
		const list = records(await owner().run(LIST, { credentialId }));
		expect(new Set(list.map(({ orderid, product }) => `${orderid} ${product}`))).toEqual(
			new Set(orders.map(({ orderId, product }) => `${orderId} ${product}`)),
		);
	});

	describe('by status', () => {
		const STATES: readonly OrderStatus[] = [
			'VALID',
			'WAIT_PAY',
			'OPENING',
			'OWING',
			'CLOSED',
			'FORBIDDEN',
		];

		function oneOfEach() {
			const me = owner();
			const orders = STATES.map((status, index) =>
				me.tunnel({ status, expiresAt: me.inDays(index + 1) }),
			);
			const expired = me.tunnel({ expiresAt: me.inDays(-3) });
			return { me, orders, expired };
		}

		it.each([...STATES, 'EXPIRED'])('lists those that are %s', async (status) => {
			const { me, orders, expired } = oneOfEach();
			const wanted = [...orders, expired].find(
				(order) => order.status === status && order !== expired,
			);
			const list = records(await me.run({ ...LIST, status }));
			expect(numbers(list)).toEqual([(wanted ?? expired).orderId]);
			expect(list[0].status).toBe(status);
			expect(sent(ORDER_LIST)).toEqual([{ status }]);
		});

		it('lists all, the expired ones first', async () => {
			const { me, orders, expired } = oneOfEach();
			const list = records(await me.run({ ...LIST, status: 'ALL' }));
			expect(numbers(list)).toEqual(idsOf([expired, ...orders]));
			expect(list[0].secondsLeft).toBeLessThan(0);
			expect(sent(ORDER_LIST)).toEqual([{ status: 'ALL' }]);
		});

		it.each(['SOLD', 'valid', '', 5])('refuses %p and asks nothing', async (status) => {
			const { error } = await owner().run({ ...LIST, status });
			expect(error?.message).toMatch(/^'Status' is .*, which cannot be used \[item 0\]$/);
			expect(error?.description).toMatch(/VALID \(Active\)/);
			expect(bed().sandbox.log.count()).toBe(0);
		});

		it('asks for a new one with Skip Local Checks', async () => {
			const options = { skipLocalChecks: true };
			const { error } = await owner().run({ ...LIST, status: 'SOLD', options });
			expect(error).toMatchObject({ httpCode: '-2' });
			expect(sent(ORDER_LIST)).toEqual([{ status: 'SOLD' }]);
		});
	});

	describe('with filters', () => {
		function mixed() {
			const me = owner();
			const orders = {
				tunnel: me.tunnel({ expiresAt: me.inDays(5) }),
				metered: me.meteredTunnel(),
				privateProxy: me.privateProxy({ expiresAt: me.inDays(1) }),
				perIp: me.privateProxy({ payType: 'PRE_PAY_IP', expiresAt: me.inDays(2) }),
				open: me.openProxy({ expiresAt: me.inDays(0.1) }),
			};
			return { me, orders };
		}

		it.each<
			[
				filters: IDataObject,
				sentFilters: object,
				found: ReadonlyArray<keyof ReturnType<typeof mixed>['orders']>,
			]
		>([
			[{ payType: 'PRE_PAY' }, { pay_type: 'PRE_PAY' }, ['open', 'privateProxy', 'tunnel']],
			[{ payType: 'PRE_PAY_IP' }, { pay_type: 'PRE_PAY_IP' }, ['perIp']],
			[{ payType: 'POST_PAY' }, { pay_type: 'POST_PAY' }, ['metered']],
			[{ product: 'TPS' }, { product: 'TPS' }, ['tunnel', 'metered']],
			[{ product: 'DPS' }, { product: 'DPS' }, ['privateProxy', 'perIp']],
			[{ product: 'OPS' }, { product: 'OPS' }, ['open']],
			[{ product: 'KPS' }, { product: 'KPS' }, []],
			[
				{ product: 'TPS', payType: 'POST_PAY' },
				{ product: 'TPS', pay_type: 'POST_PAY' },
				['metered'],
			],
			[{ expiringWithinDays: 3, expiringWithinHours: 3 }, {}, ['open']],
			[{ expiringWithinDays: 3 }, {}, ['open', 'privateProxy', 'perIp']],
			[{ expiringWithinHours: 3 }, {}, ['open']],
			[{ expiringWithinHours: 1 }, {}, []],
			[{ expiringWithinDays: 3, product: 'DPS' }, { product: 'DPS' }, ['privateProxy', 'perIp']],
		])('%j finds those', async (filters, sentFilters, found) => {
			const { me, orders } = mixed();
			const run = await me.run({ ...LIST, filters });
			expect(numbers(records(run))).toEqual(found.map((name) => orders[name].orderId));
			expect(sent(ORDER_LIST)).toEqual([{ status: 'VALID', ...sentFilters }]);
			expect(run.hints.map(({ message }) => message)).toEqual(
				found.length > 0 ? [] : [expect.stringContaining('No orders match')],
			);
		});

		it.each<[string, IDataObject[string], RegExp]>([
			['payType', 'BARTER', /^'Pay Type' is "BARTER"/],
			['product', 'XYZ', /^'Product' is "XYZ"/],
			['expiringWithinDays', 0, /^'Expiring Within \(Days\)' is 0/],
			['expiringWithinDays', 1.5, /^'Expiring Within \(Days\)' is 1.5/],
			['expiringWithinDays', '', /^'Expiring Within \(Days\)' is empty/],
			['expiringWithinHours', 'soon', /^'Expiring Within \(Hours\)' is "soon"/],
		])('refuses %s %p and asks nothing', async (name, value, message) => {
			const { error } = await owner().run({ ...LIST, filters: { [name]: value } });
			expect(error?.message).toMatch(message);
			expect(bed().sandbox.log.count()).toBe(0);
		});

		it('leaves out what has ended already: it no longer expires', async () => {
			const me = owner();
			me.tunnel({ expiresAt: me.inDays(-1) });
			const open = me.tunnel({ expiresAt: me.inDays(1), status: 'OPENING' });
			const filters = { expiringWithinDays: 3 };
			const list = records(await me.run({ ...LIST, status: 'ALL', filters }));
			expect(numbers(list)).toEqual([open.orderId]);
		});
	});

	it.each([-400, 400])(
		'counts by the clock of the service, which is %d days away from that of this machine',
		async (days) => {
			bed().sandbox.clock.advance(days * DAY_MS);
			const me = owner();
			const soon = me.tunnel({ expiresAt: me.inDays(1) });
			me.tunnel({ expiresAt: me.inDays(9) });
			const list = records(await me.run({ ...LIST, filters: { expiringWithinDays: 2 } }));
			expect(numbers(list)).toEqual([soon.orderId]);
			expect(list[0].secondsLeft).toBeGreaterThan(24 * 3600 - 10);
			expect(list[0].secondsLeft).toBeLessThanOrEqual(24 * 3600 + 1);
		},
	);

	describe('of a long list', () => {
		function withMany(count: number) {
			const me = owner();
			for (let index = 0; index < count; index++) {
				me.tunnel({ expiresAt: me.inDays(count - index) });
			}
			return me;
		}

		it('gives 50 at first, those that expire first', async () => {
			const me = withMany(60);
			const list = records(await me.run(LIST));
			expect(list).toHaveLength(50);
			const days = list.map(({ secondsLeft }) => Math.round(Number(secondsLeft) / 86_400));
			expect(days).toEqual(Array.from({ length: 50 }, (_none, index) => index + 1));
		});
	});

	it.each(['16 digits', 'unsafe number'] as const)(
		'keeps every digit of an order number with %s',
		async (orderNumbers) => {
			bed().sandbox.settings.orderNumbers = orderNumbers;
			const me = owner();
			const order = me.tunnel({
				orderId: orderNumbers === '16 digits' ? '9900000000500001' : '9900000000500003',
			});
			const [record] = records(await me.run(LIST));
			bed().sandbox.settings.orderNumbers = '15 digits';
			expect(record.orderid).toBe(order.orderId);
		},
	);
});

/** A service that answers the call with this `data`. */
function answering(path: string, data: unknown): Fault {
	return { kind: 'raw', path, body: JSON.stringify({ code: 0, msg: '', data }) };
}

describe('Order: Get', () => {
	it('gives the details of a prepaid order in one call', async () => {
		const me = owner();
		const order = me.dedicated({ expiresAt: new Date('2031-03-04T05:06:07Z') });
		bed().sandbox.clock.set(new Date('2031-03-04T05:06:00Z'));
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

	it('leaves out secrets and says which, for an order that is paid as used and so has no expiry', async () => {
		const me = owner();
		const order = me.meteredTunnel();
		const run = await me.run(GET, { credentialId: orderCredential(order) });
		const [record] = records(run);
		expect(record).toEqual({
			orderid: order.orderId,
			pay_type: 'POST_PAY',
			product: 'TPS',
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
		expect(records(run)).toEqual([shown]);
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
		expect(Object.keys(record)).toEqual(['status', 'expire_time', 'expiresAt', 'secondsLeft']);
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
			expect(error?.message).toMatch(/^'Fields' is /);
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
			expect(run.error?.message).toBe(
				"The service's response contains no details of the order [item 0]",
			);
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

	it('asks again after a lost answer, and says that the order may be closed already', async () => {
		const me = owner();
		const order = me.meteredTunnel();
		bed().sandbox.faults.add({ kind: 'cut', when: 'after', path: CLOSING, times: 1 });
		const { error } = await me.run(CLOSE, { credentialId: orderCredential(order) });
		expect(error?.message).toContain('cannot be closed in its current state');
		expect(error?.description).toContain('already closed');
		expect(bed().sandbox.log.count(CLOSING)).toBe(2);
		expect(order.status).toBe('CLOSED');
	});
});

describe('Account: Get Balance', () => {
	it.each([
		[620_80, '620.80', 620.8],
		[0, '0.00', 0],
		[-12_50, '-12.50', -12.5],
		[1_234_567_89, '1234567.89', 1_234_567.89],
	])('gives %d fen as text and as number', async (balanceInFen, balance, balanceNumber) => {
		const me = owner({ balanceInFen });
		expect(records(await me.run(GET_BALANCE))).toEqual([{ balance, balanceNumber }]);
		expect(sent(BALANCE)).toEqual([{}]);
		expect(bed().sandbox.log.count()).toBe(1);
	});

	it.each<[unknown, IDataObject]>([
		[620.8, { balance: '620.8', balanceNumber: 620.8 }],
		['620', { balance: '620', balanceNumber: 620 }],
		[' 620.80 ', { balance: ' 620.80 ', balanceNumber: 620.8 }],
	])('takes %p as well', async (balance, record) => {
		bed().sandbox.faults.add(answering(BALANCE, { balance }));
		expect(records(await owner().run(GET_BALANCE))).toEqual([record]);
	});

	it.each([
		{ balance: '' },
		{ balance: 'many' },
		{ balance: '1,000.00' },
		{ balance: '¥620.80' },
		{ balance: '1e3' },
		{ balance: '0x10' },
		{ balance: '.5' },
		{ balance: 1e21 },
		{ balance: true },
		{ balance: ['620.80'] },
		{ balance: null },
		{},
		'',
		null,
	])('does not take %j for a balance, and shows it', async (data) => {
		bed().sandbox.faults.add(answering(BALANCE, data));
		const { error, items } = await owner().run(GET_BALANCE);
		expect(items).toEqual([]);
		expect(error?.message).toBe("The service's response contains no balance [item 0]");
		expect(error?.description).toContain(`The response began with: ${JSON.stringify(data)}`);
	});
});
