import type { ProxyFault, ProxyLease } from '../proxies/lease';
import { newCookies, type Cookies } from './cookieJar';

/** Whom a site sees: one proxy, one browser, one set of cookies. */
export class Visitor {
	private jar?: Cookies;

	/** When the proxy ends, in milliseconds. */
	private readonly endsAt: number;

	/** Whether the proxy has led to an encrypted page, whose answers it cannot make up. */
	leadsToPages = false;

	constructor(
		readonly lease: ProxyLease,
		readonly userAgent: string,
	) {
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

/** Brings somebody new: another proxy, another browser, no cookies. Throws what leasing a proxy throws. */
export type NewVisitor = (site: string) => Promise<Visitor>;

/** The visitors of a page, or of all pages of a session, one after the other. */
export class Session {
	private visitor?: Visitor;

	private restarts = 0;

	/**
	 * @param isKept whether a visitor stays for further pages
	 * @param hasHistory whether pages have been visited before
	 */
	constructor(
		private readonly newVisitor: NewVisitor,
		private readonly isKept: boolean,
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
		this.visitor = await this.newVisitor(site);
		if (this.isKept && this.hasHistory) this.restarts += 1;
		return this.visitor;
	}

	/** The page has answered. */
	succeeded(): void {
		this.visitor?.lease.succeeded();
	}

	/** The visitor's proxy is to blame, and is not used any more. */
	blame(fault: ProxyFault): void {
		this.visitor?.lease.report(fault);
		this.end();
	}

	/** The page did not get to see the visitor, who has not been used for it then. */
	unseen(): void {
		if (!this.isKept) this.visitor?.lease.unused();
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
