import { isIPv4, type Server, type Socket } from 'node:net';
import {
	RequestError,
	Server as ProxyServer,
	type PrepareRequestFunctionOpts,
	type PrepareRequestFunctionResult,
} from 'proxy-chain';
import type { Order } from '../accounts/order.mts';
import type { Settings } from '../settings.mts';
import type { Clock } from '../time/clock.mts';
import {
	type Admission,
	OPEN_GATE,
	type Gate,
	type Passage,
	type Visit,
	OrderGate,
} from './gate.mts';
import { type Departures, TargetConnections } from './targetConnections.mts';
import { dieLater, dieBeforeAnswer, type ProxyFaults } from './proxyFaults.mts';
import {
	closeListener,
	listen,
	Listeners,
	type OrderedPlace,
	type Place,
	type ProxyOpener,
} from './listeners.mts';
import type { ProxyLog } from './proxyLog.mts';
import { ProxyRefusal, refusal, refuseInStatusLine } from './statuses.mts';

interface ForwardingParts {
	/** Whether the exits of tunnels can have loopback addresses of their own. */
	ownAddresses: boolean;
	admission: Admission;
	faults: ProxyFaults;
	settings: Settings;
	clock: Clock;
	log: ProxyLog;
	departures: Departures;
}

const NOWHERE = { refusedWith: undefined, died: undefined, exit: undefined };

/**
 * Forward proxies on loopback, one listener for each address that was handed out. All of them feed
 * one proxy server; it lets a connection leave from the address at which it came in, or from that of
 * a tunnel's exit, so the target sees the proxy and not the client.
 */
export class ForwardProxies implements ProxyOpener {
	private readonly proxy = new ProxyServer({
		prepareRequestFunction: (request) => this.prepare(request),
	});
	private readonly gates = new WeakMap<Socket, Gate>();
	private readonly targets = new TargetConnections();
	private readonly places: Listeners<Gate>;
	private readonly entrances: Server[] = [];

	constructor(private readonly parts: ForwardingParts) {
		this.places = new Listeners((client, gate) => this.receive(client, gate));
		parts.faults.onAdd = () => this.closeRefusing();
	}

	async open<P extends Place>(proxies: readonly P[]): Promise<P[]> {
		return await this.openThose(
			proxies,
			(_proxy, gate) => gate === OPEN_GATE,
			() => OPEN_GATE,
		);
	}

	async openFor<P extends OrderedPlace>(order: Order, proxies: readonly P[]): Promise<P[]> {
		if (!('login' in order)) throw new Error(`The proxies of ${order.product} have no login`);
		const grant = (proxy: P, gate: Gate) => {
			if (gate instanceof OrderGate) gate.grant(order, proxy);
			return gate instanceof OrderGate;
		};
		return await this.openThose(proxies, grant, () => new OrderGate(this.parts.admission));
	}

	/** For the tunnels of a product: stays open. Undefined when something else has the place. */
	async openEntrance({ address, port }: Place, gate: Gate): Promise<Place | undefined> {
		const entrance = await listen(address, port, (client) => this.receive(client, gate));
		if (!entrance) return undefined;
		this.entrances.push(entrance);
		const bound = entrance.address();
		return typeof bound === 'object' && bound ? { address, port: bound.port } : undefined;
	}

	async close(): Promise<void> {
		const closed = [this.places.close(), ...this.entrances.map(closeListener)];
		this.proxy.closeConnections();
		this.targets.close();
		await Promise.all(closed);
	}

	/** A place that is open in another way counts as taken. */
	private async openThose<P extends Place>(
		proxies: readonly P[],
		isUsable: (proxy: P, gate: Gate) => boolean,
		newGate: () => Gate,
	): Promise<P[]> {
		const gates = await Promise.all(proxies.map((proxy) => this.places.open(proxy, newGate)));
		for (const proxy of proxies) this.parts.faults.handedOut(proxy);
		this.places.closeOldest();
		const usable = proxies.filter((proxy, index) => {
			const gate = gates[index];
			return gate !== undefined && isUsable(proxy, gate);
		});
		// Only now is it known for which orders they are
		this.closeRefusing();
		return usable;
	}

	private closeRefusing(): void {
		const { faults } = this.parts;
		this.places.closeIf((proxy, gate) =>
			faults.refuses(proxy, gate instanceof OrderGate ? gate.orderIds() : []),
		);
	}

	private receive(client: Socket, gate: Gate): void {
		this.gates.set(client, gate);
		this.proxy.server.emit('connection', client);
	}

	private async prepare(asked: PrepareRequestFunctionOpts): Promise<PrepareRequestFunctionResult> {
		const { hostname, port, request, isHttp } = asked;
		const client = request.socket;
		const visit = this.visitOf(asked);
		const { admission, clock, log, departures } = this.parts;
		const logged = {
			time: clock.now(),
			proxy: `${client.localAddress}:${client.localPort}`,
			method: request.method ?? '',
			target: `${hostname}:${port}`,
			clientAddress: visit.clientAddress,
			username: visit.login?.username,
		};

		try {
			const passage = this.gates.get(client)?.admit(visit) ?? {};
			const fault = admission.takeFault(logged.proxy, passage);
			if (typeof fault === 'object') {
				const refusedWith = fault.refused.status;
				log.add({ ...logged, ...NOWHERE, orderId: passage.order?.orderId, refusedWith });
				refuseInStatusLine(client, fault.refused);
				return await new Promise<never>(() => {});
			}
			const died = fault;
			if (died && !['stall', 'halfBody'].includes(died)) {
				const orderId = passage.order?.orderId;
				log.add({ ...logged, ...NOWHERE, orderId, died });
				dieBeforeAnswer(client, died);
				return await new Promise<never>(() => {});
			}
			const target = await this.reach(asked, passage);
			const exit = passage.exit ?? client.localAddress;
			const orderId = passage.order?.orderId;
			departures.add(target, { proxy: logged.proxy, exit: target.localAddress ?? '', orderId });
			log.add({ ...logged, orderId, refusedWith: undefined, died, exit });
			if (died) dieLater(target, died);
			return isHttp ? this.targets.forPage(target) : this.targets.forTunnel(target, client);
		} catch (error) {
			if (!(error instanceof RequestError)) throw error;
			const orderId = error instanceof ProxyRefusal ? error.order?.orderId : undefined;
			const refusedWith = error.statusCode;
			log.add({ ...logged, ...NOWHERE, orderId, refusedWith });
			throw error;
		}
	}

	private async reach(
		{ hostname, port, request: { socket } }: PrepareRequestFunctionOpts,
		{ order, exit }: Passage,
	): Promise<Socket> {
		if (!isLoopback(hostname)) {
			throw new RequestError('This proxy only goes to loopback addresses', 403);
		}
		const own = exit !== undefined && this.parts.ownAddresses ? exit : socket.localAddress;
		try {
			const host = hostname.endsWith('.localhost') ? 'localhost' : hostname;
			return await this.targets.connect({ host, port, localAddress: own }, socket);
		} catch {
			throw refusal(503, order);
		}
	}

	private visitOf({ request, username, password }: PrepareRequestFunctionOpts): Visit {
		const { socket, headers } = request;
		const hasLogin = headers['proxy-authorization'] !== undefined;
		return {
			connection: socket,
			clientAddress: this.parts.settings.clientAddress ?? socket.remoteAddress ?? '',
			login: hasLogin ? { username, password } : undefined,
		};
	}
}

// Other names could lead anywhere. Not every machine knows those that end with .localhost.
function isLoopback(host: string): boolean {
	return /(^|\.)localhost$/.test(host) || (isIPv4(host) && host.startsWith('127.'));
}
