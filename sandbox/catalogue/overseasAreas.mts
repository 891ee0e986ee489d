import { COUNTRIES } from './countries.mts';

/** States, provinces and the like, by country, as they are called in English. Others have none here. */
const AREAS = new Map(
	Object.entries({
		US: `Alabama, Alaska, Arizona, Arkansas, California, Colorado, Connecticut, Delaware, District of Columbia,
			Florida, Georgia, Hawaii, Idaho, Illinois, Indiana, Iowa, Kansas, Kentucky, Louisiana, Maine, Maryland,
			Massachusetts, Michigan, Minnesota, Mississippi, Missouri, Montana, Nebraska, Nevada, New Hampshire,
			New Jersey, New Mexico, New York, North Carolina, North Dakota, Ohio, Oklahoma, Oregon, Pennsylvania,
			Rhode Island, South Carolina, South Dakota, Tennessee, Texas, Utah, Vermont, Virginia, Washington,
			West Virginia, Wisconsin, Wyoming`,
		CA: `Alberta, British Columbia, Manitoba, New Brunswick, Newfoundland and Labrador,
			Northwest Territories, Nova Scotia, Nunavut, Ontario, Prince Edward Island, Quebec, Saskatchewan, Yukon`,
		GB: 'England, Northern Ireland, Scotland, Wales',
		AU: `Australian Capital Territory, New South Wales, Northern Territory, Queensland, South Australia,
			Tasmania, Victoria, Western Australia`,
		DE: `Baden-Wurttemberg, Bavaria, Berlin, Brandenburg, Bremen, Hamburg, Hesse, Lower Saxony,
			Mecklenburg-Western Pomerania, North Rhine-Westphalia, Rhineland-Palatinate, Saarland, Saxony,
			Saxony-Anhalt, Schleswig-Holstein, Thuringia`,
		FR: `Auvergne-Rhone-Alpes, Bourgogne-Franche-Comte, Brittany, Centre-Val de Loire, Corsica, Grand Est,
			Hauts-de-France, Ile-de-France, Normandy, Nouvelle-Aquitaine, Occitanie, Pays de la Loire,
			Provence-Alpes-Cote d'Azur`,
		JP: `Aichi, Akita, Aomori, Chiba, Ehime, Fukui, Fukuoka, Fukushima, Gifu, Gunma, Hiroshima, Hokkaido, Hyogo,
			Ibaraki, Ishikawa, Iwate, Kagawa, Kagoshima, Kanagawa, Kochi, Kumamoto, Kyoto, Mie, Miyagi, Miyazaki,
			Nagano, Nagasaki, Nara, Niigata, Oita, Okayama, Okinawa, Osaka, Saga, Saitama, Shiga, Shimane, Shizuoka,
			Tochigi, Tokushima, Tokyo, Tottori, Toyama, Wakayama, Yamagata, Yamaguchi, Yamanashi`,
		KR: `Busan, Daegu, Daejeon, Gangwon, Gwangju, Gyeonggi, Incheon, Jeju, North Chungcheong, North Gyeongsang,
			North Jeolla, Sejong, Seoul, South Chungcheong, South Gyeongsang, South Jeolla, Ulsan`,
		BR: `Acre, Alagoas, Amapa, Amazonas, Bahia, Ceara, Espirito Santo, Federal District, Goias, Maranhao,
			Mato Grosso, Mato Grosso do Sul, Minas Gerais, Para, Paraiba, Parana, Pernambuco, Piaui, Rio de Janeiro,
			Rio Grande do Norte, Rio Grande do Sul, Rondonia, Roraima, Santa Catarina, Sao Paulo, Sergipe, Tocantins`,
		SG: 'Singapore',
	}).map(([country, names]) => [country, names.split(',').map((name) => name.trim())]),
);

export function areasOfCountry(code: string): readonly string[] {
	return COUNTRIES.some((country) => country.code === code) ? (AREAS.get(code) ?? []) : [];
}
