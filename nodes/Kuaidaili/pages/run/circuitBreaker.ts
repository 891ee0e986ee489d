import type { IExecuteFunctions } from 'n8n-workflow';

import { DescribedError } from '../../../shared/api/errors';
import { formatNumber } from '../../../shared/wording';
import type { LeasedProxy } from '../../proxies/lease';
import { NO_SUCH_PAGE, type AttemptResult } from './classifyAttempt';
import { isOrderHopeless } from './followingAttempt';

const CAUSES =
	"Check whether a firewall between n8n and the internet blocks the ports of the proxies, whether n8n runs outside China, where most proxies serve nobody, and whether the order's whitelist has n8n's address, or its user name and password were changed.";

/** A site is given up after so many proxies in vain. */
const PROXIES_PER_SITE = 10;

/** Many of the open proxies work for nobody. */
const OPEN_PROXIES_PER_SITE = 30;

/** An order is given up after so many times as many proxies in vain as a site. */
const SITES_PER_ORDER = 3;

/** How long after the last refusal an order is taken to allow requests again. */
const ORDER_FORGETS_MS = 30_000;

/** Proxies in a row that opened nothing. */
class FailedProxies {
	private readonly proxies = new Set<string>();

	private readonly sites = new Set<string>();

	/** Why the last one opened nothing, as the continuation of "because ". */
	reason = '';

	add({ address, identitySeed }: LeasedProxy, site: string, reason: string): void {
		this.proxies.add(`${address} ${identitySeed}`);
		this.sites.add(site);
		this.reason = reason;
	}

	/** Whether there are so many of them, and sites for which they failed: fewer sites may be to blame themselves. */
	areAsMany(proxies: number, sites: number): boolean {
		return this.proxies.size >= proxies && this.sites.size >= sites;
	}
}

/** Why a page is not tried, or not again. */
export interface Stop {
	readonly kind: 'site' | 'order' | 'time';
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
	private readonly failedOfSite = new Map<string, FailedProxies>();

	private failed = new FailedProxies();

	/** Whether any proxy has led to a page. */
	private isConnected = false;

	/** When the order refused requests for their pace, by `performance.now()`; undefined while it allows them. */
	private refusedByOrder?: { readonly first: number; readonly last: number };

	constructor(private readonly proxiesPerSite = PROXIES_PER_SITE) {}

	/** How long the order has allowed no request at all, in milliseconds. */
	get orderRefusedMs(): number {
		const now = performance.now();
		const { first, last } = this.refusedByOrder ?? { first: now, last: now };
		// Nobody has asked meanwhile
		return now - last > ORDER_FORGETS_MS ? 0 : now - first;
	}

	/**
	 * Counts an attempt at a page.
	 *
	 * @param isFirst whether the page was not tried before: only these count against a site
	 */
	note(site: string, proxy: LeasedProxy, attempt: AttemptResult, isFirst: boolean): void {
		const { nextStep, outcome, statusCode, isConnected, isUnseen, reason } = attempt;
		if (nextStep === 'waitForOrder') {
			const now = performance.now();
			this.refusedByOrder = { first: now - this.orderRefusedMs, last: now };
			return;
		}
		this.refusedByOrder = undefined;
		if (isConnected) this.isConnected = true;
		if (outcome === 'opened') this.failedOfSite.delete(site);
		if (outcome === 'opened' || (outcome === 'status' && NO_SUCH_PAGE.has(statusCode))) {
			this.failed = new FailedProxies();
			return;
		}
		// A proxy that finds no way to a host works
		if (isUnseen !== true) this.failed.add(proxy, site, reason);
		if (!isFirst) return;
		const ofSite = this.failedOfSite.get(site) ?? new FailedProxies();
		this.failedOfSite.set(site, ofSite);
		ofSite.add(proxy, site, reason);
	}

	isSiteGivenUp(site: string): boolean {
		return this.failedOfSite.get(site)?.areAsMany(this.proxiesPerSite, 1) === true;
	}

	/** Why a page of a site is not tried; undefined where it may be. */
	stopFor(site: string): Stop | undefined {
		const { proxiesPerSite, failed } = this;
		if (isOrderHopeless(this.orderRefusedMs)) {
			const because = 'The order has allowed no request for a minute.';
			const description = `${because} Something else may use it. Lower 'Requests per Second' in 'Options', or try again later.`;
			return this.stop('order', because, 'The order allows no more requests', description);
		}
		const perOrder = SITES_PER_ORDER * proxiesPerSite;
		if (failed.areAsMany(perOrder, SITES_PER_ORDER)) {
			const because = `${formatNumber(perOrder)} proxies of the order in a row opened nothing, the last one because ${failed.reason}.`;
			const description = `${because}${this.causes} No other page was tried.`;
			return this.stop('order', because, "The order's proxies open no page", description);
		}
		if (!this.isSiteGivenUp(site)) return undefined;
		const reason = this.failedOfSite.get(site)?.reason ?? '';
		const because = `${formatNumber(proxiesPerSite)} proxies in a row opened no page of ${site}, the last one because ${reason}.`;
		const description = `${because}${this.causes} The next execution tries it again.`;
		return this.stop(
			'site',
			because,
			`The site ${site} was given up in this execution`,
			description,
		);
	}

	private get causes(): string {
		return this.isConnected ? '' : ` ${CAUSES}`;
	}

	private stop(kind: Stop['kind'], because: string, message: string, description: string): Stop {
		return { kind, because, error: new DescribedError({ message, description }) };
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
export function circuitBreakerOf(
	context: IExecuteFunctions,
	orderKey: string,
	product: string,
): CircuitBreaker {
	const execution: object = context.getContext('node');
	const breakers = breakersOf.get(execution) ?? new Map<string, CircuitBreaker>();
	breakersOf.set(execution, breakers);
	const limit = product === 'OPS' ? OPEN_PROXIES_PER_SITE : PROXIES_PER_SITE;
	const breaker = breakers.get(orderKey) ?? new CircuitBreaker(limit);
	breakers.set(orderKey, breaker);
	return breaker;
}
