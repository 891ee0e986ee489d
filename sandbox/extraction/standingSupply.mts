import type {
	DedicatedProxyOrder,
	OverseasStaticProxy,
	OverseasStaticProxyOrder,
	ProxyOrder,
} from '../accounts/order.mts';
import { rarePort } from '../catalogue/catalogue.mts';
import { CHINESE_CITIES } from '../catalogue/chineseAreas.mts';
import { CARRIERS } from '../orders/privateStock.mts';
import { pick, type Random } from '../random.mts';
import type { OrderProxies } from './orderProxies.mts';
import type { OrderProxy } from './orderProxy.mts';

export interface Machine {
	id: string;
	proxy: OrderProxy;
}

/** Proxies that an order has as long as it lasts: dedicated and overseas static ones. */
export class StandingSupply {
	private readonly machines = new WeakMap<ProxyOrder, Map<string, OrderProxy>>();
	private readonly overseas = new WeakMap<OverseasStaticProxy, OrderProxy>();

	constructor(
		private readonly orderProxies: OrderProxies,
		private readonly random: Random,
	) {}

	/** All machines of the order, in the sequence of their ids. */
	async machinesOf(order: DedicatedProxyOrder): Promise<Machine[]> {
		const known = this.machines.get(order) ?? new Map<string, OrderProxy>();
		this.machines.set(order, known);
		const machines = order.machineIds.map((id) => {
			const proxy = known.get(id) ?? this.addMachine(order);
			known.set(id, proxy);
			return { id, proxy };
		});
		await this.orderProxies.open(
			order,
			machines.map(({ proxy }) => proxy),
		);
		return machines;
	}

	async overseasOf(order: OverseasStaticProxyOrder): Promise<OrderProxy[]> {
		const proxies = order.proxies.map((each) => {
			const proxy = this.overseas.get(each) ?? this.addOverseas(order, each);
			this.overseas.set(each, proxy);
			return proxy;
		});
		await this.orderProxies.open(order, proxies);
		return proxies;
	}

	// Which product has an exit address of its own is not documented; here it is the one that changes.
	private addMachine(order: DedicatedProxyOrder): OrderProxy {
		const port = () => rarePort(this.random);
		return this.orderProxies.add(order, port, {
			area: order.city || pick(CHINESE_CITIES, this.random).code,
			carrier: pick(CARRIERS, this.random),
			exitAddress: order.model === 'DYN' ? this.orderProxies.places.next(port).address : undefined,
		});
	}

	private addOverseas(
		order: OverseasStaticProxyOrder,
		{ area, login }: OverseasStaticProxy,
	): OrderProxy {
		return this.orderProxies.add(order, () => rarePort(this.random), {
			area,
			login: login ?? order.login,
		});
	}
}
