import type {
	OverseasProxyOrder,
	TunnelProProxyOrder,
	TunnelProxyOrder,
} from '../../accounts/order.mts';
import type { Clock } from '../../time/clock.mts';
import { Exits, type Tunnel } from './exits.mts';
import { NormalTunnel } from './normalTunnel.mts';
import { OverseasTunnel, ProTunnel } from './suffixTunnels.mts';

export type TunnelOrder = TunnelProxyOrder | TunnelProProxyOrder | OverseasProxyOrder;

/** The tunnels of all orders, with the exits that they have now. */
export class Tunnels {
	private readonly exits = new Exits(Math.random);
	private readonly normals = new WeakMap<TunnelProxyOrder, NormalTunnel>();
	private readonly pros = new WeakMap<TunnelProProxyOrder, ProTunnel>();
	private readonly overseas = new WeakMap<OverseasProxyOrder, OverseasTunnel>();

	constructor(private readonly clock: Clock) {}

	of(order: TunnelOrder): Tunnel {
		switch (order.product) {
			case 'TPS':
				return this.normal(order);
			case 'TPS_PRO':
				return this.pro(order);
			case 'FPS':
				return known(this.overseas, order, () => new OverseasTunnel(order, this.clock, this.exits));
		}
	}

	normal(order: TunnelProxyOrder): NormalTunnel {
		return known(this.normals, order, () => new NormalTunnel(order, this.clock, this.exits));
	}

	pro(order: TunnelProProxyOrder): ProTunnel {
		return known(this.pros, order, () => new ProTunnel(this.clock, this.exits));
	}
}

function known<Key extends object, Value>(
	map: WeakMap<Key, Value>,
	key: Key,
	make: () => Value,
): Value {
	const value = map.get(key) ?? make();
	map.set(key, value);
	return value;
}
