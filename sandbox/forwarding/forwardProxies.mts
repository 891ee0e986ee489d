import { Agent } from 'node:http';
import { createServer, isIPv4, type Server, type Socket } from 'node:net';
import { RequestError, Server as ProxyServer } from 'proxy-chain';
import type { Order } from '../accounts/order.mts';
import type { OrderedPlace, Place, ProxyOpener } from './proxyOpener.mts';

/**
 * Forward proxies on loopback, one listener for each address that was handed out. All of them feed
 * one proxy server; it lets a connection leave from the address at which it came in, so the target
 * sees the proxy and not the client.
 */
export class ForwardProxies implements ProxyOpener {
	// In the order in which they were last handed out, the oldest first.
	private readonly listeners = new Map<string, Server>();
	// Without keep-alive a closed proxy leaves no connection to a target behind.
	private readonly agent = new Agent({ keepAlive: false });
	private readonly proxy: ProxyServer;

	constructor(private readonly maxOpen: number) {
		this.proxy = new ProxyServer({
			prepareRequestFunction: ({ hostname, request }) => {
				if (!isLoopback(hostname)) {
					throw new RequestError('This proxy only goes to loopback addresses', 403);
				}
				return { localAddress: request.socket.localAddress, ipFamily: 4, httpAgent: this.agent };
			},
		});
	}

	async open<P extends Place>(proxies: readonly P[]): Promise<P[]> {
		const opened = await Promise.all(proxies.map((proxy) => this.openOne(proxy)));
		this.closeOldest();
		return proxies.filter((_, index) => opened[index]);
	}

	// Asks for nothing yet, so that the supply can be built on it.
	async openFor<P extends OrderedPlace>(_order: Order, proxies: readonly P[]): Promise<P[]> {
		return await this.open(proxies);
	}

	get openCount(): number {
		return this.listeners.size;
	}

	async close(): Promise<void> {
		const closed = [...this.listeners.values()].map(closeListener);
		this.listeners.clear();
		this.proxy.closeConnections();
		this.agent.destroy();
		await Promise.all(closed);
	}

	private async openOne({ address, port }: Place): Promise<boolean> {
		const place = `${address}:${port}`;
		const known = this.listeners.get(place);
		if (known) {
			this.listeners.delete(place);
			this.listeners.set(place, known);
			return true;
		}
		const listener = await listen(address, port, (socket) => {
			this.proxy.server.emit('connection', socket);
		});
		if (!listener) return false;
		this.listeners.set(place, listener);
		return true;
	}

	private closeOldest(): void {
		for (const [place, listener] of this.listeners) {
			if (this.listeners.size <= this.maxOpen) return;
			this.listeners.delete(place);
			void closeListener(listener);
		}
	}
}

/** Whether this machine lets a program listen on any 127.x.y.z, as Linux does and macOS does not. */
export async function hasWholeLoopback(): Promise<boolean> {
	const listener = await listen('127.0.0.2', 0, () => {});
	if (!listener) return false;
	await closeListener(listener);
	return true;
}

// A name could lead anywhere, so only the one that every machine knows is taken.
function isLoopback(host: string): boolean {
	return host === 'localhost' || (isIPv4(host) && host.startsWith('127.'));
}

function listen(
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

function closeListener(listener: Server): Promise<void> {
	return new Promise((resolve) => listener.close(() => resolve()));
}
