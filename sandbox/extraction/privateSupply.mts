import type { PrivateProxyOrder } from '../accounts/order.mts';
import { rarePort } from '../catalogue/catalogue.mts';
import { CARRIERS, type Carrier, type PrivateStock } from '../orders/privateStock.mts';
import { inRandomOrder, type Random } from '../random.mts';
import { chinaDay } from '../time/chinaTime.mts';
import type { Clock } from '../time/clock.mts';
import type { OrderProxies } from './orderProxies.mts';
import { isAlive, type OrderProxy } from './orderProxy.mts';

/** Where there are private proxies at all, there are so many lines of one carrier in a city. */
const LINES_EACH = 200;

export interface PrivateRequest {
	num: number;
	/** The codes of cities and provinces; undefined = anywhere. */
	areas: readonly string[] | undefined;
	areasExcluded: readonly string[];
	carrier: 0 | Carrier['code'];
	dedup: boolean;
}

/** What an order has at a line, and the day on which it last got it. */
interface Rented {
	proxy: OrderProxy;
	day: string;
}

interface Choice {
	proxies: OrderProxy[];
	/** How many of them the order did not have before today. */
	newToday: number;
}

/**
 * Private proxies: lines whose address changes when its life is over. Each order has addresses of its
 * own. Until one has run out, the order can get it again, unless it asks for others with `dedup`.
 */
export class PrivateSupply {
	private readonly rented = new WeakMap<PrivateProxyOrder, Map<string, Rented>>();

	constructor(
		private readonly orderProxies: OrderProxies,
		private readonly stock: PrivateStock,
		private readonly clock: Clock,
		private readonly random: Random,
	) {}

	/** Fewer than are asked for where there are not more. They listen only after they were opened. */
	choose(order: PrivateProxyOrder, request: PrivateRequest): Choice {
		const groups = this.groupsFor(request);
		const rented = this.rentedBy(order);
		const now = this.clock.now();
		const today = chinaDay(now);
		const choice: Choice = { proxies: [], newToday: 0 };
		for (const line of inRandomOrder(groups.length * LINES_EACH, this.random)) {
			if (choice.proxies.length === request.num) break;
			const group = groups[Math.floor(line / LINES_EACH)];
			if (!group) break;
			const name = `${group.area} ${group.carrier.code} ${line % LINES_EACH}`;
			const known = rented.get(name);
			const current = known && isAlive(known.proxy, now) ? known : undefined;
			if (request.dedup && current?.day === today) continue;

			const proxy = current?.proxy ?? this.rent(order, group, now);
			rented.set(name, { proxy, day: today });
			choice.proxies.push(proxy);
			if (current?.day !== today) choice.newToday += 1;
		}
		return choice;
	}

	private groupsFor({ areas, areasExcluded, carrier }: PrivateRequest) {
		const isIn = (city: string) => (area: string) => city.startsWith(area);
		return [...this.stock]
			.filter(([city]) => areas?.some(isIn(city)) ?? true)
			.filter(([city]) => !areasExcluded.some(isIn(city)))
			.flatMap(([area, codes]) =>
				CARRIERS.filter(({ code }) => codes.includes(code) && (carrier || code) === code).map(
					(each) => ({ area, carrier: each }),
				),
			);
	}

	private rentedBy(order: PrivateProxyOrder): Map<string, Rented> {
		const known = this.rented.get(order);
		if (known) return known;
		const rented = new Map<string, Rented>();
		this.rented.set(order, rented);
		return rented;
	}

	private rent(
		order: PrivateProxyOrder,
		where: { area: string; carrier: Carrier },
		now: Date,
	): OrderProxy {
		const { least, most } = lifeInSeconds(order.period);
		const seconds = Math.floor(least + this.random() * (most - least + 1));
		return this.orderProxies.add(order, () => rarePort(this.random), {
			...where,
			expiresAt: new Date(now.getTime() + seconds * 1000),
		});
	}
}

/** M_1_5 is from 1 to 5 minutes, M_7 exactly 7, H_2_4 from 2 to 4 hours. It begins with the extraction. */
function lifeInSeconds(period: string): { least: number; most: number } {
	const [, unit, least, most = least] = /^([MH])_(\d+)(?:_(\d+))?$/.exec(period) ?? [];
	if (unit === undefined) throw new RangeError(`"${period}" is no life of private proxies`);
	const seconds = unit === 'M' ? 60 : 3600;
	return { least: Number(least) * seconds, most: Number(most) * seconds };
}
