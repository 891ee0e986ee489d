import type { IExecuteFunctions } from 'n8n-workflow';

import { fingerprintOf } from '../../shared/fingerprint';
import type { Item } from '../operation';
import type { ProxySource, SupplyCounts } from './lease';
import { ListSource } from './listSource';
import type { Counted, ListSettings } from './listStock';
import { LeaseLogins } from './logins';
import type { ProxyRequest } from './productFields';
import { poolKeyOf, ProxySupply } from './supply';
import { TunnelSource } from './tunnelSource';

/** The sources of one run: one for all items with the same order and settings. */
export class ProxySources {
	private readonly supply: ProxySupply;

	private readonly sources = new Map<string, ProxySource>();

	private readonly logins = new Map<string, LeaseLogins>();

	private readonly counted: Counted = { extracted: 0, reused: new Set(), unused: new Set() };

	/** @param ended aborts when the run ends before its pages */
	constructor(
		context: IExecuteFunctions,
		private readonly ended: AbortSignal,
	) {
		this.supply = new ProxySupply(context);
	}

	get counts(): SupplyCounts {
		const { extracted, unused, reused, left } = this.counted;
		return { extracted, unused: unused.size, reused: reused.size, left };
	}

	/** What this run may have used up, without a period; undefined where that is nothing. */
	get countedInWords(): string | undefined {
		return this.supply.countedInWords;
	}

	/**
	 * @param pagesPerProxy how many leases a proxy may have in this run; 0 sets no limit
	 * @param secondsPerIp how long the order's tunnel keeps an IP, 0 for a new one with each request
	 * @throws what getting the key pair of the order throws
	 */
	async sourceFor(
		item: Item,
		request: ProxyRequest,
		pagesPerProxy: number,
		secondsPerIp?: number,
	): Promise<ProxySource> {
		const key = await poolKeyOf(request, item);
		const { extraction, settings, maxExtractions } = request;
		const { reuse, loginSettings, scheme } = extraction;
		const ofRun = [settings, maxExtractions, pagesPerProxy];
		const id = fingerprintOf(key, reuse, loginSettings, scheme, ofRun);
		const { supply, counted, ended } = this;
		const logins = this.logins.get(key.order) ?? new LeaseLogins(item, key.order);
		this.logins.set(key.order, logins);
		const source =
			this.sources.get(id) ??
			openSource({
				supply,
				request,
				item,
				key,
				logins,
				secondsPerIp,
				ended,
				pagesPerProxy,
				counted,
			});
		this.sources.set(id, source);
		return source;
	}
}

function openSource(settings: ListSettings): ProxySource {
	const { isShared } = settings.request.extraction;
	return isShared === true ? new TunnelSource(settings) : new ListSource(settings);
}
