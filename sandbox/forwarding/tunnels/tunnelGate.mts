import type { ProxyLogin } from '../../accounts/order.mts';
import type { Store } from '../../accounts/store.mts';
import type { Admission } from '../admission.mts';
import type { Gate, Passage, Visit } from '../gate.mts';
import { wrongLogin } from '../statuses.mts';
import type { Wishes } from './tunnel.mts';
import type { TunnelOrder, Tunnels } from './tunnels.mts';

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
