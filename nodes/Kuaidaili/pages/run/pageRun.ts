import { randomUUID } from 'node:crypto';

import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { eventLoopYielder, debugLog } from '../../../shared/concurrency/wait';
import { asError } from '../../../shared/errors/callErrors';
import {
	obtainOrderDetails,
	refuseOtherProduct,
	type OrderDetails,
} from '../../../shared/queries/orderDetails';
import { RateLimiter } from '../../../shared/transport/rateLimiter';
import { formatNumber, plural } from '../../../shared/wording';
import type { Item } from '../../operation';
import type { ProxyProvider } from '../../proxies/lease';
import type { ProxyRequest } from '../../proxies/productFields';
import { ProxyProviders } from '../../proxies/proxyProvider';
import {
	CircuitBreaker,
	notRequested,
	pageOpening,
	StickySession,
	type Pace,
	type PageResult,
} from './openPage';
import { siteOf, type PageRequest } from '../request/pageRequest';

/** Through which proxies pages are opened, and how often. */
export type PageRoute = Awaited<ReturnType<PageRun['routeFor']>>;

export interface PlannedPage extends PageRoute {
	readonly page: PageRequest;
	/** Told what became of it, with CancelledError where the run ended meanwhile; not of one that waits. Never rejects. */
	readonly done: (result: PageResult) => Promise<void>;
}

/** Pages that are opened one after the other. */
interface Lane {
	readonly pages: readonly PlannedPage[];
	/** Of the first page. */
	readonly site: string;
	readonly session: StickySession;
	/** Of the only page, which was tried and waits behind the others. */
	paused?: ReturnType<typeof pageOpening>;
}

function anyOf(...signals: ReadonlyArray<AbortSignal | undefined>): AbortSignal {
	return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

/** Of all executions of this process, which share what an order allows; a run's own rate has a key of its own. */
const limiter = new RateLimiter('perSecond');

/** So that the first pages share an extraction. */
const FIRST_PAGES_AFTER_MS = 50;

/** Nobody extracts proxies ahead for pages that are further back, however many are opened at a time. */
const MOST_UPCOMING = 1000;

/**
 * Opens pages through proxies, several at a time, while more of them may be added. It knows nothing of what they are
 * opened for.
 */
export class PageRun {
	/** One that is over says nothing about the others. Asked about once in a run, also where there is no answer. */
	private readonly orders = new Map<
		string,
		{ brakes: CircuitBreaker; facts: Promise<OrderDetails> }
	>();

	readonly sources: ProxyProviders;

	/** Aborts when nothing more is to be opened. */
	readonly signal: AbortSignal;

	/** Aborted by an error that ends the run: the pages that are left were given up, and have nothing to tell. */
	readonly ended = new AbortController();

	private readonly id = randomUUID();

	private readonly usedSources = new Set<ProxyProvider>();

	private readonly waiting = new Set<Lane>();

	private readonly underWay = new Set<Promise<void>>();

	/** When the first page was added. */
	private startedAt?: number;

	/** Of the last tunnel. */
	private secondsPerIp?: number;

	private readonly takeBreak = eventLoopYielder();

	constructor(private readonly context: IExecuteFunctions) {
		this.signal = anyOf(this.ended.signal, context.getExecutionCancelSignal?.());
		this.sources = new ProxyProviders(context, this.signal);
	}

	/**
	 * Asks what there is to know about the order of an item. No proxy is taken.
	 *
	 * @throws InvalidFieldError for an order of another product, and what getting its key pair throws
	 */
	async routeFor(item: Item, page: PageRequest, request: ProxyRequest) {
		const { product, pagesPerProxy = 1, requestsPerSecond } = page;
		const orderKey = await item.orderKey();
		const order = this.orders.get(orderKey) ?? {
			brakes: new CircuitBreaker(),
			facts: obtainOrderDetails(item.run, orderKey, item.signal),
		};
		this.orders.set(orderKey, order);
		const facts = await order.facts;
		refuseOtherProduct(facts, product);
		const { secondsPerIp } = facts;
		// Others have a session for each page, with an IP of its own
		this.secondsPerIp = product === 'TPS' ? secondsPerIp : 0;
		const source = await this.sources.providerFor({ item, request, pagesPerProxy, secondsPerIp });
		const key = requestsPerSecond === undefined ? orderKey : `${this.id} ${requestsPerSecond}`;
		const intervalMs = 1000 / (requestsPerSecond ?? facts.requestsPerSecond ?? Infinity);
		const pace: Pace = {
			intervalMs,
			turn: async (signal) => await limiter.acquire(key, intervalMs, signal, this.id),
			pause: (ms) => limiter.pause(key, ms),
		};
		return { source, pace, brakes: order.brakes };
	}

	/**
	 * Pages to open, one after the other, at a time that suits.
	 *
	 * @param pages all of one source
	 * @param session where they are opened by the same visitor: whether that has been at others before
	 */
	add(pages: readonly PlannedPage[], session?: { readonly hasHistory: boolean }): void {
		const [{ source, page }] = pages;
		this.usedSources.add(source);
		const lease = async (site: string) => {
			// A signal of its own: with very many listeners, Node.js warns of a leak
			const signal = anyOf(this.signal);
			return await source.lease({ site, upcoming: this.upcomingOf(source), signal });
		};
		const { hasHistory } = session ?? {};
		// Whoever wants one IP for several pages need not be told
		if (session !== undefined) this.secondsPerIp = 0;
		const visitors = new StickySession(lease, session !== undefined, hasHistory);
		this.waiting.add({ pages, site: siteOf(page), session: visitors });
		if (this.startedAt !== undefined) return this.begin();
		this.startedAt = performance.now();
		void sleep(FIRST_PAGES_AFTER_MS).then(() => this.begin());
	}

	get failedProxies(): number {
		return [...this.orders.values()].flatMap(({ brakes }) => [...brakes.failedProxies]).length;
	}

	/** How many leases of a source are still to come, as far as it matters for what is extracted ahead. */
	private upcomingOf(source: ProxyProvider): number {
		let count = 0;
		let place = 0;
		for (const { pages, site } of this.waiting) {
			const [first] = pages;
			// Nobody extracts proxies ahead for pages that will not be tried
			const isGivenUp = first.brakes.isSiteGivenUp(site, first.page.giveUpSiteAfter);
			if (first.source === source && !isGivenUp) count += 1;
			if ((place += 1) === MOST_UPCOMING) break;
		}
		return count;
	}

	/** Resolves when all is done, and nothing is being worked on any more. No page is announced after that. */
	async finish(): Promise<void> {
		this.begin();
		while (this.underWay.size > 0) await Promise.race(this.underWay);
	}

	/** What else the user should know of the proxies through which so many pages were opened. */
	hints(opened: number): string[] {
		const { usedSources, secondsPerIp = 0, startedAt = 0 } = this;
		const ofBrakes = [...this.orders.values()].flatMap(({ brakes }) => brakes.hints);
		const ips = Math.floor((performance.now() - startedAt) / 1000 / secondsPerIp) + 1;
		if (usedSources.size !== 1 || secondsPerIp === 0 || ips >= opened) return ofBrakes;
		return [
			`This tunnel keeps an IP for ${formatNumber(secondsPerIp)} seconds: ${formatNumber(opened)} pages came from about ${plural(ips, 'IP')}, or as many for each channel of the order.`,
			...ofBrakes,
		];
	}

	private begin(): void {
		for (const lane of this.waiting) {
			if (this.signal.aborted || this.underWay.size >= lane.pages[0].page.pagesAtATime) return;
			this.waiting.delete(lane);
			const work = this.work(lane).finally(() => {
				this.underWay.delete(work);
				this.begin();
			});
			this.underWay.add(work);
		}
	}

	/** Never rejects. */
	private async work(lane: Lane): Promise<void> {
		const { context, signal, waiting } = this;
		const cancelSignal = context.getExecutionCancelSignal?.();
		const { pages, session } = lane;
		for (const { page, pace, brakes, done } of pages) {
			await this.takeBreak();
			if (signal.aborted) break;
			const opening =
				lane.paused ??
				pageOpening(page, {
					send: async (options): Promise<unknown> => await context.helpers.httpRequest(options),
					pace,
					brakes,
					session,
					log: debugLog(context),
					signal: anyOf(signal),
					// What is under way when another page ends the run, is not to be sent again when it is repeated
					requestSignal: page.method === 'POST' ? anyOf(cancelSignal) : undefined,
				});
			// A few pages that fail must not look like a dead site before others of it were tried
			const result = await opening(() => waiting.size > 0).catch((error: unknown) =>
				notRequested(asError(error)),
			);
			if (result === undefined) {
				lane.paused = opening;
				waiting.add(lane);
				return;
			}
			await done(result);
		}
		session.end();
	}
}
