import { Agent, createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { PrepareRequestFunctionResult } from 'proxy-chain';

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

export interface Target {
	host: string;
	port: number;
	/** Where the connection leaves this machine; undefined = wherever the system likes. */
	localAddress: string | undefined;
}

/**
 * Connections to targets. They are made before a client gets an answer, so that one which cannot be
 * made becomes the documented status; proxy-chain by itself would give one of its own, or just hang up.
 */
export class TargetConnections {
	private readonly open = new Set<Socket>();
	private readonly ofClients = new WeakMap<Socket, Socket>();
	// It never listens: proxy-chain hands it the clients of tunnels that are open.
	private readonly joiner = createServer()
		.removeAllListeners('connection')
		.on('connection', (client: Socket) => this.join(client));

	/** @throws Error when the target cannot be reached */
	async connect({ host, port, localAddress }: Target, client: Socket): Promise<Socket> {
		const target = connect({ host, port, family: 4, ...(localAddress ? { localAddress } : {}) });
		this.open.add(target);
		const leave = () => target.destroy();
		client.once('close', leave);
		target.once('close', () => {
			this.open.delete(target);
			client.off('close', leave);
		});
		await new Promise<void>((resolve, reject) => {
			target.once('connect', resolve).once('error', reject);
			target.once('close', () => reject(new Error('The connection was given up')));
		});
		// From now on the client just loses its connection; proxy-chain would answer with a status of its own
		target.on('error', () => client.destroy());
		return target;
	}

	/** Makes proxy-chain send a request to a page over this connection. */
	forPage(target: Socket): PrepareRequestFunctionResult {
		const agent = new Agent({ keepAlive: false });
		agent.createConnection = () => target;
		return { httpAgent: agent };
	}

	/** Makes proxy-chain join a tunnel to this connection. */
	forTunnel(target: Socket, client: Socket): PrepareRequestFunctionResult {
		this.ofClients.set(client, target);
		return { customConnectServer: this.joiner };
	}

	close(): void {
		for (const target of this.open) target.destroy();
	}

	private join(client: Socket): void {
		const target = this.ofClients.get(client);
		if (!target) return void client.destroy();
		client.pipe(target);
		target.pipe(client);
		target.once('close', () => {
			// What is left of the client's data has nowhere to go, but must be read for its end to be seen.
			client.resume();
			client.end();
		});
	}
}
