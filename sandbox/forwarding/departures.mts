import type { Socket } from 'node:net';

/** How a connection came to its target. */
export interface Departure {
	/** `address:port` that the client asked. */
	proxy: string;
	/** The address that the target sees. */
	exit: string;
	/** Undefined at an open proxy. */
	orderId: string | undefined;
}

const KEPT_MS = 1000;

/** The connections that proxies have to their targets, by the end that a target sees. */
export class Departures {
	private readonly open = new Map<string, Departure>();

	add(target: Socket, departure: Departure): void {
		const seen = `${target.localAddress}:${target.localPort}`;
		this.open.set(seen, departure);
		// The target may read a request after its sender has gone
		const forget = () => this.open.get(seen) === departure && this.open.delete(seen);
		target.once('close', () => setTimeout(forget, KEPT_MS).unref());
	}

	/** Undefined for a connection that no proxy has made. */
	of({ remoteAddress, remotePort }: Socket): Departure | undefined {
		return this.open.get(`${remoteAddress}:${remotePort}`);
	}
}
