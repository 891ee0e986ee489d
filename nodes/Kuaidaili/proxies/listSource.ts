import { sleep } from 'n8n-workflow';

import { CallError, CancelledError } from '../../shared/errors/callErrors';
import { deliveryStateOf } from '../../shared/transport/retryPolicy';
import type { ProxyLogin } from '../../shared/queries/proxyLogin';
import { throwIfCancelled, untilCancelled, wait } from '../../shared/concurrency/wait';
import type { ExtractedProxy } from './entries';
import {
	leasedProxy,
	nothingToLease,
	type LeaseRequest,
	type ProxyLease,
	type ProxySource,
} from './lease';
import { ListStock, type ListSettings } from './listStock';
import { composeLogin, ownLogin } from './logins';
import type { Held } from './pool';
import type { ProxyRequest } from './productFields';

interface Waiter {
	readonly site: string;
	readonly resolve: (held: Held<ExtractedProxy>) => void;
	readonly reject: (error: unknown) => void;
	/** After how many extractions there was none for anybody who waited. */
	inVain: number;
	/** Why there is no other extraction for it: only a proxy that is in use may serve it. */
	failure?: unknown;
}

/** Over how long the pace of the leases is measured. */
const PACE_MS = 2000;

/** For the answer of an extraction, and for those of its proxies that turn out to be dead. */
const ANSWER_MS = 1000;

/** After so many extractions without a proxy for it, a page gets none. */
const MOST_IN_VAIN = 3;

/** After so many extractions in a row whose proxies may be used up and never came, a run extracts no more. */
const MOST_LOST_IN_A_ROW = 5;

/** After the first of them; twice as long after each further one. */
const PAUSE_AFTER_LOST_MS = 500;

function isUnclear(failure: unknown): boolean {
	return failure instanceof CallError && deliveryStateOf(failure) === 'unclear';
}

/** What is extracted at once of proxies that are not counted. */
const UNCOUNTED_AT_ONCE = 100;

/**
 * Proxies of a list. They are extracted when somebody waits for one, and a little ahead, as far as the pace of the
 * leases needs it: the service takes only so many calls a second.
 */
export class ListSource implements ProxySource {
	private readonly stock: ListStock;

	private readonly waiters: Waiter[] = [];

	private isExtracting = false;

	private lostInARow = 0;

	/** Why no more will come in this run. */
	private refusal?: unknown;

	/** When the last leases were given, in milliseconds. */
	private leaseTimes: number[] = [];

	private upcoming = 0;

	constructor(private readonly settings: ListSettings) {
		this.stock = new ListStock(settings);
	}

	async lease({ site, upcoming, signal }: LeaseRequest): Promise<ProxyLease> {
		throwIfCancelled(signal);
		const { request, logins } = this.settings;
		const { extraction, wantsLogin } = request;
		// Before anything is extracted, so that nothing is used up where it cannot be fetched
		const ofOrder =
			wantsLogin && extraction.login === 'order'
				? await untilCancelled(logins.current(), signal)
				: undefined;
		throwIfCancelled(signal);
		this.upcoming = upcoming;
		const held = this.hold(site) ?? (await this.wait(site, signal));
		const { address } = held.proxy;
		const login = ofOrder ?? (await this.loginOf(held));
		this.stock.countPage(address);
		this.extractAhead();
		let isReleased = false;
		return {
			proxy: leasedProxy(
				held.proxy,
				extraction,
				login === undefined ? undefined : composeLogin(login, extraction.loginSettings ?? {}),
			),
			report: (fault) => this.stock.learn({ address, fault, site, login }),
			succeeded: () => this.stock.acceptLogin(login),
			unused: () => this.stock.discountPage(address),
			release: () => {
				if (isReleased) return;
				isReleased = true;
				this.letGo(held);
			},
		};
	}

	/** Retail orders have a login for each proxy. */
	private async loginOf(held: Held<ExtractedProxy>): Promise<ProxyLogin | undefined> {
		const { extraction, wantsLogin } = this.settings.request;
		const own = ownLogin(held.proxy);
		if (own !== undefined || !wantsLogin || extraction.login !== 'entries') return own;
		return await this.settings.logins.current().catch((error: unknown) => {
			this.letGo(held);
			throw error;
		});
	}

	private letGo(held: Held<ExtractedProxy>): void {
		this.stock.letGo(held);
		this.serve();
		if (this.waiters.length > 0) this.extract();
	}

	private hold(site: string): Held<ExtractedProxy> | undefined {
		const held = this.stock.hold(site);
		if (held !== undefined) this.leaseTimes.push(performance.now());
		return held;
	}

	private async wait(site: string, signal: AbortSignal | undefined): Promise<Held<ExtractedProxy>> {
		let onAbort = () => {};
		const served = new Promise<Held<ExtractedProxy>>((resolve, reject) => {
			const waiter: Waiter = { site, resolve, reject, inVain: 0 };
			onAbort = () => {
				this.drop(waiter);
				reject(new CancelledError());
			};
			signal?.addEventListener('abort', onAbort, { once: true });
			this.waiters.push(waiter);
		});
		this.extract();
		return await served.finally(() => signal?.removeEventListener('abort', onAbort));
	}

	private drop(waiter: Waiter): void {
		const at = this.waiters.indexOf(waiter);
		if (at !== -1) this.waiters.splice(at, 1);
	}

	/** Gives those who wait what there is, in their order. */
	private serve(): void {
		for (const waiter of [...this.waiters]) {
			const held = this.hold(waiter.site);
			if (held === undefined) continue;
			this.drop(waiter);
			waiter.resolve(held);
		}
	}

	/** Ends the waiting of those for whom nothing can come any more. */
	private rejectHopeless(): void {
		if (this.stock.mayBeReleased) return;
		for (const waiter of [...this.waiters]) {
			const error = waiter.failure ?? this.refusal;
			if (error === undefined) continue;
			this.drop(waiter);
			waiter.reject(error);
		}
	}

	private extractAhead(): void {
		const { request, logins } = this.settings;
		const isWise = request.extraction.usesQuota && !logins.isInDoubt;
		if (isWise && this.refusal === undefined && this.missingAhead() > 0) this.extract();
	}

	/** How many will be needed until the next extraction can have come, as far as it is known. */
	private missingAhead(): number {
		const { pagesPerProxy, request } = this.settings;
		if (pagesPerProxy === 0) return 0;
		const now = performance.now();
		this.leaseTimes = this.leaseTimes.filter((time) => now - time < PACE_MS);
		// A call may just have begun, and what it brings has to last until the next one has its answer
		const horizonMs = 2 * request.extraction.intervalMs + ANSWER_MS;
		const atThisPace = (this.leaseTimes.length / PACE_MS) * horizonMs;
		const pages = Math.min(this.upcoming, atThisPace) - this.stock.pagesLeftInUse;
		return Math.ceil(pages / pagesPerProxy) - this.stock.readyCount;
	}

	private numberToExtract(): number {
		const { extraction } = this.settings.request;
		if (extraction.isWholeList === true) return this.stock.mayBeReleased ? 0 : extraction.total;
		const waiting = this.waiters.filter(({ failure }) => failure === undefined).length;
		if (!extraction.usesQuota) return waiting === 0 ? 0 : Math.max(waiting, UNCOUNTED_AT_ONCE);
		return waiting + Math.max(0, this.missingAhead());
	}

	private extract(): void {
		if (this.isExtracting) return;
		this.rejectHopeless();
		if (this.refusal !== undefined || this.numberToExtract() <= 0) return;
		this.isExtracting = true;
		void this.extractForWaiters();
	}

	private async extractForWaiters(): Promise<void> {
		// Those who ask at the same time share a call
		await sleep(0);
		await this.pauseAfterLost();
		const count = this.numberToExtract();
		const waitedBefore = new Set(count > 0 ? this.waiters : []);
		const failure =
			count > 0 ? await this.extractSome(count).catch((error: unknown) => error) : undefined;
		if (count > 0) this.lostInARow = isUnclear(failure) ? this.lostInARow + 1 : 0;
		if (this.lostInARow === MOST_LOST_IN_A_ROW) this.refusal ??= failure;
		this.isExtracting = false;
		this.serve();
		this.goOn(failure, waitedBefore);
	}

	/** Gives a service in trouble the time to recover, before more is used up that never comes. */
	private async pauseAfterLost(): Promise<void> {
		if (this.lostInARow === 0) return;
		const ms = PAUSE_AFTER_LOST_MS * 2 ** (this.lostInARow - 1);
		await wait(ms, this.settings.ended).catch(() => {});
	}

	/**
	 * What happens to those who still wait.
	 *
	 * @param failure why fewer came; undefined if as many as were asked for
	 */
	private goOn(failure: unknown, waitedBefore: ReadonlySet<Waiter>): void {
		const isRefused = failure instanceof CallError && deliveryStateOf(failure) === 'refused';
		if (isRefused || (failure instanceof Error && !(failure instanceof CallError))) {
			this.refusal = failure;
		}
		const isLast = isUnclear(failure) || (failure !== undefined && !this.stock.mayBeReleased);
		const unserved = this.waiters.filter((one) => waitedBefore.has(one));
		// Those behind others in the line have not waited in vain as long as it moves
		const isInVain = unserved.length === waitedBefore.size;
		for (const waiter of unserved) {
			if (isInVain) waiter.inVain += 1;
			if (!isLast && waiter.inVain < MOST_IN_VAIN) continue;
			waiter.failure ??= failure ?? nothingToLease(this.settings.request.extraction, true);
		}
		this.rejectHopeless();
		if (!this.stock.mayBeReleased && this.waiters.length > 0) this.extract();
	}

	/** @returns why fewer came than were wanted */
	private async extractSome(count: number): Promise<unknown> {
		const { supply, request, item, counted, logins, ended } = this.settings;
		const { extraction, settings, maxExtractions } = request;
		const wanted = extraction.usesQuota ? supply.quota.allowed(count, maxExtractions) : count;
		// The limit's own error where nothing is left of it
		const total = wanted === 0 ? count : wanted;
		const onProxies = (proxies: readonly ExtractedProxy[]): void => {
			this.stock.add(proxies);
			this.serve();
		};
		const wantedUntil = AbortSignal.any([ended, logins.refusedSignal]);
		const some: ProxyRequest = {
			...request,
			extraction: { ...extraction, total },
			settings: { ...settings, onProxies, wantedUntil },
		};
		const extracted = await supply.extract(some, item).catch((error: unknown): never => {
			throw logins.refusal ?? error;
		});
		const { proxies, left, endedBy } = extracted;
		for (const number of Object.values(left ?? {})) counted.left = number;
		if (typeof endedBy === 'object') return endedBy;
		return proxies.length === 0 ? nothingToLease(extraction) : undefined;
	}
}
