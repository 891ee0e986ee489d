import { randomUUID } from 'node:crypto';

import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import {
	debugLog,
	eventLoopYielder,
	KeyedMutex,
	Slots,
	throwIfCancelled,
} from '../../../shared/api/wait';
import {
	obtainOrderDetails,
	refuseOtherProduct,
	type OrderDetails,
} from '../../../shared/orders/queries';
import { RateLimiter } from '../../../shared/api/rateLimiter';
import { plural } from '../../../shared/wording';
import type { Item } from '../../run/item';
import type { ProxyRequest } from '../../proxies/productFields';
import { OrderProxies } from '../../proxies/orderProxies';
import { RunProxies } from '../../proxies/runProxies';
import { siteOf, type PageRequest } from '../request/pageRequest';
import { attemptPage, type RequestPace } from './attempt';
import { circuitBreakerOf, type CircuitBreaker } from './circuitBreaker';
import type { PageResult } from './pageResult';
import { Session } from './session';

/** The proxies through which pages are opened, and how often requests may leave. */
export interface PageRoute {
	readonly proxies: Pick<OrderProxies, 'lease'>;
	readonly pace: RequestPace;
	readonly breaker: CircuitBreaker;
}

/**
 * Opens a page, and puts the result out before another page is opened in its place.
 *
 * @throws CancelledError where the run ended before
 */
export type OpenPage = <T>(
	page: PageRequest,
	putOut: (result: PageResult) => Promise<T>,
) => Promise<T>;

function anyOf(...signals: ReadonlyArray<AbortSignal | undefined>): AbortSignal {
	return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

/**
 * The rate limiter of all executions of this process, which share an order's rate; a run's own rate has a key of its
 * own.
 */
const limiter = new RateLimiter('perSecond');

/**
 * Opens pages through proxies, several at a time. It knows nothing of what they are opened for:
 *
 *     const run = new PageRun(context);
 *     const route = await run.routeFor(item, page, proxies);
 *     const title = await run.open(route, page, async ({ content }) => await content?.title());
 */
export class PageRun {
	/** Details of each order, asked for once in a run, also where there is no answer. */
	private readonly orders = new Map<string, Promise<OrderDetails>>();

	readonly proxies: RunProxies;

	/** Aborts when nothing more is to be opened. */
	readonly signal: AbortSignal;

	/** Aborted by an error that ends the run. The pages that were not opened have no result then. */
	readonly ended = new AbortController();

	private readonly id = randomUUID();

	/** As many as *Pages at a Time* of the first item says. */
	private slots?: Slots;

	/** How many pages wait to be opened, by their proxies and sites. */
	private readonly waiting = new Map<PageRoute['proxies'], Map<string, number>>();

	private readonly markup = new KeyedMutex();

	/** Addresses of proxies that failed for whatever page. */
	private readonly failedAddresses = new Set<string>();

	/** The sites that were given up: how many of their pages failed for that, and why. */
	private readonly givenUpSites = new Map<string, { pages: number; readonly because: string }>();

	private readonly yieldToEventLoop = eventLoopYielder();

	constructor(private readonly context: IExecuteFunctions) {
		this.signal = anyOf(this.ended.signal, context.getExecutionCancelSignal?.());
		this.proxies = new RunProxies(context, this.signal);
	}

	/**
	 * Asks what there is to know about the order of an item. No proxy is taken.
	 *
	 * @throws InvalidFieldError for an order of another product, and what getting its key pair throws
	 */
	async routeFor(item: Item, page: PageRequest, request: ProxyRequest): Promise<PageRoute> {
		const { product, pagesPerProxy = 1, requestsPerSecond } = page;
		const orderKey = await item.orderKey();
		const asked = this.orders.get(orderKey) ?? obtainOrderDetails(item.run, orderKey, item.signal);
		this.orders.set(orderKey, asked);
		const details = await asked;
		refuseOtherProduct(details, product);
		const { secondsPerIp } = details;
		const proxies = await this.proxies.forPages(item, request, pagesPerProxy, secondsPerIp);
		const key = requestsPerSecond === undefined ? orderKey : `${this.id} ${requestsPerSecond}`;
		const intervalMs = 1000 / (requestsPerSecond ?? details.requestsPerSecond ?? Infinity);
		const pace: RequestPace = {
			intervalMs,
			acquireSlot: async (signal) => await limiter.acquire(key, intervalMs, signal, this.id),
			pause: (ms) => limiter.pause(key, ms),
		};
		const breaker = circuitBreakerOf(this.context, orderKey, product);
		const route = { proxies, pace, breaker };
		if (proxies instanceof OrderProxies) proxies.expected = () => this.expectedOf(route);
		return route;
	}

	/**
	 * Opens a page by a browser identity of its own. Another attempt comes behind the pages that were not tried yet.
	 *
	 * @param putOut has the slot of the last attempt, so that no other page is held in memory meanwhile
	 * @throws CancelledError
	 */
	async open<T>(
		route: PageRoute,
		page: PageRequest,
		putOut: (result: PageResult) => Promise<T>,
	): Promise<T> {
		const session = this.sessionOf(route);
		let result: PageResult | undefined;
		try {
			for (;;) {
				const opened = await this.inSlot(route, page, async () => {
					do result = await this.attempt(route, page, session, result);
					while (result.next?.sameProxy === true);
					return result.next === undefined ? { value: await putOut(result) } : undefined;
				});
				if (opened !== undefined) return opened.value;
			}
		} finally {
			session.end();
		}
	}

	/**
	 * Lets pages be opened one after the other, in one slot, by the same browser identity.
	 *
	 * @throws CancelledError
	 */
	async inSession(
		route: PageRoute,
		first: PageRequest,
		openAll: (open: OpenPage) => Promise<void>,
	): Promise<void> {
		const session = this.sessionOf(route, true);
		const open: OpenPage = async (page, putOut) =>
			await putOut(await this.attemptAll(route, page, session));
		await this.inSlot(route, first, async () => await openAll(open).finally(() => session.end()));
	}

	/**
	 * Opens a page for which others wait, such as a robots.txt. It takes no slot: those others may have them all.
	 *
	 * @throws CancelledError
	 */
	async openWithoutSlot(route: PageRoute, page: PageRequest): Promise<PageResult> {
		const session = this.sessionOf(route);
		return await this.attemptAll(route, page, session).finally(() => session.end());
	}

	/** Does what needs the tree of a page of HTML or XML, for one page at a time: it takes many times the page's memory. */
	async withMarkup<T>({ content }: PageResult, work: () => Promise<T>): Promise<T> {
		if (content?.isMarkup !== true) return await work();
		const release = await this.markup.lock('tree', undefined);
		return await work().finally(release);
	}

	/** How many proxies failed for whatever page. */
	get failedProxies(): number {
		return this.failedAddresses.size;
	}

	/** Whole sentences about the sites that were given up. */
	get hints(): string[] {
		return [...this.givenUpSites].map(
			([site, { pages, because }]) =>
				`The site ${site} was given up, and ${plural(pages, 'page')} of it failed. ${because}`,
		);
	}

	private async inSlot<T>(
		{ proxies }: PageRoute,
		page: PageRequest,
		work: () => Promise<T>,
	): Promise<T> {
		this.slots ??= new Slots(page.pagesAtATime);
		const site = siteOf(page);
		const sites = this.waiting.get(proxies) ?? new Map<string, number>();
		this.waiting.set(proxies, sites);
		const count = (change: number) => sites.set(site, (sites.get(site) ?? 0) + change);
		count(1);
		return await this.slots.run(async () => {
			count(-1);
			await this.yieldToEventLoop();
			throwIfCancelled(this.signal);
			return await work();
		});
	}

	private async attemptAll(
		route: PageRoute,
		page: PageRequest,
		session: Session,
	): Promise<PageResult> {
		let result = await this.attempt(route, page, session);
		while (result.next !== undefined) result = await this.attempt(route, page, session, result);
		return result;
	}

	/** @param before what there is of the page so far */
	private async attempt(
		{ pace, breaker }: PageRoute,
		page: PageRequest,
		session: Session,
		before?: PageResult,
	): Promise<PageResult> {
		const { context, signal } = this;
		const scope = {
			send: async (options: IHttpRequestOptions): Promise<unknown> =>
				await context.helpers.httpRequest(options),
			pace,
			breaker,
			session,
			log: debugLog(context),
			// A signal of its own: with very many listeners, Node.js warns of a leak
			signal: anyOf(signal),
			// A POST under way when another page ends the run is not to be sent again when the run is repeated
			requestSignal:
				page.method === 'POST' ? anyOf(context.getExecutionCancelSignal?.()) : undefined,
		};
		const result = await attemptPage(page, scope, before?.attempts ?? []);
		if (result.next === undefined) this.note(page, result);
		return result;
	}

	/** How many pages are still to ask for a proxy. Nobody extracts proxies ahead for those that will not be tried. */
	private expectedOf({ proxies, breaker }: PageRoute): number {
		let count = 0;
		for (const [site, pages] of this.waiting.get(proxies) ?? []) {
			if (pages > 0 && !breaker.isSiteGivenUp(site)) count += pages;
		}
		return count;
	}

	private sessionOf(route: PageRoute, isKept = false): Session {
		const lease = async (site: string) => await route.proxies.lease(site, anyOf(this.signal));
		return new Session(lease, isKept);
	}

	private note(page: PageRequest, { attempts, stop }: PageResult): void {
		for (const { blame, proxy } of attempts) {
			if (blame === 'failed' || blame === 'loginRefused') this.failedAddresses.add(proxy);
		}
		if (stop?.kind !== 'site') return;
		const { pages = 0, because = stop.because } = this.givenUpSites.get(siteOf(page)) ?? {};
		this.givenUpSites.set(siteOf(page), { pages: pages + 1, because });
	}
}
