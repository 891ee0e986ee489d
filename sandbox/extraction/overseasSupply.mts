import type { OverseasProxyOrder } from '../accounts/order.mts';
import { rarePort } from '../catalogue/catalogue.mts';
import { COUNTRIES } from '../catalogue/countries.mts';
import { pick, type Random } from '../random.mts';
import type { Clock } from '../time/clock.mts';
import type { OrderProxies } from './orderProxies.mts';
import type { OrderProxy } from './orderProxy.mts';

export interface OverseasRequest {
	num: number;
	/** How long each lives. */
	minutes: number;
	/** Codes of countries; none = any. */
	regions: readonly string[];
}

/** Overseas dynamic proxies that are extracted: as many as are asked for, in every country there is. */
export class OverseasSupply {
	constructor(
		private readonly orderProxies: OrderProxies,
		private readonly clock: Clock,
		private readonly random: Random,
	) {}

	/** None where there is no such country. They listen only after they were opened. */
	choose(order: OverseasProxyOrder, { num, minutes, regions }: OverseasRequest): OrderProxy[] {
		const countries = COUNTRIES.filter(
			({ code }) => regions.length === 0 || regions.includes(code),
		);
		if (countries.length === 0) return [];
		const expiresAt = new Date(this.clock.milliseconds() + minutes * 60_000);
		return Array.from({ length: num }, () =>
			this.orderProxies.add(order, () => rarePort(this.random), {
				area: pick(countries, this.random).code,
				expiresAt,
			}),
		);
	}
}
