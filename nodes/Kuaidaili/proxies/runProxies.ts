import type { IExecuteFunctions } from 'n8n-workflow';

import { fingerprintOf } from '../../shared/api/sign';
import { memoryOfRuns } from '../run/nodeRun';
import type { Item } from '../run/item';
import { leftInWords, type Extracted } from './extraction';
import type { ProxyCounts } from './lease';
import { OrderProxies } from './orderProxies';
import { settingsOf, type ProxyRequest } from './productFields';
import { ProxyExtractor } from './proxyExtractor';
import type { PooledProxy, ProxyReport } from './proxyPool';
import { TunnelProxies } from './tunnelProxies';

/** Extractions of a run by the item, and everything that decides about them. n8n repeats the run for 'Retry On Fail'. */
const extractedOf = memoryOfRuns(() => new Map<string, Extracted>());

/** The proxies of a run, of whatever orders: the ones that its pages share, and the ones that its items get. */
export class RunProxies {
	readonly extractor: ProxyExtractor;

	private readonly extracted: Map<string, Extracted>;

	/** Proxies of the pool that items of this run got for themselves. */
	private readonly handedOut = new Set<PooledProxy>();

	/** Proxies for pages, the same for all items with one order and equal settings. */
	private readonly ofPages = new Map<string, OrderProxies | TunnelProxies>();

	/** @param ended aborts when the run ends before its pages, so that nobody needs what would come */
	constructor(context: IExecuteFunctions, ended?: AbortSignal) {
		this.extractor = new ProxyExtractor(context, ended);
		this.extracted = extractedOf(context);
	}

	/**
	 * The proxies for pages of an item.
	 *
	 * @param pagesPerProxy limit of the leases of a proxy in this run; 0 sets none
	 * @param secondsPerIp the time for which the order keeps an IP, 0 for a new one with each request; undefined where it is
	 * unknown
	 * @throws what getting the key pair of the order throws
	 */
	async forPages(
		item: Item,
		request: ProxyRequest,
		pagesPerProxy: number,
		secondsPerIp?: number,
	): Promise<OrderProxies | TunnelProxies> {
		const { extractor } = this;
		const order = await item.orderKey();
		const id = fingerprintOf(order, settingsOf(request), pagesPerProxy);
		const isTunnel = request.sessionSeconds !== undefined;
		const proxies =
			this.ofPages.get(id) ??
			(isTunnel
				? new TunnelProxies(extractor, order, request, item, secondsPerIp)
				: new OrderProxies(extractor, order, request, item, pagesPerProxy));
		this.ofPages.set(id, proxies);
		return proxies;
	}

	/**
	 * Takes the proxies that one or several items want; once for each item, also where n8n repeats the run.
	 *
	 * @param index the number of the first item
	 * @param isExclusive whether no other items of the run are to get the same proxies
	 * @param failed proxies that the items had before and that are not to come again
	 * @throws what `OrderProxies.take` throws
	 */
	async take(
		item: Item,
		request: ProxyRequest,
		index: number,
		isExclusive: boolean,
		failed: readonly ProxyReport[],
	): Promise<Extracted> {
		const order = await item.orderKey();
		const { endpoint, parameters, total, usesQuota } = request;
		const key = fingerprintOf(String(index), order, endpoint.path, parameters, total);
		const known = usesQuota ? this.extracted.get(key) : undefined;
		if (known !== undefined) return known;
		// Also those of items whose last proxy failed: an earlier one may have been blocked
		const sites = failed.map(({ site }) => site);
		const proxies = new OrderProxies(this.extractor, order, request, item);
		const extracted = await proxies.take(sites, isExclusive ? this.handedOut : undefined);
		// Where nothing matched, something may match later
		if (usesQuota && extracted.proxies.length > 0) this.extracted.set(key, extracted);
		return extracted;
	}

	get counts(): ProxyCounts {
		const left = leftInWords(...this.extractor.left.values());
		const counts = { extracted: 0, counted: 0, unused: 0, reused: 0, failed: 0, left };
		for (const proxies of this.ofPages.values())
			if (proxies instanceof OrderProxies) proxies.addTo(counts);
		return counts;
	}
}
