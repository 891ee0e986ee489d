import type { Entrance, ProxyLogin } from '../../accounts/order.mts';
import type { Store } from '../../accounts/store.mts';
import type { Places } from '../../catalogue/places.mts';
import type { ForwardProxies } from '../forwardProxies.mts';
import type { Admission, Gate, Passage, Visit } from '../gate.mts';
import { wrongLogin } from '../statuses.mts';
import type { Wishes } from './exits.mts';
import type { TunnelOrder, Tunnels } from './tunnels.mts';

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
	places: Places,
	gateOf: (product: TunnelProduct) => Gate,
): Promise<Entrances> {
	const openOne = async (product: TunnelProduct): Promise<Entrances[TunnelProduct]> => {
		for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
			const place =
				places.plan === 'own addresses'
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

interface Client {
	order: TunnelOrder;
	wishes: Wishes;
}

const NO_WISHES: Wishes = { suffix: '', note: undefined };

/** Where all tunnels of a product are entered. */
export class TunnelGate implements Gate {
	constructor(
		private readonly product: TunnelOrder['product'],
		private readonly store: Store,
		private readonly admission: Admission,
		private readonly tunnels: Tunnels,
	) {}

	admit(visit: Visit): Passage {
		const client = visit.login ? this.byLogin(visit.login) : this.byAddress(visit);
		if (!client) throw this.admission.unknownClient(visit);
		const { order, wishes } = client;
		this.admission.check(order);
		const exit = this.tunnels.of(order).exitFor(visit, wishes);
		if (!exit) throw wrongLogin(order);
		return { order, exit };
	}

	private byLogin(login: ProxyLogin): Client | undefined {
		return this.orders()
			.toSorted((left, right) => right.login.username.length - left.login.username.length)
			.flatMap((order) => {
				const wishes = wishesOf(login, order.login);
				return wishes ? [{ order, wishes }] : [];
			})
			.at(0);
	}

	// A client that several orders have on their whitelist uses the oldest of them.
	private byAddress(visit: Visit): Client | undefined {
		const order = this.orders().find((each) => this.admission.isOnWhitelist(each, visit));
		return order && { order, wishes: NO_WISHES };
	}

	private orders(): TunnelOrder[] {
		return this.store.orders.flatMap((order) => (order.product === this.product ? [order] : []));
	}
}

function wishesOf(sent: ProxyLogin, { username, password }: ProxyLogin): Wishes | undefined {
	const suffix = restOf(sent.username, username, '-');
	const note = restOf(sent.password, password, ':');
	if (suffix === undefined || note === undefined) return undefined;
	return { suffix, note: note === '' ? undefined : note.slice(1) };
}

/** What follows the start of a text: nothing, or something that begins with this character. */
function restOf(text: string, start: string, next: string): string | undefined {
	if (!text.startsWith(start)) return undefined;
	const rest = text.slice(start.length);
	return rest === '' || rest.startsWith(next) ? rest : undefined;
}
