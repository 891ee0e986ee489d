import { CookieJar } from 'tough-cookie';

/** A jar for the cookies of one session, by the rules that browsers have for domains, paths, and expiry. */
export function newCookies(): CookieJar {
	return new CookieJar(undefined, { looseMode: true });
}
