import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { throwIfCancelled, untilCancelled, waitUntil } from '../../shared/concurrency/wait';
import { asError, CallError, DescribedError } from '../../shared/errors/callErrors';
import { fingerprintOf } from '../../shared/fingerprint';
import { deliveryStateOf } from '../../shared/transport/retryPolicy';
import type { Item } from '../operation';
import type { ExtractedProxy } from './entries';
import type { LeaseRequest, ProxyLease, ProxyProvider, ProxyCounts } from './lease';
import { forgetProxyLogin, orderLogin, ownLogin, sessionsOfRun } from './logins';
import { settingsOf, type ProxyRequest } from './productFields';
import {
	randomIdentitySeed,
	SharedExtraction,
	PoolPartition,
	proxyPool,
	type PooledProxy,
} from './proxyPool';
import { ProxyExtractor, partitionOf } from './proxyExtractor';

interface SourceSettings {
	readonly sources: ProxyProviders;
	readonly request: ProxyRequest;
	/** Any of those that the source is for. */
	readonly item: Item;
	/** Tells orders apart. */
	readonly order: string;
	/** How many leases a proxy may have in this run; 0 sets no limit. */
	readonly pagesPerProxy: number;
	/** How long the order keeps an IP, 0 for a new one with each request; undefined where it is unknown. */
	readonly secondsPerIp?: number;
}

/** @param didCome whether proxies came, and none of them was one for the page */
function nothingToLease(request: ProxyRequest, didCome = false): Error {
	const { isWholeList, hasFilters, repeatsBecause } = request;
	const advice = hasFilters
		? "Relax or remove some of the 'Filters', or try again in a few minutes."
		: 'Try again in a few minutes, or change the fields.';
	const cameInVain = 'Those that came had failed before, or the site has blocked them.';
	const ofList = 'The order has no proxy that is free and that the site has not blocked.';
	const ofOthers = didCome ? `${cameInVain} ${repeatsBecause ?? advice}` : advice;
	return new DescribedError({
		message: 'No proxy is available for this page',
		description: isWholeList === true ? ofList : ofOthers,
	});
}

/** One address for all; each lease has a session of its own where the product knows sessions. */
function tunnelSource(settings: SourceSettings): ProxyProvider {
	const { sources, item, order, request, secondsPerIp } = settings;
	const { toLogin, scheme } = request;
	const secondsLeft = request.sessionSeconds?.(secondsPerIp);
	const sessionOf = sessionsOfRun();
	let sessions = 0;
	let known: Promise<ExtractedProxy> | undefined;
	const extract = async (): Promise<ExtractedProxy> => {
		const { proxies } = await sources.supply.extract(request, item);
		if (proxies.length === 0) throw nothingToLease(request);
		return proxies[0];
	};
	const lease = async ({ signal }: LeaseRequest): Promise<ProxyLease> => {
		throwIfCancelled(signal);
		const plain = await untilCancelled(orderLogin(item), signal);
		const address = (known ??= extract());
		const forget = () => {
			if (known === address) known = undefined;
		};
		address.catch(forget);
		const proxy = await untilCancelled(address, signal);
		const login = toLogin?.(plain, sessionOf((sessions += 1))) ?? plain;
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

/** After an extraction whose answer got lost; twice as long after each further one in a row. */
const FIRST_PAUSE_MS = 500;

/** What is extracted at once of proxies that are not counted. */
const UNCOUNTED_AT_ONCE = 100;

/** So many are extracted ahead at most for each that is in use or waited for: the service takes few calls a second. */
const MOST_AHEAD = 4;

/** The same for each page that was opened already: a site may block all that come next. */
const MOST_AHEAD_FOR_EACH_OPENED = 8;

/** So many more are taken to have worked: the first few say little. */
const ASSUMED_WORKING = 20;

/**
 * Proxies of a list. They are extracted when somebody waits for one, and ahead for those who come next: the service
 * takes only so many calls a second.
 */
class ListProvider implements ProxyProvider {
	/** With reuse, where others find what this run has extracted, and this run what they have. */
	private readonly shelf: PoolPartition;

	/** Those that this run may take, the least recently used first. */
	private readonly ready = new Set<PooledProxy>();

	/** Sites for which there is none among them. */
	private readonly nothingFor = new Set<string>();

	private readonly inUse = new Set<PooledProxy>();

	/** Those that were extracted for this run. */
	private readonly own = new Set<PooledProxy>();

	/** How many of them used something up: each time that one came. */
	private counted = 0;

	private readonly pages = new Map<PooledProxy, number>();

	/** Those who wait, and why there is no other extraction for them: only a proxy that is in use may serve them then. */
	private readonly applicants = new Set<{ failure?: Error }>();

	private readonly extraction = new SharedExtraction();

	/** How many extractions in a row have brought nothing. */
	private inVain = 0;

	/** When the next one may leave. */
	private nextAt = -Infinity;

	/** Why no more will come in this run. */
	private refusal?: Error;

	private upcoming = 0;

	/** How many pages were opened, and how many times a proxy was to blame that one was not. */
	private worked = 0;

	private failed = 0;

	constructor(private readonly settings: SourceSettings) {
		const { request, order } = settings;
		this.shelf = request.reuse === undefined ? new PoolPartition() : partitionOf(order, request);
	}

	async lease({ site, upcoming, signal }: LeaseRequest): Promise<ProxyLease> {
		throwIfCancelled(signal);
		const { request, item, order } = this.settings;
		// Before anything is extracted, so that nothing is used up where it cannot be fetched
		const ofOrder =
			request.login === 'order' ? await untilCancelled(orderLogin(item), signal) : undefined;
		this.upcoming = upcoming;
		const entry = this.take(site) ?? (await this.wait(site, signal));
		const proxy = entry.current;
		let login = ofOrder ?? ownLogin(proxy);
		if (login === undefined && request.login === 'entries') {
			login = await orderLogin(item).catch((error: unknown): never => {
				this.giveBack(entry);
				throw error;
			});
		}
		this.countPage(entry, 1);
		// Those who wait see to it themselves
		if (this.applicants.size === 0) this.extract();
		return {
			proxy: { ...proxy, scheme: request.scheme, login, identitySeed: entry.identitySeed },
			markBad: (fault) => {
				proxyPool.report(order, { address: proxy.address, fault, site, login });
				// It serves another page with the login that is fetched now
				if (fault === 'loginRefused') this.countPage(entry, -1);
				else this.failed += 1;
			},
			markGood: () => {
				this.worked += 1;
				this.extract();
			},
			markUnused: () => this.countPage(entry, -1),
			release: () => this.giveBack(entry),
		};
	}

	private giveBack(entry: PooledProxy): void {
		this.inUse.delete(entry);
		this.shelf.giveBack(entry);
		this.offer([entry]);
		this.changed();
	}

	private changed(): void {
		this.nothingFor.clear();
		this.extraction.announce();
	}

	/** @returns whether there are some among them that this run may take, and did not know of */
	private offer(entries: Iterable<PooledProxy>): boolean {
		const before = this.ready.size;
		for (const entry of entries) if (this.mayTake(entry)) this.ready.add(entry);
		return this.ready.size > before;
	}

	private mayTake(entry: PooledProxy): boolean {
		const { pagesPerProxy, request } = this.settings;
		// Of those that cost nothing, all are used in turn
		const isUsedUp = request.usesQuota && pagesPerProxy > 0 && this.pagesOf(entry) >= pagesPerProxy;
		const isFree = this.shelf.isFree(entry) && !isUsedUp;
		return isFree && (this.own.has(entry) || entry.fits(request));
	}

	/** The least recently used proxy that may serve a page of a site; undefined if there is none. */
	private take(site: string): PooledProxy | undefined {
		if (this.nothingFor.has(site)) return undefined;
		for (const entry of this.ready) {
			if (!this.mayTake(entry)) this.ready.delete(entry);
			else if (entry.isUsableFor(site)) return this.taken(entry);
		}
		const [first] = this.ready;
		// There are no others than those of the list: one that the site has blocked, when it has blocked all
		const mayComeBack = [...this.inUse].some((entry) => entry.isUsableFor(site));
		if (this.settings.request.isWholeList === true && first !== undefined && !mayComeBack)
			return this.taken(first);
		this.nothingFor.add(site);
		return undefined;
	}

	private taken(entry: PooledProxy): PooledProxy {
		this.ready.delete(entry);
		proxyPool.touch(entry);
		this.shelf.inUse.add(entry);
		this.inUse.add(entry);
		return entry;
	}

	private async wait(site: string, signal: AbortSignal | undefined): Promise<PooledProxy> {
		const applicant: { failure?: Error } = {};
		this.applicants.add(applicant);
		const pick = () => {
			const entry = this.take(site);
			const error = applicant.failure ?? this.refusal;
			if (entry === undefined && error !== undefined && !this.mayBeReleased) throw error;
			return entry;
		};
		return await this.extraction
			.wait(pick, () => this.extract(), signal)
			.finally(() => this.applicants.delete(applicant));
	}

	/** Whether a proxy that is in use may serve those who wait. */
	private get mayBeReleased(): boolean {
		const { pagesPerProxy, request } = this.settings;
		return this.inUse.size > 0 && (pagesPerProxy !== 1 || !request.usesQuota);
	}

	/**
	 * How many should be there for the pages that come next. Some of all those proxies will fail, like the ones before
	 * them; near the end of a run, nobody has to wait for another one then.
	 */
	private missingAhead(): number {
		const { worked, failed } = this;
		const { pagesPerProxy } = this.settings;
		// Until most work, nobody knows whether any will; after an extraction in vain, somebody has to wait for the next
		if (pagesPerProxy === 0 || worked <= failed || this.inVain > 0) return 0;
		const atWork = this.inUse.size + this.applicants.size;
		const share = failed / (failed + worked + ASSUMED_WORKING);
		let pages = Math.min(
			this.upcoming,
			MOST_AHEAD * atWork,
			MOST_AHEAD_FOR_EACH_OPENED * (worked - failed),
		);
		for (const entry of this.inUse) pages -= pagesPerProxy - this.pagesOf(entry);
		const proxies = Math.max(0, Math.ceil(pages / pagesPerProxy)) + share * atWork;
		return Math.round(proxies / (1 - share)) - this.ready.size;
	}

	private numberToExtract(): number {
		const { isWholeList, total, usesQuota } = this.settings.request;
		const waiting = [...this.applicants].filter(({ failure }) => failure === undefined).length;
		if (usesQuota) return waiting + Math.max(0, this.missingAhead());
		if (waiting === 0 || (isWholeList === true && this.mayBeReleased)) return 0;
		return isWholeList === true ? total : Math.max(waiting, UNCOUNTED_AT_ONCE);
	}

	/** Starts an extraction if one is needed, and others have brought nothing meanwhile. */
	private extract(): void {
		const isPossible = !this.extraction.isUnderWay && this.refusal === undefined;
		if (!isPossible || this.numberToExtract() <= 0) return;
		if (this.offer(this.shelf.entries)) return this.changed();
		const started = this.extraction.start(async () => {
			// Those who ask at the same time share a call
			await sleep(0);
			// How many proxies a call asks for is decided when it may leave, not when it gets in line: half a second
			// later, many more pages may need one. A service in trouble gets the time to recover
			await waitUntil(this.nextAt, this.settings.sources.ended).catch(() => {});
			const count = this.numberToExtract();
			if (count > 0) await this.extractNow(count);
		});
		void started.then(() => this.extract());
	}

	private async extractNow(count: number): Promise<void> {
		const { sources, item, request } = this.settings;
		const { usesQuota, maxExtractions, endpoint, intervalMs = endpoint.intervalMs } = request;
		// What comes of it is for them first
		const waiting = [...this.applicants];
		// The limit's own error where nothing is left of it
		const total = sources.supply.quota.allowed(count, maxExtractions) || count;
		this.inVain += 1;
		this.nextAt = performance.now() + intervalMs;
		const onProxies = (came: readonly ExtractedProxy[]) => this.add(came);
		const { proxies, left, endedBy } = await sources.supply
			.extract({ ...request, total }, item, { onProxies, wantedUntil: sources.ended })
			.catch((error: unknown) => ({ proxies: [], left: undefined, endedBy: asError(error) }));
		for (const number of Object.values(left ?? {})) sources.left = number;
		let failure = typeof endedBy === 'object' ? endedBy : undefined;
		if (proxies.length === 0) failure ??= nothingToLease(request);
		const state = failure instanceof CallError ? deliveryStateOf(failure) : 'refused';
		const pauseMs = state === 'unclear' ? FIRST_PAUSE_MS * 2 ** (this.inVain - 1) : 0;
		this.nextAt = Math.max(this.nextAt, performance.now() + pauseMs);
		if (state === 'refused') this.refusal = failure;
		if (this.inVain >= MOST_IN_VAIN) {
			failure ??= nothingToLease(request, true);
			if (usesQuota) this.refusal ??= failure;
			else this.inVain = 0;
		}
		for (const applicant of waiting) applicant.failure ??= failure;
	}

	private add(proxies: readonly ExtractedProxy[]): void {
		const { order, request } = this.settings;
		const { usesQuota, isWholeList } = request;
		const entries = proxyPool.add(order, proxies, isWholeList);
		for (const entry of entries) this.own.add(entry);
		if (usesQuota) this.counted += entries.length;
		this.shelf.put(entries);
		if (this.offer(entries)) this.inVain = 0;
		this.changed();
	}

	addTo(counts: ProxyCounts): void {
		const { counted, own, pages } = this;
		const { usesQuota, reuse } = this.settings.request;
		const isKept = (entry: PooledProxy) => reuse !== undefined && entry.livesFor(0);
		counts.extracted += usesQuota ? counted : own.size;
		counts.counted += counted;
		for (const entry of own)
			if (usesQuota && !pages.has(entry) && !isKept(entry)) counts.unused += 1;
		for (const entry of pages.keys()) if (!own.has(entry)) counts.reused += 1;
	}

	private countPage(entry: PooledProxy, count: number): void {
		this.pages.set(entry, this.pagesOf(entry) + count);
	}

	private pagesOf(entry: PooledProxy): number {
		return this.pages.get(entry) ?? 0;
	}
}

/** The sources of one run: one for all items with the same order and settings. */
export class ProxyProviders {
	readonly supply: ProxyExtractor;

	/** What the order has left, as the service said last. */
	left?: number;

	private readonly sources = new Map<string, ProxyProvider>();

	/** @param ended aborts when the run ends before its pages, so that nobody needs what would come */
	constructor(
		context: IExecuteFunctions,
		readonly ended: AbortSignal,
	) {
		this.supply = new ProxyExtractor(context);
	}

	/** @throws what getting the key pair of the order throws */
	async providerFor(wanted: Omit<SourceSettings, 'sources' | 'order'>): Promise<ProxyProvider> {
		const { item, request, pagesPerProxy } = wanted;
		const order = await item.orderKey();
		const id = fingerprintOf(order, settingsOf(request), pagesPerProxy);
		const settings = { ...wanted, sources: this, order };
		const isTunnel = request.sessionSeconds !== undefined;
		const source =
			this.sources.get(id) ?? (isTunnel ? tunnelSource(settings) : new ListProvider(settings));
		this.sources.set(id, source);
		return source;
	}

	get counts(): ProxyCounts {
		const counts = { extracted: 0, counted: 0, unused: 0, reused: 0, left: this.left };
		for (const source of this.sources.values()) source.addTo?.(counts);
		return counts;
	}
}
