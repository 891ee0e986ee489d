import { sleep } from 'n8n-workflow';

import { fingerprintOf } from '../../shared/fingerprint';
import { CallError, CancelledError } from '../../shared/errors/callErrors';
import { deliveryStateOf } from '../../shared/transport/retryPolicy';
import type { ProxyLogin } from '../../shared/queries/proxyLogin';
import { throwIfCancelled } from '../../shared/concurrency/wait';
import type { ExtractedProxy } from './entries';
import {
	leasedProxy,
	nothingToLease,
	type LeaseRequest,
	type ProxyLease,
	type ProxySource,
} from './lease';
import { composeLogin, LeaseLogins, ownLogin } from './logins';
import { ProxyPool, proxyPool, type Held, type PoolQuery } from './pool';
import type { SourceSettings } from './tunnelSource';

/** What the sources of a run have handed out. */
export interface Counted {
	extracted: number;
	readonly reused: Set<string>;
	left?: number;
}

/** What a source is opened with. */
export interface ListSettings extends SourceSettings {
	/** How many leases a proxy may have in this run; 0 sets no limit. */
	readonly pagesPerProxy: number;
	readonly counted: Counted;
}

function sum(numbers: readonly number[]): number {
	return numbers.reduce((total, number) => total + number, 0);
}

interface Waiter {
	readonly site: string;
	readonly resolve: (held: Held<ExtractedProxy>) => void;
	readonly reject: (error: unknown) => void;
	/** How often proxies came and none was for this one. */
	inVain: number;
	/** Of an extraction for it that may have been counted; there is no other one for it. */
	failure?: CallError;
}

/** Over how long the pace of the leases is measured. */
const PACE_MS = 2000;

/** After so many extractions without a proxy for it, a page gets none. */
const MOST_IN_VAIN = 3;

/** What is extracted at once of proxies that are not counted. */
const UNCOUNTED_AT_ONCE = 100;

/**
 * Proxies of a list. They are extracted when somebody waits for one, and a little ahead, as far as the pace of the
 * leases needs it: the service takes only so many calls a second.
 */
export class ListSource implements ProxySource {
	private readonly logins: LeaseLogins;

	/** For this run alone. */
	private readonly ofRun = new ProxyPool<ExtractedProxy>({
		mostProxies: 100_000,
		unknownLifeSeconds: Infinity,
	});

	/** Where a proxy is kept first, and then that of the run for those of which nobody knows how long they live. */
	private readonly pools: ReadonlyArray<ProxyPool<ExtractedProxy>>;

	private readonly pages = new Map<string, number>();

	/** Addresses that were extracted for this run. */
	private readonly own = new Set<string>();

	private readonly waiters: Waiter[] = [];

	/** Their addresses. */
	private readonly inUse = new Set<string>();

	private isExtracting = false;

	/** Why no more will come in this run. */
	private refusal?: unknown;

	/** When the last leases were given, in milliseconds. */
	private leaseTimes: number[] = [];

	private upcoming = 0;

	constructor(private readonly settings: ListSettings) {
		const { key, item, request } = settings;
		this.logins = new LeaseLogins(item, key.order);
		const isReused = request.extraction.reuse !== undefined;
		this.pools = isReused ? [proxyPool, this.ofRun] : [this.ofRun];
	}

	async lease({ site, upcoming, signal }: LeaseRequest): Promise<ProxyLease> {
		throwIfCancelled(signal);
		const { request, key, counted } = this.settings;
		const { extraction, wantsLogin } = request;
		// Before anything is extracted, so that nothing is used up where it cannot be fetched
		const ofOrder =
			wantsLogin && extraction.login === 'order' ? await this.logins.current() : undefined;
		throwIfCancelled(signal);
		this.upcoming = upcoming;
		const held = this.hold(site) ?? (await this.wait(site, signal));
		const { address } = held.proxy;
		const plain = ofOrder ?? (await this.loginOf(held));
		this.pages.set(address, this.pagesOf(address) + 1);
		if (extraction.reuse !== undefined && !this.own.has(address)) counted.reused.add(address);
		this.extractAhead();
		let isReleased = false;
		return {
			proxy: leasedProxy(
				held.proxy,
				extraction,
				plain === undefined ? undefined : composeLogin(plain, extraction.loginSettings ?? {}),
			),
			report: (fault) => {
				for (const pool of this.pools) {
					if (fault === 'blocked') pool.block(key.order, address, site);
					// Without a login, there is no other one to try
					if (fault === 'failed' || (fault === 'loginRefused' && plain === undefined)) {
						pool.forget(key.order, address);
					}
				}
				if (fault === 'loginRefused' && plain !== undefined) this.refuseLogin(address, plain);
			},
			unused: () => this.discount(address),
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
		return await this.logins.current().catch((error: unknown) => {
			this.letGo(held);
			throw error;
		});
	}

	/** The page has not seen the proxy, which serves another one with the login that is fetched now. */
	private refuseLogin(address: string, login: ProxyLogin): void {
		const { order } = this.settings.key;
		this.logins.refuse(login);
		for (const pool of this.pools) {
			pool.refuse(order, address, fingerprintOf(login.username, login.password));
		}
		this.discount(address);
	}

	private discount(address: string): void {
		this.pages.set(address, this.pagesOf(address) - 1);
	}

	private pagesOf(address: string): number {
		return this.pages.get(address) ?? 0;
	}

	private letGo(held: Held<ExtractedProxy>): void {
		held.release();
		this.inUse.delete(held.proxy.address);
		this.serve();
		if (this.waiters.length > 0) this.extract();
	}

	private query(site?: string): PoolQuery {
		const { key, request, pagesPerProxy } = this.settings;
		const { reuse, usesQuota } = request.extraction;
		return {
			key,
			minimumSecondsLeft: reuse?.minimumSecondsLeft ?? 0,
			extras: request.settings.extras,
			site,
			// Of those that cost nothing, all are used in turn
			isExcluded: (address) =>
				usesQuota && pagesPerProxy > 0 && this.pagesOf(address) >= pagesPerProxy,
			isExempt: (address) => this.own.has(address),
		};
	}

	private hold(site: string): Held<ExtractedProxy> | undefined {
		const query = this.query(site);
		let held: Held<ExtractedProxy> | undefined;
		for (const pool of this.pools) held ??= pool.hold(query);
		if (held === undefined) return undefined;
		this.inUse.add(held.proxy.address);
		this.leaseTimes.push(performance.now());
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

	/** Whether a proxy that is in use may serve those who wait. */
	private mayBeReleased(): boolean {
		const { pagesPerProxy, request } = this.settings;
		return this.inUse.size > 0 && (pagesPerProxy !== 1 || !request.extraction.usesQuota);
	}

	/** Ends the waiting of those for whom nothing can come any more. */
	private rejectHopeless(): void {
		if (this.mayBeReleased()) return;
		for (const waiter of [...this.waiters]) {
			const error = waiter.failure ?? this.refusal;
			if (error === undefined) continue;
			this.drop(waiter);
			waiter.reject(error);
		}
	}

	private extractAhead(): void {
		const { usesQuota } = this.settings.request.extraction;
		if (usesQuota && this.refusal === undefined && this.missingAhead() > 0) this.extract();
	}

	/** How many will be needed until the next extraction can have come, as far as it is known. */
	private missingAhead(): number {
		const { pagesPerProxy, request } = this.settings;
		if (pagesPerProxy === 0) return 0;
		const now = performance.now();
		this.leaseTimes = this.leaseTimes.filter((time) => now - time < PACE_MS);
		const horizonMs = PACE_MS + 2 * request.extraction.intervalMs;
		const atThisPace = (this.leaseTimes.length / PACE_MS) * horizonMs;
		const inHand = [...this.inUse].map((address) => pagesPerProxy - this.pagesOf(address));
		const pages = Math.min(this.upcoming, atThisPace) - sum(inHand);
		const ready = this.pools.map((pool) => pool.count(this.query()));
		return Math.ceil(pages / pagesPerProxy) - sum(ready);
	}

	private numberToExtract(): number {
		const { extraction } = this.settings.request;
		if (extraction.isWholeList === true) return this.mayBeReleased() ? 0 : extraction.total;
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
		const waitedBefore = new Set(this.waiters);
		const count = this.numberToExtract();
		const failure =
			count <= 0 ? undefined : await this.extractSome(count).catch((error: unknown) => error);
		this.isExtracting = false;
		this.serve();
		this.goOn(failure, waitedBefore);
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
		if (this.waiters.length === 0) return;
		const inVain = this.waiters.filter((one) => waitedBefore.has(one));
		if (failure instanceof CallError && deliveryStateOf(failure) === 'unclear') {
			for (const waiter of inVain) waiter.failure = failure;
		}
		if (this.mayBeReleased()) return;
		const error = failure ?? nothingToLease(this.settings.request.extraction);
		for (const waiter of inVain) {
			waiter.inVain += 1;
			if (failure === undefined && waiter.inVain < MOST_IN_VAIN) continue;
			this.drop(waiter);
			waiter.reject(error);
		}
		this.extract();
	}

	/** @returns why fewer came than were wanted */
	private async extractSome(count: number): Promise<unknown> {
		const { supply, request, item, key, counted, ended } = this.settings;
		const { extraction, settings, maxExtractions } = request;
		const wanted = extraction.usesQuota ? supply.quota.allowed(count, maxExtractions) : count;
		// The limit's own error where nothing is left of it
		const total = wanted === 0 ? count : wanted;
		const onProxies = (proxies: readonly ExtractedProxy[]): void => {
			const before = this.own.size;
			for (const { address } of proxies) this.own.add(address);
			counted.extracted += this.own.size - before;
			for (const proxy of proxies) {
				const pool = proxy.secondsLeft === undefined ? this.ofRun : this.pools[0];
				pool.add(key, [proxy], settings.extras);
			}
			this.serve();
		};
		const { proxies, left, endedBy } = await supply.extract(
			{
				...request,
				extraction: { ...extraction, total },
				settings: { ...settings, onProxies, wantedUntil: ended },
			},
			item,
		);
		for (const number of Object.values(left ?? {})) counted.left = number;
		if (typeof endedBy === 'object') return endedBy;
		return proxies.length === 0 ? nothingToLease(extraction) : undefined;
	}
}
