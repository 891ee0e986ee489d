import { pick, type Random } from '../random.mts';
import { loopbackAddresses } from './addresses.mts';
import type { Anonymity, OpenProxy } from './openProxy.mts';
import { CHINESE_REGIONS, FOREIGN_REGIONS } from './regions.mts';

/**
 * Where the proxies of a catalogue can listen. Linux takes any 127.x.y.z; elsewhere only 127.0.0.1
 * is configured, so the proxies differ by their port alone.
 */
export type AddressPlan = 'own addresses' | 'own ports';

// Ports that proxies really use, but above 1024 and off the beaten ones: a developer's own server
// on *:8080 would make the address unusable.
const COMMON_PORTS = [3128, 8118, 8123, 8888, 9999, 16816, 18080, 22989] as const;
const FIRST_RARE_PORT = 20_000;
const RARE_PORTS = 10_000;

// With one port each, between the privileged ones and the range the system gives out by itself.
const FIRST_OWN_PORT = 10_000;
export const OWN_PORTS = 22_000;

const ANONYMITIES: readonly Anonymity[] = ['high', 'high', 'high', 'anonymous', 'transparent'];

/** Everything but the address is invented; nothing in it says anything about the real service. */
export function buildCatalogue(size: number, plan: AddressPlan, random: Random): OpenProxy[] {
	const places = plan === 'own addresses' ? onOwnAddresses(size, random) : onOwnPorts(size);
	return places.map((place) => ({
		...place,
		region: pick(random() < 0.85 ? CHINESE_REGIONS : FOREIGN_REGIONS, random),
		carrier: 1 + Math.floor(random() * 6),
		anonymity: pick(ANONYMITIES, random),
		supportsHttps: random() < 0.6,
		supportsPost: random() < 0.7,
		quality: pick([0, 0, 1, 1, 2], random),
		responseSeconds: Math.round((0.05 + random() ** 3 * 9) * 100) / 100,
		checkedSecondsAgo: Math.floor(random() * 3600),
	}));
}

type Place = Pick<OpenProxy, 'address' | 'port'>;

function onOwnAddresses(size: number, random: Random): Place[] {
	return loopbackAddresses(size, random).map((address) => ({ address, port: anyPort(random) }));
}

function onOwnPorts(size: number): Place[] {
	if (size > OWN_PORTS) {
		throw new RangeError(`With 127.0.0.1 only, a catalogue has at most ${OWN_PORTS} proxies`);
	}
	return Array.from({ length: size }, (_, index) => ({
		address: '127.0.0.1',
		port: FIRST_OWN_PORT + index,
	}));
}

function anyPort(random: Random): number {
	return random() < 0.7
		? pick(COMMON_PORTS, random)
		: FIRST_RARE_PORT + Math.floor(random() * RARE_PORTS);
}
