import { randomUUID } from 'node:crypto';

import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { eventLoopYielder, debugLog, KeyedMutex } from '../../../shared/api/wait';
import { asError } from '../../../shared/api/callErrors';
import {
	obtainOrderDetails,
	refuseOtherProduct,
	type OrderDetails,
} from '../../../shared/orders/orderDetails';
import { RateLimiter } from '../../../shared/api/rateLimiter';
import { formatNumber, plural } from '../../../shared/wording';
import type { Item } from '../../run/item';
import type { ProxyProvider } from '../../proxies/lease';
import type { ProxyRequest } from '../../proxies/productFields';
import { ProxyProviders } from '../../proxies/proxyProvider';
import { siteOf, type PageRequest } from '../request/pageRequest';
import { circuitBreakerOf, type CircuitBreaker } from './circuitBreaker';
import { PageOpening } from './openPage';
import type { RequestPace } from './requestPace';
import { notRequested, type PageResult } from './pageResult';
import { StickySession } from './stickySession';

/** The proxies through which pages are opened, and how often requests may leave. */
export interface PageRoute {
	readonly source: ProxyProvider;
	readonly pace: RequestPace;
	readonly breaker: CircuitBreaker;
}

/** A page that a run is to open. */
export interface PlannedPage extends PageRoute {
	readonly page: PageRequest;
	/**
	 * Called once with the result, before another page is opened in its place; never for a page that the run had not begun
	 * with when it ended. Never rejects.
	 */
	readonly done: (result: PageResult) => Promise<void>;
	/** Asked after `done`: the page to open behind this one, in the same session; none by default. */
	readonly next?: () => PlannedPage | undefined;
	/** The number of pages that are all but certain to be added when this one is done. */
	readonly followedBy?: number;
}

/** Pages that are opened one after the other. */
interface PageQueue {
	/** The pages that are not done, the next one last. */
	readonly pages: PlannedPage[];
	readonly session: StickySession;
	/** The lease of the next page, which was tried and waits behind the others. */
	paused?: PageOpening;
}

function anyOf(...signals: ReadonlyArray<AbortSignal | undefined>): AbortSignal {
	return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

/**
 * The rate limiter of all executions of this process, which share an order's rate; a run's own rate has a key of its
 * own.
 */
const limiter = new RateLimiter('perSecond');

/** The first pages share an extraction: they wait for others as long as some are added within this time. */
const FIRST_PAGES_AFTER_MS = 50;

/** No page waits longer for others to be added. */
const LONGEST_FIRST_WAIT_MS = 500;

/** Nobody extracts proxies ahead for pages that are further back, however many are opened at a time. */
const MOST_UPCOMING = 1000;

/**
 * Opens pages through proxies, several at a time, while more of them may be added. It knows nothing of what they are
 * opened for:
 *
 *     const run = new PageRun(context);
 *     const route = await run.routeFor(item, page, proxies);
 *     run.add([{ ...route, page, done: async (result) => collect(result) }]);
 *     await run.finish();
 */
export class PageRun {
	/** Details of each order, asked for once in a run, also where there is no answer. */
	private readonly orders = new Map<string, Promise<OrderDetails>>();

	readonly sources: ProxyProviders;

	/** Aborts when nothing more is to be opened. */
	readonly signal: AbortSignal;

	/** Aborted by an error that ends the run. The pages that were not begun have no result then. */
	readonly ended = new AbortController();

	private readonly id = randomUUID();

	private readonly usedSources = new Set<ProxyProvider>();

	private readonly settling = new KeyedMutex();

	private readonly waiting = new Set<PageQueue>();

	private readonly underWay = new Set<Promise<void>>();

	/** When the first page was added. */
	private startedAt?: number;

	/** Whether pages are opened already. */
	private hasBegun = false;

	/** The details of the last tunnel. */
	private secondsPerIp?: number;

	/** Addresses of proxies that failed for whatever page. */
	private readonly failedAddresses = new Set<string>();

	/** The sites that were given up: how many of their pages failed for that, and why. */
	private readonly givenUpSites = new Map<string, { pages: number; readonly because: string }>();

	private readonly yieldToEventLoop = eventLoopYielder();

	constructor(private readonly context: IExecuteFunctions) {
		this.signal = anyOf(this.ended.signal, context.getExecutionCancelSignal?.());
		this.sources = new ProxyProviders(context, this.signal);
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
		// Others have a session for each page, with an IP of its own
		this.secondsPerIp = product === 'TPS' ? secondsPerIp : 0;
		const source = await this.sources.providerFor({ item, request, pagesPerProxy, secondsPerIp });
		const key = requestsPerSecond === undefined ? orderKey : `${this.id} ${requestsPerSecond}`;
		const intervalMs = 1000 / (requestsPerSecond ?? details.requestsPerSecond ?? Infinity);
		const pace: RequestPace = {
			intervalMs,
			acquireSlot: async (signal) => await limiter.acquire(key, intervalMs, signal, this.id),
			pause: (ms) => limiter.pause(key, ms),
		};
		return { source, pace, breaker: circuitBreakerOf(this.context, orderKey) };
	}

	/**
	 * Adds pages that are to be opened one after the other.
	 *
	 * @param pages all of one route
	 * @param session set where they are opened by the same browser identity; with `hasHistory`, it has opened others before
	 */
	add(pages: readonly PlannedPage[], session?: { readonly hasHistory: boolean }): void {
		const [{ page, source, ...first }] = pages;
		let { followedBy } = first;
		this.usedSources.add(source);
		const lease = async (site: string) => {
			// A signal of its own: with very many listeners, Node.js warns of a leak
			const request = { site, followedBy, signal: anyOf(this.signal) };
			// What fails at first may fail for good
			followedBy = 0;
			return await source.lease({ ...request, upcoming: () => this.upcomingOf(source) });
		};
		const { hasHistory } = session ?? {};
		// Whoever wants one IP for several pages need not be told
		if (session !== undefined) this.secondsPerIp = 0;
		const sticky = new StickySession(lease, session !== undefined, hasHistory);
		this.waiting.add({ pages: [...pages].reverse(), session: sticky });
		const isFirst = this.startedAt === undefined;
		this.startedAt ??= performance.now();
		if (this.hasBegun || this.waiting.size >= page.pagesAtATime) this.begin();
		else if (isFirst) void this.beginTogether(this.startedAt + LONGEST_FIRST_WAIT_MS);
	}

	/** How many proxies failed for whatever page. */
	get failedProxies(): number {
		return this.failedAddresses.size;
	}

	/** How many leases of a source are still to come, as far as it matters for what is extracted ahead. */
	private upcomingOf(source: ProxyProvider): number {
		let count = 0;
		let position = 0;
		for (const { pages } of this.waiting) {
			const { page, breaker, source: ofPage } = pages[pages.length - 1];
			// Nobody extracts proxies ahead for pages that will not be tried
			const isGivenUp = breaker.isSiteGivenUp(siteOf(page), page.giveUpSiteAfter);
			if (ofPage === source && !isGivenUp) count += 1;
			if ((position += 1) === MOST_UPCOMING) break;
		}
		return count;
	}

	/** Resolves when all is done, and nothing is being worked on any more. No page is announced after that. */
	async finish(): Promise<void> {
		this.begin();
		while (this.underWay.size > 0) await Promise.race(this.underWay);
	}

	/**
	 * Whole sentences about the proxies and the sites that were given up.
	 *
	 * @param opened how many pages were opened
	 */
	hints(opened: number): string[] {
		const { usedSources, secondsPerIp = 0, startedAt = 0 } = this;
		const ofSites = [...this.givenUpSites].map(
			([site, { pages, because }]) =>
				`The site ${site} was given up, and ${plural(pages, 'page')} of it failed. ${because}`,
		);
		const ips = Math.floor((performance.now() - startedAt) / 1000 / secondsPerIp) + 1;
		if (usedSources.size !== 1 || secondsPerIp === 0 || ips >= opened) return ofSites;
		return [
			`This tunnel keeps an IP for ${formatNumber(secondsPerIp)} seconds: ${formatNumber(opened)} pages came from about ${plural(ips, 'IP')}, or as many for each channel of the order.`,
			...ofSites,
		];
	}

	/** @param latest by `performance.now()` */
	private async beginTogether(latest: number): Promise<void> {
		for (let before = 0; before < this.waiting.size && performance.now() < latest; ) {
			before = this.waiting.size;
			await sleep(FIRST_PAGES_AFTER_MS);
		}
		this.begin();
	}

	private begin(): void {
		this.hasBegun = true;
		for (const queue of this.waiting) {
			if (
				this.signal.aborted ||
				this.underWay.size >= queue.pages[queue.pages.length - 1].page.pagesAtATime
			)
				return;
			this.waiting.delete(queue);
			const work = this.openAll(queue).finally(() => {
				this.underWay.delete(work);
				this.begin();
			});
			this.underWay.add(work);
		}
	}

	/** Opens the pages of a queue, until one pauses. Never rejects. */
	private async openAll(queue: PageQueue): Promise<void> {
		const { signal, waiting } = this;
		const { pages, session } = queue;
		for (let planned = pages.pop(); planned !== undefined; planned = pages.pop()) {
			await this.yieldToEventLoop();
			if (signal.aborted) break;
			const opening = queue.paused ?? this.openingOf(planned, session);
			// A few pages that fail must not look like a dead site before others of it were tried
			const result = await opening
				.run(() => waiting.size > 0)
				.catch((error: unknown) => notRequested(asError(error)));
			if (result === 'paused') {
				queue.paused = opening;
				pages.push(planned);
				waiting.add(queue);
				return;
			}
			queue.paused = undefined;
			this.note(planned, result);
			await this.settle(planned, result);
			const next = planned.next?.();
			if (next !== undefined) pages.push(next);
		}
		session.end();
	}

	/** Pages of HTML and XML are settled one after the other: a tree takes many times the memory of its page. */
	private async settle({ done }: PlannedPage, result: PageResult): Promise<void> {
		if (result.content?.isMarkup !== true) return await done(result);
		const release = await this.settling.lock('tree', undefined);
		await done(result).finally(release);
	}

	private openingOf({ page, pace, breaker }: PlannedPage, session: StickySession): PageOpening {
		const { context, signal } = this;
		return new PageOpening(page, {
			send: async (options): Promise<unknown> => await context.helpers.httpRequest(options),
			pace,
			breaker,
			session,
			log: debugLog(context),
			signal: anyOf(signal),
			// A POST under way when another page ends the run is not to be sent again when the run is repeated
			requestSignal:
				page.method === 'POST' ? anyOf(context.getExecutionCancelSignal?.()) : undefined,
		});
	}

	private note({ page, breaker }: PlannedPage, { attempts, stoppedBy }: PageResult): void {
		for (const { blame, proxy } of attempts) {
			if (blame === 'failed' || blame === 'loginRefused') this.failedAddresses.add(proxy);
		}
		if (stoppedBy !== 'site') return;
		const site = siteOf(page);
		const { pages = 0, because = breaker.describeSite(site, page.giveUpSiteAfter) } =
			this.givenUpSites.get(site) ?? {};
		this.givenUpSites.set(site, { pages: pages + 1, because });
	}
}
