import type { ProxyLogin, ProxyOrder } from '../accounts/order.mts';
import type { Places } from '../catalogue/places.mts';
import type { OrderedPlace, Place, ProxyOpener } from '../forwarding/listeners.mts';
import type { Carrier } from '../orders/stock.mts';

/** A proxy that was handed out to one order. */
export interface OrderProxy extends OrderedPlace {
	order: ProxyOrder;
	/** What it asks for unless the client is on the whitelist of the order. */
	login: ProxyLogin;
	/** By the clock of the sandbox; undefined: as long as the order. */
	expiresAt: Date | undefined;
	/** The real address of a dedicated proxy where it is another; undefined: its own. */
	exitAddress: string | undefined;
	/** The code of the city or, overseas, of the country where it is; empty where none was said. */
	area: string;
	/** Only of domestic ones. */
	carrier: Carrier | undefined;
	works: boolean;
}

export function writtenPlace({ address, port }: Place): string {
	return `${address}:${port}`;
}

/** In whole seconds, never below 0; undefined where nothing ends. */
export function secondsLeft({ expiresAt, order }: OrderProxy, now: Date): number | undefined {
	const end = expiresAt ?? order.expiresAt;
	return end && Math.max(0, Math.floor((end.getTime() - now.getTime()) / 1000));
}

export function isAlive(proxy: OrderProxy, now: Date): boolean {
	return proxy.works && secondsLeft(proxy, now) !== 0;
}

const TRIES = 5;

type Details = Partial<Omit<OrderProxy, 'address' | 'port' | 'order'>>;

/** Every proxy that belongs to an order, by where it listens. */
export class OrderProxies {
	private readonly byPlace = new Map<string, OrderProxy>();

	constructor(
		readonly places: Places,
		private readonly opener: ProxyOpener,
	) {}

	/** By `host:port`. One that has expired is still known. */
	find(place: string): OrderProxy | undefined {
		return this.byPlace.get(place);
	}

	/** It can be used after `open`. */
	add(order: ProxyOrder, wishedPort: () => number, details: Details = {}): OrderProxy {
		return this.register({
			...this.places.next(wishedPort),
			order,
			login: order.login,
			expiresAt: undefined,
			exitAddress: undefined,
			area: '',
			carrier: undefined,
			works: true,
			...details,
		});
	}

	/** Whatever cannot listen where it is, because something else on the machine does, is moved. */
	async open(order: ProxyOrder, proxies: readonly OrderProxy[]): Promise<void> {
		let closed = proxies;
		for (let tries = 0; tries < TRIES; tries += 1) {
			const opened = new Set(await this.opener.openFor(order, closed));
			closed = closed.filter((proxy) => !opened.has(proxy));
			if (closed.length === 0) return;
			for (const proxy of closed) this.move(proxy);
		}
		throw new Error(`${closed.length} proxies have nowhere to listen`);
	}

	private register(proxy: OrderProxy): OrderProxy {
		this.byPlace.set(writtenPlace(proxy), proxy);
		return proxy;
	}

	private move(proxy: OrderProxy): void {
		this.byPlace.delete(writtenPlace(proxy));
		this.register(
			Object.assign(
				proxy,
				this.places.next(() => proxy.port),
			),
		);
	}
}
