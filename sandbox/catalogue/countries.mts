import { type NamedCode, readNamedCodes } from './chineseAreas.mts';

/** Countries and regions overseas by their ISO 3166 code, with the names in use in China. */
export const COUNTRIES: readonly NamedCode[] = readNamedCodes(`
	US美国 CA加拿大 MX墨西哥 BR巴西 AR阿根廷 CL智利 CO哥伦比亚 PE秘鲁 EC厄瓜多尔 VE委内瑞拉
	PA巴拿马 CR哥斯达黎加 DO多米尼加
	JP日本 KR韩国 HK中国香港 MO中国澳门 TW中国台湾 SG新加坡 MY马来西亚 TH泰国 VN越南 PH菲律宾
	ID印度尼西亚 KH柬埔寨 LA老挝 MM缅甸 IN印度 PK巴基斯坦 BD孟加拉国 LK斯里兰卡 NP尼泊尔
	KZ哈萨克斯坦 UZ乌兹别克斯坦 MN蒙古
	TR土耳其 IL以色列 SA沙特阿拉伯 AE阿联酋 QA卡塔尔 KW科威特 OM阿曼 JO约旦 GE格鲁吉亚
	GB英国 IE爱尔兰 FR法国 DE德国 NL荷兰 BE比利时 LU卢森堡 CH瑞士 AT奥地利 IT意大利 ES西班牙
	PT葡萄牙 GR希腊 DK丹麦 SE瑞典 NO挪威 FI芬兰 PL波兰 CZ捷克 SK斯洛伐克 HU匈牙利 RO罗马尼亚
	BG保加利亚 HR克罗地亚 RS塞尔维亚 UA乌克兰 LT立陶宛 LV拉脱维亚 EE爱沙尼亚 RU俄罗斯
	ZA南非 EG埃及 MA摩洛哥 NG尼日利亚 KE肯尼亚
	AU澳大利亚 NZ新西兰
`);

const NAMES = new Map(COUNTRIES.map(({ code, name }) => [code, name]));

export function countryName(code: string): string {
	const name = NAMES.get(code);
	if (name === undefined) throw new RangeError(`No country has the code "${code}"`);
	return name;
}

/** States, provinces and the like, by country, as they are called in English. Others have none here. */
const AREAS = new Map(
	Object.entries({
		US: `Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, District of Columbia,
			Florida, Georgia, Hawaii, Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana, Maine, Maryland,
			Massachusetts, Michigan, Minnesota, Mississippi, Missouri, Montana, Nebraska, Nevada, New Hampshire,
			New Jersey, New Mexico, New York, North Carolina, North Dakota, Ohio, Oklahoma, Oregon, Pennsylvania,
			Rhode Island, South Carolina, South Dakota, Tennessee, Texas, Utah, Vermont, Virginia, Washington,
			West Virginia, Wisconsin, Wyoming`,
		FR: `Auvergne-Rhone-Alpes, Bourgogne-Franche-Comte, Brittany, Centre-Val de Loire, Corsica, Grand Est,
			Hauts-de-France, Ile-de-France, Normandy, Nouvelle-Aquitaine, Occitanie, Pays de la Loire,
			Provence-Alpes-Cote d'Azur`,
		JP: `Aichi, Akita, Aomori, Chiba, Ehime, Fukui, Fukuoka, Fukushima, Gifu, Gunma, Hiroshima, Hokkaido, Hyogo,
			Ibaraki, Ishikawa, Iwate, Kagawa, Kagoshima, Kanagawa, Kochi, Kumamoto, Kyoto, Mie, Miyagi, Miyazaki,
			Nagano, Nagasaki, Nara, Niigata, Oita, Okayama, Okinawa, Osaka, Saga, Saitama, Shiga, Shimane, Shizuoka,
			Tochigi, Tokushima, Tokyo, Tottori, Toyama, Wakayama, Yamagata, Yamaguchi, Yamanashi`,
		SG: 'Singapore',
	}).map(([country, names]) => [country, names.split(',').map((name) => name.trim())]),
);

export function areasOfCountry(code: string): readonly string[] {
	return COUNTRIES.some((country) => country.code === code) ? (AREAS.get(code) ?? []) : [];
}
