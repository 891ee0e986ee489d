import type {
	DedicatedProxyOrder,
	OverseasProxyOrder,
	OverseasStaticProxy,
	OverseasStaticProxyOrder,
	PrivateProxyOrder,
	ProxyOrder,
} from '../accounts/order.mts';
import { CHINESE_CITIES } from '../catalogue/chineseAreas.mts';
import { COUNTRIES } from '../catalogue/countries.mts';
import { rarePort } from '../catalogue/openProxies.mts';
import type { Places } from '../catalogue/places.mts';
import type { ProxyOpener } from '../forwarding/listeners.mts';
import { type Carrier, CARRIERS, type PrivateStock } from '../orders/stock.mts';
import { inRandomOrder, pick, type Random } from '../random.mts';
import { chinaDay } from '../time/chinaTime.mts';
import type { Clock } from '../time/clock.mts';
import { isAlive, OrderProxies, type OrderProxy } from './orderProxies.mts';

/** How many private proxies the order may still have: of all, or of today. */
export function leftOf(order: PrivateProxyOrder): number {
	return order.ipBalance ?? Math.max(0, order.ipCount - order.extractedToday);
}

/**
 * One that is handed out again while it lives is counted again. What the service counts is not
 * documented.
 */
export function useUp(order: PrivateProxyOrder, count: number): void {
	if (order.ipBalance === undefined) order.extractedToday += count;
	else order.ipBalance -= count;
}

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
 * Where there are any, there are so many lines of one carrier in a city. With fewer, an order that takes
 * thirty would now and then get one again.
 */
const LINES_EACH = 10_000;

/**
 * Private proxies: lines whose address changes when its life is over. Each order has addresses of its
 * own. Until one has run out, the order can get it again, unless it asks for others with `dedup`.
 */
class PrivateSupply {
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

export interface OverseasRequest {
	num: number;
	/** How long each lives. */
	minutes: number;
	/** Codes of countries; none = any. */
	regions: readonly string[];
}

/** Overseas dynamic proxies that are extracted: as many as are asked for, in every country there is. */
class OverseasSupply {
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

export interface Machine {
	id: string;
	proxy: OrderProxy;
}

/** Proxies that an order has as long as it lasts: dedicated and overseas static ones. */
class StandingSupply {
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

/** Where the proxies of every product but open ones come from. Tunnels have none of their own. */
export interface ProductSupplies {
	/** All of them. */
	proxies: OrderProxies;
	private: PrivateSupply;
	/** Dedicated and overseas static ones. */
	standing: StandingSupply;
	/** Overseas dynamic ones. */
	overseas: OverseasSupply;
}

interface Surroundings {
	places: Places;
	opener: ProxyOpener;
	privateStock: PrivateStock;
	clock: Clock;
	random: Random;
}

export function productSupplies(surroundings: Surroundings): ProductSupplies {
	const { places, opener, privateStock, clock, random } = surroundings;
	const proxies = new OrderProxies(places, opener);
	return {
		proxies,
		private: new PrivateSupply(proxies, privateStock, clock, random),
		standing: new StandingSupply(proxies, random),
		overseas: new OverseasSupply(proxies, clock, random),
	};
}
