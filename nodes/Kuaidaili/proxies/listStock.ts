import type { ProxyLogin } from '../../shared/queries/proxyLogin';
import type { ExtractedProxy } from './entries';
import { failedProxies } from './failedProxies';
import type { ProxyFault } from './lease';
import { ProxyPool, proxyPool, type Held, type PoolLimits, type PoolQuery } from './pool';
import type { SourceSettings } from './tunnelSource';

/** What the sources of a run have handed out. */
export interface Counted {
	extracted: number;
	readonly reused: Set<string>;
	/** Orders and addresses of those that no page has had, and no later run will have. */
	readonly unused: Set<string>;
	left?: number;
}

/** What a source of a list is opened with. */
export interface ListSettings extends SourceSettings {
	/** How many leases a proxy may have in this run; 0 sets no limit. */
	readonly pagesPerProxy: number;
	readonly counted: Counted;
}

/** What was learned about a proxy in use. */
export interface LeaseReport {
	readonly address: string;
	readonly fault: ProxyFault;
	/** Of the page. */
	readonly site: string;
	/** What the proxy got; undefined where it needs none. */
	readonly login?: ProxyLogin;
}

function sum(numbers: readonly number[]): number {
	return numbers.reduce((total, number) => total + number, 0);
}

const OF_RUN: PoolLimits = { mostProxies: 100_000, unknownLifeSeconds: Infinity };

/** The proxies that a source of a list has: which are in use, and how many pages each has served in this run. */
export class ListStock {
	/** For this run alone. */
	private readonly ofRun: ProxyPool<ExtractedProxy>;

	/** Where a proxy is kept first, and then that of the run for those of which nobody knows how long they live. */
	private readonly pools: ReadonlyArray<ProxyPool<ExtractedProxy>>;

	/** Other runs may have a proxy for reuse, also if this one does not reuse any. */
	private readonly learners: ReadonlyArray<ProxyPool<ExtractedProxy>>;

	private readonly pages = new Map<string, number>();

	/** Addresses that were extracted for this run. */
	private readonly own = new Set<string>();

	/** Addresses. */
	private readonly inUse = new Set<string>();

	constructor(private readonly settings: ListSettings) {
		const { reuse, isWholeList } = settings.request.extraction;
		// There are no others than those of the list: one that failed comes back when none is left
		const failed = isWholeList === true ? undefined : failedProxies;
		this.ofRun = new ProxyPool(OF_RUN, failed);
		this.learners = [proxyPool, this.ofRun];
		this.pools = reuse === undefined ? [this.ofRun] : [proxyPool, this.ofRun];
	}

	/** Whether a proxy that is in use may serve those who wait. */
	get mayBeReleased(): boolean {
		const { pagesPerProxy, request } = this.settings;
		return this.inUse.size > 0 && (pagesPerProxy !== 1 || !request.extraction.usesQuota);
	}

	/** How many could be held. */
	get readyCount(): number {
		return sum(this.pools.map((pool) => pool.count(this.query())));
	}

	/** How many more pages the proxies in use can serve. */
	get pagesLeftInUse(): number {
		const { pagesPerProxy } = this.settings;
		return sum([...this.inUse].map((address) => pagesPerProxy - this.pagesOf(address)));
	}

	/** Keeps what was extracted. */
	add(proxies: readonly ExtractedProxy[]): void {
		const { key, request, counted } = this.settings;
		const before = this.own.size;
		for (const { address } of proxies) this.own.add(address);
		// What uses something up is counted each time it comes
		const { usesQuota } = request.extraction;
		counted.extracted += usesQuota ? proxies.length : this.own.size - before;
		for (const proxy of proxies) {
			const pool = proxy.secondsLeft === undefined ? this.ofRun : this.pools[0];
			const isNew = usesQuota && !this.pages.has(proxy.address);
			if (isNew && pool === this.ofRun) counted.unused.add(this.idOf(proxy.address));
			pool.add(key, [proxy], request.settings.extras);
		}
	}

	/** The least recently used proxy that may serve a page of a site; undefined if there is none. */
	hold(site: string): Held<ExtractedProxy> | undefined {
		const query = this.query(site);
		let held: Held<ExtractedProxy> | undefined;
		for (const pool of this.pools) held ??= pool.hold(query);
		if (held !== undefined) this.inUse.add(held.proxy.address);
		return held;
	}

	letGo({ proxy, release }: Held<ExtractedProxy>): void {
		release();
		this.inUse.delete(proxy.address);
	}

	/** Counts a page for which a proxy is used. */
	countPage(address: string): void {
		const { counted, request } = this.settings;
		this.pages.set(address, this.pagesOf(address) + 1);
		counted.unused.delete(this.idOf(address));
		const isReused = request.extraction.reuse !== undefined && !this.own.has(address);
		if (isReused) counted.reused.add(address);
	}

	/** The page has not seen the proxy. */
	discountPage(address: string): void {
		this.pages.set(address, this.pagesOf(address) - 1);
	}

	learn({ address, fault, site, login }: LeaseReport): void {
		const { key, logins } = this.settings;
		if (fault === 'blocked') {
			for (const pool of this.learners) pool.block(key.order, address, site);
		} else if (fault === 'failed' || login === undefined) {
			// Without a login, there is no other one to try
			this.forget(address);
		} else {
			for (const refusing of logins.refuse(login, address)) this.forget(refusing);
			// It serves another page with the login that is fetched now
			this.discountPage(address);
		}
	}

	/** What another proxy has refused, is good. */
	acceptLogin(login: ProxyLogin | undefined): void {
		if (login === undefined) return;
		for (const refusing of this.settings.logins.accept(login)) this.forget(refusing);
	}

	private forget(address: string): void {
		for (const pool of this.learners) pool.forget(this.settings.key.order, address);
	}

	private idOf(address: string): string {
		return `${this.settings.key.order} ${address}`;
	}

	private pagesOf(address: string): number {
		return this.pages.get(address) ?? 0;
	}

	private query(site?: string): PoolQuery {
		const { key, request, pagesPerProxy, logins } = this.settings;
		const { reuse, usesQuota, isWholeList } = request.extraction;
		return {
			key,
			// There are no others than those of the list
			mayBeBlocked: isWholeList,
			minimumSecondsLeft: reuse?.minimumSecondsLeft ?? 0,
			extras: request.settings.extras,
			site,
			// Of those that cost nothing, all are used in turn
			isExcluded: (address) =>
				usesQuota &&
				((pagesPerProxy > 0 && this.pagesOf(address) >= pagesPerProxy) ||
					logins.isRefusedBy(address)),
			isExempt: (address) => this.own.has(address),
		};
	}
}
