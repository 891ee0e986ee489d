import type { IExecuteFunctions } from 'n8n-workflow';

import { fingerprintOf } from '../../shared/api/sign';
import type { Item } from '../run/item';
import { leftInWords, ProxyExtractor } from './extraction';
import type { ProxyCounts } from './lease';
import { OrderProxies } from './orderProxies';
import { settingsOf, type ProxyRequest } from './productFields';
import { TunnelProxies } from './tunnelProxies';

/** The proxies of a run for its pages, of whatever orders. */
export class RunProxies {
	private readonly extractor: ProxyExtractor;

	/** Proxies that all items with one order and equal settings share. */
	private readonly ofPages = new Map<string, OrderProxies | TunnelProxies>();

	/** @param ended aborts when the run ends before its pages, so that nobody needs what would come */
	constructor(context: IExecuteFunctions, ended?: AbortSignal) {
		this.extractor = new ProxyExtractor(context, ended);
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

	get counts(): ProxyCounts {
		const left = leftInWords(...this.extractor.left.values());
		const counts = { extracted: 0, counted: 0, unused: 0, reused: 0, failed: 0, left };
		for (const proxies of this.ofPages.values())
			if (proxies instanceof OrderProxies) proxies.addTo(counts);
		return counts;
	}
}
