import { pick, type Random } from '../random.mts';
import type { Anonymity, OpenProxy } from './openProxy.mts';
import { OWN_PORTS, type Places } from './places.mts';
import { CHINESE_REGIONS, FOREIGN_REGIONS } from './regions.mts';

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
	return taken.map((place) => ({
		...place,
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
