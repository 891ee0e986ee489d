import type {
	OverseasProxyOrder,
	TunnelProProxyOrder,
	TunnelProxyOrder,
} from '../../accounts/order.mts';
import type { Clock } from '../../time/clock.mts';
import { Exits, type Tunnel } from './exits.mts';
import { NormalTunnel } from './normalTunnel.mts';
import { SuffixTunnel } from './suffixTunnels.mts';

type SuffixTunnelOrder = TunnelProProxyOrder | OverseasProxyOrder;

export type TunnelOrder = TunnelProxyOrder | SuffixTunnelOrder;

/** The tunnels of all orders, with the exits that they have now. */
export class Tunnels {
	private readonly exits = new Exits(Math.random);
	private readonly normals = new WeakMap<TunnelProxyOrder, NormalTunnel>();
	private readonly others = new WeakMap<SuffixTunnelOrder, SuffixTunnel>();

	constructor(private readonly clock: Clock) {}

	of(order: TunnelOrder): Tunnel {
		return order.product === 'TPS' ? this.normal(order) : this.bySuffix(order);
	}

	normal(order: TunnelProxyOrder): NormalTunnel {
		const tunnel = this.normals.get(order) ?? new NormalTunnel(order, this.clock, this.exits);
		this.normals.set(order, tunnel);
		return tunnel;
	}

	bySuffix(order: SuffixTunnelOrder): SuffixTunnel {
		const tunnel =
			this.others.get(order) ?? new SuffixTunnel(order.product, this.clock, this.exits);
		this.others.set(order, tunnel);
		return tunnel;
	}
}
