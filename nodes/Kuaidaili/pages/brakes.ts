import { DescribedError } from '../../shared/errors/callErrors';
import { formatNumber } from '../../shared/wording';
import type { LeasedProxy } from '../proxies/lease';
import { NO_SUCH_PAGE, type Outcome, type Verdict } from './verdict';

/** Proxies in a row that brought nothing, and why the last of them did not. */
class Row {
	private readonly proxies = new Set<string>();

	private reason = '';

	add(proxy: string, reason: string): void {
		this.proxies.add(proxy);
		this.reason = reason;
	}

	clear(): void {
		this.proxies.clear();
	}

	/** @param limit 0 for none */
	reaches(limit: number): boolean {
		return limit > 0 && this.proxies.size >= limit;
	}

	/** @param what was counted, such as "proxies" */
	inWords(what: string): string {
		return `The last ${formatNumber(this.proxies.size)} ${what} in a row brought nothing, the last one because ${this.reason}.`;
	}
}

/** Why no other attempt is made; with an outcome where that is only so for one site. */
interface Stop {
	readonly error: DescribedError;
	readonly outcome?: Outcome;
}

const LIMIT = "'Give Up Site After (Proxies)' in 'Options'";

/** Ends what would only use up proxies: the pages of a site that opens none, and a run that gets nowhere. One for each run. */
export class Brakes {
	private readonly sites = new Map<string, Row>();

	private readonly unconnected = new Row();

	/** Addresses of proxies that failed for whatever page. */
	readonly failedProxies = new Set<string>();

	/** How many pages were given up, by site. */
	private readonly pagesGivenUp = new Map<string, number>();

	/** What an attempt on a page of a site showed. */
	note(site: string, { address, visitor }: LeasedProxy, verdict: Verdict): void {
		const { fault, reason, outcome, statusCode } = verdict;
		const proxy = `${address} ${visitor}`;
		if (verdict.isUnconnected === false) this.unconnected.clear();
		// A single site that answers so itself must not end the run
		else this.unconnected.add(verdict.isUnconnected === true ? proxy : site, reason);
		if (outcome === 'opened') this.sites.delete(site);
		if (fault === 'failed' || fault === 'loginRefused') this.failedProxies.add(address);
		const isMissing = outcome === 'status' && NO_SUCH_PAGE.has(statusCode);
		// A proxy that leads nowhere says nothing about the site
		const isOfProxy = verdict.isUnconnected === true;
		if (outcome === 'opened' || isOfProxy || verdict.next === 'wait' || isMissing) return;
		const row = this.sites.get(site) ?? new Row();
		row.add(proxy, reason);
		this.sites.set(site, row);
	}

	isSiteGivenUp(site: string, limit: number): boolean {
		return this.sites.get(site)?.reaches(limit) === true;
	}

	/** Why a page is not tried, or not tried again; undefined where it may be. */
	stopFor(site: string, limit: number): Stop | undefined {
		if (this.unconnected.reaches(limit)) {
			const error = new DescribedError({
				message: 'No proxy could be connected to',
				description: `${this.unconnected.inWords('attempts')} Check whether a firewall between n8n and the internet blocks the ports of the proxies, whether n8n runs outside China, where most proxies serve nobody, and whether the order's whitelist has n8n's address, or its user name and password were changed. No other proxy was tried; ${LIMIT} says after how many.`,
			});
			return { error };
		}
		const row = this.sites.get(site);
		if (row === undefined || !row.reaches(limit)) return undefined;
		this.pagesGivenUp.set(site, (this.pagesGivenUp.get(site) ?? 0) + 1);
		const error = new DescribedError({
			message: `The site ${site} was given up in this run`,
			description: `${row.inWords('proxies')} To try more proxies, raise ${LIMIT}; 0 never gives up.`,
		});
		return { error, outcome: 'siteGivenUp' };
	}

	/** What the user should know of the sites that were given up; empty where there are none. */
	get hints(): string[] {
		return [...this.pagesGivenUp].map(([site, pages]) => {
			const which = pages === 1 ? '1 page' : `${formatNumber(pages)} pages`;
			const why = this.sites.get(site)?.inWords('proxies') ?? '';
			return `The site ${site} was given up, and ${which} of it failed. ${why}`.trim();
		});
	}
}
