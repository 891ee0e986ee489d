import { Cookie, cookieCompare, CookieJar } from 'tough-cookie';

/** Browsers keep as many of a site, and drop the oldest ones beyond. */
const MOST_COOKIES = 180;

/**
 * The cookies of one session, by the rules that browsers have for domains, paths, and expiry (RFC 6265bis). The library
 * takes one of a host alone and one of the same name for its domain for the same, so each kind has a jar.
 */
class SessionCookies {
	private readonly ofHosts = new CookieJar(undefined, { looseMode: true });

	private readonly ofDomains = new CookieJar(undefined, { looseMode: true });

	/** Adds what a header says; one that cannot be used is passed over. */
	add(setCookie: string, url: string): void {
		const cookie = Cookie.parse(setCookie, { loose: true });
		if (cookie === undefined) return;
		const jar = cookie.domain === null ? this.ofHosts : this.ofDomains;
		const stored = jar.setCookieSync(cookie, url, { ignoreError: true });
		if (stored !== undefined) dropOldest(jar, stored);
	}

	/** The cookies for an address in the order in which browsers send them. */
	cookiesFor(url: string): Cookie[] {
		const found = [this.ofHosts, this.ofDomains].flatMap((jar) => jar.getCookiesSync(url));
		return found.sort(cookieCompare);
	}
}

/** Keeps as many cookies of a site as browsers do. Those that the site has deleted are still in the jar. */
function dropOldest({ store }: CookieJar, { domain }: Cookie): void {
	store.findCookies(domain, null, true, (_error, found = []) => {
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

/** Cookies of one session; none yet. */
export function newCookies(): SessionCookies {
	return new SessionCookies();
}
