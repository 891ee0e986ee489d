import type { DedicatedProxies, OverseasStaticProxies } from '../accounts/order.mts';
import { CHINESE_CITIES, type NamedCode } from '../catalogue/chineseAreas.mts';
import { COUNTRIES } from '../catalogue/countries.mts';
import { seededRandom } from '../random.mts';

/** What a city has of dedicated proxies. Invented. */
export interface DedicatedCity {
	code: string;
	name: string;
	/** What is left to be shared out: an address with more bandwidth leaves fewer for others. */
	sharedMegabits: number;
	hasExclusive: boolean;
}

type Stock = Omit<DedicatedCity, 'code' | 'name'>;

// These are fixed so that a test can count on them; no city has more than Beijing.
const KNOWN_STOCK: ReadonlyMap<string, Stock> = new Map([
	['11', { sharedMegabits: 40, hasExclusive: true }],
	['31', { sharedMegabits: 0, hasExclusive: true }],
	['3201', { sharedMegabits: 5, hasExclusive: false }],
	['3301', { sharedMegabits: 24, hasExclusive: true }],
	['3302', { sharedMegabits: 8, hasExclusive: false }],
	['4401', { sharedMegabits: 12, hasExclusive: true }],
	['4403', { sharedMegabits: 16, hasExclusive: false }],
	['5101', { sharedMegabits: 3, hasExclusive: true }],
]);

/** A mixture in which some have nothing and most have little; always the same for a city. */
function anyStock(code: string): Stock {
	const random = seededRandom(Number(code));
	const hasShared = random() < 0.75;
	return {
		sharedMegabits: hasShared ? 1 + Math.floor(random() ** 2 * 30) : 0,
		hasExclusive: random() < 0.4,
	};
}

/** A list of its own for every sandbox. A test changes it in place. */
export function dedicatedStock(): DedicatedCity[] {
	return CHINESE_CITIES.map((city) => ({
		...city,
		...(KNOWN_STOCK.get(city.code) ?? anyStock(city.code)),
	}));
}

/** How many shared addresses with this bandwidth the city has. */
export function sharedCount(city: DedicatedCity, maxBandwidth: number): number {
	return Math.floor(city.sharedMegabits / maxBandwidth);
}

type Wanted = { series: 'exclusive' } | Pick<DedicatedProxies, 'series' | 'maxBandwidth'>;

/** The cities of a region that have any of it; a province has its cities, an empty region is all. */
export function citiesWith(
	stock: readonly DedicatedCity[],
	region: string,
	wanted: Wanted,
): DedicatedCity[] {
	return stock.filter(
		(city) =>
			city.code.startsWith(region) &&
			(wanted.series === 'exclusive'
				? city.hasExclusive
				: sharedCount(city, wanted.maxBandwidth) > 0),
	);
}

/** What an order got is gone for good, also when the order is over. Exclusive ones are not counted. */
export function takeFromStock(stock: readonly DedicatedCity[], goods: DedicatedProxies): void {
	const city = stock.find(({ code }) => code === goods.city);
	if (!city || goods.series === 'exclusive') return;
	city.sharedMegabits -= goods.ipCount * goods.maxBandwidth;
}

export const CARRIERS = [
	{ code: 1, name: '联通' },
	{ code: 2, name: '电信' },
	{ code: 3, name: '移动' },
] as const;

export type Carrier = (typeof CARRIERS)[number];

/** Which carriers have private proxies in a city, by its code. Invented. */
export type PrivateStock = Map<string, ReadonlyArray<Carrier['code']>>;

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

/** Where there are overseas static proxies. Invented. */
export type OverseasStock = Record<OverseasStaticProxies['series'], NamedCode[]>;

const NOT_SOLD: Readonly<Record<OverseasStaticProxies['series'], readonly string[]>> = {
	retail: ['VE', 'MM', 'JO', 'UA', 'KE'],
	package: ['CR', 'DO', 'MO', 'LA', 'NP', 'MN', 'OM', 'GE', 'LU', 'RS', 'EE', 'NG', 'MA', 'KE'],
};

/** Lists of its own for every sandbox. A test changes them in place. */
export function overseasStock(): OverseasStock {
	const sold = (series: keyof OverseasStock) =>
		COUNTRIES.filter(({ code }) => !NOT_SOLD[series].includes(code)).map((each) => ({ ...each }));
	return { retail: sold('retail'), package: sold('package') };
}
