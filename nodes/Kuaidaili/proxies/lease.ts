import type { ProxyLogin } from '../../shared/orders/orderQueries';
import type { ExtractedProxy } from './entries';
import type { ProxyFault } from './proxyStatuses';

/* How pages get proxies: one each, for as long as they need it. */

/** A proxy as a request needs it. Its address may be shown: it never has a login. */
export interface LeasedProxy
	extends Readonly<Pick<ExtractedProxy, 'address' | 'host' | 'port' | 'secondsLeft'>> {
	/** The protocol between client and proxy, for pages over https as well. */
	readonly scheme: 'http' | 'socks5';
	/** The login as it is sent, with its session and place; undefined where the proxy needs none. */
	readonly login?: ProxyLogin;
	/**
	 * A random whole number that is the same for everybody who uses this proxy as long as it lives; of a tunnel, for
	 * this lease. By it is chosen which browser they all look like.
	 */
	readonly identitySeed: number;
}

/** A proxy that nobody else uses until it is released; of a tunnel, a session that nobody else has. */
export interface ProxyLease {
	readonly proxy: LeasedProxy;
	/** The proxy was to blame. Called for each fault, before the release. */
	markBad(fault: ProxyFault): void;
	/** A page was opened through it. */
	markGood(): void;
	/** The page has not seen the proxy, which may serve another one in its place. Before the release. */
	markUnused(): void;
	/** Gives the proxy back; called once in any case. */
	release(): void;
}

/** A page's request for a proxy. */
export interface LeaseRequest {
	/** The host of the page, such as `example.com`. */
	readonly site: string;
	/** Counts the leases that are still to be asked for: as many proxies may be extracted ahead. */
	readonly upcoming: () => number;
	readonly signal: AbortSignal | undefined;
}

/** Proxies of one order with the same settings, for one run. */
export interface ProxyProvider {
	/**
	 * A proxy that is not in use, the least recently used first; a new one if there is none.
	 *
	 * @throws InvalidFieldError when the limit of the execution is reached, DescribedError when none came, and what
	 * `callService` throws
	 */
	lease(request: LeaseRequest): Promise<ProxyLease>;
	/** Adds its numbers; undefined if nothing is extracted for single pages. */
	addTo?(counts: ProxyCounts): void;
}

/** Numbers for the hint at the end of a run. */
export interface ProxyCounts {
	extracted: number;
	/** The extracted proxies that the order counts. */
	counted: number;
	/** The extracted proxies that no page has had, and no later run will have. */
	unused: number;
	/** Proxies of earlier runs that were handed out again. */
	reused: number;
	/** How many the order has left, as the service said last, in words; undefined if it said nothing. */
	readonly left?: string;
}
