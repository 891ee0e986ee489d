import {
	SIGNATURE_WINDOW_MS,
	type SharedSignature,
	type SignatureWindow,
} from '../../shared/api/sign';
import type { EpochMs } from '../../shared/service/chinaTime';

/**
 * A shared request is recorded and signed no sooner after its window began: by then, whoever signed in the window
 * before has recorded that for good.
 */
const SETTLED_MS = 2000;

/** A retry signs in its own way, so much later than a click that began at the same moment, whose records it then finds. */
const RETRY_LATER_MS = 1000;

/** So long after the end of a window, a purchase whose readings began in it may still be signed in it. */
const KEPT_MS = 1200;

/** The window in which a shared request was refused, by its seed: it would be a replay there. */
const refusedIn = new Map<string, EpochMs>();

/** So many are remembered. */
const MOST_REFUSED = 1000;

/**
 * The signature of a purchase that other processes may be sending at the same moment. All of them sign it alike in a
 * window, so that the service carries out one, and nobody signs anew at the beginning of the next one, so that whoever
 * does finds the records of the others.
 */
export class SharedSigning {
	private begunIn: EpochMs | undefined;
	private chosen: SharedSignature | undefined;

	private readonly settledMs: number;

	/** @param window tells the present one */
	constructor(
		private readonly window: () => SignatureWindow,
		isRetry = false,
	) {
		this.settledMs = SETTLED_MS + (isRetry ? RETRY_LATER_MS : 0);
	}

	/** Undefined for a request that no other process sends. */
	get signature(): SharedSignature | undefined {
		return this.chosen;
	}

	/** @returns how long to wait, in milliseconds, before the state is read that the purchase begins with */
	get msUntilSettled(): number {
		return Math.max(0, this.settledMs - this.window().ageMs);
	}

	/** To be called when the state is about to be read. */
	begin(): void {
		this.begunIn = this.window().signedAt;
	}

	/**
	 * Signs in the present window, or still in the one in which the readings began.
	 *
	 * @param seed undefined for a request that no other process sends
	 * @returns how long to wait, in milliseconds, before it can be chosen; 0 where it was
	 */
	choose(seed: string | undefined): number {
		this.chosen = undefined;
		if (seed === undefined) return 0;
		const { ageMs, signedAt: present } = this.window();
		const last = present - SIGNATURE_WINDOW_MS;
		const isRefusedIn = (window: EpochMs) => refusedIn.get(seed) === window;
		const mayKeep = this.begunIn === last && ageMs < KEPT_MS && !isRefusedIn(last);
		if (!mayKeep && isRefusedIn(present)) return SIGNATURE_WINDOW_MS - ageMs + this.settledMs;
		if (!mayKeep && ageMs < this.settledMs) return this.settledMs - ageMs;
		this.chosen = { seed, signedAt: mayKeep ? last : present };
		return 0;
	}

	/** The request was refused, or carried out for another process. */
	noteRefused(): void {
		if (this.chosen === undefined) return;
		if (refusedIn.size >= MOST_REFUSED) refusedIn.clear();
		refusedIn.set(this.chosen.seed, this.chosen.signedAt);
	}
}
