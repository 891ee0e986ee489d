import { CookieJar } from 'tough-cookie';

/** Cookies of one visitor, kept by the rules that browsers have for domains, paths, and expiry. */
export interface Cookies {
	/** As the header `Cookie` has them; empty where there are none for the address. */
	headerFor(url: string): string;
	/** @param setCookies values of the header `Set-Cookie`; one that cannot be used is passed over */
	store(setCookies: readonly string[], url: string): void;
}

export function newCookies(): Cookies {
	const jar = new CookieJar(undefined, { looseMode: true });
	return {
		headerFor: (url) => jar.getCookieStringSync(url),
		store(setCookies, url) {
			for (const cookie of setCookies) jar.setCookieSync(cookie, url, { ignoreError: true });
		},
	};
}
