import type { OpenProxyOrder } from '../accounts/order.mts';
import { matches } from '../catalogue/filter.mts';
import type { OpenProxy } from '../catalogue/openProxy.mts';
import { drawFrom, type Random } from '../random.mts';
import type { ExtractionHistory } from './history.mts';
import type { MinuteCap } from './minuteCap.mts';
import { extractionRefusal, minuteCapReached } from './refusals.mts';
import type { ExtractionRequest } from './request.mts';

/** Makes proxies usable and says which of them are. */
export interface ProxyOpener {
	open(proxies: readonly OpenProxy[]): Promise<OpenProxy[]>;
}

/** Chooses the proxies that one extraction gets. */
export class ProxySupply {
	constructor(
		readonly catalogue: readonly OpenProxy[],
		private readonly history: ExtractionHistory,
		private readonly minuteCap: MinuteCap,
		private readonly opener: ProxyOpener,
		private readonly random: Random,
	) {}

	async take(order: OpenProxyOrder, request: ExtractionRequest): Promise<OpenProxy[]> {
		const extractedToday = this.history.today(order.orderId);
		const candidates = this.catalogue.filter(
			(proxy) => matches(proxy, request.filter) && !(request.dedup && extractedToday.has(proxy)),
		);
		if (candidates.length === 0) throw extractionRefusal(3);

		const expected = Math.min(request.num, candidates.length);
		const cap = order.ipsPerMinute;
		if (cap !== undefined && !this.minuteCap.take(order.orderId, expected, cap)) {
			throw minuteCapReached();
		}

		const draw = this.drawing(candidates, request.order);
		const taken: OpenProxy[] = [];
		while (taken.length < expected) {
			const drawn = draw(expected - taken.length);
			if (drawn.length === 0) break;
			// Before the wait below: a call at the same time must not get the same ones with dedup.
			for (const proxy of drawn) extractedToday.add(proxy);
			taken.push(...(await this.opener.open(drawn)));
		}
		return taken;
	}

	private drawing(
		candidates: OpenProxy[],
		order: ExtractionRequest['order'],
	): (count: number) => OpenProxy[] {
		switch (order) {
			case 'random':
				return (count) => drawFrom(candidates, count, this.random);
			case 'fastest first':
				candidates.sort((left, right) => left.responseSeconds - right.responseSeconds);
				return (count) => candidates.splice(0, count);
			case 'last checked first':
				candidates.sort((left, right) => left.checkedSecondsAgo - right.checkedSecondsAgo);
				return (count) => candidates.splice(0, count);
		}
	}
}
