import type { IExecuteFunctions } from 'n8n-workflow';

import { throwIfCancelled, untilCancelled } from '../../shared/concurrency/wait';
import { fingerprintOf } from '../../shared/fingerprint';
import type { Item } from '../operation';
import type { ExtractedProxy } from './entries';
import {
	leasedProxy,
	nothingToLease,
	type Counted,
	type LeaseRequest,
	type ProxyLease,
	type ProxySource,
	type SourceSettings,
	type SupplyCounts,
} from './lease';
import { ListSource } from './listSource';
import {
	composeLogin,
	forgetProxyLogin,
	orderLogin,
	randomSessionStart,
	sessionOf,
} from './logins';
import type { ProxyRequest } from './productFields';
import { anyVisitor } from './stock';
import { stockKeyOf, ProxySupply } from './supply';

/** The sources of one run: one for all items with the same order and settings. */
export class ProxySources {
	private readonly supply: ProxySupply;

	private readonly sources = new Map<string, ProxySource>();

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
		const key = await stockKeyOf(request, item);
		const { extraction, settings, maxExtractions } = request;
		const { reuse, loginSettings, scheme } = extraction;
		const ofRun = [settings, maxExtractions, pagesPerProxy];
		const id = fingerprintOf(key, reuse, loginSettings, scheme, ofRun);
		const { supply, counted, ended } = this;
		const known = this.sources.get(id);
		if (known !== undefined) return known;
		const ofSource = { supply, request, item, key, secondsPerIp, ended, pagesPerProxy, counted };
		const isTunnel = extraction.isShared === true;
		const source = isTunnel ? new TunnelSource(ofSource) : new ListSource(ofSource);
		this.sources.set(id, source);
		return source;
	}
}

/** One address for all; each lease has a session of its own where the product knows sessions. */
class TunnelSource implements ProxySource {
	private readonly sessionStart = randomSessionStart();

	private sessions = 0;

	private address?: Promise<ExtractedProxy>;

	constructor(private readonly settings: SourceSettings) {}

	async lease({ signal }: LeaseRequest): Promise<ProxyLease> {
		throwIfCancelled(signal);
		const { item, key, request, secondsPerIp } = this.settings;
		const { extraction } = request;
		const plain = await untilCancelled(orderLogin(item), signal);
		this.address ??= this.extract();
		const { address } = this;
		address.catch(() => this.forget(address));
		const proxy = await untilCancelled(address, signal);
		const { loginSettings = {}, loginSettingsFor } = extraction;
		const session = sessionOf(this.sessionStart, (this.sessions += 1));
		const login = composeLogin(plain, loginSettingsFor?.(session) ?? loginSettings);
		const secondsLeft = extraction.sessionSeconds?.(secondsPerIp);
		return {
			proxy: leasedProxy({ ...proxy, secondsLeft }, extraction, login, anyVisitor()),
			report: (fault) => {
				if (fault === 'failed') this.forget(address);
				if (fault === 'loginRefused') forgetProxyLogin(key.order, plain);
			},
			succeeded() {},
			unused() {},
			release() {},
		};
	}

	private forget(address: Promise<ExtractedProxy>): void {
		if (this.address === address) this.address = undefined;
	}

	private async extract(): Promise<ExtractedProxy> {
		const { supply, request, item } = this.settings;
		const { proxies, endedBy } = await supply.extract(request, item);
		if (proxies.length > 0) return proxies[0];
		throw typeof endedBy === 'object' ? endedBy : nothingToLease(request.extraction);
	}
}
