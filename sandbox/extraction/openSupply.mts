import type { OpenProxyOrder } from '../accounts/order.mts';
import { type OpenProxy, testOf } from '../catalogue/openProxies.mts';
import type { ProxyOpener } from '../forwarding/listeners.mts';
import { drawFrom, type Random } from '../random.mts';
import { OPEN_PROXY_CODES, type OpenProxyRequest } from './openRequest.mts';
import { writtenPlace } from './orderProxies.mts';

type Sorting = OpenProxyRequest['order'];

/** Chooses the proxies that one extraction gets. */
export class OpenProxySupply {
	private byPlace: ReadonlyMap<string, OpenProxy> | undefined;
	/** What each order has already got, for `dedup`. No day ends here. */
	private readonly extracted = new WeakMap<OpenProxyOrder, Set<OpenProxy>>();
	private readonly sorted = new Map<Sorting, readonly OpenProxy[]>();

	constructor(
		readonly catalogue: readonly OpenProxy[],
		private readonly opener: ProxyOpener,
		private readonly random: Random,
	) {}

	/** By `host:port`. */
	find(place: string): OpenProxy | undefined {
		this.byPlace ??= new Map(this.catalogue.map((proxy) => [writtenPlace(proxy), proxy]));
		return this.byPlace.get(place);
	}

	async take(order: OpenProxyOrder, request: OpenProxyRequest): Promise<OpenProxy[]> {
		const extractedToday = this.extracted.get(order) ?? new Set();
		this.extracted.set(order, extractedToday);
		const fits = testOf(request.filter);
		const candidates = this.inOrder(request.order).filter(
			(proxy) => fits(proxy) && !(request.dedup && extractedToday.has(proxy)),
		);
		if (candidates.length === 0) throw OPEN_PROXY_CODES.refusal(3);

		const expected = Math.min(request.num, candidates.length);
		const taken: OpenProxy[] = [];
		while (taken.length < expected && candidates.length > 0) {
			const missing = expected - taken.length;
			const drawn =
				request.order === 'random'
					? drawFrom(candidates, missing, this.random)
					: candidates.splice(0, missing);
			// Before the wait below: a call at the same time must not get the same ones with dedup.
			for (const proxy of drawn) extractedToday.add(proxy);
			taken.push(...(await this.opener.open(drawn)));
		}
		return taken;
	}

	private inOrder(sorting: Sorting): readonly OpenProxy[] {
		if (sorting === 'random') return this.catalogue;
		const known = this.sorted.get(sorting);
		if (known) return known;
		const key = sorting === 'fastest first' ? 'responseSeconds' : 'checkedSecondsAgo';
		const sorted = this.catalogue.toSorted((left, right) => left[key] - right[key]);
		this.sorted.set(sorting, sorted);
		return sorted;
	}
}
