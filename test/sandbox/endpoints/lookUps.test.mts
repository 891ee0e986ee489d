import type { Sandbox } from '../../../sandbox/sandbox.mts';
import { call, type Parameters } from '../client.mts';
import { field, startShop } from '../ordering.mts';

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await startShop();
});

afterEach(() => sandbox.close());

type Host = keyof Sandbox['hosts'];

interface LookUp {
	path: string;
	host: Host;
	parameters: Parameters;
}

const LOOK_UPS: LookUp[] = [
	{ path: '/api/getareacode', host: 'baseUrl', parameters: { area: '北京' } },
	{ path: '/api/getfpscountrycode', host: 'baseUrl', parameters: {} },
	{ path: '/api/getfpsareacode', host: 'baseUrl', parameters: { region: 'US' } },
	{ path: '/api/gettpsprovcode', host: 'tpsUrl', parameters: {} },
	{ path: '/api/gettpscitycode', host: 'tpsUrl', parameters: { prov: '33' } },
];

const KEYS = ['account', 'opsVip', 'tps'] as const;

describe.each(LOOK_UPS)('$path', ({ path, host, parameters }) => {
	it('is the same for every key', async () => {
		const answers = KEYS.map(
			async (key) => (await call(sandbox.hosts[host], path, sandbox.keys[key], parameters)).json,
		);
		const [first, ...others] = await Promise.all(answers);
		expect(first?.code).toBe(0);
		expect(others).toEqual(others.map(() => first));
	});
});

async function dataOf(host: Host, path: string, parameters: Parameters = {}): Promise<unknown> {
	const { json } = await call(sandbox.hosts[host], path, sandbox.keys.account, parameters);
	expect({ code: json.code, msg: json.msg }).toEqual({ code: 0, msg: '' });
	return json.data;
}

describe('getareacode', () => {
	const areaCode = (area: string) => dataOf('baseUrl', '/api/getareacode', { area });

	it.each([
		['广州市', '4401'],
		['广州', '4401'],
		['广东省', '44'],
		['广东', '44'],
		['北京市', '11'],
		['北京', '11'],
		['内蒙古', '15'],
		['吉林市', '2202'],
		['吉林', '22'],
		['延边朝鲜族自治州', '2224'],
	])('%s is %s', async (name, code) => {
		const data = await areaCode(name);
		expect(data).toEqual({ are_name: expect.stringMatching(`^${name}`), are_code: code });
	});

	it('by the other spelling', async () => {
		sandbox.settings.areaCodeFields = 'area_name';
		expect(await areaCode('北京')).toEqual({ area_name: '北京市', area_code: '11' });
		expect(await areaCode('北')).toEqual({ area_name: '', area_code: '' });
	});

	it.each(['亚特兰蒂斯', '北', 'Beijing', '11', '北京,上海', ' 北京', '市'])(
		'"%s" is not known, which is no failure',
		async (name) => {
			expect(await areaCode(name)).toEqual({ are_name: '', are_code: '' });
		},
	);
});

describe('overseas', () => {
	const areas = (region: string) => dataOf('baseUrl', '/api/getfpsareacode', { region });

	it('has the countries by their codes', async () => {
		const data = await dataOf('baseUrl', '/api/getfpscountrycode');
		expect(data).toMatchObject({ US: '美国', CA: '加拿大', GB: '英国', JP: '日本' });
		const countries = Object.entries(Object(data));
		expect(countries.length).toBeGreaterThan(60);
		for (const [code, name] of countries) {
			expect(code).toMatch(/^[A-Z]{2}$/);
			expect(name).toMatch(/^\p{Script=Han}+$/u);
		}
	});

	it('has the areas of a country by their English names', async () => {
		const states = await areas('US');
		expect(states).toEqual(expect.arrayContaining(['Arizona', 'North Carolina', 'New York']));
		expect(states).toHaveLength(51);
		expect(await areas('CA')).toHaveLength(13);
		expect(await areas('JP')).toHaveLength(47);
		expect(await areas('BR')).toHaveLength(27);
		expect(await areas('DE')).toHaveLength(16);
		for (const region of ['US', 'CA', 'GB', 'AU', 'DE', 'FR', 'JP', 'KR', 'BR', 'SG']) {
			const names = await areas(region);
			if (!Array.isArray(names)) throw new TypeError('The data is no list');
			expect(new Set(names).size).toBe(names.length);
			for (const name of names) expect(name).toMatch(/^[A-Z][A-Za-z' -]*[a-z]$/);
		}
	});

	it.each(['LU', 'XX', 'us', 'USA', 'US,CA', '美国'])('has none of %s', async (region) => {
		expect(await areas(region)).toEqual([]);
	});
});

describe('Tunnel Pro', () => {
	const cities = (prov: string) => dataOf('tpsUrl', '/api/gettpscitycode', { prov });

	it('has the provinces by their names', async () => {
		const data = await dataOf('tpsUrl', '/api/gettpsprovcode');
		expect(data).toMatchObject({ 北京: '11', 天津: '12', 浙江: '33', 广西: '45' });
		expect(Object.keys(Object(data))).toHaveLength(31);
		for (const code of Object.values(Object(data))) expect(code).toMatch(/^\d\d$/);
	});

	it('has the cities of each by theirs, with six digits', async () => {
		const zhejiang = await cities('33');
		expect(zhejiang).toMatchObject({ 杭州市: '330100', 宁波市: '330200', 丽水市: '331100' });
		expect(Object.keys(Object(zhejiang))).toHaveLength(11);
		expect(await cities('11')).toEqual({ 北京市: '110100' });

		const provinces = Object(await dataOf('tpsUrl', '/api/gettpsprovcode'));
		const seen = new Set<string>();
		for (const code of Object.values<string>(provinces)) {
			for (const [name, cityCode] of Object.entries(Object(await cities(code)))) {
				expect(cityCode).toMatch(new RegExp(`^${code}\\d\\d00$`));
				seen.add(`${cityCode} ${name}`);
			}
		}
		expect(seen.size).toBeGreaterThan(330);
	});

	it('takes several provinces', async () => {
		const both = await cities('31,32');
		expect(field(both, '上海市')).toBe('310100');
		expect(field(both, '南京市')).toBe('320100');
		expect(await cities('31,99')).toEqual({ 上海市: '310100' });
	});

	it.each(['99', '71', '3301', '330000', '浙江', '3'])(
		'of an unknown province, %s, it is an empty list',
		async (prov) => {
			expect(await cities(prov)).toEqual([]);
		},
	);
});
