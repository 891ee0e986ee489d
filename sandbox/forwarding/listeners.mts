import { createServer, type Server, type Socket } from 'node:net';
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

interface Opened<Gate> {
	listener: Server;
	gate: Gate;
}

/** Beyond these, those are closed that were asked for longest ago. */
const MOST_OPEN = 2500;

/** Listeners by their place, each with the gate that its connections go to. */
export class Listeners<Gate> {
	// In the order in which they were last asked for, the oldest first.
	private readonly opened = new Map<string, Opened<Gate>>();
	private readonly opening = new Map<string, Promise<Gate | undefined>>();
	private isClosed = false;

	constructor(private readonly onConnection: (socket: Socket, gate: Gate) => void) {}

	/** Undefined when something else on the machine has the place. */
	async open(place: Place, newGate: () => Gate): Promise<Gate | undefined> {
		const name = `${place.address}:${place.port}`;
		const known = this.opened.get(name);
		if (known) {
			this.opened.delete(name);
			this.opened.set(name, known);
			return known.gate;
		}
		// Whoever asks at the same time must not find the place taken by ourselves.
		const opening =
			this.opening.get(name) ??
			this.openNew(name, place, newGate()).finally(() => this.opening.delete(name));
		this.opening.set(name, opening);
		return await opening;
	}

	closeIf(isOver: (name: string, gate: Gate) => boolean): void {
		for (const [name, { listener, gate }] of this.opened) {
			if (!isOver(name, gate)) continue;
			this.opened.delete(name);
			void closeListener(listener);
		}
	}

	closeOldest(): void {
		for (const [name, { listener }] of this.opened) {
			if (this.opened.size <= MOST_OPEN) return;
			this.opened.delete(name);
			void closeListener(listener);
		}
	}

	async close(): Promise<void> {
		this.isClosed = true;
		await Promise.all(this.opening.values());
		const closed = [...this.opened.values()].map(({ listener }) => closeListener(listener));
		this.opened.clear();
		await Promise.all(closed);
	}

	private async openNew(
		name: string,
		{ address, port }: Place,
		gate: Gate,
	): Promise<Gate | undefined> {
		if (this.isClosed) return undefined;
		const listener = await listen(address, port, (socket) => this.onConnection(socket, gate));
		if (!listener) return undefined;
		this.opened.set(name, { listener, gate });
		return gate;
	}
}

/** A share of the loopback addresses that no other sandbox on the machine uses until it is released. */
export interface Share {
	/** The last number of its addresses. */
	part: number;
	release(): Promise<void>;
}

const PARTS = 254;
const SHARE_PORT = 10_000;

/** Undefined where a program can't listen on any 127.x.y.z: it can on Linux, and not on macOS. */
export async function claimShare(): Promise<Share | undefined> {
	const probe = await listen('127.0.0.2', 0, () => {});
	if (!probe) return undefined;
	await closeListener(probe);
	for (let part = 1; part <= PARTS; part += 1) {
		const claim = await listen(`127.0.1.${part}`, SHARE_PORT, (socket) => socket.destroy());
		if (claim) return { part, release: async () => await closeListener(claim) };
	}
	throw new Error(`${PARTS} sandboxes run already`);
}

/** Undefined when the place is taken. Port 0 is any free one. */
export function listen(
	address: string,
	port: number,
	onConnection: (socket: Socket) => void,
): Promise<Server | undefined> {
	return new Promise((resolve) => {
		const listener = createServer({ allowHalfOpen: true }, onConnection);
		listener.once('error', () => resolve(undefined));
		listener.listen(port, address, () => resolve(listener));
	});
}

export function closeListener(listener: Server): Promise<void> {
	return new Promise((resolve) => listener.close(() => resolve()));
}
