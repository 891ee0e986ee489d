import type { ProxyLease } from '../../proxies/lease';
import { BrowserIdentity } from '../http/browserIdentity';
import type { AttemptResult } from './classifyAttempt';

/** The browser identities of a page, or of all pages with the same *Session Key*, one after the other. */
export class Session {
	private identity?: BrowserIdentity;

	/** Result of the attempts with the identity, for the lease of its proxy. */
	private learned: Parameters<ProxyLease['end']>[0];

	/** Whether the page has not seen the proxy in them. */
	private isUnseen = false;

	/** Whether all attempts at a page were made. */
	private hasHistory = false;

	/** Whether a new identity came for the page at hand after others, so that the site has to get to know it again. */
	isRestarted = false;

	/**
	 * @param lease takes a proxy for a page of a site
	 * @param isKept whether an identity stays for further pages
	 */
	constructor(
		private readonly lease: (site: string) => Promise<ProxyLease>,
		private readonly isKept = false,
	) {}

	/** The identity for the next attempt: the one from before, or a new one. */
	async acquire(site: string): Promise<BrowserIdentity> {
		const { identity } = this;
		if (identity !== undefined && performance.now() < identity.endsAt) return identity;
		this.end();
		this.identity = new BrowserIdentity(await this.lease(site));
		this.isRestarted ||= this.hasHistory;
		return this.identity;
	}

	/** Takes note of an attempt with the identity, and gives the proxy back unless another attempt or page is to have it. */
	note({ outcome, blame, isUnseen, next }: AttemptResult): void {
		if (next?.sameProxy === true) return;
		this.hasHistory ||= this.isKept && next === undefined;
		this.learned = blame ?? (outcome === 'opened' ? outcome : this.learned);
		// Another page may get further with that proxy
		this.isUnseen = isUnseen === true && !this.isKept;
		if (blame !== undefined || !this.isKept) this.end();
	}

	/** Makes ready for another page. */
	finishPage(): void {
		this.isRestarted = false;
		if (!this.isKept) this.end();
	}

	/** Gives the proxy back. */
	end(): void {
		this.identity?.lease.end(this.learned, this.isUnseen);
		this.identity = undefined;
		this.learned = undefined;
		this.isUnseen = false;
	}
}
