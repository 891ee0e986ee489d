import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { throwIfCancelled, untilCancelled, wait } from '../../shared/concurrency/wait';
import { CallError, DescribedError } from '../../shared/errors/callErrors';
import { fingerprintOf } from '../../shared/fingerprint';
import type { ProxyLogin } from '../../shared/queries/order';
import { deliveryStateOf } from '../../shared/transport/retryPolicy';
import type { Item } from '../operation';
import type { ExtractedProxy } from './entries';
import {
	composeLogin,
	forgetProxyLogin,
	orderLogin,
	ownLogin,
	randomSessionStart,
	sessionOf,
} from './logins';
import type { ProxyRequest } from './productFields';
import type { ProxyFault } from './proxyStatuses';
import {
	anyVisitor,
	SharedExtraction,
	stock,
	type Shelf,
	type StockedProxy,
	type StockKey,
} from './stock';
import { ProxySupply, stockKeyOf } from './supply';

/* How pages get proxies: one each, for as long as they need it. */

/** What a request through a proxy has to know. */
export interface LeasedProxy {
	/** `host:port`, an IPv6 host in brackets. May be shown: it never has a login. */
	readonly address: string;
	/** Without the brackets of an IPv6 address. */
	readonly host: string;
	readonly port: number;
	/** How the proxy is spoken to, for pages over https as well. */
	readonly scheme: 'http' | 'socks5';
	/** Plain, with its session and place; undefined where the proxy needs none. */
	readonly login?: ProxyLogin;
	/** At the moment of the lease; undefined where it is unknown or the proxy stays. */
	readonly secondsLeft?: number;
	/**
	 * A random whole number that is the same for everybody who uses this proxy as long as it lives; of a tunnel, for
	 * this lease. By it is chosen which browser they all look like.
	 */
	readonly visitor: number;
}

/** A proxy that nobody else uses until it is released; of a tunnel, a session that nobody else has. */
export interface ProxyLease {
	readonly proxy: LeasedProxy;
	/** For each fault, before the release. */
	report(fault: ProxyFault): void;
	/** A page was opened through it. */
	succeeded(): void;
	/** The page has not seen the proxy, which may serve another one in its place. Before the release. */
	unused(): void;
	/** Needed in any case. Later calls do nothing. */
	release(): void;
}

export interface LeaseRequest {
	/** The host of the page, such as `example.com`. */
	readonly site: string;
	/** How many other leases of this source are still to be asked for: so many proxies may be extracted ahead. */
	readonly upcoming: number;
	/** Aborts when the execution is cancelled. */
	readonly signal: AbortSignal | undefined;
}

/** Proxies of one order with the same settings, for one run. */
export interface ProxySource {
	/**
	 * A proxy that is not in use, the least recently used first; a new one if there is none.
	 *
	 * @throws InvalidFieldError when the limit of the execution is reached, DescribedError when none came, and what
	 * `callService` throws
	 */
	lease(request: LeaseRequest): Promise<ProxyLease>;
}

/** For the hint at the end of a run. */
export interface SupplyCounts {
	/** Proxies that were extracted in this run. */
	readonly extracted: number;
	/** Those of them that no page has had, where they are not kept for other runs. */
	readonly unused: number;
	/** Proxies of earlier runs that were handed out again. */
	readonly reused: number;
	/** How many the order has left, as the service said last; undefined where it said nothing. */
	readonly left?: number;
}

/** What the sources of a run share. */
class LeasingRun {
	readonly supply: ProxySupply;

	extracted = 0;

	readonly reused = new Set<StockedProxy>();

	/** Those that no page has had, and no later run will have. */
	readonly unused = new Set<StockedProxy>();

	left?: number;

	constructor(
		context: IExecuteFunctions,
		readonly ended: AbortSignal,
	) {
		this.supply = new ProxySupply(context);
	}
}

interface SourceSettings {
	readonly request: ProxyRequest;
	/** Any of those that the source is for. */
	readonly item: Item;
	readonly key: StockKey;
	/** How many leases a proxy may have in this run; 0 sets no limit. */
	readonly pagesPerProxy: number;
	/** How long the order's tunnel keeps an IP, 0 for a new one with each request; undefined where it is unknown. */
	readonly secondsPerIp?: number;
}

/** The sources of one run: one for all items with the same order and settings. */
export class ProxySources {
	private readonly run: LeasingRun;

	private readonly sources = new Map<string, ProxySource>();

	/** @param ended aborts when the run ends before its pages, so that nobody needs what would come */
	constructor(context: IExecuteFunctions, ended: AbortSignal) {
		this.run = new LeasingRun(context, ended);
	}

	get counts(): SupplyCounts {
		const { extracted, unused, reused, left } = this.run;
		return { extracted, unused: unused.size, reused: reused.size, left };
	}

	/** @throws what getting the key pair of the order throws */
	async sourceFor(
		item: Item,
		request: ProxyRequest,
		pagesPerProxy: number,
		secondsPerIp?: number,
	): Promise<ProxySource> {
		const key = await stockKeyOf(request, item);
		const { reuse, loginSettings, scheme, extras, maxExtractions } = request;
		const ofRun = [extras, request.waitForCallers, request.waitForNewOrder, maxExtractions];
		const id = fingerprintOf(key, reuse, loginSettings, scheme, ofRun, pagesPerProxy);
		const settings = { request, item, key, pagesPerProxy, secondsPerIp };
		const source =
			this.sources.get(id) ??
			(request.isShared === true
				? new TunnelSource(this.run, settings)
				: new ListSource(this.run, settings));
		this.sources.set(id, source);
		return source;
	}
}

function leasedProxy(
	{ address, host, port, secondsLeft }: ExtractedProxy,
	{ scheme = 'http' }: ProxyRequest,
	login: ProxyLogin | undefined,
	visitor: number,
): LeasedProxy {
	return { address, host, port, scheme, login, secondsLeft, visitor };
}

/** @param didCome whether proxies came, and none of them was one for the page */
function nothingToLease(
	{ isWholeList, hasFilters = true, repeatsBecause }: ProxyRequest,
	didCome = false,
): Error {
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
class TunnelSource implements ProxySource {
	private readonly sessionStart = randomSessionStart();

	private sessions = 0;

	private address?: Promise<ExtractedProxy>;

	constructor(
		private readonly run: LeasingRun,
		private readonly settings: SourceSettings,
	) {}

	async lease({ signal }: LeaseRequest): Promise<ProxyLease> {
		throwIfCancelled(signal);
		const { item, key, request, secondsPerIp } = this.settings;
		const plain = await untilCancelled(orderLogin(item), signal);
		const address = (this.address ??= this.extract());
		const forget = () => {
			if (this.address === address) this.address = undefined;
		};
		address.catch(forget);
		const proxy = await untilCancelled(address, signal);
		const { loginSettings = {}, loginSettingsFor } = request;
		const session = sessionOf(this.sessionStart, (this.sessions += 1));
		const login = composeLogin(plain, loginSettingsFor?.(session) ?? loginSettings);
		const secondsLeft = request.sessionSeconds?.(secondsPerIp);
		return {
			proxy: leasedProxy({ ...proxy, secondsLeft }, request, login, anyVisitor()),
			report(fault) {
				if (fault === 'failed') forget();
				if (fault === 'loginRefused') forgetProxyLogin(key.order, plain);
			},
			succeeded() {},
			unused() {},
			release() {},
		};
	}

	private async extract(): Promise<ExtractedProxy> {
		const { request, item } = this.settings;
		const { proxies, endedBy } = await this.run.supply.extract(request, item);
		if (proxies.length > 0) return proxies[0];
		throw typeof endedBy === 'object' ? endedBy : nothingToLease(request);
	}
}

/** Somebody who waits for a proxy. */
interface Applicant {
	/** Why there is no other extraction for it: only a proxy that is in use may serve it. */
	failure?: Error;
}

/** After so many extractions in a row that used something up and brought nothing, a run extracts no more. */
const MOST_IN_VAIN = 5;

/** After an extraction whose answer got lost; twice as long after each further one in a row. */
const FIRST_PAUSE_MS = 500;

/** What is extracted at once of proxies that are not counted. */
const UNCOUNTED_AT_ONCE = 100;

/** Proxies are extracted ahead only as long as fewer than so many have failed since one worked. */
const MANY_FAILURES = 5;

/** So many are extracted ahead at most for each at work. */
const MOST_ROUNDS = 4;

/** So many more are taken to have worked: the first few say little. */
const ASSUMED_WORKING = 20;

/**
 * Proxies of a list. They are extracted when somebody waits for one, and ahead for those who come next: the service
 * takes only so many calls a second.
 */
class ListSource implements ProxySource {
	private readonly request: ProxyRequest;

	/** Where others find what this run has extracted, and this run what they have; undefined without reuse. */
	private readonly shelf?: Shelf;

	/** Up to where this run knows what lies there. */
	private ticket = 0;

	/** Those that this run may take, the least recently used first. */
	private readonly ready = new Set<StockedProxy>();

	/** Sites for which there is none among them. */
	private readonly nothingFor = new Set<string>();

	private readonly inUse = new Set<StockedProxy>();

	/** Those that were extracted for this run. */
	private readonly own = new Set<StockedProxy>();

	private readonly pages = new Map<StockedProxy, number>();

	private readonly applicants = new Set<Applicant>();

	private readonly extraction = new SharedExtraction();

	/** How many extractions in a row have brought nothing. */
	private inVain = 0;

	/** Before the next one. */
	private pauseMs = 0;

	/** Why no more will come in this run. */
	private refusal?: Error;

	private upcoming = 0;

	/** How many are extracted ahead for each at work: more where the service takes few calls. */
	private rounds = 2;

	/** Whether the last extraction was for more than those who waited. */
	private isAhead = false;

	private worked = 0;

	private failed = 0;

	/** Until one has worked, nobody knows whether any will. */
	private failedInARow = MANY_FAILURES;

	constructor(
		private readonly run: LeasingRun,
		private readonly settings: SourceSettings,
	) {
		this.request = settings.request;
		if (this.request.reuse !== undefined) this.shelf = stock.shelf(settings.key);
	}

	async lease({ site, upcoming, signal }: LeaseRequest): Promise<ProxyLease> {
		throwIfCancelled(signal);
		const { request } = this;
		const { item } = this.settings;
		// Before anything is extracted, so that nothing is used up where it cannot be fetched
		const ofOrder =
			request.login === 'order' ? await untilCancelled(orderLogin(item), signal) : undefined;
		this.upcoming = upcoming;
		const entry = this.take(site) ?? (await this.wait(site, signal));
		const proxy = entry.aged;
		const own = ownLogin(proxy);
		// Retail orders have a login for each proxy, others one for all
		const isLacking = own === undefined && request.login === 'entries';
		const login = isLacking
			? await orderLogin(item).catch((error: unknown): never => {
					this.giveBack(entry);
					throw error;
				})
			: (ofOrder ?? own);
		this.countPage(entry, 1);
		this.extractAhead();
		const composed = login && composeLogin(login, request.loginSettings ?? {});
		let isReleased = false;
		return {
			proxy: leasedProxy(proxy, request, composed, entry.visitor),
			report: (fault) => this.learn(entry, fault, site, login),
			succeeded: () => {
				this.worked += 1;
				this.failedInARow = 0;
				this.extractAhead();
			},
			unused: () => this.countPage(entry, -1),
			release: () => {
				if (isReleased) return;
				isReleased = true;
				this.giveBack(entry);
			},
		};
	}

	private learn(
		entry: StockedProxy,
		fault: ProxyFault,
		site: string,
		login: ProxyLogin | undefined,
	): void {
		stock.learn(this.settings.key.order, { address: entry.address, fault, site, login });
		if (fault === 'blocked') return;
		this.failedInARow += 1;
		if (fault === 'failed') this.failed += 1;
		// It serves another page with the login that is fetched now
		else this.countPage(entry, -1);
	}

	private giveBack(entry: StockedProxy): void {
		this.inUse.delete(entry);
		if (this.shelf?.isInUse(entry) === true) this.shelf.giveBack(entry);
		else if (this.mayServe(entry)) this.ready.add(entry);
		this.changed();
	}

	private changed(): void {
		this.nothingFor.clear();
		this.extraction.announce();
	}

	/** Whether it is one for this run, as far as that does not change. */
	private mayServe(entry: StockedProxy): boolean {
		const { pagesPerProxy } = this.settings;
		const { usesQuota, extras } = this.request;
		// Of those that cost nothing, all are used in turn
		const isUsedUp = usesQuota && pagesPerProxy > 0 && this.pagesOf(entry) >= pagesPerProxy;
		return !isUsedUp && entry.has(extras);
	}

	private lookAtShelf(): void {
		if (this.shelf === undefined || this.ticket === this.shelf.lastTicket) return;
		for (const entry of this.shelf.since(this.ticket)) {
			// At the end, where it is a later one
			this.ready.delete(entry);
			if (this.mayServe(entry)) this.ready.add(entry);
		}
		this.ticket = this.shelf.lastTicket;
		this.nothingFor.clear();
	}

	/** The least recently used proxy that may serve a page of a site; undefined if there is none. */
	private take(site: string): StockedProxy | undefined {
		this.lookAtShelf();
		if (this.nothingFor.has(site)) return undefined;
		let found: StockedProxy | undefined;
		for (const entry of this.ready) {
			if (!this.isStillReady(entry)) this.ready.delete(entry);
			else if (entry.isUsableFor(site)) found = entry;
			if (found !== undefined) break;
		}
		found ??= this.anyOfList(site);
		if (found === undefined) {
			this.nothingFor.add(site);
			return undefined;
		}
		this.ready.delete(found);
		if (this.shelf?.isFree(found) === true) this.shelf.take(found);
		this.inUse.add(found);
		return found;
	}

	/** Others may have taken it, or it has come to its end. */
	private isStillReady(entry: StockedProxy): boolean {
		const { minimumSecondsLeft = 0 } = this.request.reuse ?? {};
		const livesLongEnough = this.own.has(entry) || entry.secondsLeft >= minimumSecondsLeft;
		return this.shelf?.isInUse(entry) !== true && entry.isUsable && livesLongEnough;
	}

	/** There are no others than those of the list: one that the site has blocked, when it has blocked all. */
	private anyOfList(site: string): StockedProxy | undefined {
		if (this.request.isWholeList !== true) return undefined;
		const [first] = this.ready;
		const mayComeBack = [...this.inUse].some((entry) => entry.isUsableFor(site));
		return mayComeBack ? undefined : first;
	}

	private async wait(site: string, signal: AbortSignal | undefined): Promise<StockedProxy> {
		const applicant: Applicant = {};
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
		return this.inUse.size > 0 && (this.settings.pagesPerProxy !== 1 || !this.request.usesQuota);
	}

	private extractAhead(): void {
		if (this.missingAhead() > 0) this.extract();
	}

	/**
	 * How many should be there for the pages that come next. Some of all those proxies will fail, like the ones before
	 * them; near the end of a run, nobody has to wait for another one then.
	 */
	private missingAhead(): number {
		const { pagesPerProxy } = this.settings;
		// After an extraction in vain, somebody has to wait for the next one
		const isUnwise = this.inVain > 0 || this.failedInARow >= MANY_FAILURES;
		if (!this.request.usesQuota || pagesPerProxy === 0 || isUnwise) return 0;
		const atWork = this.inUse.size + this.applicants.size;
		const share = this.failed / (this.failed + this.worked + ASSUMED_WORKING);
		const left = [...this.inUse].map((entry) => pagesPerProxy - this.pagesOf(entry));
		const pages =
			Math.min(this.upcoming, this.rounds * atWork) - left.reduce((sum, count) => sum + count, 0);
		const proxies = Math.max(0, Math.ceil(pages / pagesPerProxy)) + share * atWork;
		this.lookAtShelf();
		return Math.round(proxies / (1 - share)) - this.ready.size;
	}

	private numberToExtract(): number {
		const { isWholeList, total, usesQuota } = this.request;
		if (isWholeList === true) return this.mayBeReleased ? 0 : total;
		const waiting = [...this.applicants].filter(({ failure }) => failure === undefined).length;
		if (!usesQuota) return waiting === 0 ? 0 : Math.max(waiting, UNCOUNTED_AT_ONCE);
		return waiting + Math.max(0, this.missingAhead());
	}

	private extract(): void {
		const isPossible = !this.extraction.isUnderWay && this.refusal === undefined;
		if (!isPossible || this.numberToExtract() <= 0) return;
		const started = this.extraction.start(async () => {
			// Those who ask at the same time share a call
			await sleep(0);
			// A service in trouble gets the time to recover
			await wait(this.pauseMs, this.run.ended).catch(() => {});
			const count = this.numberToExtract();
			if (count > 0) await this.extractFor(count, [...this.applicants]);
		});
		void started.then(() => this.extractAhead());
	}

	/** @param waiting what comes of it is for them first */
	private async extractFor(count: number, waiting: readonly Applicant[]): Promise<void> {
		// Those that were extracted ahead the last time were too few
		if (this.isAhead && waiting.length > 0) this.rounds = Math.min(MOST_ROUNDS, this.rounds + 1);
		this.isAhead = this.missingAhead() > 0;
		this.inVain += 1;
		let failure = await this.extractSome(count).catch((error: unknown) =>
			error instanceof Error ? error : new Error(String(error)),
		);
		const state = failure instanceof CallError ? deliveryStateOf(failure) : 'refused';
		this.pauseMs = state === 'unclear' ? FIRST_PAUSE_MS * 2 ** (this.inVain - 1) : 0;
		if (state === 'refused') this.refusal = failure;
		if (this.inVain >= MOST_IN_VAIN) {
			failure ??= nothingToLease(this.request, true);
			if (this.request.usesQuota) this.refusal ??= failure;
			else this.inVain = 0;
		}
		for (const applicant of waiting) applicant.failure ??= failure;
	}

	/** @returns why fewer came than were wanted */
	private async extractSome(count: number): Promise<Error | undefined> {
		const { request, run } = this;
		const { supply, ended } = run;
		const allowed = request.usesQuota ? supply.quota.allowed(count, request.maxExtractions) : count;
		// The limit's own error where nothing is left of it
		const some = { ...request, total: allowed === 0 ? count : allowed };
		const onProxies = (proxies: readonly ExtractedProxy[]) => this.add(proxies);
		const watch = { onProxies, wantedUntil: ended };
		const { proxies, left, endedBy } = await supply.extract(some, this.settings.item, watch);
		for (const number of Object.values(left ?? {})) run.left = number;
		if (typeof endedBy === 'object') return endedBy;
		return proxies.length === 0 ? nothingToLease(request) : undefined;
	}

	/** Keeps what was extracted. */
	private add(proxies: readonly ExtractedProxy[]): void {
		const { run, shelf } = this;
		const { usesQuota, isWholeList, extras } = this.request;
		this.lookAtShelf();
		for (const entry of stock.enter(this.settings.key.order, proxies, extras, isWholeList)) {
			// What uses something up is counted each time it comes
			if (usesQuota || !this.own.has(entry)) run.extracted += 1;
			this.own.add(entry);
			if (this.inUse.has(entry)) continue;
			if (shelf !== undefined && entry.secondsLeft < Infinity) shelf.put(entry);
			else if (usesQuota && !this.pages.has(entry)) run.unused.add(entry);
			const isTaken = this.ready.has(entry) || shelf?.isInUse(entry) === true;
			if (isTaken || !entry.isUsable || !this.mayServe(entry)) continue;
			this.ready.add(entry);
			this.inVain = 0;
		}
		this.changed();
	}

	private countPage(entry: StockedProxy, count: number): void {
		this.pages.set(entry, this.pagesOf(entry) + count);
		this.run.unused.delete(entry);
		if (this.request.reuse !== undefined && !this.own.has(entry)) this.run.reused.add(entry);
	}

	private pagesOf(entry: StockedProxy): number {
		return this.pages.get(entry) ?? 0;
	}
}
