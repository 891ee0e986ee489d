import { untilCancelled } from '../../shared/concurrency/wait';
import { CLOCKS, millisecondsUntil, momentIn, type Clocks, type Moment } from './clocks';
import type { ExtractedProxy } from './entries';
import { failedProxies, type FailedProxies } from './failedProxies';

/** What a pool can hold. */
export interface Pooled {
	/** `host:port` */
	readonly address: string;
	/** As of the extraction; undefined where it is unknown. */
	readonly secondsLeft?: number;
}

/** Proxies of different keys never mix. */
export interface PoolKey {
	/** Tells orders apart. What is learned about a proxy counts for its order only. */
	readonly order: string;
	/** Tells apart what decides which proxies of the order come. */
	readonly selection: string;
}

export interface PoolLimits {
	/** The most proxies of all keys together. */
	readonly mostProxies: number;
	/** How long a proxy is kept of which that is unknown; 0 keeps none. */
	readonly unknownLifeSeconds: number;
}

/** What a proxy has to be like to be handed out. */
export interface PoolQuery {
	readonly key: PoolKey;
	readonly minimumSecondsLeft: number;
	/** Names of the extra values that are needed. */
	readonly extras?: readonly string[];
	/** A host that must not have blocked it. */
	readonly site?: string;
	/** Whether those that the site blocked may be handed out when there are no others, be they in use or not. */
	readonly mayBeBlocked?: boolean;
	/** Whether an address is not to be handed out. */
	readonly isExcluded?: (address: string) => boolean;
	/** Whether the minimum doesn't count, as for what was extracted for whoever asks. */
	readonly isExempt?: (address: string) => boolean;
}

/** A proxy that nobody else is given until it is released. */
export interface Held<T> {
	/** With the seconds that it has left now. */
	readonly proxy: T;
	readonly release: () => void;
}

export interface PoolRequest<T> extends PoolQuery {
	readonly count: number;
	/**
	 * Extracts what is missing.
	 *
	 * @param keep takes what came, at the moment it came; also before a later call fails
	 */
	readonly extract: (missing: number, keep: (proxies: readonly T[]) => void) => Promise<void>;
	readonly signal: AbortSignal | undefined;
}

interface Entry<T> {
	/** Of its selection. */
	readonly id: string;
	readonly proxy: T;
	readonly extras: readonly string[];
	/** From the extraction on. */
	readonly lifeMs: number;
	readonly endsAt: Moment;
	/** Hosts of sites. */
	readonly blockedBy: Set<string>;
	/** Failed, or found not to work, before its time. */
	hasFailed?: true;
	/** The login that it did not accept last. */
	refusedLogin?: string;
	isHeld?: true;
}

/** An extraction that is under way. */
interface Running {
	/** Settles when something came, or when it has ended. */
	changed: Promise<void>;
	announce: () => void;
}

const LIMITS: PoolLimits = { mostProxies: 20_000, unknownLifeSeconds: 0 };

/** Proxies may end while the missing ones are extracted. */
const MOST_EXTRACTIONS = 3;

function selectionId({ order, selection }: PoolKey): string {
	return `${order} ${selection}`;
}

function listen(): Running {
	let announce = () => {};
	const changed = new Promise<void>((resolve) => (announce = resolve));
	return { changed, announce };
}

/**
 * Extracted proxies that are still alive, to be handed out again, the least recently used first. How long each
 * lives is what the service said, counted from the answer by two clocks: whichever ends first counts.
 */
export class ProxyPool<T extends Pooled> {
	/** By selection, each with the least recently used first. */
	private readonly selections = new Map<string, Map<string, Entry<T>>>();

	/** All of them, the least recently used first. */
	private readonly uses = new Set<Entry<T>>();

	private readonly extractions = new Map<string, Running>();

	/** @param failed what failed and is not taken back when it comes again; undefined if all is taken back */
	constructor(
		private readonly limits: PoolLimits,
		private readonly failed: FailedProxies | undefined,
		private readonly clocks: Clocks = CLOCKS,
	) {}

	/** How many proxies are held. */
	get size(): number {
		return this.uses.size;
	}

	/** How many could be handed out. */
	count(query: PoolQuery): number {
		return this.usable(query).length;
	}

	/** Keeps what was extracted. What ends sooner than anybody could use it is not kept. */
	add(key: PoolKey, proxies: readonly T[], extras: readonly string[] = []): void {
		this.enter(key, proxies, extras);
	}

	/** The least recently used proxy that fits; undefined if there is none. */
	hold(query: PoolQuery): Held<T> | undefined {
		const entry = this.usable(query).at(0);
		if (entry === undefined) return undefined;
		this.use(entry);
		entry.isHeld = true;
		return {
			proxy: this.aged(entry),
			release() {
				delete entry.isHeld;
			},
		};
	}

	/**
	 * As many proxies as wanted, if there are so many, that live long enough. Only the missing ones are
	 * extracted. Concurrent callers with the same key share an extraction that both need, and nobody waits for one
	 * that they don't need.
	 *
	 * @returns with the seconds that each has left now
	 * @throws CancelledError, and what `extract` throws if there is nothing to hand out
	 */
	async obtain(request: PoolRequest<T>): Promise<{
		readonly proxies: T[];
		/** Those of them that had been extracted before. */
		readonly reused: number;
		/** What went wrong after the first ones had come. */
		readonly error?: unknown;
	}> {
		const { key, count, extras, extract, signal } = request;
		const own = new Map<string, Entry<T>>();
		let failure: { readonly error: unknown } | undefined;
		let extractions = 0;
		for (;;) {
			const others = this.usable(request).filter(({ proxy }) => !own.has(proxy.address));
			// A proxy that was just extracted is handed out even if it lives too shortly for this request
			const fresh = [...own.values()].filter((entry) => this.isStillGood(entry));
			const known = [...others, ...fresh].slice(0, count);
			const isDone = failure !== undefined || extractions === MOST_EXTRACTIONS;
			if (known.length >= count || isDone) {
				for (const entry of known) this.use(entry);
				const proxies = known.map((entry) => this.aged(entry));
				const reused = known.filter(({ proxy }) => !own.has(proxy.address)).length;
				if (failure !== undefined && proxies.length === 0) throw failure.error;
				return { proxies, reused, ...failure };
			}
			const id = selectionId(key);
			const running = this.extractions.get(id);
			if (running !== undefined) {
				await untilCancelled(running.changed, signal);
				continue;
			}
			const missing = count - known.length;
			let came = 0;
			const keep = (proxies: readonly T[]): void => {
				const known = this.selections.get(id);
				came += proxies.filter(({ address }) => known?.has(address) !== true).length;
				for (const entry of this.enter(key, proxies, extras)) own.set(entry.proxy.address, entry);
				this.announce(id);
			};
			this.extractions.set(id, listen());
			failure = await extract(missing, keep)
				.then(
					() => undefined,
					(error: unknown) => ({ error }),
				)
				.finally(() => {
					const ended = this.extractions.get(id);
					this.extractions.delete(id);
					ended?.announce();
				});
			// Fewer than were asked for: there are no more
			extractions = came < missing ? MOST_EXTRACTIONS : extractions + 1;
		}
	}

	/**
	 * Never hands out again a proxy of the order that failed, whatever it was selected by, and doesn't take it back
	 * before its end when the service sends it once more.
	 */
	forget(order: string, address: string): void {
		let end: Moment | undefined;
		for (const entry of this.entriesOf(order, address)) {
			// A concurrent `obtain` that is still extracting may already have it
			entry.hasFailed = true;
			this.remove(entry);
			if (Number.isFinite(entry.lifeMs)) end = entry.endsAt;
		}
		this.failed?.add(order, address, end);
	}

	/**
	 * Counts as failed for the second time, when the login that was fetched again has not helped.
	 *
	 * @param login tells logins apart
	 */
	refuse(order: string, address: string, login: string): void {
		for (const entry of this.entriesOf(order, address)) {
			if (entry.refusedLogin === login) this.forget(order, address);
			entry.refusedLogin = login;
		}
	}

	/** Hands it out for no page of a site that blocked it, unless the query says otherwise. */
	block(order: string, address: string, site: string): void {
		for (const { blockedBy } of this.entriesOf(order, address)) blockedBy.add(site);
	}

	private entriesOf(order: string, address: string): Array<Entry<T>> {
		return [...this.selections].flatMap(([id, entries]) => {
			const entry = id.startsWith(`${order} `) ? entries.get(address) : undefined;
			return entry === undefined ? [] : [entry];
		});
	}

	private secondsLeft({ endsAt }: Entry<T>): number {
		return millisecondsUntil(endsAt, this.clocks) / 1000;
	}

	private usable(query: PoolQuery): Array<Entry<T>> {
		const { key, minimumSecondsLeft, extras = [], site, isExcluded, isExempt } = query;
		const entries = [...(this.selections.get(selectionId(key))?.values() ?? [])];
		const isBlocked = ({ blockedBy }: Entry<T>) => site !== undefined && blockedBy.has(site);
		const ignoresBlocks = query.mayBeBlocked === true && entries.every(isBlocked);
		return entries.filter((entry) => {
			const secondsLeft = this.secondsLeft(entry);
			if (secondsLeft <= 0) this.remove(entry);
			const { address } = entry.proxy;
			return (
				secondsLeft > 0 &&
				(secondsLeft >= minimumSecondsLeft || isExempt?.(address) === true) &&
				entry.isHeld !== true &&
				isExcluded?.(address) !== true &&
				(ignoresBlocks || !isBlocked(entry)) &&
				extras.every((name) => entry.extras.includes(name))
			);
		});
	}

	/** Whether whoever extracted it can have it. One that is not kept, is handed out to them and never again. */
	private isStillGood(entry: Entry<T>): boolean {
		const isOver = entry.lifeMs > 0 && this.secondsLeft(entry) <= 0;
		return !isOver && entry.hasFailed !== true && entry.isHeld !== true;
	}

	/** Moves it to the end. */
	private use(entry: Entry<T>): void {
		if (!this.uses.delete(entry)) return;
		this.uses.add(entry);
		const entries = this.selections.get(entry.id);
		entries?.delete(entry.proxy.address);
		entries?.set(entry.proxy.address, entry);
	}

	private aged(entry: Entry<T>): T {
		const { proxy } = entry;
		if (proxy.secondsLeft === undefined) return proxy;
		return { ...proxy, secondsLeft: Math.max(0, Math.floor(this.secondsLeft(entry))) };
	}

	private enter(
		key: PoolKey,
		proxies: readonly T[],
		extras: readonly string[] = [],
	): Array<Entry<T>> {
		const id = selectionId(key);
		const { unknownLifeSeconds, mostProxies } = this.limits;
		const entered = proxies.map((proxy): Entry<T> => {
			const lifeMs = (proxy.secondsLeft ?? unknownLifeSeconds) * 1000;
			const endsAt = momentIn(lifeMs, this.clocks);
			const entries = this.selections.get(id) ?? new Map<string, Entry<T>>();
			const known = entries.get(proxy.address);
			const blockedBy = known?.blockedBy ?? new Set<string>();
			const entry: Entry<T> = { id, proxy, extras, lifeMs, endsAt, blockedBy };
			if (this.failed?.has(key.order, proxy.address) === true) return { ...entry, hasFailed: true };
			if (lifeMs <= 0) return entry;
			// Nobody else gets it before its release, also when it comes once more
			if (known?.isHeld === true) return known;
			if (known !== undefined) this.remove(known);
			entries.set(proxy.address, entry);
			this.selections.set(id, entries);
			this.uses.add(entry);
			return entry;
		});
		for (const entry of this.uses) {
			if (this.uses.size <= mostProxies) break;
			this.remove(entry);
		}
		return entered;
	}

	private remove(entry: Entry<T>): void {
		this.uses.delete(entry);
		const entries = this.selections.get(entry.id);
		if (entries?.get(entry.proxy.address) === entry) entries.delete(entry.proxy.address);
		if (entries?.size === 0) this.selections.delete(entry.id);
	}

	private announce(id: string): void {
		const running = this.extractions.get(id);
		if (running === undefined) return;
		this.extractions.set(id, listen());
		running.announce();
	}
}

/** Shared by all executions of this process. */
export const proxyPool = new ProxyPool<ExtractedProxy>(LIMITS, failedProxies);
