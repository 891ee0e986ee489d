import type { Anonymity, OpenProxy } from './openProxy.mts';
import { isWithin } from './regions.mts';

/** Empty lists, 0 and undefined ask for nothing in particular. */
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

export function matches(proxy: OpenProxy, filter: ProxyFilter): boolean {
	const inArea = (name: string) => isWithin(proxy.region, name);
	const atPort = (port: number) => proxy.port === port;
	const startsWith = (start: string) => proxy.address.startsWith(start);
	return (
		isWanted(filter.areas, filter.areasExcluded, inArea) &&
		isWanted(filter.ports, filter.portsExcluded, atPort) &&
		isWanted(filter.addressStarts, filter.addressStartsExcluded, startsWith) &&
		isWanted(filter.anonymities, [], (anonymity) => proxy.anonymity === anonymity) &&
		(filter.carrier === 0 || proxy.carrier === filter.carrier) &&
		proxy.quality >= filter.quality &&
		(proxy.supportsHttps || !filter.needsHttps) &&
		(proxy.supportsPost || !filter.needsPost)
	);
}

function isWanted<T>(
	included: readonly T[],
	excluded: readonly T[],
	test: (value: T) => boolean,
): boolean {
	return (included.length === 0 || included.some(test)) && !excluded.some(test);
}
