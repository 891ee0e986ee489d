import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { throwIfCancelled, untilCancelled, waitUntil } from '../../shared/api/wait';
import { asError, CallError, CancelledError, DescribedError } from '../../shared/api/errors';
import { fingerprintOf } from '../../shared/fingerprint';
import type { ProxyLogin } from '../../shared/orders/orderQueries';
import { deliveryStateOf } from '../../shared/api/call';
import type { Item } from '../run/item';
import type { ExtractedProxy } from './entries';
import { pagesAhead, spareProxies, type RunProgress } from './extractionAhead';
import type { LeaseRequest, ProxyCounts, ProxyLease, ProxyProvider } from './lease';
import { forgetProxyLogin, orderLogin, ownLogin, sessionsOfRun } from './logins';
import { leftInWords } from './extraction';
import { settingsOf, type ProxyRequest } from './productFields';
import { ProxyExtractor } from './runProxies';
import {
	partitionOf,
	proxyPool,
	randomIdentitySeed,
	type Acquisition,
	type PooledProxy,
	type PoolPartition,
} from './proxyPool';

/** Proxies that pages are to be opened through. */
interface ProviderSettings {
	readonly request: ProxyRequest;
	/** One of the items that the provider is for. */
	readonly item: Item;
	/** Limit of the leases of a proxy in this run; 0 sets none. */
	readonly pagesPerProxy: number;
	/** The time in seconds for which the order keeps an IP, 0 for a new one with each request; undefined where it is unknown. */
	readonly secondsPerIp?: number;
}

/** @param didCome whether proxies came, and none of them was one for the page */
function nothingToLease(request: ProxyRequest, didCome = false): Error {
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

/** Provides one address for all; each lease has a session of its own where the product knows sessions. */
function tunnelProvider(
	providers: ProxyProviders,
	order: string,
	{ item, request, secondsPerIp }: ProviderSettings,
): ProxyProvider {
	const { toLogin, scheme, keepsIp, longestSessionSeconds = Infinity } = request;
	const sendsSession = keepsIp === true || (secondsPerIp ?? 0) <= longestSessionSeconds;
	const secondsLeft = request.sessionSeconds?.(secondsPerIp);
	const sessionOf = sessionsOfRun();
	let sessions = 0;
	let entrance: Promise<ExtractedProxy> | undefined;
	const extract = async (): Promise<ExtractedProxy> => {
		const { proxies } = await providers.extractor.extract(request, item);
		if (proxies.length === 0) throw nothingToLease(request);
		return proxies[0];
	};
	const lease = async ({ signal }: LeaseRequest): Promise<ProxyLease> => {
		throwIfCancelled(signal);
		const plain = await untilCancelled(providers.loginOf(order, item), signal);
		const address = (entrance ??= extract());
		const forget = () => {
			if (entrance === address) entrance = undefined;
		};
		address.catch(forget);
		const proxy = await untilCancelled(address, signal);
		const session = sendsSession ? sessionOf((sessions += 1)) : undefined;
		const login = toLogin?.(plain, session) ?? plain;
		return {
			proxy: { ...proxy, secondsLeft, scheme, login, identitySeed: randomIdentitySeed() },
			markBad(fault) {
				if (fault === 'failed') forget();
				if (fault === 'loginRefused') forgetProxyLogin(order, plain);
			},
			markGood() {},
			markUnused() {},
			release() {},
		};
	};
	return { lease };
}

/** After so many extractions in a row that used something up and brought nothing, a run extracts no more. */
const MOST_IN_VAIN = 5;

/** Pause after an extraction whose answer got lost; doubled after each further one in a row. */
const FIRST_PAUSE_MS = 500;

/** Weight of the latest lease in the time that one takes. */
const LATEST_WEIGHT = 0.1;

/** The first pages of a run share an extraction: it waits for others as long as some have come within this time. */
const FIRST_PAGES_MS = 50;

/** How often it waits for others at most. */
const FIRST_ROUNDS = 10;

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
 * Provides proxies of a list. They are extracted when a page waits for one, and ahead for pages that come next, because
 * the service takes only so many calls a second.
 */
class ListProvider implements ProxyProvider {
	/** The run's own, or with reuse the one that all runs with the same selection share. */
	private readonly partition: PoolPartition;

	private readonly inUse = new Set<PooledProxy>();

	/** Proxies that were extracted for this run. */
	private readonly extracted = new Set<PooledProxy>();

	/** Proxies that the order has counted: one for each time that one came. */
	private counted = 0;

	private readonly pages = new Map<PooledProxy, number>();

	private readonly waiting = new Set<WaitingPage>();

	/** Extractions in a row that have brought nothing. */
	private inVain = 0;

	/** The end of the pause after an extraction whose answer got lost, by `performance.now()`. */
	private pausedUntil = -Infinity;

	/** From the call that leaves next to the one behind it, in milliseconds. */
	private nextCallMs = 0;

	/** How long the last call took, in milliseconds. */
	private callMs = 0;

	/** The time for which a page has its proxy, in milliseconds, the latest pages above all; undefined before the first one. */
	private leaseMs?: number;

	/** Set when no more proxies will come in this run. */
	private refusal?: Error;

	private upcoming: LeaseRequest['upcoming'] = () => 0;

	/** Pages that were opened, and leases whose proxy was to blame that none was. */
	private opened = 0;

	private failed = 0;

	/** Extracted proxies that had not ended when they were looked at last, as they came. */
	private readonly living = new Set<PooledProxy>();

	/** Extracted proxies that ended before anybody got them. */
	private expired = 0;

	constructor(
		private readonly providers: ProxyProviders,
		private readonly order: string,
		private readonly settings: ProviderSettings,
	) {
		const { request } = settings;
		this.partition =
			request.reuse === undefined ? proxyPool.unsharedPartition() : partitionOf(order, request);
	}

	async lease(leaseRequest: LeaseRequest): Promise<ProxyLease> {
		const { site, upcoming, signal } = leaseRequest;
		throwIfCancelled(signal);
		const { providers, order, settings } = this;
		const { request, item } = settings;
		// Before anything is extracted, so that nothing is used up where it cannot be fetched
		const ofOrder =
			request.login === 'order'
				? await untilCancelled(providers.loginOf(order, item), signal)
				: undefined;
		this.upcoming = upcoming;
		const pooled = await this.acquire(leaseRequest);
		const proxy = pooled.current;
		let login = ofOrder ?? ownLogin(proxy);
		if (login === undefined && request.login === 'entries') {
			login = await providers.loginOf(order, item).catch((error: unknown): never => {
				this.giveBack(pooled);
				throw error;
			});
		}
		const leasedAt = performance.now();
		this.countPage(pooled, 1);
		this.extractAhead();
		return {
			proxy: { ...proxy, scheme: request.scheme, login, identitySeed: pooled.identitySeed },
			markBad: (fault) => {
				proxyPool.report(order, { address: proxy.address, fault, site, login });
				// It serves another page with the login that is fetched now
				if (fault === 'loginRefused') this.countPage(pooled, -1);
				else this.failed += 1;
			},
			markGood: () => {
				pooled.markGood();
				this.opened += 1;
				this.extractAhead();
			},
			markUnused: () => this.countPage(pooled, -1),
			release: () => {
				const ms = performance.now() - leasedAt;
				this.leaseMs = (this.leaseMs ?? ms) * (1 - LATEST_WEIGHT) + ms * LATEST_WEIGHT;
				this.giveBack(pooled);
			},
		};
	}

	private giveBack(proxy: PooledProxy): void {
		this.inUse.delete(proxy);
		// Nobody else may have it then, and looking at all of them again and again takes long
		const isOver = this.settings.request.reuse === undefined && this.isUsedUp(proxy);
		this.partition.giveBack(proxy, isOver);
	}

	private isUsedUp(proxy: PooledProxy): boolean {
		const { pagesPerProxy, request } = this.settings;
		// Of those that cost nothing, all are used in turn
		return request.usesQuota && pagesPerProxy > 0 && this.pagesOf(proxy) >= pagesPerProxy;
	}

	/** Whether this run may take a proxy of the partition for another page, of whatever site. */
	private mayTake(proxy: PooledProxy): boolean {
		const isOfRun = this.extracted.has(proxy) || proxy.isReusableFor(this.settings.request);
		return isOfRun && !this.isUsedUp(proxy);
	}

	private async acquire({ site, signal }: LeaseRequest): Promise<PooledProxy> {
		const { request } = this.settings;
		// A whole list has no others: another page of the site may be open to them
		const page: WaitingPage = {
			fits: (proxy) =>
				this.mayTake(proxy) && (request.isWholeList === true || !proxy.isBlockedFor(site)),
		};
		this.waiting.add(page);
		const mayExtract = () => page.failure === undefined && this.refusal === undefined;
		let acquired: PooledProxy | undefined;
		const wanted: Acquisition = {
			count: 1,
			use: 'exclusive',
			isWholeList: request.isWholeList,
			fits: page.fits,
			onHandOut: ([proxy]) => {
				acquired = proxy;
				this.waiting.delete(page);
			},
			extractMissing: async () => {
				if (mayExtract()) await this.extractForPages();
				return mayExtract();
			},
		};
		await this.partition.acquire(wanted, signal).finally(() => this.waiting.delete(page));
		if (acquired === undefined) throw page.failure ?? this.refusal ?? nothingToLease(request);
		this.inUse.add(acquired);
		return acquired;
	}

	private countExpired(): void {
		for (const proxy of this.living) {
			// Those that came later hardly end sooner
			if (!proxy.isExpired) break;
			this.living.delete(proxy);
			if (!proxy.wasHandedOut) this.expired += 1;
		}
	}

	/** The number of proxies that are missing for the pages that come next. */
	private missingAhead(): number {
		const { pagesPerProxy } = this.settings;
		const { opened, failed, leaseMs, inUse, waiting } = this;
		// After an extraction in vain, somebody has to wait for the next one
		if (pagesPerProxy === 0 || this.inVain > 0) return 0;
		const atWork = inUse.size + waiting.size;
		const untilNextMs = this.nextCallMs + this.callMs;
		this.countExpired();
		const { expired } = this;
		const progress: RunProgress = { atWork, opened, failed, expired, leaseMs, untilNextMs };
		const ahead = pagesAhead(progress);
		let held = 0;
		for (const proxy of inUse) held += pagesPerProxy - this.pagesOf(proxy);
		const missingFor = (pages: number) => {
			const needed = Math.max(0, Math.ceil((pages - held) / pagesPerProxy));
			return needed - this.partition.find(needed, (proxy) => this.mayTake(proxy)).length;
		};
		// Counting all pages that come takes longest
		if (missingFor(ahead) <= 0) return 0;
		const upcoming = this.upcoming();
		return missingFor(Math.min(ahead, upcoming + spareProxies(progress, upcoming)));
	}

	private numberToExtract(): number {
		const { isWholeList, total, usesQuota } = this.settings.request;
		const waiting = [...this.waiting].filter(({ failure }) => failure === undefined).length;
		if (usesQuota) return waiting + this.missingAhead();
		if (isWholeList === true) return total;
		return Math.max(waiting, UNCOUNTED_AT_ONCE);
	}

	private extractAhead(): void {
		const { usesQuota } = this.settings.request;
		// Pages that wait see to it themselves, and an extraction counts once more before it leaves
		const isSeenTo = this.waiting.size > 0 || this.partition.isExtracting;
		if (!usesQuota || isSeenTo || this.refusal !== undefined) return;
		if (this.missingAhead() > 0)
			void this.partition.extract(async () => await this.extractForPages());
	}

	/** Lets pages that ask at the same time share a call, and the first pages of a run also where they come one by one. */
	private async untilOthersWait(): Promise<void> {
		if (this.extracted.size > 0 || this.inVain > 0) return await sleep(0);
		for (
			let round = 0, before = 0;
			round < FIRST_ROUNDS && before < this.waiting.size;
			round += 1
		) {
			before = this.waiting.size;
			await sleep(FIRST_PAGES_MS);
		}
	}

	/** Extracts what waiting pages need, and what is to be ready for the next ones. Never rejects. */
	private async extractForPages(): Promise<void> {
		await this.untilOthersWait();
		const { providers, settings } = this;
		const { endpoint, intervalMs } = settings.request;
		// How many proxies a call asks for is decided when it may leave, not when it gets in line: half a second
		// later, many more pages may need one. A service in trouble gets the time to recover
		try {
			await waitUntil(this.pausedUntil, providers.ended);
			this.nextCallMs = await settings.item.untilCallable(endpoint, intervalMs, providers.ended);
		} catch {
			// The call itself says what is wrong
		}
		const count = this.numberToExtract();
		if (count > 0) await this.extract(count);
	}

	private async extract(count: number): Promise<void> {
		const { providers, settings } = this;
		const { item, request } = settings;
		const { usesQuota, isWholeList, maxExtractions } = request;
		// What comes is for them first
		const waiting = [...this.waiting];
		// The limit's own error where nothing is left of it
		const total = providers.extractor.quota.allowed(count, maxExtractions) || count;
		this.inVain += 1;
		const startedAt = performance.now();
		const onProxies = (came: readonly ExtractedProxy[]) => this.add(came);
		const { proxies, left, endedBy } = await providers.extractor
			.extract({ ...request, total }, item, { onProxies, wantedUntil: providers.ended })
			.catch((error: unknown) => ({ proxies: [], left: undefined, endedBy: asError(error) }));
		const endedAt = performance.now();
		this.callMs = endedAt - startedAt;
		providers.left = leftInWords(left) ?? providers.left;
		let failure = typeof endedBy === 'object' ? endedBy : undefined;
		if (proxies.length === 0) failure ??= nothingToLease(request);
		const state = failure instanceof CallError ? deliveryStateOf(failure) : 'refused';
		const pauseMs = state === 'unclear' ? FIRST_PAUSE_MS * 2 ** (this.inVain - 1) : 0;
		this.pausedUntil = endedAt + pauseMs;
		if (state === 'refused') this.refusal = failure;
		if (this.inVain >= MOST_IN_VAIN) {
			failure ??= nothingToLease(request, true);
			if (usesQuota) this.refusal ??= failure;
			else this.inVain = 0;
		}
		// One look shows all that there are
		if (isWholeList === true) failure ??= nothingToLease(request);
		for (const page of waiting)
			if (isWholeList !== true || !this.partition.mayGetBack(page.fits)) page.failure ??= failure;
	}

	private add(proxies: readonly ExtractedProxy[]): void {
		const { usesQuota, isWholeList } = this.settings.request;
		const isReady = (proxy: PooledProxy) => this.partition.has(proxy) && proxy.isUsable;
		const known = proxies
			.map(({ address }) => proxyPool.proxy(this.order, address))
			.filter(isReady);
		const pooled = proxyPool.add(this.order, proxies, isWholeList);
		for (const proxy of pooled) {
			this.extracted.add(proxy);
			this.living.add(proxy);
		}
		if (usesQuota) this.counted += pooled.length;
		const isUseful = (proxy: PooledProxy) =>
			!known.includes(proxy) && proxy.isUsable && this.mayTake(proxy);
		if (pooled.some(isUseful)) this.inVain = 0;
		this.partition.add(pooled);
	}

	addTo(counts: ProxyCounts): void {
		const { counted, extracted, pages } = this;
		const { usesQuota, reuse } = this.settings.request;
		const isKept = (proxy: PooledProxy) => reuse !== undefined && proxy.livesFor(0);
		counts.extracted += usesQuota ? counted : extracted.size;
		counts.counted += counted;
		for (const proxy of extracted)
			if (usesQuota && !pages.has(proxy) && !isKept(proxy)) counts.unused += 1;
		for (const proxy of pages.keys()) if (!extracted.has(proxy)) counts.reused += 1;
	}

	private countPage(proxy: PooledProxy, count: number): void {
		this.pages.set(proxy, this.pagesOf(proxy) + count);
	}

	private pagesOf(proxy: PooledProxy): number {
		return this.pages.get(proxy) ?? 0;
	}
}

/** The providers of one run: one for all items with the same order and settings. */
export class ProxyProviders {
	readonly extractor: ProxyExtractor;

	/** How many the order has left, as the service said last, in words. */
	left?: string;

	private readonly providers = new Map<string, ProxyProvider>();

	/** Errors by order: each of its pages would try again for as long as a call may take. */
	private readonly loginFailures = new Map<string, unknown>();

	/** @param ended aborts when the run ends before its pages, so that nobody needs what would come */
	constructor(
		context: IExecuteFunctions,
		readonly ended: AbortSignal,
	) {
		this.extractor = new ProxyExtractor(context);
	}

	/** @throws what getting the key pair of the order throws */
	async providerFor(settings: ProviderSettings): Promise<ProxyProvider> {
		const { item, request, pagesPerProxy } = settings;
		const order = await item.orderKey();
		const id = fingerprintOf(order, settingsOf(request), pagesPerProxy);
		const isTunnel = request.sessionSeconds !== undefined;
		const provider =
			this.providers.get(id) ??
			(isTunnel ? tunnelProvider(this, order, settings) : new ListProvider(this, order, settings));
		this.providers.set(id, provider);
		return provider;
	}

	/**
	 * The login of an order. Once it could not be fetched, all further pages of the order fail at once.
	 *
	 * @throws what `callService` throws
	 */
	async loginOf(order: string, item: Item): Promise<ProxyLogin> {
		if (this.loginFailures.has(order)) throw this.loginFailures.get(order);
		return await orderLogin(item).catch((error: unknown): never => {
			if (!(error instanceof CancelledError)) this.loginFailures.set(order, error);
			throw error;
		});
	}

	get counts(): ProxyCounts {
		const counts = { extracted: 0, counted: 0, unused: 0, reused: 0, left: this.left };
		for (const provider of this.providers.values()) provider.addTo?.(counts);
		return counts;
	}
}
