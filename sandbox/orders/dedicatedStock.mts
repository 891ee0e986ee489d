import type { DedicatedProxies } from '../accounts/goods.mts';

/** What a city has of dedicated proxies. Invented. */
export interface DedicatedCity {
	code: string;
	name: string;
	/** To be shared out: an address with more bandwidth leaves fewer for others. */
	sharedMegabits: number;
	hasExclusive: boolean;
}

const CITIES: readonly DedicatedCity[] = [
	{ code: '1101', name: '北京市', sharedMegabits: 40, hasExclusive: true },
	{ code: '3101', name: '上海市', sharedMegabits: 0, hasExclusive: true },
	{ code: '3201', name: '南京市', sharedMegabits: 5, hasExclusive: false },
	{ code: '3301', name: '杭州市', sharedMegabits: 24, hasExclusive: true },
	{ code: '3302', name: '宁波市', sharedMegabits: 8, hasExclusive: false },
	{ code: '4401', name: '广州市', sharedMegabits: 12, hasExclusive: true },
	{ code: '4403', name: '深圳市', sharedMegabits: 16, hasExclusive: false },
	{ code: '5101', name: '成都市', sharedMegabits: 3, hasExclusive: true },
];

/** A list of its own for every sandbox. Orders do not use it up; a test changes it in place. */
export function dedicatedStock(): DedicatedCity[] {
	return CITIES.map((city) => ({ ...city }));
}

/** How many shared addresses with this bandwidth the city has. */
export function sharedCount(city: DedicatedCity, maxBandwidth: number): number {
	return Math.floor(city.sharedMegabits / maxBandwidth);
}

/** The cities of a region that have any of it; a province has its cities, an empty region is all. */
export function citiesWith(
	stock: readonly DedicatedCity[],
	region: string,
	{ series, maxBandwidth }: Pick<DedicatedProxies, 'series' | 'maxBandwidth'>,
): DedicatedCity[] {
	return stock.filter(
		(city) =>
			city.code.startsWith(region) &&
			(series === 'exclusive' ? city.hasExclusive : sharedCount(city, maxBandwidth) > 0),
	);
}
