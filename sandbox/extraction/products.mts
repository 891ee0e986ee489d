import type { Places } from '../catalogue/places.mts';
import type { ProxyOpener } from '../forwarding/proxyOpener.mts';
import type { PrivateStock } from '../orders/privateStock.mts';
import type { Random } from '../random.mts';
import type { Clock } from '../time/clock.mts';
import { OrderProxies } from './orderProxies.mts';
import { OverseasSupply } from './overseasSupply.mts';
import { PrivateSupply } from './privateSupply.mts';
import { StandingSupply } from './standingSupply.mts';

/** Where the proxies of every product but open ones come from. Tunnels have none of their own. */
export interface ProductSupplies {
	/** All of them. */
	proxies: OrderProxies;
	private: PrivateSupply;
	/** Dedicated and overseas static ones. */
	standing: StandingSupply;
	/** Overseas dynamic ones. */
	overseas: OverseasSupply;
}

interface Surroundings {
	places: Places;
	opener: ProxyOpener;
	privateStock: PrivateStock;
	clock: Clock;
	random: Random;
}

export function productSupplies(surroundings: Surroundings): ProductSupplies {
	const { places, opener, privateStock, clock, random } = surroundings;
	const proxies = new OrderProxies(places, opener);
	return {
		proxies,
		private: new PrivateSupply(proxies, privateStock, clock, random),
		standing: new StandingSupply(proxies, random),
		overseas: new OverseasSupply(proxies, clock, random),
	};
}
