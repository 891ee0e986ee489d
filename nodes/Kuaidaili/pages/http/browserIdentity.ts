import type { Cookie } from 'tough-cookie';

import { newCookies } from '../../../shared/bundled/cookieJar';
import { isList } from '../../../shared/guards';
import type { ProxyLease } from '../../proxies/lease';
import { headerOf, without, type Headers, type PageRequest } from '../request/pageRequest';
import { browserHeaders } from './browserHeaders';

function cookiesIn(header: string): Array<readonly [name: string, cookie: string]> {
	const cookies = header.split(';').map((cookie) => cookie.trim());
	return cookies.filter(Boolean).map((cookie) => [cookie.split('=', 1)[0].trim(), cookie]);
}

/** Browsers refuse longer cookies. In characters. */
const LONGEST_COOKIE = 4096;

/** Browsers keep as many of a site, and drop the oldest ones beyond. */
const MOST_COOKIES = 180;

/** A browser as a site knows it: one proxy, one set of headers, one set of cookies. */
export class BrowserIdentity {
	private jar?: ReturnType<typeof newCookies>;

	/** When the proxy ends, by `performance.now()`; Infinity where that is unknown. */
	readonly endsAt: number;

	constructor(readonly lease: ProxyLease) {
		const { secondsLeft = Infinity } = lease.proxy;
		this.endsAt = performance.now() + secondsLeft * 1000;
	}

	/** All headers of a request. A cookie that the site has set since replaces a typed one of its name. */
	headersFor(request: PageRequest): Headers {
		const headers = browserHeaders(this.lease.proxy.identitySeed, request);
		// A site may have one name at several paths
		const ofSite = cookiesIn(this.jar?.getCookieStringSync(request.url) ?? '');
		const names = new Set(ofSite.map(([name]) => name));
		const typed = cookiesIn(headerOf(headers, 'cookie') ?? '').filter(([name]) => !names.has(name));
		const cookie = [...typed, ...ofSite].map(([, text]) => text).join('; ');
		return { ...without(headers, ['cookie']), ...(cookie !== '' && { Cookie: cookie }) };
	}

	/** @param setCookies the header of an answer: one value, several, or none */
	storeCookies(setCookies: unknown, url: string): void {
		for (const cookie of isList(setCookies) ? setCookies : [setCookies]) {
			if (typeof cookie !== 'string' || cookie.length > LONGEST_COOKIE) continue;
			this.jar ??= newCookies();
			// A cookie that cannot be used is passed over
			const stored = this.jar.setCookieSync(cookie, url, { ignoreError: true });
			if (stored !== undefined) this.dropOldest(stored);
		}
	}

	/** Keeps as many cookies of a site as browsers do. Those that the site has deleted are still in the jar. */
	private dropOldest({ domain }: Cookie): void {
		const store = this.jar?.store;
		store?.findCookies(domain, null, true, (_error, found = []) => {
			const ofSite = found.filter((cookie) => cookie.domain === domain);
			const living = ofSite.filter((cookie) => cookie.TTL() > 0);
			living.sort((a, b) => a.creationIndex - b.creationIndex);
			const dropped = [
				...ofSite.filter((cookie) => cookie.TTL() <= 0),
				...living.slice(0, -MOST_COOKIES),
			];
			for (const { path, key } of dropped) store.removeCookie(domain, path, key, () => {});
		});
	}
}
