import { throwIfCancelled, untilCancelled } from '../../shared/concurrency/wait';
import type { Item } from '../operation';
import type { ExtractedProxy } from './entries';
import {
	leasedProxy,
	nothingToLease,
	type LeaseRequest,
	type ProxyLease,
	type ProxySource,
} from './lease';
import { composeLogin, randomSessionStart, sessionOf, type LeaseLogins } from './logins';
import type { PoolKey } from './pool';
import type { ProxyRequest } from './productFields';
import type { ProxySupply } from './supply';

/** What a source extracts with. */
export interface SourceSettings {
	readonly supply: ProxySupply;
	readonly request: ProxyRequest;
	/** Any of those that the source is for. */
	readonly item: Item;
	readonly key: PoolKey;
	/** Of the order, for all its sources in the run. */
	readonly logins: LeaseLogins;
	/** How long the order's tunnel keeps an IP, 0 for a new one with each request; undefined where it is unknown. */
	readonly secondsPerIp?: number;
	/** Aborts when the run ends before its pages, so that nobody needs what would come. */
	readonly ended: AbortSignal;
}

/** One address for all; each lease has a session of its own where the product knows sessions. */
export class TunnelSource implements ProxySource {
	private readonly sessionStart = randomSessionStart();

	private sessions = 0;

	private address?: Promise<ExtractedProxy>;

	constructor(private readonly settings: SourceSettings) {}

	async lease({ signal }: LeaseRequest): Promise<ProxyLease> {
		throwIfCancelled(signal);
		const { logins, request, secondsPerIp } = this.settings;
		const { extraction } = request;
		const plain = await untilCancelled(logins.current(), signal);
		this.address ??= this.extract();
		const { address } = this;
		address.catch(() => this.forget(address));
		const proxy = await untilCancelled(address, signal);
		const { loginSettings = {}, loginSettingsFor } = extraction;
		const session = sessionOf(this.sessionStart, (this.sessions += 1));
		const login = composeLogin(plain, loginSettingsFor?.(session) ?? loginSettings);
		const secondsLeft = extraction.sessionSeconds?.(secondsPerIp);
		return {
			proxy: leasedProxy({ ...proxy, secondsLeft }, extraction, login),
			report: (fault) => {
				if (fault === 'failed') this.forget(address);
				if (fault === 'loginRefused') logins.refuse(plain, proxy.address);
			},
			succeeded: () => void logins.accept(plain),
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
