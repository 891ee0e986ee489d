import { proxyLogin } from '../../../../../nodes/Kuaidaili/proxies/logins.ts';
import { areaCode } from '../../../../../nodes/Kuaidaili/actions/area/getCode.operation.ts';
import { currentIps } from '../../../../../nodes/Kuaidaili/actions/tunnel/getCurrentIp.operation.ts';
import { TPS_PRO_CURRENT_IP } from '../../../../../nodes/shared/service/endpoints/order.ts';
import {
	ipsLeftIn,
	overseasDynamicAreas,
	overseasDynamicCountries,
	questionFor,
	tunnelProCities,
	tunnelProProvinces,
} from '../../../../../nodes/shared/orders/places.ts';
import { InvalidResponseError } from '../../../../../nodes/shared/api/errors.ts';
import {
	accountBalance,
	accountOrders,
	ipBalance,
	orderExpiry,
} from '../../../../../nodes/shared/orders/queries.ts';
import { englishRegionName } from '../../../../../nodes/shared/service/regionNames.ts';
import { runQuery } from '../../../../../nodes/shared/api/call.ts';
import { fakeCaller, reply } from '../../../support/fakeCaller.mts';

function answering(data: unknown) {
	return fakeCaller(() => reply({ code: 0, msg: '', data }));
}

it('reads countries from a map of codes, and areas of Tunnel Pro from maps of names', async () => {
	const countries = await runQuery(
		answering({ US: '美国', CA: '加拿大' }),
		overseasDynamicCountries,
	);
	expect(countries).toEqual([
		{ code: 'US', name: '美国' },
		{ code: 'CA', name: '加拿大' },
	]);
	const province = [{ code: '11', name: '北京' }];
	expect(await runQuery(answering({ 北京: '11' }), tunnelProProvinces)).toEqual(province);
	expect(await runQuery(answering({ 北京: 11 }), tunnelProProvinces)).toEqual(province);
});

it('takes an empty list for an empty map', async () => {
	expect(await runQuery(answering([]), tunnelProCities, { prov: '99' })).toEqual([]);
	expect(await runQuery(answering({}), tunnelProCities, { prov: '99' })).toEqual([]);
});

it.each([['US'], { US: 1 }, { US: '' }, { '': '美国' }, '', null])(
	'takes %j for no map of countries',
	async (data) => {
		const answer = runQuery(answering(data), overseasDynamicCountries);
		await expect(answer).rejects.toThrow(InvalidResponseError);
	},
);

it.each([[''], { 0: 'Arizona' }, [['Arizona']], '', null])(
	'takes %j for no list of areas',
	async (data) => {
		const answer = runQuery(answering(data), overseasDynamicAreas, { region: 'US' });
		await expect(answer).rejects.toThrow(InvalidResponseError);
	},
);

describe('the code of a name', () => {
	const BEIJING = { area_name: '北京市', area_code: '11' };

	it.each([
		[{ are_name: '北京市', are_code: '11' }, BEIJING],
		[{ area_name: '北京市', area_code: '11' }, BEIJING],
		[{ area_name: '北京市', area_code: 11 }, BEIJING],
		[{ are_name: '', are_code: '' }, undefined],
		[{ area_name: '', area_code: '' }, undefined],
	])('%j is read as %j', async (data, area) => {
		expect(await runQuery(answering(data), areaCode, { area: '北京市' })).toEqual(area);
	});

	it.each([{}, { area_name: '北京市' }, { area_name: '', area_code: '11' }, [], '', null])(
		'%j is no answer',
		async (data) => {
			const answer = runQuery(answering(data), areaCode, { area: '北京市' });
			await expect(answer).rejects.toThrow(InvalidResponseError);
		},
	);
});

it.each([
	['33', 'Zhejiang'],
	['3301', 'Hangzhou'],
	['330100', 'Hangzhou'],
	['110100', 'Beijing'],
	['339900', undefined],
	['99', undefined],
	['constructor', undefined],
])('the English name of the region %s is %s', (code, name) => {
	expect(englishRegionName(code)).toBe(name);
});

const HANGZHOU = { code: '3301', name: '杭州市', count: 12 };

describe('the IPs left in a city', () => {
	it.each([
		[{ ...HANGZHOU }, 12],
		[{ ...HANGZHOU, count: 0 }, 0],
		[{ code: '3301', name: '杭州市' }, undefined],
		[{ ...HANGZHOU, count: '12' }, undefined],
		[{ ...HANGZHOU, count: null }, undefined],
	])('of %j are %p', (city, left) => {
		expect(ipsLeftIn(city)).toBe(left);
	});

	it('are never taken from a prototype', () => {
		const city = Object.assign(Object.create({ count: 5 }), { code: '3301', name: '杭州市' });
		expect(ipsLeftIn(city)).toBeUndefined();
	});
});

describe('the question that belongs to an order', () => {
	it.each([
		[
			'shared static',
			{ 'kps.serie': '1', 'kps.model': 'STA', 'kps.max_bandwidth': '4', 'kps.city': '3301' },
			{ serie: '1', 'kps.max_bandwidth': '4' },
		],
		['exclusive', { 'kps.serie': '2', 'kps.max_bandwidth': '4' }, { serie: '2' }],
		[
			'shared dynamic',
			{ 'kps.serie': '1', 'kps.model': 'DYN', 'kps.max_bandwidth': '1' },
			undefined,
		],
	])('%s has the names that querykpscity uses', (_which, order, question) => {
		expect(questionFor({ product: 'KPS', 'kps.ip_count': '3', ...order })).toEqual(question);
	});
});

const ORDER = { orderid: '399141692192336' };

const READ_BY = {
	currentIps: currentIps(TPS_PRO_CURRENT_IP),
	accountBalance,
	accountOrders,
	ipBalance,
	orderExpiry,
	proxyLogin,
};

it.each<[keyof typeof READ_BY, unknown]>([
	...['', 'NaN', 'Infinity', '1,000.00', '1e3', '0x10', '.5', 1e21, ['620.80'], true, {}, null].map(
		(balance): ['accountBalance', unknown] => ['accountBalance', { balance }],
	),
	['accountBalance', {}],
	['accountBalance', null],
	['ipBalance', {}],
	['ipBalance', { balance: '120' }],
	['ipBalance', { balance: null }],
	['ipBalance', 120],
	['orderExpiry', {}],
	['orderExpiry', null],
	['orderExpiry', { expire_time: 0 }],
	['orderExpiry', { expire_time: ' ' }],
	['orderExpiry', { expire_time: '2026-06-19' }],
	['orderExpiry', { expire_time: '2026-02-31 99:00:00' }],
	['orderExpiry', { expire_time: null }],
	['currentIps', ['1.2.3.4']],
	['currentIps', { s01: 7 }],
	['currentIps', '1.2.3.4'],
	['accountOrders', { orderid: '1' }],
	['accountOrders', [{ orderid: '' }]],
	['accountOrders', [{ orderid: 1.5 }]],
	['accountOrders', [{ orderid: ['1'] }]],
	['accountOrders', [ORDER, '399141692192336']],
	['proxyLogin', { username: '', password: 'p' }],
	['proxyLogin', { username: 'u' }],
	['proxyLogin', { username: 'u', password: '\ud800' }],
	['proxyLogin', { username: 'u\udfff', password: 'p' }],
])('%s takes nothing from %j', (query, data) => {
	const answer = { msg: '', data, answeredAt: 0 };
	expect(() => READ_BY[query].parse(answer, [])).toThrow(InvalidResponseError);
});

it.each([
	['620.80', '620.80', 620.8],
	['0.00', '0.00', 0],
	['-12.50', '-12.50', -12.5],
	['1234567.89', '1234567.89', 1_234_567.89],
	[' 620 ', ' 620 ', 620],
	[620.8, '620.8', 620.8],
])('takes %j for a balance, as text and as number', (given, balance, balanceNumber) => {
	const answer = { msg: '', data: { balance: given }, answeredAt: 0 };
	expect(accountBalance.parse(answer, [])).toEqual({ balance, balanceNumber });
});

it('knows orders that do not end', () => {
	const answer = { msg: '', data: { expire_time: '' }, answeredAt: 5 };
	expect(orderExpiry.parse(answer, [])).toEqual({
		expireTime: '',
		expiresAt: undefined,
		answeredAt: 5,
	});
});

it('reads that no session of a tunnel is in use from an empty map, or an empty list', () => {
	const read = (data: unknown) => READ_BY.currentIps.parse({ msg: '', data, answeredAt: 0 }, []);
	expect(read({})).toEqual([]);
	expect(read([])).toEqual([]);
});
