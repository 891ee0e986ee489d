import type { Anonymity, OpenProxy } from './openProxy.mts';
import { regionsNamed } from './regions.mts';

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
