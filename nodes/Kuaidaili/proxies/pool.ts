import { KeyedMutex } from '../../shared/concurrency/keyedMutex';
import type { ExtractedProxy } from './entries';

/** What a pool can hold. */
export interface Pooled {
	/** `host:port` */
	readonly address: string;
	/** As of the extraction. Without it, the lifetime is unknown and the proxy is not kept. */
	readonly secondsLeft?: number;
}

export interface PoolLimits {
	/** The most proxies of all keys together. */
	readonly mostProxies: number;
	readonly mostKeys: number;
}

export interface PoolRequest<T> {
	/** Order and filters: proxies of different ones never mix. */
	readonly key: string;
	readonly count: number;
	readonly minimumSecondsLeft: number;
	/**
	 * Extracts what is missing.
	 *
	 * @param keep takes what came, at the moment it came; also before a later call fails
	 */
	readonly extract: (missing: number, keep: (proxies: readonly T[]) => void) => Promise<void>;
	readonly signal: AbortSignal | undefined;
}

interface Entry<T> {
	readonly proxy: T;
	/** By the clock of the pool. */
	readonly diesAt: number;
	/** Found dead before its time. */
	isDead?: true;
}

const LIMITS: PoolLimits = { mostProxies: 20_000, mostKeys: 200 };

/**
 * Extracted proxies that are still alive, to be handed out again. How long each lives is what the service
 * said, counted from the answer by a clock that never runs backwards.
 */
export class ProxyPool<T extends Pooled> {
	private readonly entries = new Map<string, Map<string, Entry<T>>>();

	private readonly extractions = new KeyedMutex();

	/** @param clock milliseconds that never run backwards */
	constructor(
		private readonly limits: PoolLimits = LIMITS,
		private readonly clock: () => number = () => performance.now(),
	) {}

	/** How many proxies are held. */
	get size(): number {
		return [...this.entries.values()].reduce((sum, { size }) => sum + size, 0);
	}

	/**
	 * As many proxies as wanted, if there are so many, that live long enough. Only the missing ones are
	 * extracted. Concurrent callers with the same key wait, and then take what came.
	 *
	 * @returns with the seconds that each has left now
	 * @throws CancelledError, and what `extract` throws if there is nothing to hand out
	 */
	async obtain({ key, count, minimumSecondsLeft, extract, signal }: PoolRequest<T>): Promise<{
		readonly proxies: T[];
		/** What went wrong after the first ones had come. */
		readonly error?: unknown;
	}> {
		const unlock = await this.extractions.lock(key, signal);
		try {
			const alive = this.alive(key, minimumSecondsLeft).slice(0, count);
			const aged = (entries: Iterable<Entry<T>>) => [...entries].map((entry) => this.aged(entry));
			if (alive.length >= count) return { proxies: aged(alive) };
			// A proxy that was just extracted is handed out even if it lives too shortly for this request
			const fresh = new Map<string, Entry<T>>();
			const keep = (proxies: readonly T[]): void => {
				for (const proxy of proxies) fresh.set(proxy.address, this.add(key, proxy));
			};
			const failure = await extract(count - alive.length, keep).then(
				() => undefined,
				(error: unknown) => ({ error }),
			);
			// The extraction may have taken a minute
			const now = this.clock();
			const others = alive.filter(({ proxy, diesAt }) => diesAt > now && !fresh.has(proxy.address));
			const usable = [...others, ...fresh.values()].filter(({ isDead }) => isDead !== true);
			const proxies = aged(usable);
			if (failure !== undefined && proxies.length === 0) throw failure.error;
			return { proxies: proxies.slice(0, count), ...failure };
		} finally {
			unlock();
		}
	}

	/** Removes a proxy that was found dead, under whichever key it was extracted. */
	forget(address: string): void {
		for (const proxies of this.entries.values()) {
			const entry = proxies.get(address);
			// A concurrent `obtain` that is still extracting may already hold it
			if (entry !== undefined) entry.isDead = true;
			proxies.delete(address);
		}
	}

	private alive(key: string, minimumSecondsLeft: number): Array<Entry<T>> {
		const now = this.clock();
		this.forgetDead(now);
		return [...(this.entries.get(key)?.values() ?? [])].filter(
			({ diesAt }) => diesAt - now >= minimumSecondsLeft * 1000,
		);
	}

	private aged({ proxy, diesAt }: Entry<T>): T {
		if (proxy.secondsLeft === undefined) return proxy;
		return { ...proxy, secondsLeft: Math.max(0, Math.floor((diesAt - this.clock()) / 1000)) };
	}

	private add(key: string, proxy: T): Entry<T> {
		const now = this.clock();
		const entry: Entry<T> = { proxy, diesAt: now + (proxy.secondsLeft ?? 0) * 1000 };
		if (entry.diesAt <= now) return entry;
		const proxies = this.entries.get(key) ?? new Map<string, Entry<T>>();
		// Moved to the end: the keys used longest ago are dropped first
		this.entries.delete(key);
		proxies.delete(proxy.address);
		proxies.set(proxy.address, entry);
		this.entries.set(key, proxies);
		this.makeRoom();
		return entry;
	}

	private makeRoom(): void {
		let { size } = this;
		for (const [key, proxies] of this.entries) {
			const tooManyKeys = this.entries.size > this.limits.mostKeys;
			if (!tooManyKeys && size <= this.limits.mostProxies) return;
			for (const address of proxies.keys()) {
				if (!tooManyKeys && size <= this.limits.mostProxies) break;
				proxies.delete(address);
				size -= 1;
			}
			if (proxies.size === 0) this.entries.delete(key);
		}
	}

	private forgetDead(now: number): void {
		for (const [key, proxies] of this.entries) {
			for (const [address, { diesAt }] of proxies) if (diesAt <= now) proxies.delete(address);
			if (proxies.size === 0) this.entries.delete(key);
		}
	}
}

/** Shared by all executions of this process. */
export const proxyPool = new ProxyPool<ExtractedProxy>();
