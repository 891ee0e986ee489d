import { throwIfCancelled, untilCancelled } from '../../shared/concurrency/wait';
import { fingerprintOf } from '../../shared/fingerprint';
import type { ProxyLogin } from '../../shared/queries/order';
import type { ExtractedProxy } from './entries';
import { forgetProxyLogin } from './logins';
import type { ProxyRequest } from './productFields';
import type { ProxyFault } from './proxyStatuses';

/* The proxies that have come, and what is known about them, for all executions of this process. */

/** How many seconds are left of a time, by the clock that gets to its end first. Negative once it is over. */
type SecondsLeft = () => number;

const OVER: SecondsLeft = () => 0;

/** The first clock may stand still while the machine is suspended, the second one may be set. */
function countdown(seconds: number): SecondsLeft {
	const monotonicEnd = performance.now() + seconds * 1000;
	const wallEnd = Date.now() + seconds * 1000;
	return () => Math.min(monotonicEnd - performance.now(), wallEnd - Date.now()) / 1000;
}

/** How long a proxy that failed is not handed out where nobody knows when it ends. */
const UNKNOWN_LIFE_SECONDS = 300;

/** How long a site that has blocked a proxy does not get to see it. */
const BLOCK_SECONDS = 600;

/** How long a proxy is not handed out that refuses a good login: what is wrong may be the order's whitelist. */
const REFUSAL_SECONDS = 60;

/** Tells which browser somebody looks like. */
export function randomIdentitySeed(): number {
	return Math.floor(Math.random() * 2 ** 32);
}

export class PooledProxy {
	/** As it came last. */
	private proxy?: ExtractedProxy;

	/** Undefined where nobody knows how long it lives. */
	private life?: SecondsLeft;

	private punishment = OVER;

	/** By the host of the site, or what else stands for who has blocked it. */
	private readonly blocks = new Map<string, SecondsLeft>();

	private refusedLogin?: string;

	/** The same as long as it lives: tells which browser its users look like. */
	identitySeed = randomIdentitySeed();

	constructor(readonly id: string) {}

	/** Infinity where nobody knows it. */
	get secondsLeft(): number {
		return this.life?.() ?? Infinity;
	}

	/** Whether it has come, is alive, and has not failed. */
	get isUsable(): boolean {
		return this.proxy !== undefined && this.punishment() <= 0 && this.secondsLeft > 0;
	}

	/** Whether it is known to live for so long. */
	livesFor(seconds: number): boolean {
		return this.life !== undefined && this.secondsLeft >= seconds;
	}

	/** Whether the site has not blocked it, or has had the time to forget. */
	isUsableFor(site: string): boolean {
		return (this.blocks.get(site) ?? OVER)() <= 0;
	}

	/** Whether a request may reuse it: it lives for as long as that wants, and tells what that asks for. */
	fits({ reuse, extras }: Pick<ProxyRequest, 'reuse' | 'extras'>): boolean {
		const { proxy = {} } = this;
		return this.livesFor(reuse?.minimumSecondsLeft ?? 0) && extras.every((name) => name in proxy);
	}

	/** Takes what came. With `isPardoned`, what failed is to be tried again, because there are no others. */
	renew(proxy: ExtractedProxy, isPardoned: boolean): void {
		const { secondsLeft = 0 } = proxy;
		if (isPardoned) this.punishment = OVER;
		if (this.secondsLeft <= 0) {
			this.blocks.clear();
			this.identitySeed = randomIdentitySeed();
			this.life = undefined;
		}
		if (secondsLeft > 0) this.life = countdown(secondsLeft);
		this.proxy = proxy;
	}

	/** With the seconds that it has left now. */
	get current(): ExtractedProxy {
		if (this.proxy === undefined) throw new Error('This proxy has not come');
		if (this.life === undefined) return this.proxy;
		return { ...this.proxy, secondsLeft: Math.max(0, Math.floor(this.secondsLeft)) };
	}

	/** Not handed out again before its end, also when the service sends its address once more. */
	fail(): void {
		const left = this.life?.() ?? 0;
		this.punish(left > 0 ? left : UNKNOWN_LIFE_SECONDS);
	}

	block(site: string): void {
		this.blocks.set(site, countdown(BLOCK_SECONDS));
	}

	/** The second time, the login that was fetched again has not helped. */
	refuse(login: string): void {
		if (this.refusedLogin === login) this.punish(REFUSAL_SECONDS);
		this.refusedLogin = login;
	}

	private punish(seconds: number): void {
		if (this.punishment() < seconds) this.punishment = countdown(seconds);
	}
}

/** An extraction that several wait for: there is one at a time. */
export class SharedExtraction {
	isUnderWay = false;

	private readonly waiting = new Set<() => void>();

	/** Something has come, or can be had again. */
	announce(): void {
		for (const goOn of this.waiting) goOn();
		this.waiting.clear();
	}

	/** @param extract never rejects */
	async start(extract: () => Promise<void>): Promise<void> {
		this.isUnderWay = true;
		await extract().finally(() => (this.isUnderWay = false));
		this.announce();
	}

	/**
	 * Looks for what is wanted, and again whenever something has changed.
	 *
	 * @param extract starts an extraction if one is needed; there is none under way
	 * @throws CancelledError, and what `pick` throws
	 */
	async wait<T>(
		pick: () => T | undefined,
		extract: () => void,
		signal: AbortSignal | undefined,
	): Promise<T> {
		for (;;) {
			throwIfCancelled(signal);
			const picked = pick();
			if (picked !== undefined) return picked;
			const changed = new Promise<void>((resolve) => this.waiting.add(resolve));
			if (!this.isUnderWay) extract();
			await untilCancelled(changed, signal);
		}
	}
}

/** Proxies of an order that were selected by the same filters: for all who reuse those, or for one run. */
export class PoolPartition {
	/** The least recently used first. */
	readonly entries = new Set<PooledProxy>();

	/** Those among them that nobody else gets until they are given back. */
	readonly inUse = new Set<PooledProxy>();

	/** Of those who want many at once. */
	readonly extraction = new SharedExtraction();

	get isEmpty(): boolean {
		return this.entries.size === 0 && !this.extraction.isUnderWay;
	}

	isFree(entry: PooledProxy): boolean {
		return entry.isUsable && !this.inUse.has(entry);
	}

	/** So many free ones that may serve, if there are so many. What is over leaves the shelf. */
	find(count: number, mayServe: (entry: PooledProxy) => boolean): PooledProxy[] {
		const found: PooledProxy[] = [];
		for (const entry of this.entries) {
			if (found.length === count) break;
			if (this.isFree(entry) && mayServe(entry)) found.push(entry);
			else if (entry.secondsLeft <= 0 && !this.inUse.has(entry)) this.drop(entry);
		}
		return found;
	}

	put(entries: readonly PooledProxy[]): void {
		for (const entry of entries) this.entries.add(entry);
	}

	/** As the one that was used last. */
	giveBack(entry: PooledProxy): void {
		this.drop(entry);
		this.entries.add(entry);
	}

	drop(entry: PooledProxy): void {
		this.entries.delete(entry);
		this.inUse.delete(entry);
	}
}

export interface ProxyReport {
	readonly address: string;
	/** None where the page is to blame. */
	readonly fault?: ProxyFault;
	/** Who has blocked it: the host of the site. */
	readonly site: string;
	/** As it was sent; undefined where the proxy got none. */
	readonly login?: ProxyLogin;
}

/** The most proxies of all orders together. */
const MOST_PROXIES = 20_000;

/** Empty ones are dropped then. */
const MANY_SHELVES = 1000;

export class ProxyPool {
	/** By order and address, the least recently used first. */
	private readonly entries = new Map<string, PooledProxy>();

	private readonly shelves = new Map<string, PoolPartition>();

	constructor(private readonly mostProxies = MOST_PROXIES) {}

	/** What is known about a proxy, if only that it failed. */
	entry(order: string, address: string): PooledProxy {
		const id = `${order} ${address}`;
		const entry = this.entries.get(id) ?? new PooledProxy(id);
		this.touch(entry);
		return entry;
	}

	/** Those that came, as they are known from now on. */
	add(order: string, proxies: readonly ExtractedProxy[], isPardoned = false): PooledProxy[] {
		return proxies.map((proxy) => {
			const entry = this.entry(order, proxy.address);
			entry.renew(proxy, isPardoned);
			return entry;
		});
	}

	report(order: string, { address, fault, site, login }: ProxyReport): void {
		const entry = this.entry(order, address);
		if (fault === 'blocked') entry.block(site);
		if (fault === 'failed') entry.fail();
		if (fault !== 'loginRefused') return;
		// Without one, it is the whitelist that refuses
		if (login !== undefined) forgetProxyLogin(order, login);
		entry.refuse(login === undefined ? '' : fingerprintOf(login));
	}

	/** @param id tells apart orders, and what decides which of their proxies come */
	partition(id: string): PoolPartition {
		const known = this.shelves.get(id);
		if (known !== undefined) return known;
		if (this.shelves.size >= MANY_SHELVES)
			for (const [other, { isEmpty }] of this.shelves) if (isEmpty) this.shelves.delete(other);
		const shelf = new PoolPartition();
		this.shelves.set(id, shelf);
		return shelf;
	}

	/** As the one that was used last: it is forgotten after all others. */
	touch(entry: PooledProxy): void {
		this.entries.delete(entry.id);
		this.entries.set(entry.id, entry);
		for (const [id, oldest] of this.entries) {
			if (this.entries.size <= this.mostProxies) break;
			this.entries.delete(id);
			for (const shelf of this.shelves.values()) shelf.drop(oldest);
		}
	}
}

/** Of all executions of this process. */
export const proxyPool = new ProxyPool();
