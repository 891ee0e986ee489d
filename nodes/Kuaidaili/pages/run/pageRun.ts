import { randomUUID } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

import { CancelledError, DescribedError } from '../../../shared/api/errors';
import { eventLoopYielder, KeyedMutex, Slots } from '../../../shared/api/wait';
import {
	obtainOrderDetails,
	refuseOtherProduct,
	type OrderDetails,
} from '../../../shared/orders/queries';
import type { Item } from '../../run/item';
import { executionEndOf } from '../../run/n8nInternals';
import { isTool } from '../../run/nodeRun';
import type { ProxyRequest } from '../../proxies/productFields';
import { RunProxies } from '../../proxies/runProxies';
import { releaseBody } from '../http/limitedBody';
import { RequestPace } from '../http/requestPace';
import { Session } from '../http/session';
import { siteOf, type PageRequest } from '../request/pageRequest';
import { attemptPage, type PageRoute } from './attempt';
import { circuitBreakerOf, type Stop } from './circuitBreaker';
import { leaveSession, takeSession } from './keptSessions';
import type { PageResult } from './pageResult';

function anyOf(...signals: ReadonlyArray<AbortSignal | undefined>): AbortSignal {
	return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

/** The time before n8n ends an execution in which what came is put out, in milliseconds. */
const PUT_OUT_MS = 5000;

/** The time for which a call of a tool opens pages, in milliseconds: clients of agents give up after a minute. */
const TOOL_CALL_MS = 45_000;

/** With less time than this in milliseconds, no attempt begins, and no proxy is taken. */
const SHORTEST_ATTEMPT_MS = 3000;

/** The longest time of a timer in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const EXECUTION_ENDS = {
	because: "The workflow's timeout left no time.",
	advice:
		"Raise 'Timeout Workflow After' in the settings of the workflow, or open fewer pages in an execution.",
};

const CALL_ENDS = {
	because: `A call opens pages for ${TOOL_CALL_MS / 1000} seconds.`,
	advice: 'Ask for this page in another call.',
};

/** How many milliseconds a run has to open pages; Infinity for as many as it needs. */
function timeOf(context: IExecuteFunctions): number {
	const end = executionEndOf(context) ?? Infinity;
	return Math.min(end - PUT_OUT_MS - Date.now(), isTool(context) ? TOOL_CALL_MS : Infinity);
}

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

	/** Aborts when nothing more is to be opened, whatever became of the pages. */
	readonly signal: AbortSignal;

	/** The end of all requests, by `performance.now()`, so that what came is put out in time; Infinity for none. */
	private readonly endsAt: number;

	/** Aborts when no attempt is to begin any more. */
	private readonly beginSignal: AbortSignal;

	private readonly outOfTime: Stop;

	/** Aborted by an error that ends the run. The pages that were not opened have no result then. */
	readonly ended = new AbortController();

	private readonly id = randomUUID();

	/** As many as *Pages at a Time* of the first item says. */
	private slots?: Slots<{ readonly route: PageRoute; readonly site: string }>;

	private readonly markup = new KeyedMutex();

	private readonly yieldToEventLoop = eventLoopYielder();

	constructor(private readonly context: IExecuteFunctions) {
		this.signal = anyOf(this.ended.signal, context.getExecutionCancelSignal?.());
		const timeMs = timeOf(context);
		this.endsAt = performance.now() + timeMs;
		const beginMs = Math.min(LONGEST_TIMER_MS, Math.max(0, timeMs - SHORTEST_ATTEMPT_MS));
		const isLimited = timeMs < Infinity;
		this.beginSignal = anyOf(this.signal, isLimited ? AbortSignal.timeout(beginMs) : undefined);
		const { because, advice } = isTool(context) ? CALL_ENDS : EXECUTION_ENDS;
		const message = 'There was no time left for this page';
		const error = new DescribedError({ message, description: `${because} ${advice}` });
		this.outOfTime = { kind: 'time', because, error };
		this.proxies = new RunProxies(context, this.beginSignal);
	}

	/**
	 * Asks what there is to know about the order of an item. No proxy is taken.
	 *
	 * @throws InvalidFieldError for an order of another product, and what getting its key pair throws
	 */
	async routeFor(item: Item, page: PageRequest, request: ProxyRequest): Promise<PageRoute> {
		const { product, pagesPerProxy = 1, requestsPerSecond } = page;
		const orderKey = await item.orderKey();
		const asked = this.orders.get(orderKey) ?? obtainOrderDetails(item.ask, orderKey, item.signal);
		this.orders.set(orderKey, asked);
		const details = await asked;
		refuseOtherProduct(details, product);
		const { secondsPerIp } = details;
		const proxies = await this.proxies.forPages(item, request, pagesPerProxy, secondsPerIp);
		// A rate that was typed is the run's own
		const key = requestsPerSecond === undefined ? orderKey : `${this.id} ${requestsPerSecond}`;
		const intervalMs = 1000 / (requestsPerSecond ?? details.requestsPerSecond ?? Infinity);
		const pace = new RequestPace(key, intervalMs, this.id);
		const breaker = circuitBreakerOf(this.context, orderKey, product);
		return { orderKey, proxies, pace, breaker };
	}

	/**
	 * Opens a page. Another attempt comes behind the pages that were not tried yet, but in the slot of a session.
	 *
	 * @param putOut has the slot of the last attempt, so that no other page is held in memory meanwhile; there is no body of
	 *   the page afterwards
	 * @param session the browser that opens it
	 * @throws CancelledError
	 */
	async open<T>(
		route: PageRoute,
		page: PageRequest,
		putOut: (result: PageResult) => Promise<T>,
		session = new Session(),
	): Promise<T> {
		const { hasSlot } = session;
		let result: PageResult | undefined;
		try {
			for (;;) {
				const freeSlot = hasSlot ? undefined : await this.acquireSlot(route, page);
				try {
					do result = await this.attempt(route, page, session, result);
					while (result.next?.sameProxy === true);
					if (result.next === undefined) return await putOut(result);
				} finally {
					// Nobody reads it any more: it was put out, or is to be tried again
					if (result?.content !== undefined) releaseBody(result.content.answer.body);
					freeSlot?.();
				}
			}
		} finally {
			if (!hasSlot) session.end();
		}
	}

	/**
	 * Opens the pages of a session key one after the other, in one slot and by one browser: the one that an earlier node of
	 * the execution had for the same key and order, if there is one.
	 *
	 * @param openAll passes it on to `open`
	 * @throws CancelledError, and what `openAll` throws
	 */
	async inSession(
		route: PageRoute,
		first: PageRequest,
		openAll: (session: Session) => Promise<void>,
	): Promise<void> {
		const freeSlot = await this.acquireSlot(route, first);
		const key = JSON.stringify([first.product, route.orderKey, first.sessionKey]);
		const session = takeSession(this.context, key) ?? new Session('slot');
		try {
			await openAll(session);
		} finally {
			if (this.signal.aborted || !leaveSession(this.context, key, session)) session.end();
			freeSlot();
		}
	}

	/**
	 * Opens a page for which others wait, such as a robots.txt. It takes no slot: those others may have them all.
	 *
	 * @param session the browser that opens it, which ends then
	 * @throws CancelledError
	 */
	async openWithoutSlot(
		route: PageRoute,
		page: PageRequest,
		session = new Session(),
	): Promise<PageResult> {
		try {
			let result = await this.attempt(route, page, session);
			while (result.next !== undefined) result = await this.attempt(route, page, session, result);
			return result;
		} finally {
			session.end();
		}
	}

	/**
	 * Waits until the tree of a page may be made: of HTML and XML, of one page at a time, as it takes many times the page's
	 * memory. Those that wait are held as bytes only.
	 *
	 * @returns lets the next one; called once
	 */
	async lockTree({ content }: PageResult): Promise<() => void> {
		if (content?.isMarkup !== true) return () => {};
		content.forgetText();
		return await this.markup.lock('tree', undefined);
	}

	private async acquireSlot(route: PageRoute, page: PageRequest): Promise<() => void> {
		this.slots ??= new Slots(page.pagesAtATime);
		const freeSlot = await this.slots.acquire({ route, site: siteOf(page) });
		await this.yieldToEventLoop();
		if (!this.signal.aborted) return freeSlot;
		freeSlot();
		throw new CancelledError();
	}

	/** @param before what there is of the page so far */
	private async attempt(
		route: PageRoute,
		page: PageRequest,
		session: Session,
		before?: PageResult,
	): Promise<PageResult> {
		const { context, signal, beginSignal, endsAt, outOfTime } = this;
		route.proxies.expected = this.expectedOf(route, 2 * page.pagesAtATime);
		const scope = {
			helpers: context.helpers,
			// A signal of its own: with very many listeners, Node.js warns of a leak
			signal: anyOf(signal),
			beginSignal: anyOf(beginSignal),
			endsAt,
			outOfTime,
		};
		return await attemptPage(page, route, session, scope, before?.attempts ?? []);
	}

	/**
	 * How many pages are still to ask for a proxy, `most` at most. Nobody extracts proxies ahead for those that will not be
	 * tried.
	 */
	private expectedOf({ proxies, breaker }: PageRoute, most: number): number {
		let count = 0;
		for (const { route, site } of this.slots?.waiting ?? []) {
			if (count >= most) break;
			if (route.proxies === proxies && !breaker.isSiteGivenUp(site)) count += 1;
		}
		return count;
	}
}
