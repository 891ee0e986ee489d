import { fingerprintOf } from '../../shared/api/sign';
import type { ExtractedProxy } from './entries';
import { forgetProxyLogin, type ProxyLogin } from './logins';
import type { ProxyRequest } from './productFields';
import type { ProxyFault } from './proxyStatuses';

/* The proxies that have come, and what is known about them, for all executions of this process. */

/**
 * Counts down to the moment that the clock has which gets there first: the monotonic one may stand still while the
 * machine is suspended, the wall clock may be set. Gives the seconds that are left, negative once it is over.
 */
function countdown(seconds: number): () => number {
	const monotonicEnd = performance.now() + seconds * 1000;
	const wallEnd = Date.now() + seconds * 1000;
	return () => Math.min(monotonicEnd - performance.now(), wallEnd - Date.now()) / 1000;
}

const OVER = () => 0;

/** Cooldown of a proxy that failed and whose end nobody knows, in seconds. */
const UNKNOWN_LIFE_SECONDS = 300;

/**
 * Cooldown of a proxy that refuses a login also when that was fetched again, in seconds: so it is where n8n's address is
 * not on the order's whitelist, and a change of that takes effect within a minute.
 */
const REFUSAL_SECONDS = 60;

/** Duration of a site's block of a proxy, in seconds. */
const BLOCK_SECONDS = 600;

/** Chooses the browser that the users of a proxy look like. */
export function randomIdentitySeed(): number {
	return Math.floor(Math.random() * 2 ** 32);
}

/** An experience that somebody had with a proxy. */
export interface ProxyReport {
	readonly address: string;
	/** Undefined where the page is to blame. */
	readonly fault?: ProxyFault;
	/** The host of the site, or another text that stands for it. */
	readonly site: string;
	/** The login that was sent; undefined where that is unknown. */
	readonly login?: ProxyLogin;
}

/**
 * A proxy of an order. It answers three questions (expired? cooling down? blocked for a site?) and takes three verbs.
 */
export class PooledProxy {
	/** The proxy as the service sent it last; undefined as long as only a report has named it. */
	private extracted?: ExtractedProxy;

	/** Seconds left; undefined where nobody knows how long it lives. */
	private life?: () => number;

	private cooldown = OVER;

	/** Seconds left of each site's block, the oldest first. */
	private readonly blocks = new Map<string, () => number>();

	/** Whether it has refused a login, which was fetched again then. */
	private hasRefusedLogin = false;

	/** Stays as long as the proxy lives, so that its users look like one browser. */
	identitySeed = randomIdentitySeed();

	constructor(readonly id: string) {}

	/** The seconds that it still lives; Infinity where nobody knows. */
	get secondsLeft(): number {
		return this.life?.() ?? Infinity;
	}

	get isExpired(): boolean {
		return this.secondsLeft <= 0;
	}

	get isCoolingDown(): boolean {
		return this.cooldown() > 0;
	}

	isBlockedFor(site: string): boolean {
		return (this.blocks.get(site) ?? OVER)() > 0;
	}

	/** Whether it has come, and may be handed out for sites that have not blocked it. */
	get isUsable(): boolean {
		return this.extracted !== undefined && !this.isCoolingDown && !this.isExpired;
	}

	/** Whether it is known to live for so long. */
	livesFor(seconds: number): boolean {
		return this.life !== undefined && this.secondsLeft >= seconds;
	}

	/** Whether a request may reuse it: it lives for as long as that wants, and has the extra fields. */
	isReusableFor({ reuse, extras }: Pick<ProxyRequest, 'reuse' | 'extras'>): boolean {
		const { extracted = {} } = this;
		return (
			this.livesFor(reuse?.minimumSecondsLeft ?? 0) && extras.every((name) => name in extracted)
		);
	}

	/** A page was opened through it. */
	markGood(): void {
		this.cooldown = OVER;
		this.hasRefusedLogin = false;
	}

	markBad(reason: ProxyFault, site: string): void {
		switch (reason) {
			case 'failed':
				return this.retire();
			case 'blocked':
				return this.block(site);
			case 'loginRefused':
				if (this.hasRefusedLogin) this.coolDown(REFUSAL_SECONDS);
				this.hasRefusedLogin = true;
				return;
			default:
				reason satisfies never;
		}
	}

	/** Keeps it from being handed out before its end, also when the service sends its address again. */
	retire(): void {
		const left = this.life?.() ?? 0;
		this.coolDown(left > 0 ? left : UNKNOWN_LIFE_SECONDS);
	}

	private coolDown(seconds: number): void {
		if (this.cooldown() < seconds) this.cooldown = countdown(seconds);
	}

	/** Takes what the service sent. */
	renew(extracted: ExtractedProxy): void {
		const { secondsLeft = 0 } = extracted;
		if (this.isExpired) {
			this.blocks.clear();
			this.identitySeed = randomIdentitySeed();
			this.life = undefined;
			this.hasRefusedLogin = false;
		}
		if (secondsLeft > 0) this.life = countdown(secondsLeft);
		this.extracted = extracted;
	}

	/** The proxy with the seconds that it has left now. */
	get current(): ExtractedProxy {
		if (this.extracted === undefined) throw new Error('This proxy has not come');
		if (this.life === undefined) return this.extracted;
		return { ...this.extracted, secondsLeft: Math.max(0, Math.floor(this.secondsLeft)) };
	}

	private block(site: string): void {
		this.blocks.delete(site);
		this.blocks.set(site, countdown(BLOCK_SECONDS));
		for (const [blocked, left] of this.blocks) {
			if (left() > 0) break;
			this.blocks.delete(blocked);
		}
	}
}

/** A strategy of reuse: proxies that nobody has had yet go first, then those whose last use is longest ago. */
function* leastRecentlyUsed(unused: Iterable<PooledProxy>, used: Iterable<PooledProxy>) {
	yield* unused;
	yield* used;
}

/** Proxies of an order that were selected by the same filters: for all who reuse them, or for one run. */
export class PoolPartition {
	/** Free proxies that nobody has had, in the order in which they came. */
	private readonly unused = new Set<PooledProxy>();

	/** Free proxies, the one whose last use is longest ago first. */
	private readonly used = new Set<PooledProxy>();

	/** Proxies in use, and who has them. */
	private readonly inUse = new Map<PooledProxy, object>();

	private extraction?: Promise<void>;

	/** Called once when something changes. */
	private readonly listeners = new Set<() => void>();

	/** @param touch notes in the pool that a proxy was used */
	constructor(private readonly touch: (proxy: PooledProxy) => void) {}

	/** Resolves when proxies came or became free, or an extraction ended: `find` may find others then. */
	async untilChanged(): Promise<void> {
		await new Promise<void>((resolve) => this.listeners.add(resolve));
	}

	/** Whether an extraction is under way: one at a time. */
	get isExtracting(): boolean {
		return this.extraction !== undefined;
	}

	get isEmpty(): boolean {
		const { unused, used, inUse, isExtracting } = this;
		return unused.size + used.size + inUse.size === 0 && !isExtracting;
	}

	has(proxy: PooledProxy): boolean {
		return this.unused.has(proxy) || this.used.has(proxy) || this.inUse.has(proxy);
	}

	/** At most `count` free proxies that fit. Expired ones leave the partition. */
	find(count: number, fits: (proxy: PooledProxy) => boolean): PooledProxy[] {
		const found: PooledProxy[] = [];
		for (const proxy of leastRecentlyUsed(this.unused, this.used)) {
			if (found.length >= count) break;
			if (fits(proxy) && proxy.isUsable) found.push(proxy);
			else if (proxy.isExpired) this.drop(proxy);
		}
		return found;
	}

	/** Whether a proxy that is in use would fit when it is given back. */
	mayGetBack(fits: (proxy: PooledProxy) => boolean): boolean {
		for (const proxy of this.inUse.keys()) if (fits(proxy)) return true;
		return false;
	}

	inUseOf(user: object): PooledProxy[] {
		return [...this.inUse].filter(([, one]) => one === user).map(([proxy]) => proxy);
	}

	/** @param user has them for itself until it gives them back; undefined where they stay free for others */
	handOut(proxies: readonly PooledProxy[], user: object | undefined): void {
		for (const proxy of proxies) {
			this.drop(proxy);
			if (user === undefined) this.used.add(proxy);
			else this.inUse.set(proxy, user);
			this.touch(proxy);
		}
	}

	/**
	 * Extracts, unless an extraction is under way.
	 *
	 * @param work adds what comes, and settles when the extraction is over
	 * @returns when that is; undefined where it was not begun
	 */
	extractOnce(work: () => Promise<void>): Promise<void> | undefined {
		if (this.extraction !== undefined) return undefined;
		this.extraction = work().finally(() => {
			this.extraction = undefined;
			this.notify();
		});
		return this.extraction;
	}

	/** Makes proxies free that have come. */
	add(proxies: readonly PooledProxy[]): void {
		for (const proxy of proxies) if (!this.has(proxy)) this.unused.add(proxy);
		this.notify();
	}

	/** @param isOver whether nobody may get it any more */
	giveBack(proxy: PooledProxy, isOver = false): void {
		this.drop(proxy);
		if (!isOver) this.used.add(proxy);
		this.notify();
	}

	drop(proxy: PooledProxy): void {
		this.unused.delete(proxy);
		this.used.delete(proxy);
		this.inUse.delete(proxy);
	}

	private notify(): void {
		for (const tell of this.listeners) tell();
		this.listeners.clear();
	}
}

/** Limit of the proxies of all orders together. */
const MOST_PROXIES = 20_000;

/** Number of partitions from which on empty ones are dropped. */
const MANY_PARTITIONS = 1000;

export class ProxyPool {
	/** The proxies by order and address, the least recently used first. */
	private readonly proxies = new Map<string, PooledProxy>();

	private readonly partitions = new Map<string, PoolPartition>();

	constructor(private readonly mostProxies = MOST_PROXIES) {}

	/** A proxy of an order, if only because something was reported about it. */
	proxy(order: string, address: string): PooledProxy {
		const id = `${order} ${address}`;
		const proxy = this.proxies.get(id) ?? new PooledProxy(id);
		this.touch(proxy);
		return proxy;
	}

	/** Adds proxies that the service sent. */
	add(order: string, extracted: readonly ExtractedProxy[]): PooledProxy[] {
		return extracted.map((one) => {
			const proxy = this.proxy(order, one.address);
			proxy.renew(one);
			return proxy;
		});
	}

	/**
	 * Adds proxies that the service sent to a partition.
	 *
	 * @returns them, and the fresh ones, which it did not have, or not as usable ones
	 */
	addTo(partition: PoolPartition, order: string, extracted: readonly ExtractedProxy[]) {
		const isReady = (proxy: PooledProxy) => partition.has(proxy) && proxy.isUsable;
		const known = new Set(
			extracted.map(({ address }) => this.proxy(order, address)).filter(isReady),
		);
		const proxies = this.add(order, extracted);
		partition.add(proxies);
		return { proxies, fresh: proxies.filter((proxy) => !known.has(proxy)) };
	}

	report(order: string, { address, fault, site, login }: ProxyReport): void {
		if (fault === undefined) return;
		if (fault === 'loginRefused') forgetProxyLogin(order, login);
		this.proxy(order, address).markBad(fault, site);
	}

	/** A partition for a run that shares its proxies with nobody. */
	unsharedPartition(): PoolPartition {
		return new PoolPartition((proxy) => this.touch(proxy));
	}

	/** @param selection tells apart what decides which proxies of the order come */
	partition(order: string, selection: unknown): PoolPartition {
		const id = fingerprintOf(order, selection);
		const known = this.partitions.get(id);
		if (known !== undefined) return known;
		const partition = new PoolPartition((proxy) => this.touch(proxy));
		if (this.partitions.size >= MANY_PARTITIONS)
			for (const [other, { isEmpty }] of this.partitions)
				if (isEmpty) this.partitions.delete(other);
		this.partitions.set(id, partition);
		return partition;
	}

	/** Makes a proxy the one that is forgotten after all others. */
	private touch(proxy: PooledProxy): void {
		this.proxies.delete(proxy.id);
		this.proxies.set(proxy.id, proxy);
		for (const [id, oldest] of this.proxies) {
			if (this.proxies.size <= this.mostProxies) break;
			this.proxies.delete(id);
			for (const partition of this.partitions.values()) partition.drop(oldest);
		}
	}
}

/** Serves all executions of this process. */
export const proxyPool = new ProxyPool();

/** The partition that keeps the proxies of an order which come for a request. */
export function partitionOf(order: string, { endpoint, parameters }: ProxyRequest): PoolPartition {
	const selecting = Object.entries(parameters)
		// Format and extra values change what is said about the proxies, and 0 stands for any
		.filter(([name, value]) => !/^(?:format|sep|f_.*)$/.test(name) && value !== '0')
		.map(([name, value]) => [name, value.split(',').sort().join(',')])
		.sort();
	return proxyPool.partition(order, [endpoint.path, selecting]);
}
