import { newCookies } from '../../../shared/bundled/cookieJar';
import { isList } from '../../../shared/guards';
import type { LeasedProxy, ProxyLease } from '../../proxies/lease';
import type { OrderProxies } from '../../proxies/orderProxies';
import type { ProxyFault } from '../../proxies/proxyStatuses';
import { headerOf, without, type PageRequest } from '../request/pageRequest';
import { browserHeaders } from './browserHeaders';

function cookiesIn(header: string): Array<readonly [name: string, cookie: string]> {
	const cookies = header.split(';').map((cookie) => cookie.trim());
	return cookies.filter(Boolean).map((cookie) => [cookie.split('=', 1)[0].trim(), cookie]);
}

/** Browsers refuse longer cookies. In characters. */
const LONGEST_COOKIE = 4096;

/**
 * A browser as sites know it: one proxy, one set of headers, one set of cookies. It opens one page, or, with *Session
 * Key*, all pages of a key, one after the other. Where its proxy fails or ends, another browser takes its place.
 */
export class Session {
	private lease?: ProxyLease;

	/** When the proxy ends, by `performance.now()`; Infinity where that is unknown. */
	private endsAt = Infinity;

	private cookies?: ReturnType<typeof newCookies>;

	/** Result of the attempts through the proxy, for its lease. */
	private learned?: ProxyFault | 'opened';

	/** Whether the page has not seen the proxy in them. */
	private isUnseen = false;

	/** Whether a POST was sent, such as one that logs in, through whatever proxy. */
	hasPosted = false;

	/** Whether all attempts at a page were made. */
	private hasHistory = false;

	/** Whether a new browser came for the page at hand after others, so that the site has to get to know it again. */
	private isRestarted = false;

	/** @param kept how long a proxy that works is kept: for an attempt, until the `end` behind a page, for all pages of a slot */
	constructor(private readonly kept: 'attempt' | 'page' | 'slot' = 'attempt') {}

	/** Whether its pages are opened one after the other in a slot that it has. */
	get hasSlot(): boolean {
		return this.kept === 'slot';
	}

	/** Whether it has a proxy. */
	get isOpen(): boolean {
		return this.lease !== undefined;
	}

	/** The proxy for the next attempt at a page of a site: the one from before, or a new one. Throws what `lease` throws. */
	async acquire(
		site: string,
		proxies: Pick<OrderProxies, 'lease'>,
		signal: AbortSignal | undefined,
	): Promise<LeasedProxy> {
		if (this.lease !== undefined && performance.now() < this.endsAt) return this.lease.proxy;
		this.end();
		this.lease = await proxies.lease(site, signal);
		const { proxy } = this.lease;
		this.endsAt = performance.now() + (proxy.secondsLeft ?? Infinity) * 1000;
		this.isRestarted ||= this.hasHistory;
		return proxy;
	}

	/**
	 * All headers of a request through a proxy that was acquired. A cookie that the site has set since replaces a typed one
	 * of its name.
	 */
	headersFor(request: PageRequest, { identitySeed }: LeasedProxy): PageRequest['headers'] {
		this.hasPosted ||= request.method === 'POST';
		const headers = browserHeaders(identitySeed, request);
		// A site may have one name at several paths
		const found = this.cookies?.cookiesFor(request.url) ?? [];
		const ofSite = found.map((cookie) => [cookie.key, cookie.cookieString()] as const);
		const names = new Set(ofSite.map(([name]) => name));
		const typed = cookiesIn(headerOf(headers, 'cookie') ?? '').filter(([name]) => !names.has(name));
		const cookie = [...typed, ...ofSite].map(([, text]) => text).join('; ');
		return { ...without(headers, ['cookie']), ...(cookie !== '' && { Cookie: cookie }) };
	}

	/** @param setCookies the header of an answer: one value, several, or none */
	storeCookies(setCookies: unknown, url: string): void {
		for (const cookie of isList(setCookies) ? setCookies : [setCookies]) {
			if (typeof cookie !== 'string' || cookie.length > LONGEST_COOKIE) continue;
			this.cookies ??= newCookies();
			this.cookies.add(cookie, url);
		}
	}

	/** Takes note of an attempt, and gives the proxy back unless another attempt or page is to have it. */
	note({
		outcome,
		blame,
		isUnseen,
		next,
	}: {
		readonly outcome: string;
		readonly blame?: ProxyFault;
		readonly isUnseen?: true;
		/** Undefined after the last attempt at a page. */
		readonly next?: { readonly sameProxy: boolean };
	}): void {
		if (next?.sameProxy === true) return;
		this.hasHistory ||= next === undefined;
		this.learned = blame ?? (outcome === 'opened' ? outcome : this.learned);
		// Another page may get further with that proxy
		this.isUnseen = isUnseen === true && !this.hasSlot;
		const isKept = this.hasSlot || (this.kept === 'page' && next === undefined);
		if (blame !== undefined || !isKept) this.end();
	}

	/** Makes ready for another page, and tells whether a new browser came for this one after others. */
	finishPage(): boolean {
		const { isRestarted } = this;
		this.isRestarted = false;
		return isRestarted;
	}

	/** Gives the proxy back, and forgets what sites know of the browser; called at last in any case. */
	end(): void {
		this.lease?.end(this.learned, this.isUnseen);
		this.lease = undefined;
		this.cookies = undefined;
		this.learned = undefined;
		this.isUnseen = false;
	}
}
