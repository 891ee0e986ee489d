import { CHINESE_CITIES } from '../catalogue/chineseAreas.mts';
import { seededRandom } from '../random.mts';

export const CARRIERS = [
	{ code: 1, name: '联通' },
	{ code: 2, name: '电信' },
	{ code: 3, name: '移动' },
] as const;

export type Carrier = (typeof CARRIERS)[number];

/** Which carriers have private proxies in a city, by its code. Invented. */
export type PrivateStock = Map<string, readonly Carrier['code'][]>;

// The likelier, the larger the carrier's share of lines at home.
const CHANCES: Readonly<Record<Carrier['code'], number>> = { 1: 0.35, 2: 0.7, 3: 0.45 };

function anyCarriers(city: string): Carrier['code'][] {
	const random = seededRandom(Number(city));
	if (random() < 0.25) return [];
	return CARRIERS.map(({ code }) => code).filter((code) => random() < CHANCES[code]);
}

/** A map of its own for every sandbox, always with the same in it. A test changes it in place. */
export function privateStock(): PrivateStock {
	return new Map(CHINESE_CITIES.map(({ code }) => [code, anyCarriers(code)]));
}

/** A province has what its cities have. */
export function carriersIn(stock: PrivateStock, area: string): Carrier[] {
	const codes = new Set([...stock].flatMap(([city, each]) => (city.startsWith(area) ? each : [])));
	return CARRIERS.filter(({ code }) => codes.has(code));
}
