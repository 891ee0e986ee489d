import { call, type Parameters } from '../client.mts';
import { corners, create, CREATE, orderOf, ORDERS, without, type OrderName } from '../ordering.mts';
import { codeOf, codesOf, NAMES, sandbox } from './buying.mts';

describe('-1: what is required is missing', () => {
	it.each(NAMES)('%s', async (name) => {
		const names = Object.keys(ORDERS[name]);
		expect(await codesOf(names.map((each) => without(ORDERS[name], each)))).toEqual(
			names.map(() => -1),
		);
	});

	it('says which', async () => {
		const { msg, data } = await create(sandbox, without(ORDERS.dpsEven, 'dps.fetch_type'));
		expect(msg).toContain('dps.fetch_type');
		expect(data).toBe('');
	});
});

describe('-2: ranges', () => {
	type Row = [
		name: OrderName,
		extra: Parameters,
		field: string,
		least: number,
		most: number,
		step: number,
	];
	const life = (
		fetch: '1' | '2',
		period: string,
		least: number,
		most: number,
		step: number,
	): Row => [
		fetch === '1' ? 'dpsEven' : 'dpsConcentrated',
		{ 'dps.period': period },
		'dps.ip_count',
		least,
		most,
		step,
	];
	const bought = (period: string, least: number, most: number, step: number): Row => [
		'dpsPerIp',
		{ 'dps.period': period },
		'dps.ip_count',
		least,
		most,
		step,
	];
	const units = (unit: string, most: number): Row => [
		'ops',
		{ 'prepay.time_type': unit },
		'prepay.time_number',
		1,
		most,
		1,
	];
	const bandwidth = (period: number, least: number, most: number): Row => [
		'tps',
		{ 'tps.period': String(period) },
		'tps.max_bandwidth',
		least,
		most,
		1,
	];
	const rows: Row[] = [
		units('DAY', 15),
		units('WEEK', 3),
		units('MONTH', 9),
		units('YEAR', 3),
		['tps', {}, 'tps.max_rps', 5, 1000, 1],
		['tpsPayAsUsed', {}, 'tps.max_rps', 5, 1000, 1],
		bandwidth(0, 5, 80),
		...[15, 30, 60, 300, 600, 900, 1800, 3600].map((period) => bandwidth(period, 3, 5)),
		...[21600, 43200, 86400].map((period) => bandwidth(period, 3, 3)),
		life('1', 'M_3_5', 2500, 150000, 2500),
		life('1', 'M_10_30', 1000, 17000, 1000),
		life('1', 'M_30_60', 1000, 25000, 1000),
		life('1', 'H_3_4', 100, 1000, 100),
		life('2', 'M_1_5', 1000, 200000, 1000),
		life('2', 'M_5_10', 1000, 50000, 1000),
		life('2', 'M_10_20', 1000, 30000, 1000),
		life('2', 'M_20_30', 1000, 25000, 1000),
		life('2', 'M_30_60', 1000, 25000, 1000),
		life('2', 'H_2_4', 100, 500, 100),
		...['M_1_5', 'M_5_10', 'M_10_20', 'M_20_30', 'M_30_60', 'M_1', 'M_30'].map((period) =>
			bought(period, 1000, 1000000, 1000),
		),
		bought('H_2_4', 100, 100000, 100),
		['dpsEven', {}, 'dps.whiteip_count', 50, 200, 1],
		['dpsPerIp', {}, 'dps.whiteip_count', 50, 200, 1],
		['kpsStatic', {}, 'kps.whiteip_count', 50, 200, 1],
		['kpsExclusive', {}, 'kps.whiteip_count', 50, 200, 1],
		['kpsExclusive', {}, 'kps.ip_count', 1, 10, 1],
	];

	it.each(rows)('%s %j: %s from %i to %i by %i', async (name, extra, field, least, most, step) => {
		const { good, bad } = corners(least, most, step);
		const withValue = (value: string) => ({ ...ORDERS[name], ...extra, [field]: value });
		expect(await codesOf([...good, ...bad].map(withValue))).toEqual([
			...good.map(() => 0),
			...bad.map(() => -2),
		]);
	});
});

describe('-2: values out of a list', () => {
	type Row = [name: OrderName, field: string, good: string[], bad: string[]];
	const professional = Array.from({ length: 30 }, (_, index) => `M_${index + 1}`);
	const standard = ['M_1_5', 'M_5_10', 'M_10_20', 'M_20_30', 'M_30_60'];
	const units = ['DAY', 'WEEK', 'MONTH', 'YEAR'];
	const rows: Row[] = [
		['ops', 'product', ['OPS'], ['TPS_PRO', 'FPS', 'SFPS', 'ops', 'OPS ', 'X', '']],
		['ops', 'pay_type', ['PRE_PAY'], ['PREPAY', 'pre_pay', 'PRE_PAY_GB', '']],
		['ops', 'ops.plan', ['2', '3'], ['0', '1', '4', 'VIP', '']],
		['ops', 'prepay.time_type', units, ['day', 'HOUR', 'DAYS', '']],
		['kpsExclusive', 'prepay.time_type', ['MONTH', 'YEAR'], ['DAY', 'WEEK']],
		['ops', 'prepay.is_auto_renew', ['0', '1'], ['2', 'true', '']],
		['ops', 'is_notify', ['0', '1'], ['2', 'true', '']],
		['ops', 'is_coupon', ['0', '1'], ['2', 'true', '']],
		[
			'tps',
			'tps.period',
			['0', '15', '30', '60', '300', '600', '900', '1800', '3600', '21600', '43200', '86400'],
			['1', '14', '16', '120', '7200', '86401', '-15', '00', '15.0', ''],
		],
		['dpsEven', 'dps.fetch_type', ['1'], ['0', '3', '']],
		[
			'dpsEven',
			'dps.period',
			['M_3_5'],
			['M_1_5', 'M_5_10', 'M_10_20', 'M_20_30', 'H_2_4', 'M_1', 'm_3_5', '3', ''],
		],
		['dpsConcentrated', 'dps.period', standard, ['M_3_5', 'M_10_30', 'H_3_4', 'M_1', 'M_30', '']],
		[
			'dpsPerIp',
			'dps.period',
			[...standard, 'H_2_4', ...professional],
			['M_3_5', 'M_10_30', 'H_3_4', 'M_0', 'M_31', 'M_01', ''],
		],
		['kpsStatic', 'kps.serie', ['1'], ['0', '3', 'shared', '']],
		['kpsStatic', 'kps.model', ['DYN', 'STA'], ['STD', 'sta', '']],
		['kpsStatic', 'kps.max_bandwidth', ['1', '2', '4', '6', '10'], ['0', '3', '5', '8', '11', '']],
		['kpsExclusive', 'kps.max_bandwidth', ['1', '2', '4', '6', '10'], ['0', '3', '20', '']],
		['kpsDynamic', 'kps.max_bandwidth', ['1'], ['2', '4', '6', '10']],
		['kpsStatic', 'kps.ip_count', ['1', '2'], ['0', '-1', '1.5', '01', 'x', '']],
		['kpsStatic', 'kps.city', ['', '33', '3301'], ['3', '33010', 'cn', '杭州', '330 ', '-33']],
	];

	it.each(rows)('%s: %s', async (name, field, good, bad) => {
		const withValue = (value: string) => ({ ...ORDERS[name], [field]: value });
		expect(await codesOf([...good, ...bad].map(withValue))).toEqual([
			...good.map(() => 0),
			...bad.map(() => -2),
		]);
	});

	it('a life that goes with one way of fetching does not go with the other', async () => {
		expect(await codeOf({ ...ORDERS.dpsEven, 'dps.fetch_type': '2' })).toBe(-2);
		expect(await codeOf({ ...ORDERS.dpsConcentrated, 'dps.fetch_type': '1' })).toBe(-2);
	});

	it.each([
		['ops', units, ['day', '']],
		['kpsExclusive', ['MONTH', 'YEAR'], ['DAY', 'WEEK', '']],
	] as const)('%s: the unit of auto-renewal', async (name, good, bad) => {
		const withUnit = (unit: string) => ({
			...ORDERS[name],
			'prepay.is_auto_renew': '1',
			'prepay.auto_renew_unit': unit,
		});
		expect(await codesOf([...good, ...bad].map(withUnit))).toEqual([
			...good.map(() => 0),
			...bad.map(() => -2),
		]);
	});

	it('says which', async () => {
		const { msg } = await create(sandbox, { ...ORDERS.tps, 'tps.max_rps': '4' });
		expect(msg).toContain('tps.max_rps');
	});
});

describe('-2: what has no effect', () => {
	const extras: Array<[name: OrderName, extra: Parameters]> = [
		['tpsPayAsUsed', { 'prepay.time_type': 'DAY' }],
		['tpsPayAsUsed', { 'prepay.time_number': '1' }],
		['tpsPayAsUsed', { 'prepay.is_auto_renew': '0' }],
		['dpsPerIp', { 'prepay.time_type': 'DAY' }],
		['dpsPerIp', { 'dps.fetch_type': '1' }],
		['ops', { 'prepay.auto_renew_unit': 'MONTH' }],
		['ops', { 'prepay.is_auto_renew': '0', 'prepay.auto_renew_unit': 'MONTH' }],
		['kpsExclusive', { 'kps.model': 'STA' }],
		['tps', { 'dps.period': 'M_1_5' }],
		['tps', { 'kps.city': '' }],
		['dpsEven', { 'tps.period': '0' }],
		['kpsStatic', { 'ops.plan': '2' }],
		['ops', { 'tps.max_rps': '5' }],
		['ops', { time_type: 'DAY' }],
		['ops', { format: 'xml' }],
		['ops', { prepay: 'x' }],
	];

	it.each(extras)('%s with %j is refused, and can be ignored', async (name, extra) => {
		expect(await codesOf([{ ...ORDERS[name], ...extra }])).toEqual([-2]);
		sandbox.settings.inapplicableParameters = 'ignore';
		expect(await codesOf([{ ...ORDERS[name], ...extra }])).toEqual([0]);
	});

	it('its value does not matter when it is ignored', async () => {
		sandbox.settings.inapplicableParameters = 'ignore';
		const order = orderOf(
			sandbox,
			await create(sandbox, {
				...ORDERS.dpsPerIp,
				'dps.fetch_type': '9',
				'prepay.is_auto_renew': '1',
				'tps.period': 'never',
			}),
		);
		expect(order).toMatchObject({ fetchType: undefined, autoRenewal: { enabled: false } });
	});

	it('the answer is JSON, whatever is asked for', async () => {
		sandbox.settings.inapplicableParameters = 'ignore';
		const parameters = { ...ORDERS.ops, format: 'xml' };
		const reply = await call(sandbox.hosts.baseUrl, CREATE, sandbox.keys.account, parameters);
		expect(reply.headers.get('content-type')).toContain('application/json');
		expect(reply.json.code).toBe(0);
	});
});
