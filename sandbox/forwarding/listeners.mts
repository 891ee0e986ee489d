import { createServer, type Server, type Socket } from 'node:net';
import type { Place } from './proxyOpener.mts';

interface Opened<Gate> {
	listener: Server;
	gate: Gate;
}

/** Listeners by their place, each with the gate that its connections go to. */
export class Listeners<Gate> {
	// In the order in which they were last asked for, the oldest first.
	private readonly opened = new Map<string, Opened<Gate>>();

	/** Beyond `maxOpen`, those are closed that were asked for longest ago. */
	constructor(
		private readonly maxOpen: number,
		private readonly onConnection: (socket: Socket, gate: Gate) => void,
	) {}

	/** Undefined when something else on the machine has the place. */
	async open({ address, port }: Place, newGate: () => Gate): Promise<Gate | undefined> {
		const place = `${address}:${port}`;
		const known = this.opened.get(place);
		if (known) {
			this.opened.delete(place);
			this.opened.set(place, known);
			return known.gate;
		}
		const gate = newGate();
		const listener = await listen(address, port, (socket) => this.onConnection(socket, gate));
		if (!listener) return undefined;
		this.opened.set(place, { listener, gate });
		return gate;
	}

	closeOldest(): void {
		for (const [place, { listener }] of this.opened) {
			if (this.opened.size <= this.maxOpen) return;
			this.opened.delete(place);
			void closeListener(listener);
		}
	}

	async close(): Promise<void> {
		const closed = [...this.opened.values()].map(({ listener }) => closeListener(listener));
		this.opened.clear();
		await Promise.all(closed);
	}
}

/** Whether this machine lets a program listen on any 127.x.y.z, as Linux does and macOS does not. */
export async function hasWholeLoopback(): Promise<boolean> {
	const listener = await listen('127.0.0.2', 0, () => {});
	if (!listener) return false;
	await closeListener(listener);
	return true;
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
