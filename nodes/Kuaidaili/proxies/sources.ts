import type { IExecuteFunctions } from 'n8n-workflow';

import { fingerprintOf } from '../../shared/fingerprint';
import type { Item } from '../operation';
import { TunnelSource, type ProxySource } from './lease';
import { ListSource } from './listSource';
import type { ProxyRequest } from './productFields';
import type { StockedProxy } from './stock';
import { ProxySupply, stockKeyOf } from './supply';

/** For the hint at the end of a run. */
export type SupplyCounts = ProxySources['counts'];

/** The sources of one run: one for all items with the same order and settings. */
export class ProxySources {
	readonly supply: ProxySupply;

	/** How many proxies were extracted in this run. */
	extracted = 0;

	/** How many of them the order counts. */
	counted = 0;

	/** Proxies of earlier runs that were handed out again. */
	readonly reused = new Set<StockedProxy>();

	/** Those that no page has had, and no later run will have. */
	readonly unused = new Set<StockedProxy>();

	/** What the order has left, as the service said last; undefined where it said nothing. */
	left?: number;

	private readonly sources = new Map<string, ProxySource>();

	/** @param ended aborts when the run ends before its pages, so that nobody needs what would come */
	constructor(
		context: IExecuteFunctions,
		readonly ended: AbortSignal,
	) {
		this.supply = new ProxySupply(context);
	}

	get counts() {
		const { extracted, counted, unused, reused, left } = this;
		return { extracted, counted, unused: unused.size, reused: reused.size, left };
	}

	/** @throws what getting the key pair of the order throws */
	async sourceFor(
		item: Item,
		request: ProxyRequest,
		pagesPerProxy: number,
		secondsPerIp?: number,
	): Promise<ProxySource> {
		const key = await stockKeyOf(request, item);
		const { reuse, loginSettings, scheme, extras, maxExtractions } = request;
		const ofRun = [extras, request.waitForCallers, request.waitForNewOrder, maxExtractions];
		const id = fingerprintOf(key, reuse, loginSettings, scheme, ofRun, pagesPerProxy);
		const settings = { run: this, request, item, key, pagesPerProxy, secondsPerIp };
		const Source = request.isShared === true ? TunnelSource : ListSource;
		const source = this.sources.get(id) ?? new Source(settings);
		this.sources.set(id, source);
		return source;
	}
}
