import type { Reply } from '../client.mts';
import { tell, type Step, type Story } from '../stories.mts';

/* What can be looked up, and what is in stock where. */

const HAN = /^\p{Script=Han}+$/u;
const SHARED = 'serie=1&model=STA';

const NOTHING = ({ json }: Reply) =>
	expect(json).toEqual({ code: 0, msg: 'no available kps found', data: [] });

/** A list of at least so many, each like this. */
function list(least: number, form: unknown) {
	return ({ json }: Reply) => {
		expect(json).toEqual({ code: 0, msg: expect.any(String), data: expect.any(Array) });
		const data: unknown[] = Array.isArray(json.data) ? json.data : [];
		expect(data.length).toBeGreaterThanOrEqual(least);
		expect(data).toEqual(data.map(() => form));
		expect(new Set(data.map((each) => JSON.stringify(each))).size).toBe(data.length);
	};
}

/** An object of at least so many names, with these among them. */
function names(least: number, form: RegExp, some: object) {
	return ({ json }: Reply) => {
		expect(json).toMatchObject({ code: 0, msg: '', data: some });
		const values = Object.values(Object(json.data));
		expect(values.length).toBeGreaterThanOrEqual(least);
		for (const value of values) expect(value).toMatch(form);
	};
}

function fewCities({ sandbox }: Story): void {
	sandbox.stock.splice(
		0,
		Infinity,
		{ code: '11', name: '北京市', sharedMegabits: 0, hasExclusive: true },
		{ code: '3301', name: '杭州市', sharedMegabits: 12, hasExclusive: true },
		{ code: '3302', name: '宁波市', sharedMegabits: 5, hasExclusive: false },
		{ code: '4403', name: '深圳市', sharedMegabits: 1, hasExclusive: false },
	);
}

const cities = (query: string, ...expected: Array<[code: string, count: number]>): Step => [
	`account querykpscity?${SHARED}&${query}`,
	expected.map(([code, count]) => ({ code, name: expect.stringMatching(HAN), count })),
];

function fewCarriers({ sandbox }: Story): void {
	sandbox.privateStock.clear();
	sandbox.privateStock.set('11', [2]);
	sandbox.privateStock.set('3301', [3, 1]);
	sandbox.privateStock.set('3302', [1, 2]);
	sandbox.privateStock.set('4403', []);
}

const CARRIERS = new Map([
	[-1, ''],
	[1, '联通'],
	[2, '电信'],
	[3, '移动'],
]);

const available = (query: string, ...expected: Array<[name: string, code: number, of: number]>) =>
	[
		`dps dpsresources?${query}`,
		expected.map(([area_name, area_code, of]) => ({
			...{ area_name, area_code, carrier_code: of },
			...{ carrier_name: CARRIERS.get(of), available: of > 0 },
		})),
	] as const;

tell({
	'getareacode: by whole names, or with their suffix': [
		...[
			...[['广州市', '4401'] as const, ['广州', '4401'] as const, ['广东省', '44'] as const],
			...[['北京', '11'] as const, ['内蒙古', '15'] as const, ['吉林', '22'] as const],
			...[['吉林市', '2202'] as const, ['延边朝鲜族自治州', '2224'] as const],
		].map(
			([name, are_code]): Step => [
				`account getareacode?area=${name}`,
				{ are_name: expect.stringMatching(`^${name}`), are_code },
			],
		),
		...['亚特兰蒂斯', '北', 'Beijing', '11', '北京,上海', ' 北京', '市'].map(
			(name): Step => [`opsVip getareacode?area=${name}`, { are_name: '', are_code: '' }],
		),
	],
	'getfpscountrycode and getfpsareacode': [
		['account getfpscountrycode', names(60, HAN, { US: '美国', CA: '加拿大', JP: '日本' })],
		...Object.entries({ US: 51, CA: 13, JP: 47, BR: 27, DE: 16, GB: 1, KR: 1, SG: 1 }).map(
			([region, least]): Step => [
				`account getfpsareacode?region=${region}`,
				list(least, expect.stringMatching(/^[A-Z][A-Za-z' -]*[a-z]$/)),
			],
		),
		...['LU', 'XX', 'us', 'US,CA', '美国'].map(
			(region): Step => [`account getfpsareacode?region=${region}`, []],
		),
	],
	'gettpsprovcode and gettpscitycode': [
		['account gettpsprovcode', names(31, /^\d\d$/, { 北京: '11', 浙江: '33', 广西: '45' })],
		['account gettpscitycode?prov=33', names(11, /^33\d\d00$/, { 杭州市: '330100' })],
		['account gettpscitycode?prov=11', { 北京市: '110100' }],
		['account gettpscitycode?prov=31,32', names(10, /^3[12]\d\d00$/, { 南京市: '320100' })],
		['account gettpscitycode?prov=31,99', { 上海市: '310100' }],
		...['99', '71', '3301', '330000', '浙江', '3'].map(
			(prov): Step => [`account gettpscitycode?prov=${prov}`, []],
		),
	],
	'querykpscity: cities with shared proxies have a count, fewer with more bandwidth': [
		fewCities,
		cities('kps.max_bandwidth=1', ['3301', 12], ['3302', 5], ['4403', 1]),
		cities('kps.max_bandwidth=2', ['3301', 6], ['3302', 2]),
		cities('kps.max_bandwidth=4', ['3301', 3], ['3302', 1]),
		cities('kps.max_bandwidth=6', ['3301', 2]),
		cities('kps.max_bandwidth=10', ['3301', 1]),
		cities('kps.max_bandwidth=1&city=33', ['3301', 12], ['3302', 5]),
		cities('kps.max_bandwidth=1&city=3302', ['3302', 5]),
		...['11', '1101', '35', '9999'].map(
			(city): Step => [`account querykpscity?${SHARED}&kps.max_bandwidth=1&city=${city}`, NOTHING],
		),
		[
			'account querykpscity?serie=2',
			[
				{ code: '11', name: '北京市' },
				{ code: '3301', name: '杭州市' },
			],
		],
		({ sandbox }) => (sandbox.stock.length = 0),
		['account querykpscity?serie=2', NOTHING],
	],
	'querykpscity: from the start there are many': [
		[
			`account querykpscity?${SHARED}&kps.max_bandwidth=1`,
			list(200, {
				code: expect.stringMatching(/^(1[12]|31|50|\d{4})$/),
				name: expect.stringMatching(HAN),
				count: expect.any(Number),
			}),
		],
		['account querykpscity?serie=2', list(100, expect.not.objectContaining({ count: 1 }))],
		({ sandbox }) => {
			const byCode = Object.fromEntries(sandbox.stock.map(({ code, name }) => [code, name]));
			expect(byCode).toMatchObject({ 11: '北京市', 3301: '杭州市', 2224: '延边朝鲜族自治州' });
			expect(Object.keys(byCode)).toHaveLength(sandbox.stock.length);
		},
	],
	'querysfpsarea: each series has its countries, which a test may change': [
		...['1', '2'].map(
			(serie): Step => [
				`account querysfpsarea?serie=${serie}`,
				list(40, {
					code: expect.stringMatching(/^[A-Z]{2}$/),
					name: expect.stringMatching(HAN),
				}),
			],
		),
		['sfps querysfpsarea?serie=1', /美国/],
		({ sandbox }) => sandbox.overseasStock.retail.splice(0, Infinity, { code: 'US', name: '美国' }),
		['account querysfpsarea?serie=1', [{ code: 'US', name: '美国' }]],
		['sfps querysfpsarea?serie=2', list(40, expect.anything())],
	],
	'dpsresources: one for each area and carrier, in the order of the request': [
		fewCarriers,
		available(
			'area=4403,33,11,3301',
			['深圳', 4403, -1],
			['浙江', 33, 1],
			['浙江', 33, 2],
			['浙江', 33, 3],
			['北京', 11, 2],
			['杭州', 3301, 1],
			['杭州', 3301, 3],
		),
		available('area=11,11&carrier=0', ['北京', 11, 2]),
		available('area=11,33,3301&carrier=1', ['北京', 11, -1], ['浙江', 33, 1], ['杭州', 3301, 1]),
		available('area=11,33,3301&carrier=2', ['北京', 11, 2], ['浙江', 33, 2], ['杭州', 3301, -1]),
	],
	'dpsresources: from the start all areas, some of them with nothing': [
		['dps dpsresources', /"available":false/],
		[
			'dps dpsresources?area=',
			list(230, {
				area_name: expect.stringMatching(HAN),
				area_code: expect.any(Number),
				carrier_name: expect.stringMatching(/^(联通|电信|移动)?$/),
				carrier_code: expect.any(Number),
				available: expect.any(Boolean),
			}),
		],
	],
});
