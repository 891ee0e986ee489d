import { chineseName, plainName, provinceCode } from './chineseAreas.mts';
import { countryName } from './countries.mts';

export interface Region {
	country: string;
	/** Empty outside of China. */
	province: string;
	city: string;
}

// Not every city: with fewer there are enough in each to extract some, also from a small catalogue.
const CHINESE_CITY_CODES = [
	...['11', '12', '31', '50'],
	...['1301', '1302', '1401', '1402', '1501', '1502'],
	...['2101', '2102', '2201', '2202', '2301', '2306'],
	...['3201', '3205', '3202', '3301', '3302', '3303', '3401', '3402', '3501', '3502'],
	...['3601', '3607', '3701', '3702', '3706'],
	...['4101', '4103', '4201', '4205', '4301', '4302', '4401', '4403', '4419', '4501', '4503'],
	...['4601', '4602'],
	...['5101', '5107', '5201', '5203', '5301', '5303', '5401'],
	...['6101', '6104', '6201', '6205', '6301', '6401', '6501'],
];

const COUNTRY_CODES = ['US', 'JP', 'KR', 'SG', 'TH', 'IN', 'DE', 'FR', 'GB', 'BR'];

export const CHINESE_REGIONS: readonly Region[] = CHINESE_CITY_CODES.map((code) => ({
	country: '中国',
	province: chineseName(provinceCode(code)),
	city: chineseName(code),
}));

export const FOREIGN_REGIONS: readonly Region[] = COUNTRY_CODES.map((code) => ({
	country: countryName(code),
	province: '',
	city: '',
}));

/** Every region that is, or lies in, one of the countries, provinces and cities that are named. */
export function regionsNamed(names: readonly string[]): ReadonlySet<Region> {
	const wanted = new Set(names.map(plainName));
	const isWanted = ({ country, province, city }: Region) =>
		[country, province, city].some((name) => wanted.has(plainName(name)));
	return new Set([...CHINESE_REGIONS, ...FOREIGN_REGIONS].filter(isWanted));
}

export function regionText({ country, province, city }: Region): string {
	if (province === '') return country;
	return province === city ? province : province + city;
}
