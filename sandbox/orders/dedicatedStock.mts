import type { DedicatedProxies } from '../accounts/goods.mts';
import { CHINESE_CITIES } from '../catalogue/chineseAreas.mts';
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
