import type { Order } from '../accounts/order.mts';

/** Where a proxy listens. */
export interface Place {
	address: string;
	port: number;
}

/** A proxy that belongs to an order. */
export interface OrderedPlace extends Place {
	/** From then on it answers 454. Undefined = as long as the order is in force. */
	expiresAt?: Date | undefined;
	/** Undefined = the login of the order. The proxies of a retail order have one each. */
	login?: { username: string; password: string } | undefined;
	/** Where its connections leave; undefined = from the place itself. */
	exitAddress?: string | undefined;
	/** With false it reaches nothing. */
	works?: boolean;
}

/**
 * Makes proxies usable and says which of them are: one is missing when something else on the machine
 * has its place, and another has to be taken for it.
 */
export interface ProxyOpener {
	/** Proxies that anybody may use. */
	open<P extends Place>(proxies: readonly P[]): Promise<P[]>;
	/**
	 * Proxies that want a login, or a client on the order's whitelist. A place can be opened for several
	 * orders, and again for the same one, with a new end.
	 */
	openFor<P extends OrderedPlace>(order: Order, proxies: readonly P[]): Promise<P[]>;
}

/** For a sandbox whose proxies are nothing but text. */
export const TEXT_ONLY: ProxyOpener = {
	open: async (proxies) => [...proxies],
	openFor: async (_order, proxies) => [...proxies],
};
