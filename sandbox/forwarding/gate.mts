import type { Socket } from 'node:net';
import type { ProxyLogin, ProxyOrder } from '../accounts/order.mts';
import type { Exit } from './exits.mts';

/** A request that came to a proxy: to a page over http, or a CONNECT. */
export interface Visit {
	/** Several requests to pages can come over one. */
	connection: Socket;
	clientAddress: string;
	/** What the client sent as user name and password. */
	login: ProxyLogin | undefined;
	/**
	 * The value of a header to the proxy, which has an effect with http targets only: those to https
	 * ones are hidden in the tunnel.
	 */
	header: (name: string) => string | undefined;
}

/** A visit that may go on. */
export interface Passage {
	/** Undefined at an open proxy. */
	order?: ProxyOrder;
	/** Where it leaves; undefined = from the address at which it came in. */
	exit?: Exit;
}

/** Who may pass at a place. */
export interface Gate {
	/** @throws ProxyRefusal */
	admit(visit: Visit): Passage;
}

/** Lets everybody through. */
export const OPEN_GATE: Gate = { admit: () => ({}) };
