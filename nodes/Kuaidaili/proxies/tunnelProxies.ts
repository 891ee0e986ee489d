import { throwIfCancelled, untilCancelled } from '../../shared/api/wait';
import type { Item } from '../run/item';
import type { ExtractedProxy } from './entries';
import type { ProxyExtractor } from './extraction';
import type { ProxyLease } from './lease';
import { forgetProxyLogin, sessionsOfRun } from './logins';
import { nothingToLease } from './orderProxies';
import type { ProxyRequest } from './productFields';
import { randomIdentitySeed } from './proxyPool';

/** One address for all pages of a run; each lease has a session of its own where the product knows sessions. */
export class TunnelProxies {
	/** As `OrderProxies` have it: nothing is extracted ahead. */
	expected = 0;

	private readonly sessionOf = sessionsOfRun();

	private sessions = 0;

	private entrance?: Promise<ExtractedProxy>;

	/** @param secondsPerIp of the order, 0 for a new IP with each request; undefined where it is unknown */
	constructor(
		private readonly extractor: ProxyExtractor,
		private readonly order: string,
		private readonly request: ProxyRequest,
		private readonly item: Item,
		private readonly secondsPerIp: number | undefined,
	) {}

	/** @throws DescribedError when the order has no address, and what `runQuery` throws */
	async lease(_site: string, signal: AbortSignal | undefined): Promise<ProxyLease> {
		throwIfCancelled(signal);
		const { extractor, order, request, item, secondsPerIp } = this;
		const { toLogin, scheme, keepsIp, longestSessionSeconds = Infinity } = request;
		const plain = await untilCancelled(extractor.loginOf(order, item), signal);
		const address = (this.entrance ??= this.extract());
		const forget = () => {
			if (this.entrance === address) this.entrance = undefined;
		};
		address.catch(forget);
		const proxy = await untilCancelled(address, signal);
		const sendsSession = keepsIp === true || (secondsPerIp ?? 0) <= longestSessionSeconds;
		const session = sendsSession ? this.sessionOf((this.sessions += 1)) : undefined;
		const login = toLogin?.(plain, session) ?? plain;
		const secondsLeft = request.sessionSeconds?.(secondsPerIp);
		return {
			proxy: { ...proxy, secondsLeft, scheme, login, identitySeed: randomIdentitySeed() },
			end(result) {
				if (result === 'failed') forget();
				if (result === 'loginRefused') forgetProxyLogin(order, plain);
			},
		};
	}

	private async extract(): Promise<ExtractedProxy> {
		const { proxies } = await this.extractor.extract(this.request, this.item);
		if (proxies.length === 0) throw nothingToLease(this.request);
		return proxies[0];
	}
}
