import type { ProxyLease } from '../proxies/lease';
import { newCookies, type Cookies } from './cookieJar';

/** Whom a site sees: one proxy, one browser, one set of cookies. */
export class Visitor {
	private jar?: Cookies;

	/** When the proxy ends, in milliseconds. */
	private readonly endsAt: number;

	/** Whether a page has asked it to come again in a while. */
	hasWaited = false;

	constructor(readonly lease: ProxyLease) {
		const { secondsLeft = Infinity } = lease.proxy;
		this.endsAt = performance.now() + secondsLeft * 1000;
	}

	/** Whether the proxy has come to its end, as far as it is known. */
	get isOver(): boolean {
		return performance.now() >= this.endsAt;
	}

	/** Empty where there are none. */
	cookiesFor(url: string): string {
		return this.jar?.headerFor(url) ?? '';
	}

	storeCookies(setCookies: readonly string[], url: string): void {
		if (setCookies.length === 0) return;
		this.jar ??= newCookies();
		this.jar.store(setCookies, url);
	}
}

/** Takes a proxy for a page of a site. Throws what leasing a proxy throws. */
export type LeaseProxy = (site: string) => Promise<ProxyLease>;

/** The visitors of a page, or of all pages of a session, one after the other. */
export class Session {
	private visitor?: Visitor;

	private restarts = 0;

	/**
	 * @param isKept whether a visitor stays for further pages
	 * @param hasHistory whether pages have been visited before
	 */
	constructor(
		private readonly lease: LeaseProxy,
		readonly isKept: boolean,
		private hasHistory = false,
	) {}

	/** How often somebody new came after pages had been visited, so that the site has to get to know them again. */
	get restartCount(): number {
		return this.restarts;
	}

	/** Who visits the next page: the one from before, or somebody new. */
	async next(site: string): Promise<Visitor> {
		if (this.visitor?.isOver === true) this.end();
		if (this.visitor !== undefined) return this.visitor;
		this.visitor = new Visitor(await this.lease(site));
		if (this.isKept && this.hasHistory) this.restarts += 1;
		return this.visitor;
	}

	/** A page is done. */
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
