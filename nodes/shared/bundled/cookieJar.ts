import { CookieJar } from 'tough-cookie';

/** For the cookies of one visitor, by the rules that browsers have for domains, paths, and expiry. */
export function newCookies(): CookieJar {
	return new CookieJar(undefined, { looseMode: true });
}
