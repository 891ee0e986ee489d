import { codeMeaning } from '../service/codes';
import type { Reaction } from '../service/codes/meaning';
import type { Endpoint } from '../service/endpoints';
import { HttpStatusError, NoAnswerError, ServiceRefusedError, type CallError } from './callErrors';
import type { FailureKind } from './transportFailure';

/** What to do after a failed try: what the code of a refusal asks for, or to connect once more. */
type Step = Reaction | 'connectAgain';

export interface NextTry {
	readonly step: Step;
	/** How long to wait before it, in milliseconds. */
	readonly pauseMs: number;
}

const MOST_REPEATS: Readonly<Record<Step, number>> = {
	slowDown: 3,
	renewToken: 1,
	signAgain: 1,
	connectAgain: 3,
	minuteCap: 5,
	nothingFound: 0,
};

/** Of all kinds together, but for waiting until a minute is over. */
const MOST_REPEATS_IN_ALL = 3;

/** Nothing can have been sent without a connection. */
const NO_CONNECTION: ReadonlySet<FailureKind> = new Set<FailureKind>(['refused', 'unknownHost']);

/** Five waits make 65 seconds: a bit more than the minute for which the cap counts. */
const MINUTE_CAP_WAIT_MS = 13_000;
const SHORTEST_SLOW_DOWN_MS = 1000;
const SLOW_DOWN_GROWTH = 2.5;
/** Before chance makes it up to twice as long. */
const LONGEST_GROWN_MS = 10_000;
const CONNECT_AGAIN_MS = 1000;
const LONGEST_RETRY_AFTER_MS = 60_000;

function stepAfter(error: CallError, endpoint: Endpoint): Step | undefined {
	if (error.tokenFetch === 'maybeAfterRequest' && !endpoint.repeatable) return undefined;
	if (error instanceof ServiceRefusedError) {
		return codeMeaning(error.endpoint, error.code)?.reaction;
	}
	// Worth it where the user cannot simply run again; without a connection nothing was sent
	if (error instanceof NoAnswerError && !endpoint.repeatable) {
		return NO_CONNECTION.has(error.failure.kind) ? 'connectAgain' : undefined;
	}
	// A gateway's 429 does not prove that nothing was done
	const tooMany = error instanceof HttpStatusError && error.status === 429;
	return tooMany && endpoint.repeatable ? 'slowDown' : undefined;
}

/**
 * Much longer each time, because another process with the same key may have many calls to make, and
 * between those there is no gap. Different each time, so that the two do not meet again and again.
 */
function slowDownMs(error: CallError, intervalMs: number, repeat: number): number {
	const asked = error instanceof HttpStatusError ? (error.retryAfterMs ?? 0) : 0;
	const base = Math.max(SHORTEST_SLOW_DOWN_MS, intervalMs);
	const grown = Math.min(base * SLOW_DOWN_GROWTH ** (repeat - 1), LONGEST_GROWN_MS);
	const own = grown * (1 + Math.random());
	return Math.max(own, Math.min(asked, LONGEST_RETRY_AFTER_MS));
}

/** Decides after each failed try of one call whether there is another one, and when. */
export class Repetition {
	private readonly counts = new Map<Step, number>();

	/** @param intervalMs shortest time between two of these calls */
	constructor(
		private readonly endpoint: Endpoint,
		private readonly intervalMs: number,
	) {}

	/** @returns undefined when the failure is the result of the call */
	after(error: CallError): NextTry | undefined {
		const step = stepAfter(error, this.endpoint);
		if (step === undefined) return undefined;
		const repeat = (this.counts.get(step) ?? 0) + 1;
		this.counts.set(step, repeat);
		if (repeat > MOST_REPEATS[step] || this.countInAll() > MOST_REPEATS_IN_ALL) return undefined;
		return { step, pauseMs: this.pauseMs(step, error, repeat) };
	}

	private countInAll(): number {
		return [...this.counts]
			.filter(([step]) => step !== 'minuteCap')
			.reduce((sum, [, count]) => sum + count, 0);
	}

	private pauseMs(step: Step, error: CallError, repeat: number): number {
		switch (step) {
			case 'slowDown':
				return slowDownMs(error, this.intervalMs, repeat);
			case 'connectAgain':
				return CONNECT_AGAIN_MS * repeat;
			case 'minuteCap':
				return MINUTE_CAP_WAIT_MS;
			case 'renewToken':
			case 'signAgain':
			case 'nothingFound':
				return 0;
		}
	}
}
