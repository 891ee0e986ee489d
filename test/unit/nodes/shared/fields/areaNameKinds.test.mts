import { areaName, areaNames, region } from '../../../../../nodes/shared/fields/areaNameKinds.ts';
import { readField, type Field } from '../../../../../nodes/shared/fields/field.ts';

const common = { name: 'area', displayName: 'Areas', description: '' };
const worldwide: Field = {
	...common,
	kind: areaNames({ of: 'countries, provinces, or cities', withCountries: true }),
};
const inChina: Field = {
	...common,
	kind: areaNames({ of: 'provinces or cities in China', withCodes: true }),
};
const single: Field = { ...common, kind: areaName('provinces and cities in China') };

describe('names of areas', () => {
	it.each([
		['Beijing', '北京'],
		['beijing, SHANGHAI', '北京,上海'],
		['Beijing Shanghai', '北京,上海'],
		['Hangzhou，南京、Suqian', '杭州,南京,宿迁'],
		['Hong Kong, Inner Mongolia', '香港,内蒙古'],
		['innermongolia', '内蒙古'],
		['Shanxi,Shaanxi', '山西,陕西'],
		["Xi'an;Xian", '西安'],
		['Urumqi Ürümqi', '乌鲁木齐'],
		['Jilin', '吉林'],
		['Yanbian', '延边'],
		['北京 上海', '北京,上海'],
		[['Beijing', '天津'], '北京,天津'],
	])('%j are sent as %s, in China and worldwide', (typed, sent) => {
		expect(readField(worldwide, typed)).toBe(sent);
		expect(readField(inChina, typed)).toBe(sent);
	});

	it.each([
		['Japan', '日本'],
		['US, united states', '美国'],
		['South Korea,Germany', '韩国,德国'],
		['Taiwan', '台湾'],
		['Myanmar', '缅甸'],
		['China', '中国'],
	])('%j, a country, is sent as %s where countries do', (typed, sent) => {
		expect(readField(worldwide, typed)).toBe(sent);
	});

	it('codes are sent as they are', () => {
		expect(readField(inChina, '32,440100')).toBe('32,440100');
	});

	it.each([
		['Suzhou', "'Suzhou' may be 苏州 or 宿州. Enter one of these."],
		['Beijing, Fuzhou', "'Fuzhou' may be 福州 or 抚州. Enter one of these."],
		['New York', "'New York' isn't an English name this node knows. Enter the name in Chinese."],
		['Beijin', "'Beijin' isn't an English name this node knows. Enter the name in Chinese."],
		['北京Shi', "'北京Shi' isn't an English name this node knows. Enter the name in Chinese."],
	])('%j is refused, with an example and what is wrong', (typed, advice) => {
		for (const field of [worldwide, inChina]) {
			expect(() => readField(field, typed)).toThrow(
				expect.objectContaining({
					message: expect.stringContaining("'Areas' can't be "),
					description: expect.stringMatching(
						/^Allowed: names of .* such as 北京,上海 or Beijing,Shanghai\./,
					),
				}),
			);
			expect(() => readField(field, typed)).toThrow(
				expect.objectContaining({ description: expect.stringContaining(advice) }),
			);
		}
	});

	it.each(['-1', '99', '3', '330', '3301001', '北', '北京1', '🙂'])('%j is refused', (typed) => {
		for (const field of [worldwide, inChina]) {
			expect(() => readField(field, typed)).toThrow(/can't be/);
		}
	});

	it('a code is refused where only names are known', () => {
		expect(() => readField(worldwide, '11')).toThrow(/can't be/);
	});

	it('a country is refused where only regions of China do', () => {
		expect(() => readField(inChina, 'Japan')).toThrow(/can't be/);
	});

	it('without checks, what has no Chinese name is sent as it is', () => {
		expect(readField(worldwide, 'Atlantis, Beijing', { check: false })).toBe('Atlantis,北京');
	});
});

describe('one name', () => {
	it.each([
		['Guangzhou', '广州'],
		[' 广州市 ', '广州市'],
		['Inner Mongolia', '内蒙古'],
	])('%j is sent as %s', (typed, sent) => {
		expect(readField(single, typed)).toBe(sent);
	});

	it.each(['Suzhou', 'Atlantis', 'Guangzhou,Shenzhen', '3301'])('%s is refused', (typed) => {
		expect(() => readField(single, typed)).toThrow(/can't be/);
	});
});

describe('a region', () => {
	const field: Field = { ...common, kind: region };

	it.each([
		['3301', '3301'],
		[33, '33'],
		['Hangzhou', '3301'],
		[' hang zhou ', '3301'],
		['杭州', '3301'],
		['杭州市', '3301'],
		['浙江省', '33'],
		['Beijing', '11'],
		['北京市', '11'],
		['吉林省', '22'],
		['吉林市', '2202'],
	])('%j is sent as %s', (typed, sent) => {
		expect(readField(field, typed)).toBe(sent);
	});

	it.each([
		[
			'Suzhou',
			"'Suzhou' may be 3205 (Suzhou, 苏州) or 3413 (Suzhou, 宿州). Enter one of these codes.",
		],
		['吉林', "'吉林' may be 22 (Jilin, 吉林) or 2202 (Jilin, 吉林). Enter one of these codes."],
		[
			'Atlantis',
			"'Atlantis' isn't a name this node knows. 'City: Get Many' lists the cities with their codes.",
		],
	])('%s is refused, and the list is named', (typed, advice) => {
		const refusal = expect.objectContaining({ description: expect.stringContaining(advice) });
		expect(() => readField(field, typed)).toThrow(refusal);
	});

	it.each(['33017', '3', '杭州,上海', 'constructor'])('%s is refused', (typed) => {
		expect(() => readField(field, typed)).toThrow(/can't be/);
	});
});

it.each([
	['areas', areaNames({ of: 'provinces or cities in China' })],
	['one area', areaName('provinces')],
	['a region', region],
])('names of %s are quoted in one short line', (_what, kind) => {
	const field: Field = { name: 'area', displayName: 'Area', description: '', kind };
	const refused = () => readField(field, 'x'.repeat(2000));
	const quoted = expect.stringContaining(`'${'x'.repeat(60)}…' isn't `);
	expect(refused).toThrow(expect.objectContaining({ description: quoted }));
});
