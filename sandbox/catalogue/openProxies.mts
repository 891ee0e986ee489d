import type { Place } from '../forwarding/listeners.mts';
import { pick, type Random } from '../random.mts';
import { chineseName, plainName, provinceCode } from './chineseAreas.mts';
import { countryName } from './countries.mts';
import { OWN_PORTS, type Places } from './places.mts';

interface Region {
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

const CHINESE_REGIONS: readonly Region[] = CHINESE_CITY_CODES.map((code) => ({
	country: '中国',
	province: chineseName(provinceCode(code)),
	city: chineseName(code),
}));

const FOREIGN_REGIONS: readonly Region[] = COUNTRY_CODES.map((code) => ({
	country: countryName(code),
	province: '',
	city: '',
}));

/** Every region that is, or lies in, one of the countries, provinces and cities that are named. */
function regionsNamed(names: readonly string[]): ReadonlySet<Region> {
	const wanted = new Set(names.map(plainName));
	const isWanted = ({ country, province, city }: Region) =>
		[country, province, city].some((name) => wanted.has(plainName(name)));
	return new Set([...CHINESE_REGIONS, ...FOREIGN_REGIONS].filter(isWanted));
}

export function regionText({ country, province, city }: Region): string {
	if (province === '') return country;
	return province === city ? province : province + city;
}

export type Anonymity = 'high' | 'anonymous' | 'transparent';

/** An open proxy that can be extracted. Its address is real on this machine, the rest is invented. */
export interface OpenProxy extends Place {
	region: Region;
	/** 1 to 6, as in the parameter `carrier`. */
	carrier: number;
	anonymity: Anonymity;
	supportsHttps: boolean;
	supportsPost: boolean;
	/** 0 none, 1 fairly stable, 2 stable, as in the parameter `quality`. */
	quality: number;
	responseSeconds: number;
	checkedSecondsAgo: number;
	/** With false a check finds it dead. Only a test says so. */
	works: boolean;
}

// Ports that proxies really use, but above 1024 and off the beaten ones: a developer's own server
// on *:8080 would make the address unusable.
const COMMON_PORTS = [3128, 8118, 8123, 8888, 9999, 16816, 18080, 22989] as const;
const FIRST_RARE_PORT = 20_000;
const RARE_PORTS = 10_000;

const ANONYMITIES: readonly Anonymity[] = ['high', 'high', 'high', 'anonymous', 'transparent'];

/** Everything but the address is invented; nothing in it says anything about the real service. */
export function buildCatalogue(size: number, places: Places, random: Random): OpenProxy[] {
	if (places.plan === 'own ports' && size > OWN_PORTS) {
		throw new RangeError(`With 127.0.0.1 only, a catalogue has at most ${OWN_PORTS} proxies`);
	}
	const taken = Array.from({ length: size }, () => places.next(() => anyPort(random)));
	places.keepGiven();
	// Not spread: V8 would make a slow dictionary of each object
	return taken.map(({ address, port }) => ({
		address,
		port,
		region: pick(random() < 0.85 ? CHINESE_REGIONS : FOREIGN_REGIONS, random),
		carrier: 1 + Math.floor(random() * 6),
		anonymity: pick(ANONYMITIES, random),
		supportsHttps: random() < 0.6,
		supportsPost: random() < 0.7,
		quality: pick([0, 0, 1, 1, 2], random),
		responseSeconds: Math.round((0.05 + random() ** 3 * 9) * 100) / 100,
		checkedSecondsAgo: Math.floor(random() * 3600),
		works: true,
	}));
}

function anyPort(random: Random): number {
	return random() < 0.7 ? pick(COMMON_PORTS, random) : rarePort(random);
}

/** Of five digits, as those of private proxies are. */
export function rarePort(random: Random): number {
	return FIRST_RARE_PORT + Math.floor(random() * RARE_PORTS);
}

/** Empty lists, 0 and false ask for nothing in particular. */
export interface ProxyFilter {
	areas: readonly string[];
	areasExcluded: readonly string[];
	ports: readonly number[];
	portsExcluded: readonly number[];
	addressStarts: readonly string[];
	addressStartsExcluded: readonly string[];
	anonymities: readonly Anonymity[];
	carrier: number;
	quality: number;
	needsHttps: boolean;
	needsPost: boolean;
}

type Test = (proxy: OpenProxy) => boolean;

const atPort = (proxy: OpenProxy, port: number) => proxy.port === port;
const startsWith = (proxy: OpenProxy, start: string) => proxy.address.startsWith(start);

/** Only what is asked for is tested: a large catalogue must not hold up the clock of other calls. */
export function testOf(filter: ProxyFilter): Test {
	const regions = regionsNamed(filter.areas);
	const regionsExcluded = regionsNamed(filter.areasExcluded);
	const tests = [
		...when(filter.areas.length > 0, ({ region }) => regions.has(region)),
		...when(regionsExcluded.size > 0, ({ region }) => !regionsExcluded.has(region)),
		...including(filter.ports, atPort),
		...excluding(filter.portsExcluded, atPort),
		...including(filter.addressStarts, startsWith),
		...excluding(filter.addressStartsExcluded, startsWith),
		...including(filter.anonymities, ({ anonymity }, wanted) => anonymity === wanted),
		...when(filter.carrier > 0, ({ carrier }) => carrier === filter.carrier),
		...when(filter.quality > 0, ({ quality }) => quality >= filter.quality),
		...when(filter.needsHttps, ({ supportsHttps }) => supportsHttps),
		...when(filter.needsPost, ({ supportsPost }) => supportsPost),
	];
	return (proxy) => tests.every((test) => test(proxy));
}

function when(asked: boolean, test: Test): Test[] {
	return asked ? [test] : [];
}

function including<T>(values: readonly T[], fits: (proxy: OpenProxy, value: T) => boolean): Test[] {
	return when(values.length > 0, (proxy) => values.some((value) => fits(proxy, value)));
}

function excluding<T>(values: readonly T[], fits: (proxy: OpenProxy, value: T) => boolean): Test[] {
	return when(values.length > 0, (proxy) => !values.some((value) => fits(proxy, value)));
}
