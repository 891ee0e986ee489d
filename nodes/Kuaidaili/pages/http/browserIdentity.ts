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

/** A browser as a site knows it: one proxy, one set of headers, one set of cookies. */
export class BrowserIdentity {
	private cookies?: ReturnType<typeof newCookies>;

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
}
