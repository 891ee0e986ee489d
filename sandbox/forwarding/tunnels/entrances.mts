import type { Entrance } from '../../accounts/order.mts';
import { Places } from '../../catalogue/places.mts';
import type { Gate } from '../gate.mts';
import type { ForwardProxies } from '../forwardProxies.mts';
import type { TunnelOrder } from './tunnels.mts';

export type TunnelProduct = TunnelOrder['product'];

/** SOCKS is not spoken here, so its port stays what it was. */
export type Entrances = Readonly<Record<TunnelProduct, Pick<Entrance, 'host' | 'httpPort'>>>;

// The documented ones.
const PORTS: Readonly<Record<TunnelProduct, number>> = { TPS: 15818, TPS_PRO: 15818, FPS: 18866 };

const ATTEMPTS = 5;

/**
 * Opens one entrance for all tunnels of each product; the login or the client's address tells the
 * order. The service has names for them, but no name resolves to a place of our own on every
 * machine, so it is an address: with the documented port where each can have a loopback address of
 * its own, else with any port.
 */
export async function openEntrances(
	forwarding: ForwardProxies,
	ownAddresses: boolean,
	gateOf: (product: TunnelProduct) => Gate,
): Promise<Entrances> {
	// Not of the sandbox's seed: two with the same one would want the same addresses.
	const places = new Places('own addresses', Math.random);
	const openOne = async (product: TunnelProduct): Promise<Entrances[TunnelProduct]> => {
		for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
			const place = ownAddresses
				? places.next(() => PORTS[product])
				: { address: '127.0.0.1', port: 0 };
			const opened = await forwarding.openEntrance(place, gateOf(product));
			if (opened) return { host: opened.address, httpPort: String(opened.port) };
		}
		throw new Error(`No loopback address is free for the tunnels of ${product}`);
	};
	return {
		TPS: await openOne('TPS'),
		TPS_PRO: await openOne('TPS_PRO'),
		FPS: await openOne('FPS'),
	};
}
