import { CITIES, PROVINCES, countryName } from '../../../../../nodes/shared/service/regionNames.ts';
import { CHINESE_AREAS } from '../../../../../sandbox/catalogue/chineseAreas.mts';

describe('the English name of a country', () => {
	it.each([
		['US', 'United States'],
		['JP', 'Japan'],
		['PH', 'Philippines'],
		['GB', 'United Kingdom'],
		['us', 'United States'],
	])('%s is %s', (code, name) => {
		expect(countryName(code)).toBe(name);
	});

	it.each(['', 'U', 'USA', '1', '33', '3301', 'U1', '美国', 'QX', ' US', 'US\n', 'constructor'])(
		'is unknown for %j, which is no country',
		(code) => {
			expect(countryName(code)).toBeUndefined();
		},
	);
});

/*
 * The sandbox's list was written independently, with Chinese names.
 */

const names = new Map(CHINESE_AREAS.map(({ code, name }) => [code, name]));
const provinceCodes = [...names.keys()].filter((code) => code.length === 2);
const cityCodes = [...names.keys()].filter((code) => code.length === 4);

it('has every province and every city, and no other', () => {
	expect(Object.keys(PROVINCES).sort()).toEqual(provinceCodes.sort());
	expect(Object.keys(CITIES).sort()).toEqual(cityCodes.sort());
	expect(provinceCodes).toHaveLength(34);
	expect(cityCodes.length).toBeGreaterThan(330);
});

it.each(Object.entries(PROVINCES))('names the province %s in Chinese', (code, { chinese }) => {
	expect(names.get(code)).toMatch(new RegExp(`^${chinese}[省市]?$`));
});

it.each(Object.entries(CITIES))('names the city %s in Chinese', (code, { chinese }) => {
	expect(names.get(code)).toMatch(
		new RegExp(`^${chinese}(?:市|地区|\\p{Script=Han}*自治州)?$`, 'u'),
	);
});

it('has names that can be read and typed', () => {
	for (const { english } of [...Object.values(CITIES), ...Object.values(PROVINCES)])
		expect(english).toMatch(/^[A-ZÜ][\p{Script=Latin}' ]{2,}$/u);
});

it('gives no two cities of one province the same name', () => {
	const inProvinces = Object.entries(CITIES).map(
		([code, { english }]) => `${code.slice(0, 2)} ${english}`,
	);
	expect(new Set(inProvinces).size).toBe(inProvinces.length);
});

/** From the national standard, each of them easily mistaken for another. */
it.each([
	['1309', 'Cangzhou', '沧州市'],
	['3212', 'Taizhou', '泰州市'],
	['3301', 'Hangzhou', '杭州市'],
	['3310', 'Taizhou', '台州市'],
	['3213', 'Suqian', '宿迁市'],
	['3205', 'Suzhou', '苏州市'],
	['3413', 'Suzhou', '宿州市'],
	['3609', 'Yichun', '宜春市'],
	['2307', 'Yichun', '伊春市'],
	['4205', 'Yichang', '宜昌市'],
	['3501', 'Fuzhou', '福州市'],
	['3610', 'Fuzhou', '抚州市'],
	['4403', 'Shenzhen', '深圳市'],
	['4503', 'Guilin', '桂林市'],
	['5306', 'Zhaotong', '昭通市'],
	['6101', "Xi'an", '西安市'],
	['6108', 'Yulin', '榆林市'],
	['4509', 'Yulin', '玉林市'],
	['6501', 'Ürümqi', '乌鲁木齐市'],
])('%s is %s %s', (code, english, chinese) => {
	expect(CITIES[code].english).toBe(english);
	expect(names.get(code)).toBe(chinese);
});

it.each([
	['14', 'Shanxi', '山西'],
	['61', 'Shaanxi', '陕西'],
	['45', 'Guangxi', '广西'],
	['37', 'Shandong', '山东'],
	['41', 'Henan', '河南'],
	['43', 'Hunan', '湖南'],
	['13', 'Hebei', '河北'],
	['42', 'Hubei', '湖北'],
	['46', 'Hainan', '海南'],
])('the province %s is %s %s', (code, english, chinese) => {
	expect(PROVINCES[code]).toEqual({ english, chinese });
});
