import { post, signed } from '../client.mts';
import {
	accountOf,
	ask,
	create,
	CREATE,
	field,
	orderOf,
	ORDERS,
	type OrderName,
	without,
} from '../ordering.mts';
import { NAMES, sandbox } from './buying.mts';

describe('what was ordered is in the store', () => {
	const prepaid = {
		payType: 'PRE_PAY',
		status: 'VALID',
		notify: true,
		renewal: 'possible',
		autoRenewal: { enabled: false, unit: 'MONTH' },
	};
	const expected: Record<OrderName, object> = {
		tps: { ...prepaid, product: 'TPS', period: 0, maxRps: 5, maxBandwidth: 5 },
		tpsPayAsUsed: {
			payType: 'POST_PAY',
			product: 'TPS',
			period: 60,
			maxRps: 5,
			maxBandwidth: 3,
			expiresAt: undefined,
		},
		dpsEven: {
			...prepaid,
			product: 'DPS',
			fetchType: 1,
			period: 'M_3_5',
			ipCount: 2500,
			ipBalance: undefined,
			whiteipCount: 50,
		},
		dpsConcentrated: { ...prepaid, product: 'DPS', fetchType: 2, period: 'M_1_5', ipCount: 1000 },
		dpsPerIp: {
			payType: 'PRE_PAY_IP',
			product: 'DPS',
			fetchType: undefined,
			period: 'M_1_5',
			ipCount: 1000,
			ipBalance: 1000,
		},
		kpsStatic: {
			...prepaid,
			product: 'KPS',
			series: 'shared',
			model: 'STA',
			city: expect.stringMatching(/^(\d{2}){1,2}$/),
			maxBandwidth: 1,
			ipCount: 1,
			whiteipCount: 50,
		},
		kpsDynamic: { ...prepaid, product: 'KPS', series: 'shared', model: 'DYN' },
		kpsExclusive: { ...prepaid, product: 'KPS', series: 'exclusive', model: undefined },
		ops: { ...prepaid, product: 'OPS', plan: 'VIP' },
	};

	it.each(NAMES)('%s, with the defaults', async (name) => {
		const order = orderOf(sandbox, await create(sandbox, ORDERS[name]));
		expect(order).toMatchObject(expected[name]);
		expect(order.account).toBe(accountOf(sandbox));
		expect(sandbox.store.findCaller(order.keys.secretId)).toMatchObject({ kind: 'order', order });
	});

	it('with everything that can be said', async () => {
		const tunnel = await create(sandbox, {
			...ORDERS.tps,
			'prepay.time_type': 'WEEK',
			'prepay.time_number': '3',
			'prepay.is_auto_renew': '1',
			'prepay.auto_renew_unit': 'YEAR',
			'tps.max_rps': '1000',
			'tps.max_bandwidth': '80',
			is_notify: '0',
			is_coupon: '0',
		});
		expect(orderOf(sandbox, tunnel)).toMatchObject({
			maxRps: 1000,
			maxBandwidth: 80,
			notify: false,
			autoRenewal: { enabled: true, unit: 'YEAR' },
		});
		const dedicated = await create(sandbox, {
			...ORDERS.kpsStatic,
			'kps.city': '3301',
			'kps.max_bandwidth': '6',
			'kps.ip_count': '4',
			'kps.whiteip_count': '200',
		});
		expect(orderOf(sandbox, dedicated)).toMatchObject({
			city: '3301',
			maxBandwidth: 6,
			ipCount: 4,
			whiteipCount: 200,
		});
		const svip = await create(sandbox, { ...ORDERS.ops, 'ops.plan': '3' });
		expect(orderOf(sandbox, svip)).toMatchObject({ plan: 'SVIP' });
	});

	it('auto-renewal is by the month unless another unit is given', async () => {
		const reply = await create(sandbox, { ...ORDERS.tps, 'prepay.is_auto_renew': '1' });
		expect(orderOf(sandbox, reply).autoRenewal).toEqual({ enabled: true, unit: 'MONTH' });
	});

	it('every order has a number and keys of its own', async () => {
		const orders = [];
		for (const name of NAMES) orders.push(orderOf(sandbox, await create(sandbox, ORDERS[name])));
		expect(new Set(orders.map(({ orderId }) => orderId)).size).toBe(NAMES.length);
		expect(new Set(orders.map(({ keys }) => keys.secretId)).size).toBe(NAMES.length);
		expect(new Set(orders.map(({ keys }) => keys.secretKey)).size).toBe(NAMES.length);
	});

	it('also by POST', async () => {
		const form = signed(sandbox.keys.account, 'POST', CREATE, ORDERS.ops);
		const { json } = await post(sandbox.hosts.baseUrl + CREATE, form);
		expect(orderOf(sandbox, json)).toMatchObject({ plan: 'VIP' });
	});
});

describe('-3 and -123: an order key', () => {
	it.each([
		[undefined, -3, -123],
		['endpoint', -3, -3],
		['common', -123, -123],
	] as const)('with the setting %s', async (wrongKeyCode, forCreating, forTheBalance) => {
		sandbox.settings.wrongKeyCode = wrongKeyCode;
		const key = sandbox.keys.tps;
		expect((await ask(sandbox, CREATE, key, ORDERS.ops)).code).toBe(forCreating);
		expect((await ask(sandbox, '/api/getaccountbalance', key, {})).code).toBe(forTheBalance);
		expect(sandbox.ledger.count()).toBe(0);
	});
});

describe('the order can be used', () => {
	it('open proxies are extracted with its keys at once', async () => {
		const { keys } = orderOf(sandbox, await create(sandbox, ORDERS.ops));
		const reply = await ask(sandbox, '/api/getproxy', keys, {
			num: '3',
			format: 'json',
			quality: '1',
		});
		expect(reply).toMatchObject({ code: 0, data: { count: 3 } });
	});

	it('a token is given for its keys', async () => {
		const { keys } = orderOf(sandbox, await create(sandbox, ORDERS.tps));
		const { json } = await post(`${sandbox.hosts.authUrl}/api/get_secret_token`, {
			secret_id: keys.secretId,
			secret_key: keys.secretKey,
		});
		expect(json.code).toBe(0);
	});

	it.each([
		['2026-03-10T20:00:00Z', 'DAY', '15', '2026-03-26 04:00:00'],
		['2026-03-10T20:00:00Z', 'WEEK', '3', '2026-04-01 04:00:00'],
		['2026-03-10T20:00:00Z', 'MONTH', '9', '2026-12-11 04:00:00'],
		['2026-03-10T20:00:00Z', 'YEAR', '3', '2029-03-11 04:00:00'],
		// In China it is the 31st already, and the 1st already.
		['2026-01-30T18:00:00Z', 'MONTH', '1', '2026-02-28 02:00:00'],
		['2026-01-31T18:00:00Z', 'MONTH', '1', '2026-03-01 02:00:00'],
		['2028-02-28T18:00:00Z', 'YEAR', '1', '2029-02-28 02:00:00'],
	])('at %s for %s %s: until %s', async (now, unit, number, expected) => {
		sandbox.clock.set(new Date(now));
		const { keys } = orderOf(
			sandbox,
			await create(sandbox, {
				...ORDERS.ops,
				'prepay.time_type': unit,
				'prepay.time_number': number,
			}),
		);
		const { data } = await ask(sandbox, '/api/getorderexpiretime', keys, {});
		// The clock goes on, but not by a minute.
		expect(field(data, 'expire_time').slice(0, 16)).toBe(expected.slice(0, 16));
	});

	it('one of a day is over after a day', async () => {
		const { keys } = orderOf(sandbox, await create(sandbox, ORDERS.tps));
		sandbox.clock.advance(24 * 3600_000 - 60_000);
		expect((await ask(sandbox, '/api/getorderexpiretime', keys, {})).code).toBe(0);
		sandbox.clock.advance(60_001);
		expect((await ask(sandbox, '/api/getorderexpiretime', keys, {})).code).toBe(-102);
	});

	it('a pay-as-used one has no end', async () => {
		const { keys } = orderOf(sandbox, await create(sandbox, ORDERS.tpsPayAsUsed));
		const { data } = await ask(sandbox, '/api/getorderexpiretime', keys, {});
		expect(data).toEqual({ expire_time: '' });
	});
});

it.each([
	['-1', 'dps.fetch_type', without(ORDERS.dpsEven, 'dps.fetch_type')],
	['-2', 'tps.max_rps', { ...ORDERS.tps, 'tps.max_rps': '4' }],
] as const)('%s says which parameter it is about: %s', async (code, name, parameters) => {
	const reply = await create(sandbox, parameters);
	expect({ code: String(reply.code), data: reply.data }).toEqual({ code, data: '' });
	expect(reply.msg).toContain(name);
});

it('what has no effect can be ignored, whatever its value; the answer is JSON, whatever is asked for', async () => {
	sandbox.settings.inapplicableParameters = 'ignore';
	const extra = { 'dps.fetch_type': '9', 'prepay.is_auto_renew': '1', format: 'xml' };
	const reply = await create(sandbox, { ...ORDERS.dpsPerIp, ...extra });
	const order = orderOf(sandbox, reply);
	expect(order).toMatchObject({ fetchType: undefined, autoRenewal: { enabled: false } });
});
