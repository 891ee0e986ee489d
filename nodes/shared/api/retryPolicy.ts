import {
	CancelledError,
	HttpStatusError,
	NetworkError,
	ApiError,
	InvalidResponseError,
	CallError,
} from './callErrors';
import { isRepeatable, type Endpoint, type RetryAction } from '../service/endpoint';

/** The least time that another attempt needs to get an answer. */
export const MIN_ATTEMPT_MS = 500;

/**
 * The state of the work after a failed purchase:
 * - `notSent`: nothing left this machine;
 * - `refusedForNow`: this delivery was not carried out, because of its key, its time or the pace. Where a gateway delivers one
 *   request twice, the other delivery may have been;
 * - `refused`: the same request would be refused again, with a code that may be unknown;
 * - `unclear`: it may have been done.
 */
export type DeliveryState = 'notSent' | 'refusedForNow' | 'refused' | 'unclear';

const FOR_NOW = ['authenticateAgain', 'backOff', 'signAgain'];

function deliveryStateOfRefusal({ meaning }: ApiError): DeliveryState {
	const { outcomeUnknown, retry = '' } = meaning ?? {};
	if (outcomeUnknown === true) return 'unclear';
	return FOR_NOW.includes(retry) ? 'refusedForNow' : 'refused';
}

/** How much a failed purchase proves. Everything that is not known to be harmless is unclear. */
export function deliveryStateOf(error: CallError): DeliveryState {
	if (error.isBeforeRequest === true) return 'notSent';
	if (error instanceof ApiError) return deliveryStateOfRefusal(error);
	if (error instanceof NetworkError) return error.failure.mayHaveArrived ? 'unclear' : 'notSent';
	if (error instanceof CancelledError) return error.inFlight ? 'unclear' : 'notSent';
	return error instanceof HttpStatusError || error instanceof InvalidResponseError
		? 'unclear'
		: 'notSent';
}

/** Whether a call may have been carried out although it failed. */
export function mayBeCarriedOut(error: unknown): error is CallError {
	return error instanceof CallError && deliveryStateOf(error) === 'unclear';
}

/** The next step after a failed attempt: the one that the code of an API error asks for, or another connection. */
export type Action = RetryAction | 'reconnect';

interface RetryRule {
	readonly most: number;
	/** The pause before the first, second, or third retry; 0 without. */
	readonly pauseMs?: (retry: number, error: CallError) => number;
	/** Whether it waits until a time is over, and doesn't count among the retries of all kinds. */
	readonly isLongWait?: true;
	/** Whether the pause counts against the time of the call. Waiting for the rate limit does not. */
	readonly isWithinItsTime?: true;
}

const MIN_BACKOFF_MS = 1000;
const BACKOFF_FACTOR = 2.5;
const LONGEST_RETRY_AFTER_MS = 60_000;

/**
 * A pause that is longer each time, and random, so that those who failed at the same moment don't come back at the
 * same one.
 */
function backoffMs(retry: number, error: CallError): number {
	const asked = error instanceof HttpStatusError ? (error.retryAfterMs ?? 0) : 0;
	const grown = MIN_BACKOFF_MS * BACKOFF_FACTOR ** (retry - 1);
	const own = grown * (1 + Math.random());
	return Math.max(own, Math.min(asked, LONGEST_RETRY_AFTER_MS));
}

const RULES: Readonly<Record<Action, RetryRule>> = {
	// The rate limiter decides how long, for all calls with the key
	backOff: { most: Infinity, isLongWait: true },
	repeat: { most: 2, pauseMs: backoffMs, isWithinItsTime: true },
	authenticateAgain: { most: 1 },
	signAgain: { most: 1 },
	reconnect: { most: 3, pauseMs: (retry) => 1000 * retry },
	// 65 seconds in all: a bit more than the minute that Kuaidaili takes
	notYet: { most: 5, pauseMs: () => 13_000, isLongWait: true },
};

/** Retries of all kinds together, but for long waits. */
const MOST_IN_ALL = 3;

/** How long a call that was too fast is tried again: others may use the key, but not for ever. */
const TOO_FAST_MS = 180_000;

/** Too many requests for a gateway, a fault of the service, or a gateway that could not reach it or got no answer. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([
	429, 500, 502, 503, 504, 520, 521, 522, 523, 524,
]);

function maySucceedLater(error: CallError): boolean {
	if (error instanceof NetworkError) return error.failure.passes;
	if (error instanceof InvalidResponseError) return error.isBroken;
	return error instanceof HttpStatusError && PASSING_STATUSES.has(error.status);
}

/** Whether a later call may succeed without anybody doing anything: there was no answer, or one that says so. */
export function passesByItself(error: unknown): error is CallError {
	if (!(error instanceof CallError) || error instanceof InvalidResponseError) return false;
	if (!(error instanceof ApiError)) return maySucceedLater(error);
	const retry = error.meaning?.retry;
	return retry === 'repeat' || retry === 'backOff';
}

function actionAfter(error: CallError, endpoint: Endpoint): Action | undefined {
	// What a call needs first, such as a token, is read whatever the call itself does
	const mayRepeat = isRepeatable(endpoint) || error.isBeforeRequest === true;
	if (error instanceof ApiError) {
		const action = error.meaning?.retry;
		const isPurchase = error.endpoint.kind === 'purchase';
		if (isPurchase && deliveryStateOf(error) !== 'refusedForNow') return undefined;
		return action === 'repeat' && !mayRepeat ? undefined : action;
	}
	if (!maySucceedLater(error)) return undefined;
	if (mayRepeat) return 'repeat';
	// Without a connection nothing was sent, so even a purchase may be tried again
	return deliveryStateOf(error) === 'notSent' ? 'reconnect' : undefined;
}

/** The retries of one call so far. */
export interface RetryCounts {
	readonly retries: ReadonlyMap<Action, number>;
	/** How long ago the call was refused as too fast for the first time, in milliseconds; 0 before. */
	readonly tooFastForMs: number;
}

export interface NextAttempt {
	readonly action: Action;
	/** Whether the pause is part of the time of the call. */
	readonly isWithinItsTime: boolean;
	readonly pauseMs: number;
}

/**
 * Decides after a failed attempt whether there is another one, and when.
 *
 * @param leftMs of the time of the call, in milliseconds
 * @returns undefined when the failure is the result of the call
 */
export function nextAttempt(
	error: CallError,
	endpoint: Endpoint,
	{ retries, tooFastForMs }: RetryCounts,
	leftMs: number,
): NextAttempt | undefined {
	const action = actionAfter(error, endpoint);
	if (action === undefined) return undefined;
	const { most, pauseMs: pauseBefore, isWithinItsTime = false } = RULES[action];
	const isPurchase = endpoint.kind === 'purchase';
	const isLongWait = (name: Action) => !isPurchase && RULES[name].isLongWait === true;
	const before = retries.get(action) ?? 0;
	const inAll = [...retries].reduce(
		(sum, [name, count]) => sum + (isLongWait(name) ? 0 : count),
		0,
	);
	if (before >= most || (!isLongWait(action) && inAll >= MOST_IN_ALL)) return undefined;
	if (action === 'backOff' && tooFastForMs >= TOO_FAST_MS) return undefined;
	const pauseMs = pauseBefore?.(before + 1, error) ?? 0;
	if (isWithinItsTime && pauseMs + MIN_ATTEMPT_MS > leftMs) return undefined;
	return { action, isWithinItsTime, pauseMs };
}
