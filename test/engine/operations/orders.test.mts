import type { IDataObject } from 'n8n-workflow';

import {
	type Fault,
	newDedicatedProxyOrder,
	newOpenProxyOrder,
	type Order,
	type OrderStatus,
} from '../../../sandbox/sandbox.mts';
import { DAY } from '../../durations.mts';
import { ownParameters } from '../../operations/world.mts';
import { API } from '../support/api.mts';
import { Customer, typed } from '../support/customer.mts';
import { lost, missed } from '../support/faults.mts';
import { succeeded } from '../support/results.mts';
import { useWorkbench } from '../support/workbench.mts';

const LIST = { resource: 'order', operation: 'getAll' };

const { bed, customer: me } = useWorkbench();

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

/** A service that answers the call with this `data`. */
function answering(path: string, data: unknown): Fault {
	return { kind: 'raw', path, body: JSON.stringify({ code: 0, msg: '', data }) };
}

const GET_BALANCE = { resource: 'account', operation: 'getBalance' };

describe('Order: Get Many', () => {
	it('lists the orders in force, those that expire first at the top and those that never do last', async () => {
		const late = me.tunnel({ expiresAt: me.inDays(20.55) });
		const endless = me.meteredTunnel();
		const soon = me.privateProxy({ expiresAt: me.inDays(2) });
		const middle = me.add(newDedicatedProxyOrder, { expiresAt: me.inDays(10) });
		me.tunnel({ status: 'OWING' });
		me.tunnel({ expiresAt: me.inDays(-1) });
		new Customer(bed()).tunnel();
		const run = await me.run(LIST);
		expect(numbers(succeeded(run))).toEqual(idsOf([soon, middle, late, endless]));
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual(
			run.items.map(() => ({ item: 0 })),
		);
		expect(run.hints).toEqual([]);
		expect(sent(API.getaccountorders)).toEqual([{ status: 'VALID' }]);
	});

	it('reads an expiry that is written in another way, and names the orders whose expiry it cannot', async () => {
		const line = (orderid: string, expire_time: unknown, changes = {}) => ({
			orderid,
			pay_type: 'PRE_PAY',
			product: 'DPS',
			status: 'VALID',
			expire_time,
			...changes,
		});
		const inADay = new Date(Date.now() + DAY).toISOString();
		const data = [
			line('1', inADay),
			line('2', null),
			line('3', 'soon'),
			line('4', null, { status: 'EXPIRED' }),
			line('5', '', { pay_type: 'POST_PAY' }),
		];
		bed().sandbox.faults.add(answering(API.getaccountorders, data));
		const run = await me.run({ ...LIST, filters: { expiringWithinDays: 2 } });
		expect(numbers(succeeded(run))).toEqual(['1']);
		expect(run.hints.map(({ message }) => message)).toEqual([
			"This node can't read the expiry of order 2, and of 1 more. Kuaidaili gives it as null. Look it up in the Kuaidaili member center.",
		]);
		expect((await me.run(LIST)).hints).toEqual([]);
	});

	describe('of a long list', () => {
		it('of all orders, gives the active ones and says how many there are', async () => {
			for (let day = 1; day <= 164; day++) me.tunnel({ expiresAt: me.inDays(-day) });
			const active = Array.from({ length: 40 }, (_none, index) =>
				me.tunnel({ expiresAt: me.inDays(index + 1) }),
			);
			const run = await me.run({ ...LIST, status: 'ALL' });
			expect(numbers(succeeded(run)).slice(0, 40)).toEqual(idsOf(active));
			expect(run.items).toHaveLength(50);
			expect(run.hints.map(({ message }) => message)).toEqual([
				"50 of 204 orders, because of 'Limit'.",
			]);
			expect((await me.run({ ...LIST, status: 'ALL', returnAll: true })).hints).toEqual([]);
		});

		it('has an order once that the service lists twice', async () => {
			const line = { pay_type: 'PRE_PAY', product: 'DPS', status: 'RENEWING' };
			const expire_time = new Date(Date.now() + DAY).toISOString();
			const ended = {
				...line,
				orderid: '7',
				status: 'expired',
				expire_time: '2026-01-02 03:04:05',
			};
			const data = [
				ended,
				{ ...line, orderid: '8', expire_time },
				{ ...line, orderid: '8', expire_time },
			];
			bed().sandbox.faults.add(answering(API.getaccountorders, data));
			expect(numbers(succeeded(await me.run({ ...LIST, status: 'ALL' })))).toEqual(['8', '7']);
		});
	});
});

describe('Account: Get Balance', () => {
	it('does not take words for a balance, and shows them', async () => {
		const data = { balance: 'much' };
		bed().sandbox.faults.add(answering(API.getaccountbalance, data));
		const { error, items } = await me.run(GET_BALANCE);
		expect(items).toEqual([]);
		expect(error?.message).toBe("Kuaidaili's response contains no balance");
		expect(error?.description).toContain(`The response began with: ${JSON.stringify(data)}`);
	});
});

describe('Order: Get Many', () => {
	describe('by status', () => {
		const STATES: readonly OrderStatus[] = [
			'VALID',
			'WAIT_PAY',
			'OPENING',
			'OWING',
			'CLOSED',
			'FORBIDDEN',
		];

		it.each([...STATES, 'EXPIRED'])('asks for those that are %s', async (status) => {
			await me.run({ ...LIST, status });
			expect(sent(API.getaccountorders)).toEqual([{ status }]);
		});

		it('lists all, the active ones first, then those that are not in force, then the ended', async () => {
			const [valid, waiting, opening, owing, closed, banned] = STATES.map((status, index) =>
				me.tunnel({ status, expiresAt: me.inDays(index + 0.9) }),
			);
			const expired = me.tunnel({ expiresAt: me.inDays(-3) });
			const longAgo = me.tunnel({ expiresAt: me.inDays(-9) });
			const later = me.tunnel({ expiresAt: me.inDays(20.55) });
			const list = succeeded(await me.run({ ...LIST, status: 'ALL' }));
			expect(numbers(list)).toEqual(
				idsOf([valid, later, waiting, opening, owing, banned, closed, expired, longAgo]),
			);
			expect(list.map(({ text }) => String(text).replace(/^Tunnel Proxy order \d+ /, ''))).toEqual([
				'expires in 21 hours',
				'expires in 20.5 days',
				'is awaiting payment',
				'is still being set up',
				'has an overdue payment',
				'is banned',
				'is closed',
				'expired 3 days ago',
				'expired 9 days ago',
			]);
			expect(sent(API.getaccountorders)).toEqual([{ status: 'ALL' }]);
		});
	});

	describe('with filters', () => {
		function mixed() {
			const orders = {
				tunnel: me.tunnel({ expiresAt: me.inDays(5) }),
				metered: me.meteredTunnel(),
				privateProxy: me.privateProxy({ expiresAt: me.inDays(1) }),
				perIp: me.privateProxy({ payType: 'PRE_PAY_IP', expiresAt: me.inDays(2) }),
				open: me.add(newOpenProxyOrder, { plan: 'SVIP', expiresAt: me.inDays(0.1) }),
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
			[{ product: 'TPS' }, {}, ['tunnel', 'metered']],
			[{ product: 'KPS' }, {}, []],
			[{ expiringWithinDays: 3, expiringWithinHours: 3 }, {}, ['open']],
			[{ expiringWithinDays: 3 }, {}, ['open', 'privateProxy', 'perIp']],
			[{ expiringWithinHours: 3 }, {}, ['open']],
			[{ expiringWithinHours: 1 }, {}, []],
			[{ expiringWithinDays: 3, product: 'DPS' }, {}, ['privateProxy', 'perIp']],
		])('%j finds those', async (filters, sentFilters, found) => {
			const { me, orders } = mixed();
			const run = await me.run({ ...LIST, filters });
			expect(numbers(succeeded(run))).toEqual(found.map((name) => orders[name].orderId));
			expect(sent(API.getaccountorders)).toEqual([{ status: 'VALID', ...sentFilters }]);
			expect(run.hints.map(({ message }) => message)).toEqual(
				found.length > 0 ? [] : [expect.stringContaining('No orders match')],
			);
		});

		it.each<[string, IDataObject[string], RegExp]>([
			['payType', 'BARTER', /^'Pay Type' can't be "BARTER"/],
			['product', 'XYZ', /^'Product' can't be "XYZ"/],
			['expiringWithinDays', 0, /^'Expiring Within \(Days\)' can't be 0/],
			['expiringWithinDays', 1.5, /^'Expiring Within \(Days\)' can't be 1.5/],
			['expiringWithinDays', '', /^'Expiring Within \(Days\)' is empty/],
			['expiringWithinHours', '', /^'Expiring Within \(Hours\)' is empty/],
			['expiringWithinHours', 'soon', /^'Expiring Within \(Hours\)' can't be "soon"/],
		])('refuses %s %p and asks nothing', async (name, value, message) => {
			const { error } = await me.run({ ...LIST, filters: { [name]: value } });
			expect(error?.message).toMatch(message);
			expect(bed().sandbox.log.count()).toBe(0);
		});

		it('leaves out what has ended already: it no longer expires', async () => {
			me.tunnel({ expiresAt: me.inDays(-1) });
			const open = me.tunnel({ expiresAt: me.inDays(1), status: 'OPENING' });
			const filters = { expiringWithinDays: 3 };
			const list = succeeded(await me.run({ ...LIST, status: 'ALL', filters }));
			expect(numbers(list)).toEqual([open.orderId]);
		});
	});
});

const GET = { resource: 'order', operation: 'get' };
const CLOSE = { resource: 'order', operation: 'close' };

function orderCredential({ keys }: Order): string {
	return bed().addCredential(keys);
}

describe('Order: Get', () => {
	it('leaves out secrets and says which, for an order that is paid as used and so has no expiry', async () => {
		const order = me.meteredTunnel();
		const run = await me.run(GET, { credentialId: orderCredential(order) });
		const [record] = succeeded(run);
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
		expect(bed().sandbox.log.count(API.getorderexpiretime)).toBe(0);
	});

	it('gives whatever the service has, but nothing that is named like a secret', async () => {
		const credentialId = orderCredential(me.tunnel());
		const shown = {
			orderid: '1',
			pay_type: 'POST_PAY',
			keyboard: 'k',
			monkey: 'm',
			note: { a: [1] },
			logins: [{ username: 'u' }],
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
		const logins = [{ username: 'u', password: 'secretword' }];
		bed().sandbox.faults.add(answering(API.getorderinfo, { ...shown, ...hidden, logins }));
		const run = await me.run(GET, { credentialId });
		expect(succeeded(run)).toEqual([{ ...shown, payTypeName: 'Pay-As-You-Go' }]);
		expect(run.saved).not.toContain('secretword');
		for (const name of Object.keys(hidden)) expect(run.hints[0].message).toContain(name);
	});

	it('asks for certain fields only', async () => {
		const fieldList = ' status ， expire_time ';
		const credentialId = orderCredential(me.tunnel({ expiresAt: me.inDays(1) }));
		const [record] = succeeded(await me.run({ ...GET, fieldList }, { credentialId }));
		expect(Object.keys(record)).toEqual([
			'status',
			'expire_time',
			'expiresAt',
			'secondsLeft',
			'daysLeft',
		]);
		expect(sent(API.getorderinfo)).toEqual([{ field_list: 'status,expire_time' }]);
		expect(bed().sandbox.log.count(API.getorderexpiretime)).toBe(0);
	});

	it.each(['a b!', 'status;;<x>', '={{ {} }}', 'x'.repeat(65)])(
		'refuses the fields %j and asks nothing',
		async (fieldList) => {
			const credentialId = orderCredential(me.tunnel());
			const { error } = await me.run({ ...GET, fieldList }, { credentialId });
			expect(error?.message).toMatch(/^'Fields' (?:is empty|can't be )/);
			expect(bed().sandbox.log.count()).toBe(0);
		},
	);

	it.each(['', [], null, 'the-password'])(
		'does not take %j for an order, and shows nothing of it',
		async (data) => {
			const credentialId = orderCredential(me.tunnel());
			bed().sandbox.faults.add(answering(API.getorderinfo, data));
			const run = await me.run(GET, { credentialId });
			expect(run.error?.message).toBe("Kuaidaili's response contains no details of the order");
			expect(run.saved).not.toContain('the-password');
		},
	);

	it.each<[string, Fault]>([
		['half an answer', { kind: 'halfBody', path: API.getorderinfo }],
		[
			'a gateway that repeats it',
			{ kind: 'status', status: 502, path: API.getorderinfo, body: 'tunnel_password=the-password' },
		],
		['a page', { kind: 'html', path: API.getorderinfo, body: '<html>the-password</html>' }],
	])('shows no password of %s', async (_what, fault) => {
		const order = me.tunnel();
		order.login.password = 'the-password';
		bed().sandbox.faults.add(fault);
		const run = await me.run(GET, { credentialId: orderCredential(order) });
		expect(run.error).toBeDefined();
		expect(run.saved).not.toContain('the-password');
	});
});

describe('an agent', () => {
	const asTool = { settings: { type: 'kuaidailiTool' } };
	const SHORT = ['text', 'orderid', 'productName', 'payTypeName', 'expiresAt', 'daysLeft'];
	const namesOf = (record: IDataObject) => Object.keys(record).sort();

	it('gets orders simplified, unless the option is off', async () => {
		me.tunnel({ expiresAt: me.inDays(2) });
		const [short] = succeeded(await me.run(LIST, asTool));
		expect(namesOf(short)).toEqual([...SHORT].sort());
		expect(short).toMatchObject({ productName: 'Tunnel Proxy', daysLeft: expect.any(Number) });
		const [long] = succeeded(await me.run({ ...LIST, options: { simplify: false } }, asTool));
		expect(long).toHaveProperty('status', 'VALID');
	});

	it('gets an order simplified, unless the option is off or something certain is asked for', async () => {
		const { orderId } = me.tunnel({ expiresAt: me.inDays(2) });
		const get = async (fields: IDataObject = {}) => {
			const parameters = {
				resource: 'order',
				operation: 'get',
				orderid: typed(orderId),
				...fields,
			};
			return await me.run(parameters, asTool);
		};
		const { hints, ...run } = await get();
		expect(namesOf(succeeded({ hints, ...run })[0])).toEqual([...SHORT].sort());
		expect(hints).toEqual([]);
		expect(succeeded(await get({ fieldList: 'status' }))).toEqual([{ status: 'VALID' }]);
		const [long] = succeeded(await get({ options: { simplify: false } }));
		expect(long).toHaveProperty('tunnel_bandwidth');
		const [secret] = succeeded(await get({ options: { includeSecrets: true } }));
		expect(secret).toHaveProperty('tunnel_password');
	});
});

describe('Order: Close', () => {
	it.each<[string, string, (me: Customer) => Order, RegExp]>([
		['a prepaid order', '-3', (me) => me.tunnel(), /'Auto-Renewal: Disable'/],
		['one that is closed', '-2', (me) => me.meteredTunnel({ status: 'CLOSED' }), /already closed/],
		['one that owes money', '-2', (me) => me.meteredTunnel({ status: 'OWING' }), /member center/],
		['an expired one', '-102', (me) => me.tunnel({ expiresAt: me.inDays(-1) }), /still active/],
	])('does not close %s, and says what to do', async (_what, httpCode, make, description) => {
		const order = make(me);
		const { status } = order;
		const { error, items } = await me.run(CLOSE, { credentialId: orderCredential(order) });
		expect(items).toEqual([]);
		expect(error).toMatchObject({ httpCode });
		expect(error?.description).toMatch(description);
		expect(order.status).toBe(status);
	});

	it('closes each order once', async () => {
		const order = me.meteredTunnel();
		const credentialId = orderCredential(order);
		const settings = { onError: 'continueErrorOutput' } as const;
		const { items, errorItems } = await me.run(CLOSE, { credentialId, settings, items: [{}, {}] });
		expect(items.map(({ json }) => json.closed)).toEqual([true]);
		expect(String(errorItems[0].json.error)).toContain('cannot be closed in its current state');
		const done = bed()
			.sandbox.log.entries(API.closeorder)
			.filter(({ workDone }) => workDone);
		expect(done).toHaveLength(1);
	});

	it("asks again after a lost answer, and says that it may be closed with the order's key pair", async () => {
		const order = me.meteredTunnel();
		bed().sandbox.faults.add(lost(API.closeorder));
		const { error } = await me.run(CLOSE, { credentialId: orderCredential(order) });
		expect(error?.message).toContain('cannot be closed in its current state');
		expect(error?.description).toContain('The change may have been made all the same.');
		expect(bed().sandbox.log.count(API.closeorder)).toBe(2);
		expect(order.status).toBe('CLOSED');
	});

	it("finds it closed after a lost answer, with the account's key pair, then and later", async () => {
		const order = me.meteredTunnel();
		bed().sandbox.faults.add(lost(API.closeorder));
		for (let run = 0; run < 2; run++) {
			const fields = { ...CLOSE, orderid: typed(order.orderId) };
			expect(succeeded(await me.run(fields))).toEqual([
				{ orderid: order.orderId, closed: true, message: 'The order is closed' },
			]);
		}
		expect(
			bed()
				.sandbox.log.entries(API.closeorder)
				.map(({ code }) => code),
		).toEqual([0, -2, -2]);
	});

	it('says that it may be closed where the account does not say so', async () => {
		const order = me.meteredTunnel();
		bed().sandbox.faults.add(missed(API.closeorder));
		bed().sandbox.faults.add({ kind: 'code', code: -2, path: API.closeorder, times: 1 });
		const { error } = await me.run({ ...CLOSE, orderid: typed(order.orderId) });
		expect(error?.description).toContain('The change may have been made all the same.');
	});
});
