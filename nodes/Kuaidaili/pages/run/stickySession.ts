import type { ProxyLease } from '../../proxies/lease';
import { BrowserIdentity } from '../http/browserIdentity';
import type { AttemptResult } from './classifyAttempt';

/** The browser identities of a page, or of all pages of a session, one after the other. */
export class StickySession {
	private identity?: BrowserIdentity;

	/** How often a new identity came after pages were opened, so that the site has to get to know it again. */
	restartCount = 0;

	/**
	 * @param lease takes a proxy for a page of a site
	 * @param isKept whether an identity stays for further pages
	 * @param hasHistory whether pages of the session were opened before
	 */
	constructor(
		private readonly lease: (site: string) => Promise<ProxyLease>,
		private readonly isKept: boolean,
		private hasHistory = false,
	) {}

	/** The identity for the next attempt: the one from before, or a new one. */
	async acquire(site: string): Promise<BrowserIdentity> {
		const { identity } = this;
		if (identity !== undefined && performance.now() < identity.endsAt) return identity;
		this.end();
		this.identity = new BrowserIdentity(await this.lease(site));
		if (this.isKept && this.hasHistory) this.restartCount += 1;
		return this.identity;
	}

	/** Whether a proxy is held, which nobody else may have meanwhile. */
	get holdsProxy(): boolean {
		return this.identity !== undefined;
	}

	/**
	 * Takes note of an attempt with the identity.
	 *
	 * @param isDone whether no other attempt follows for the page
	 */
	finishAttempt({ outcome, blame, isUnseen }: AttemptResult, isDone: boolean): void {
		const lease = this.identity?.lease;
		if (outcome === 'opened') lease?.markGood();
		if (blame !== undefined) lease?.markBad(blame);
		// Another page may get further with that proxy
		if (isUnseen === true && !this.isKept) lease?.markUnused();
		if (blame !== undefined) this.end();
		if (blame === undefined || isDone) this.finishPage();
	}

	finishPage(): void {
		this.hasHistory = true;
		if (!this.isKept) this.end();
	}

	/** Gives the proxy back. */
	end(): void {
		this.identity?.lease.release();
		this.identity = undefined;
	}
}
