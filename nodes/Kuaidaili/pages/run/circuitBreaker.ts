import type { IExecuteFunctions } from 'n8n-workflow';

import { DescribedError } from '../../../shared/api/callErrors';
import { formatNumber } from '../../../shared/wording';
import type { LeasedProxy } from '../../proxies/lease';
import { NO_SUCH_PAGE, type AttemptResult } from './classifyAttempt';

const LIMIT = "'Give Up Site After (Proxies)' in 'Options'";

const CAUSES =
	"Check whether a firewall between n8n and the internet blocks the ports of the proxies, whether n8n runs outside China, where most proxies serve nobody, and whether the order's whitelist has n8n's address, or its user name and password were changed.";

/** An order ends after so many times as many proxies in vain as a site. */
const PROXIES_PER_ORDER = 3;

/** The fewest sites of which none was opened: fewer may be to blame themselves. */
const FEWEST_SITES = 3;

/** How long after the last refusal an order is taken to allow requests again. */
const ORDER_FORGETS_MS = 30_000;

/** Proxies in a row that opened nothing. */
interface Failures {
	readonly proxies: Set<string>;
	readonly sites: Set<string>;
	/** The moment of the last one. */
	reason: string;
}

function noFailures(): Failures {
	return { proxies: new Set(), sites: new Set(), reason: '' };
}

/** Why a page is not tried, or not again. */
export interface Stop {
	readonly kind: 'site' | 'order';
	/** The event, as a whole sentence. */
	readonly because: string;
	/** The error for a page that was not tried at all. */
	readonly error: DescribedError;
}

/**
 * Ends what would only use up proxies: the pages of a site that opens none, and all pages of an order whose proxies open
 * none anywhere. One for each order of an execution.
 */
export class CircuitBreaker {
	/** Failed first attempts at pages, by site, none of which was opened in between. */
	private readonly failuresOfSite = new Map<string, Failures>();

	private failures = noFailures();

	/** Whether any proxy has led to a page. */
	private isConnected = false;

	private orderRefusals = 0;

	/** When the order refused a request for its pace, by `performance.now()`; undefined while it allows them. */
	private refusedByOrder?: { readonly first: number; readonly last: number };

	/** How long the order has allowed no request at all, in milliseconds. */
	get orderRefusedMs(): number {
		return this.refusedByOrder === undefined ? 0 : performance.now() - this.refusedByOrder.first;
	}

	/**
	 * Counts an attempt at a page.
	 *
	 * @param isFirst whether the page was not tried before: only these count against a site
	 */
	note(site: string, proxy: LeasedProxy, attempt: AttemptResult, isFirst: boolean): void {
		const { nextStep, outcome, statusCode, isConnected, isUnseen } = attempt;
		if (nextStep === 'waitForOrder') {
			const now = performance.now();
			const { first, last } = this.refusedByOrder ?? { first: now, last: now };
			// Nobody has asked meanwhile
			this.refusedByOrder = { first: now - last > ORDER_FORGETS_MS ? now : first, last: now };
			return;
		}
		this.refusedByOrder = undefined;
		if (isConnected) this.isConnected = true;
		if (outcome === 'opened') this.failuresOfSite.delete(site);
		const isMissing = outcome === 'status' && NO_SUCH_PAGE.has(statusCode);
		if (outcome === 'opened' || isMissing) {
			this.failures = noFailures();
			return;
		}
		const { address, identitySeed } = proxy;
		const key = `${address} ${identitySeed}`;
		// A proxy that finds no way to a host works
		if (isUnseen !== true) this.add(this.failures, key, site, attempt);
		if (!isFirst) return;
		const ofSite = this.failuresOfSite.get(site) ?? noFailures();
		this.add(ofSite, key, site, attempt);
		this.failuresOfSite.set(site, ofSite);
	}

	/** Counts a page that has waited in vain for the order to allow requests. No site is to blame for that. */
	noteOrderRefusal(attempt: AttemptResult): void {
		this.orderRefusals += 1;
		const key = `refusal ${this.orderRefusals}`;
		this.add(this.failures, key, key, attempt);
	}

	private add(failures: Failures, proxy: string, site: string, { reason }: AttemptResult): void {
		failures.proxies.add(proxy);
		failures.sites.add(site);
		failures.reason = reason;
	}

	/** @param limit `giveUpSiteAfter`; 0 never gives up */
	isSiteGivenUp(site: string, limit: number): boolean {
		const { proxies } = this.failuresOfSite.get(site) ?? noFailures();
		return limit > 0 && proxies.size >= limit;
	}

	private isOrderGivenUp(limit: number): boolean {
		const { proxies, sites } = this.failures;
		return limit > 0 && proxies.size >= PROXIES_PER_ORDER * limit && sites.size >= FEWEST_SITES;
	}

	/** Why a page of a site is not tried; undefined where it may be. */
	stopFor(site: string, limit: number): Stop | undefined {
		const causes = this.isConnected ? '' : ` ${CAUSES}`;
		if (this.isOrderGivenUp(limit)) {
			const proxies = formatNumber(PROXIES_PER_ORDER * limit);
			const because = `${proxies} proxies of the order in a row opened nothing, the last one because ${this.failures.reason}.`;
			const description = `${because}${causes} No other page was tried. ${LIMIT} says after how many; 0 never gives up.`;
			const message = "The order's proxies open no page";
			return { kind: 'order', because, error: new DescribedError({ message, description }) };
		}
		if (!this.isSiteGivenUp(site, limit)) return undefined;
		const because = this.describeSite(site, limit);
		const message = `The site ${site} was given up in this execution`;
		const description = `${because}${causes} If other pages of it can be opened, raise ${LIMIT}; 0 never gives up.`;
		return { kind: 'site', because, error: new DescribedError({ message, description }) };
	}

	/** How a site was given up, as a whole sentence. */
	describeSite(site: string, limit: number): string {
		const { reason } = this.failuresOfSite.get(site) ?? noFailures();
		const proxies = formatNumber(limit);
		return `${proxies} proxies in a row opened no page of ${site}, the last one because ${reason}.`;
	}
}

/**
 * Circuit breakers by n8n's data of the node in an execution, which is another one when n8n loads the execution
 * again.
 */
const breakersOf = new WeakMap<object, Map<string, CircuitBreaker>>();

/**
 * The circuit breaker of an order, the same for all runs of a node in an execution: a loop with one page a run must not
 * begin anew with each of them.
 *
 * @param orderKey tells orders apart
 */
export function circuitBreakerOf(context: IExecuteFunctions, orderKey: string): CircuitBreaker {
	const execution: object = context.getContext('node');
	const breakers = breakersOf.get(execution) ?? new Map<string, CircuitBreaker>();
	breakersOf.set(execution, breakers);
	const breaker = breakers.get(orderKey) ?? new CircuitBreaker();
	breakers.set(orderKey, breaker);
	return breaker;
}
