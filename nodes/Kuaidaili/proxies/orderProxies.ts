import { sleep } from 'n8n-workflow';

import { asError, CallError, DescribedError } from '../../shared/api/errors';
import { throwIfCancelled, untilCancelled, waitUntil } from '../../shared/api/wait';
import { deliveryStateOf } from '../../shared/api/call';
import type { Item } from '../run/item';
import { leftInWords, type ProxyExtractor } from './extraction';
import type { ProxyCounts, ProxyLease } from './lease';
import { ownLogin, type ProxyLogin } from './logins';
import type { ProxyRequest } from './productFields';
import { partitionOf, proxyPool, type PooledProxy, type PoolPartition } from './proxyPool';
import type { ProxyFault } from './proxyStatuses';

/** @param didCome whether proxies came, and none of them was one for the page */
export function nothingToLease(request: ProxyRequest, didCome = false): Error {
	const { isWholeList, hasFilters, repeatsBecause } = request;
	const advice = hasFilters
		? "Relax or remove some of the 'Filters', or try again in a few minutes."
		: 'Try again in a few minutes, or change the fields.';
	const cameInVain = 'Those that came had failed before, or the site has blocked them.';
	const ofList = 'The order has no proxy that works and that the site has not blocked.';
	const ofOthers = didCome ? `${cameInVain} ${repeatsBecause ?? advice}` : advice;
	return new DescribedError({
		message: 'No proxy is available for this page',
		description: isWholeList === true ? ofList : ofOthers,
	});
}

/** After so many extractions in a row that used something up and brought nothing, pages extract no more. */
const MOST_IN_VAIN = 5;

/** Pause after an extraction whose answer got lost; doubled after each further one in a row. */
const FIRST_PAUSE_MS = 500;

/** The share of the opened pages that is extracted at most in place of proxies that are going to fail. */
const MOST_SPARE_OF_OPENED = 1 / 50;

/** Turns of the event loop in which pages that ask at the same time have come. */
const TURNS_BEFORE_CALL = 2;

/** Number of proxies that one extraction asks for where the order does not count them. */
const UNCOUNTED_AT_ONCE = 100;

/** A page that waits for a proxy. */
interface WaitingPage {
	/** Whether a proxy may serve it. */
	readonly fits: (proxy: PooledProxy) => boolean;
	/** Set when no further extraction will be made for the page: only a proxy that is in use may serve it then. */
	failure?: Error;
}

/**
 * Proxies of one order that the same fields select, for the pages of one run: extracted when one waits, and ahead for
 * those that come next, because the service takes only so many calls a second.
 */
export class OrderProxies {
	/** How many pages are still to ask for a proxy, which the run says: for as many, proxies may be extracted ahead. */
	expected = 0;

	/** The run's own, or with reuse the one that all runs with the same selection share. */
	private readonly partition: PoolPartition;

	/** Proxies that were extracted for this run. */
	private readonly extracted = new Set<PooledProxy>();

	/** Proxies that the order has counted: one for each time that one came. */
	private counted = 0;

	/** How many pages have had each proxy. */
	private readonly pages = new Map<PooledProxy, number>();

	private readonly waiting = new Set<WaitingPage>();

	/** Extractions in a row that have brought nothing. */
	private inVain = 0;

	/** The end of the pause after an extraction whose answer got lost, by `performance.now()`. */
	private pausedUntil = -Infinity;

	/** Set when no more proxies will come for pages of this run. */
	private refusal?: Error;

	/** Leases through which a page was opened, and those whose proxy was to blame that none was. */
	private opened = 0;

	private failed = 0;

	private readonly failedProxies = new Set<PooledProxy>();

	/**
	 * @param item one of those that the proxies are for
	 * @param pagesPerProxy limit of the leases of a proxy; 0 sets none
	 */
	constructor(
		private readonly extractor: ProxyExtractor,
		private readonly order: string,
		private readonly request: ProxyRequest,
		private readonly item: Item,
		private readonly pagesPerProxy: number,
	) {
		this.partition =
			request.reuse === undefined ? proxyPool.unsharedPartition() : partitionOf(order, request);
	}

	/**
	 * A proxy that is not in use, the least recently used first; a new one if there is none.
	 *
	 * @param site the host of the page, such as `example.com`
	 * @throws InvalidFieldError when the limit of the execution is reached, DescribedError when none came, and what
	 * `runQuery` throws
	 */
	async lease(site: string, signal: AbortSignal | undefined): Promise<ProxyLease> {
		throwIfCancelled(signal);
		const { extractor, order, request, item } = this;
		// Before anything is extracted, so that nothing is used up where it cannot be fetched
		const ofOrder =
			request.login === 'order'
				? await untilCancelled(extractor.loginOf(order, item), signal)
				: undefined;
		const pooled = await this.acquire(site, signal);
		const proxy = pooled.current;
		let login = ofOrder ?? ownLogin(proxy);
		if (login === undefined && request.login === 'entries') {
			login = await extractor.loginOf(order, item).catch((error: unknown): never => {
				this.giveBack(pooled);
				throw error;
			});
		}
		this.countPage(pooled, 1);
		this.extractAhead();
		return {
			proxy: { ...proxy, scheme: request.scheme, login, identitySeed: pooled.identitySeed },
			end: (result, isUnseen = false) => {
				this.learn(pooled, { address: proxy.address, site, login }, result, isUnseen);
				this.giveBack(pooled);
			},
		};
	}

	addTo(counts: ProxyCounts): void {
		const { counted, extracted, pages } = this;
		const { usesQuota, reuse } = this.request;
		const isKept = (proxy: PooledProxy) => reuse !== undefined && proxy.livesFor(0);
		counts.extracted += usesQuota ? counted : extracted.size;
		counts.counted += counted;
		counts.failed += this.failedProxies.size;
		for (const proxy of extracted)
			if (usesQuota && !pages.has(proxy) && !isKept(proxy)) counts.unused += 1;
		for (const proxy of pages.keys()) if (!extracted.has(proxy)) counts.reused += 1;
	}

	/**
	 * Waits for a proxy for a page. Everybody shares the extraction that is under way, and nobody waits for one that they
	 * don't need.
	 */
	private async acquire(site: string, signal: AbortSignal | undefined): Promise<PooledProxy> {
		const { partition, request, waiting } = this;
		const isWholeList = request.isWholeList === true;
		// A whole list has no others: another page of the site may be open to them
		const fits = (proxy: PooledProxy) =>
			this.mayTake(proxy) && (isWholeList || !proxy.isBlockedFor(site));
		const page: WaitingPage = { fits };
		waiting.add(page);
		try {
			for (;;) {
				throwIfCancelled(signal);
				const [proxy] = partition.find(1, fits);
				if (proxy !== undefined) {
					partition.handOut([proxy], this);
					return proxy;
				}
				const failure = page.failure ?? this.refusal;
				const mayGetBack = partition.mayGetBack(fits);
				if (failure !== undefined && !mayGetBack) throw failure;
				// Of a whole list, there are no others than those in use
				if (failure === undefined && !(isWholeList && mayGetBack)) this.beginExtraction();
				await untilCancelled(partition.untilChanged(), signal);
			}
		} finally {
			waiting.delete(page);
		}
	}

	private learn(
		proxy: PooledProxy,
		lease: { readonly address: string; readonly site: string; readonly login?: ProxyLogin },
		result: ProxyFault | 'opened' | undefined,
		isUnseen: boolean,
	): void {
		if (isUnseen) this.countPage(proxy, -1);
		if (result === undefined) return;
		if (result === 'opened') {
			proxy.markGood();
			this.opened += 1;
			this.extractAhead();
			return;
		}
		proxyPool.report(this.order, { ...lease, fault: result });
		if (result !== 'blocked') this.failedProxies.add(proxy);
		// With a login that is fetched now, it serves another page as well
		if (result === 'loginRefused') this.countPage(proxy, -1);
		else this.failed += 1;
	}

	private giveBack(proxy: PooledProxy): void {
		// Nobody else may have it then, and looking at all of them again and again takes long
		const isOver = this.request.reuse === undefined && this.isUsedUp(proxy);
		this.partition.giveBack(proxy, isOver);
	}

	private isUsedUp(proxy: PooledProxy): boolean {
		const { pagesPerProxy, request } = this;
		// Of those that cost nothing, all are used in turn
		return request.usesQuota && pagesPerProxy > 0 && this.pagesOf(proxy) >= pagesPerProxy;
	}

	/** Whether this run may take a proxy of the partition for another page, of whatever site. */
	private mayTake(proxy: PooledProxy): boolean {
		const isOfRun = this.extracted.has(proxy) || proxy.isReusableFor(this.request);
		return isOfRun && !this.isUsedUp(proxy);
	}

	/**
	 * The number of proxies that are missing for pages that come next, unless more failed than were opened, and as long as
	 * fewer are left than pages are at work: for as many, and for twice as many where three of five are opened, as a site may
	 * begin to block. Near the end, for as many of the last pages as are likely to meet a proxy that fails, so that these
	 * don't wait for a call each.
	 */
	private missingAhead(): number {
		const { pagesPerProxy, opened, failed, waiting, expected } = this;
		// After an extraction in vain, somebody has to wait for the next one
		if (pagesPerProxy === 0 || this.inVain > 0 || failed > opened) return 0;
		const inUse = this.partition.inUseOf(this);
		const atWork = inUse.length + waiting.size;
		// A page that is opened alone may be slow, and a proxy that waits for the next one ends meanwhile
		if (atWork <= 1) return 0;
		const failing = Math.ceil(((atWork + expected) * failed) / Math.max(1, opened + failed));
		const spare = Math.floor(Math.min(failing, opened * MOST_SPARE_OF_OPENED));
		// Proxies in use, and those that pages wait for, serve other pages behind these
		const ofWaiting = waiting.size * (pagesPerProxy - 1);
		const held = inUse.reduce((sum, proxy) => sum + pagesPerProxy - this.pagesOf(proxy), ofWaiting);
		const missingFor = (pages: number) => {
			const further = Math.min(pages, expected + spare) - held;
			const needed = Math.max(0, Math.ceil(further / pagesPerProxy));
			return needed - this.partition.find(needed, (proxy) => this.mayTake(proxy)).length;
		};
		if (missingFor(atWork) <= 0) return 0;
		const isSafe = 3 * opened >= atWork && 2 * opened > 3 * failed;
		return missingFor(isSafe ? 2 * atWork : atWork);
	}

	private numberToExtract(): number {
		const { isWholeList, total, usesQuota } = this.request;
		const waiting = [...this.waiting].filter(({ failure }) => failure === undefined).length;
		if (usesQuota) return waiting + this.missingAhead();
		if (isWholeList === true) return total;
		return Math.max(waiting, UNCOUNTED_AT_ONCE);
	}

	private extractAhead(): void {
		const { request, waiting, refusal, partition } = this;
		// Pages that wait see to it themselves, and an extraction counts once more before it leaves
		const isSeenTo = waiting.size > 0 || partition.isExtracting;
		if (!request.usesQuota || isSeenTo || refusal !== undefined) return;
		if (this.missingAhead() > 0) this.beginExtraction();
	}

	private beginExtraction(): void {
		void this.partition.extractOnce(async () => await this.extractForPages());
	}

	/** Extracts what waiting pages need, and what is to be ready for the next ones. Never rejects. */
	private async extractForPages(): Promise<void> {
		const { extractor, request, item } = this;
		try {
			// Pages that ask at the same time share a call, also where some of them let others work meanwhile
			for (let turn = 0; turn < TURNS_BEFORE_CALL; turn += 1) await sleep(0);
			// How many proxies a call asks for is decided when it may leave, not when it gets in line: half a second
			// later, many more pages may need one. A service in trouble gets the time to recover
			await waitUntil(this.pausedUntil, extractor.ended);
			await item.untilCallable(request.endpoint, extractor.ended);
		} catch {
			// The call itself says what is wrong
		}
		const count = this.numberToExtract();
		if (count > 0) await this.extractCount(count);
	}

	/** @param count proxies, as far as one call brings so many */
	private async extractCount(count: number): Promise<void> {
		const { extractor, order, request, item, partition } = this;
		const { usesQuota, isWholeList, maxExtractions, cap = Infinity } = request;
		// What comes is for them first
		const waiting = [...this.waiting];
		const wanted = Math.min(count, cap);
		// The limit's own error where nothing is left of it
		const total = extractor.allowed(wanted, maxExtractions) || wanted;
		const { proxies, left, endedBy } = await extractor
			.extract({ ...request, total }, item)
			.catch((error: unknown) => ({ proxies: [], left: undefined, endedBy: asError(error) }));
		const pooled = proxyPool.addTo(partition, order, proxies);
		for (const proxy of pooled.proxies) {
			this.extracted.add(proxy);
			// There are no others, so each gets another chance
			if (isWholeList === true) proxy.markGood();
		}
		if (usesQuota) this.counted += proxies.length;
		const isUseful = pooled.fresh.some((proxy) => proxy.isUsable && this.mayTake(proxy));
		this.inVain = isUseful ? 0 : this.inVain + 1;
		if (leftInWords(left) !== undefined) extractor.left.set(order, left);
		let failure = typeof endedBy === 'object' ? endedBy : undefined;
		if (proxies.length === 0) failure ??= nothingToLease(request);
		const state = failure instanceof CallError ? deliveryStateOf(failure) : 'refused';
		const pauseMs = state === 'unclear' ? FIRST_PAUSE_MS * 2 ** (this.inVain - 1) : 0;
		this.pausedUntil = performance.now() + pauseMs;
		if (state === 'refused') this.refusal = failure;
		if (this.inVain >= MOST_IN_VAIN) {
			failure ??= nothingToLease(request, true);
			if (usesQuota) this.refusal ??= failure;
			else this.inVain = 0;
		}
		// One look shows all that there are
		if (isWholeList === true) failure ??= nothingToLease(request);
		for (const page of waiting)
			if (isWholeList !== true || !partition.mayGetBack(page.fits)) page.failure ??= failure;
	}

	private countPage(proxy: PooledProxy, count: number): void {
		this.pages.set(proxy, this.pagesOf(proxy) + count);
	}

	private pagesOf(proxy: PooledProxy): number {
		return this.pages.get(proxy) ?? 0;
	}
}
