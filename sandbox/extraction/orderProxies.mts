import type { ProxyOrder } from '../accounts/order.mts';
import type { Places } from '../catalogue/places.mts';
import type { ProxyOpener } from '../forwarding/proxyOpener.mts';
import { writtenPlace, type OrderProxy } from './orderProxy.mts';

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

	/** Those of one order, the one that was first handed out in front. */
	of(order: ProxyOrder): OrderProxy[] {
		return [...this.byPlace.values()].filter((proxy) => proxy.order === order);
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
