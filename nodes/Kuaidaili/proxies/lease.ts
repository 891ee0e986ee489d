import type { ExtractedProxy } from './entries';
import type { ProxyFault } from './proxyStatuses';
import type { ProxyLogin } from './logins';

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

/** A proxy that nobody else uses until the lease ends; of a tunnel, a session that nobody else has. */
export interface ProxyLease {
	readonly proxy: LeasedProxy;
	/**
	 * Gives the proxy back; called once in any case.
	 *
	 * @param result the fault of the proxy, or `opened` where a page was opened through it; undefined where there is nothing
	 * to learn
	 * @param isUnseen whether the page has not seen the proxy, which may serve another one in its place
	 */
	end(result?: ProxyFault | 'opened', isUnseen?: boolean): void;
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
	/** Proxies that failed for whatever page. */
	failed: number;
	/** How many the orders have left, as the service said last, in words; undefined if it said nothing. */
	readonly left?: string;
}
