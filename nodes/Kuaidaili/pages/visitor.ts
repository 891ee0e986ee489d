import { isList } from '../../shared/guards';
import type { ProxyLease } from '../proxies/lease';
import type { ProxyFault } from '../proxies/proxyStatuses';
import { newCookies } from './cookieJar';
import { headerOf, without, type Headers, type PageRequest } from './pageRequest';

const WINDOWS = 'Windows NT 10.0; Win64; x64';
const MACOS = 'Macintosh; Intel Mac OS X 10_15_7';
const VERSION = 154;

/**
 * Current browsers of computers, as they are in China: the same pages as whoever makes the workflow sees. By brand,
 * platform, and what their user agents say.
 */
const BROWSERS = [
	['Google Chrome', 'Windows', WINDOWS, ''],
	['Microsoft Edge', 'Windows', WINDOWS, ` Edg/${VERSION}.0.0.0`],
	['Google Chrome', 'macOS', MACOS, ''],
] as const;

type BrowserRequest = Pick<PageRequest, 'method' | 'url' | 'headers'>;

/** Where the request comes from, as the typed headers have it. */
function fetchSite({ method, url, headers }: BrowserRequest): string {
	const from = headerOf(headers, 'referer') ?? headerOf(headers, 'origin');
	if (from === undefined || !URL.canParse(from)) return method === 'POST' ? 'same-origin' : 'none';
	return new URL(from).origin === new URL(url).origin ? 'same-origin' : 'cross-site';
}

function ofBrowser(visitor: number, request: BrowserRequest): Headers {
	const [brand, platform, system, suffix] = BROWSERS[Math.abs(visitor) % BROWSERS.length];
	const { method, url, headers } = request;
	const isSecure = url.startsWith('https:');
	const type = headerOf(headers, 'content-type') ?? '';
	// Scripts send what forms don't
	const isOfScript = method === 'POST' && !/^application\/x-www-form-urlencoded/i.test(type);
	return {
		...(isSecure && {
			'sec-ch-ua': `"Chromium";v="${VERSION}", "${brand}";v="${VERSION}", "Not A(Brand";v="99"`,
			'sec-ch-ua-mobile': '?0',
			'sec-ch-ua-platform': `"${platform}"`,
		}),
		...(isOfScript ? {} : { 'Upgrade-Insecure-Requests': '1' }),
		'User-Agent': `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${VERSION}.0.0.0 Safari/537.36${suffix}`,
		Accept: isOfScript
			? '*/*'
			: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
		...(method === 'POST' && { Origin: new URL(url).origin }),
		...(isSecure && {
			'Sec-Fetch-Site': fetchSite(request),
			'Sec-Fetch-Mode': isOfScript ? 'cors' : 'navigate',
			...(isOfScript ? {} : { 'Sec-Fetch-User': '?1' }),
			'Sec-Fetch-Dest': isOfScript ? 'empty' : 'document',
		}),
		// Without an encoding that n8n's helper cannot unpack everywhere
		'Accept-Encoding': isSecure ? 'gzip, deflate, br' : 'gzip, deflate',
		'Accept-Language': 'zh-CN,zh;q=0.9,en;q=0.8',
	};
}

/** What any client may send beside a user agent that somebody typed: nothing that contradicts it. */
const OF_ANY: ReadonlySet<string> = new Set(['Accept', 'Accept-Encoding', 'Accept-Language']);

/**
 * All headers of a request but cookies. What was typed goes before what a browser has by itself, whatever the case of
 * its name; `visitor` is the same number for the same browser.
 */
export function browserHeaders(visitor: number, request: BrowserRequest): Headers {
	const typed = new Set(Object.keys(request.headers).map((name) => name.toLowerCase()));
	const own = Object.entries(ofBrowser(visitor, request)).filter(
		([name]) => !typed.has(name.toLowerCase()) && (!typed.has('user-agent') || OF_ANY.has(name)),
	);
	return { ...Object.fromEntries(own), ...request.headers };
}

function cookiesIn(header: string): Array<readonly [name: string, cookie: string]> {
	const cookies = header.split(';').map((cookie) => cookie.trim());
	return cookies.filter(Boolean).map((cookie) => [cookie.split('=', 1)[0].trim(), cookie]);
}

/** Whom a site sees: one proxy, one browser, one set of cookies. */
export class Visitor {
	private jar?: ReturnType<typeof newCookies>;

	/** When the proxy ends, as far as it is known, in milliseconds. */
	readonly endsAt: number;

	/** Whether a page has asked it to come again in a while. */
	hasWaited = false;

	constructor(readonly lease: ProxyLease) {
		const { secondsLeft = Infinity } = lease.proxy;
		this.endsAt = performance.now() + secondsLeft * 1000;
	}

	/** What was typed goes first, but for the cookies that the site has set itself since then. */
	headersFor(request: BrowserRequest): Headers {
		const headers = browserHeaders(this.lease.proxy.visitor, request);
		// A site may have one name at several paths
		const ofSite = cookiesIn(this.jar?.getCookieStringSync(request.url) ?? '');
		const names = new Set(ofSite.map(([name]) => name));
		const typed = cookiesIn(headerOf(headers, 'cookie') ?? '').filter(([name]) => !names.has(name));
		const cookie = [...typed, ...ofSite].map(([, one]) => one).join('; ');
		return { ...without(headers, ['cookie']), ...(cookie !== '' && { Cookie: cookie }) };
	}

	/** @param setCookies what an answer has of this header: one value, several, or none */
	storeCookies(setCookies: unknown, url: string): void {
		for (const cookie of isList(setCookies) ? setCookies : [setCookies]) {
			if (typeof cookie !== 'string') continue;
			this.jar ??= newCookies();
			// One that cannot be used is passed over
			this.jar.setCookieSync(cookie, url, { ignoreError: true });
		}
	}
}

/** The visitors of a page, or of all pages of a session, one after the other. */
export class Session {
	private visitor?: Visitor;

	/** The last POST of the session, which may have been to log in, and whether it was opened. */
	private login?: { readonly url: string; readonly isOpened: boolean };

	/** How often somebody new came after pages had been visited, so that the site has to get to know them again. */
	restartCount = 0;

	/**
	 * @param lease takes a proxy for a page of a site
	 * @param isKept whether a visitor stays for further pages
	 * @param hasHistory whether pages have been visited before
	 */
	constructor(
		private readonly lease: (site: string) => Promise<ProxyLease>,
		readonly isKept: boolean,
		private hasHistory = false,
	) {}

	/** Who visits the next page: the one from before, or somebody new. */
	async next(site: string): Promise<Visitor> {
		if (this.visitor !== undefined && performance.now() < this.visitor.endsAt) return this.visitor;
		this.end();
		this.visitor = new Visitor(await this.lease(site));
		if (this.isKept && this.hasHistory) {
			this.restartCount += 1;
			if (this.login?.isOpened === true) this.login = undefined;
		}
		return this.visitor;
	}

	doneLogin(url: string, isOpened: boolean): void {
		this.login = { url, isOpened };
	}

	/**
	 * What to do about a page that fails for lack of a login, in place of trying other proxies.
	 *
	 * @param isRefused whether the site itself refused it
	 * @returns undefined where that is not likely
	 */
	loginAdvice(isRefused: boolean): string | undefined {
		if (!this.isKept || this.login === undefined) return undefined;
		const { url, isOpened } = this.login;
		if (!isOpened) return `The POST to ${url} before it in the session failed. See to that first.`;
		return isRefused
			? `Look at what ${url} answered to the POST before it in the session: the login may have failed.`
			: undefined;
	}

	/** Whether nobody holds a proxy, or will be the one to visit further pages. */
	get isFree(): boolean {
		return !this.isKept && this.visitor === undefined;
	}

	/** @param isDone whether no other attempt follows for the page */
	leave(
		{ outcome, fault, isUnseen }: { outcome: string; fault?: ProxyFault; isUnseen?: true },
		isDone: boolean,
	): void {
		const lease = this.visitor?.lease;
		if (outcome === 'opened') lease?.succeeded();
		if (fault !== undefined) lease?.report(fault);
		// Another page may get further with that proxy
		if (isUnseen === true && !this.isKept) lease?.unused();
		if (fault !== undefined) this.end();
		if (fault === undefined || isDone) this.donePage();
	}

	donePage(): void {
		this.hasHistory = true;
		if (!this.isKept) this.end();
	}

	/** Gives the proxy back. */
	end(): void {
		this.visitor?.lease.release();
		this.visitor = undefined;
	}
}
