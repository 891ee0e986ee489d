import type { Entrances } from '../forwarding/tunnels/tunnelGate.mts';
import type { Account, KeyPair } from './account.mts';
import { NOWHERE } from './newOrder.mts';
import type { Order } from './order.mts';

/** Whose key came with a call. */
export type Caller =
	| { kind: 'account'; keys: KeyPair; account: Account }
	| { kind: 'order'; keys: KeyPair; account: Account; order: Order };

/** Accounts and orders. The objects are handed out as they are: a test changes them in place. */
export class Store {
	private callers = new Map<string, Caller>();
	private keyChanges = 0;
	private entrances: Entrances | undefined;

	addAccount(account: Account): Account {
		this.add({ kind: 'account', keys: account.keys, account });
		return account;
	}

	addOrder<O extends Order>(order: O): O {
		this.add({ kind: 'order', keys: order.keys, account: order.account, order });
		this.leadSomewhere(order);
		return order;
	}

	/** Those that are there and those to come, unless a test has led them somewhere else. */
	leadTunnelsTo(entrances: Entrances): void {
		this.entrances = entrances;
		for (const order of this.orders) this.leadSomewhere(order);
	}

	/** Of an order or an account, as in the member center. The old pair is not known any more. */
	changeKeyPair(owner: { keys: KeyPair }, changed: 'secretKey' | 'both'): KeyPair {
		const { secretId, secretKey } = owner.keys;
		this.keyChanges += 1;
		const another = (text: string) =>
			`${text.replace(/-changed-\d+$/, '')}-changed-${this.keyChanges}`;
		const keys = {
			secretId: changed === 'both' ? another(secretId) : secretId,
			secretKey: another(secretKey),
		};
		this.callers = new Map(
			[...this.callers.values()].map((caller) => {
				const changedCaller = caller.keys === owner.keys ? { ...caller, keys } : caller;
				return [changedCaller.keys.secretId, changedCaller];
			}),
		);
		owner.keys = keys;
		return keys;
	}

	findCaller(secretId: string): Caller | undefined {
		return this.callers.get(secretId);
	}

	account(secretId: string): Account {
		const caller = this.callers.get(secretId);
		if (!caller) throw new Error(`No account or order has the key "${secretId}"`);
		return caller.account;
	}

	order(secretId: string): Order {
		const caller = this.callers.get(secretId);
		if (caller?.kind !== 'order') throw new Error(`No order has the key "${secretId}"`);
		return caller.order;
	}

	/** By its number, which is what createorder answers with. */
	orderNumbered(orderId: string): Order {
		const order = this.findOrder(orderId);
		if (!order) throw new Error(`There is no order "${orderId}"`);
		return order;
	}

	findOrder(orderId: string): Order | undefined {
		// Without a list of all, as there may be thousands and this is asked for with every call
		for (const caller of this.callers.values()) {
			if (caller.kind === 'order' && caller.order.orderId === orderId) return caller.order;
		}
		return undefined;
	}

	/** Oldest first. */
	ordersOf(account: Account): Order[] {
		return this.orders.filter((order) => order.account === account);
	}

	get accounts(): Account[] {
		return [...this.callers.values()].flatMap((caller) =>
			caller.kind === 'account' ? [caller.account] : [],
		);
	}

	get orders(): Order[] {
		return [...this.callers.values()].flatMap((caller) =>
			caller.kind === 'order' ? [caller.order] : [],
		);
	}

	private leadSomewhere(order: Order): void {
		if (!this.entrances || !('entrance' in order) || order.entrance.host !== NOWHERE) return;
		order.entrance = { ...order.entrance, ...this.entrances[order.product] };
	}

	private add(caller: Caller): void {
		const { secretId } = caller.keys;
		if (this.callers.has(secretId)) throw new Error(`The key "${secretId}" is already there`);
		this.callers.set(secretId, caller);
	}
}
