import {
	CancelledError,
	HttpStatusError,
	NetworkError,
	ApiError,
	InvalidResponseError,
	CallError,
	WrongKeyTypeError,
} from './errors';
import type { Endpoint, RetryAction } from '../service/endpoint';
import { cleanServiceText, excerptOfData, type Secrets } from './cleanText';
import { isList, isRecord, type UnknownRecord } from '../guards';
import type { FlatParameters, ServiceAnswer } from '../service/wireTypes';
import { throwIfCancelled, untilCancelled, wait } from './wait';
import { clockCorrection, noteRefusedTime, type SignatureStamp } from './sign';
import { SIGNATURE_TOO_OLD } from '../service/codes';
import { sendRequest, type ApiClient } from './client';
import { rateLimiter, rateLimitKey } from './rateLimiter';

/** The least time that another attempt needs to get an answer. */
const MIN_ATTEMPT_MS = 500;

/**
 * The state of the work after a failed call:
 * - `notSent`: nothing left this machine;
 * - `refusedForNow`: this delivery was not carried out, because of its key, its time or the pace. Where a gateway delivers one
 *   request twice, the other delivery may have been;
 * - `refused`: the same request would be refused again, with a code that may be unknown;
 * - `unclear`: it may have been done.
 */
export type DeliveryState = 'notSent' | 'refusedForNow' | 'refused' | 'unclear';

const FOR_NOW = ['authenticateAgain', 'backOff', 'signAgain'];

/** How much a failed call proves. Everything that is not known to be harmless is unclear. */
export function deliveryStateOf(error: CallError): DeliveryState {
	if (error.isBeforeRequest === true) return 'notSent';
	if (error instanceof ApiError) {
		const { outcomeUnknown, retry = '' } = error.meaning ?? {};
		if (outcomeUnknown === true) return 'unclear';
		return FOR_NOW.includes(retry) ? 'refusedForNow' : 'refused';
	}
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

const MIN_BACKOFF_MS = 1000;
const BACKOFF_FACTOR = 2.5;

/**
 * A pause that is longer each time, and random, so that those who failed at the same moment don't come back at the
 * same one.
 */
function backoffMs(retry: number): number {
	return MIN_BACKOFF_MS * BACKOFF_FACTOR ** (retry - 1) * (1 + Math.random());
}

const RULES: Readonly<
	Record<
		Action,
		{
			readonly most: number;
			/** The pause before the first, second, or third retry; 0 without. */
			readonly pauseMs?: (retry: number) => number;
			/** Whether it waits until a time is over, and doesn't count among the retries of all kinds. */
			readonly isLongWait?: true;
			/** Whether the pause counts against the time of the call. Waiting for the rate limit does not. */
			readonly isWithinItsTime?: true;
		}
	>
> = {
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
	const mayRepeat = endpoint.isRepeatable || error.isBeforeRequest === true;
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

/**
 * Decides after a failed attempt whether there is another one, and when.
 *
 * @param counts the retries of the call so far, and how many milliseconds ago it was refused as too fast for the first
 * time; 0 before
 * @param leftMs of the time of the call, in milliseconds
 * @returns undefined when the failure is the result of the call; `isWithinItsTime` tells whether the pause is part of
 * the time of the call
 */
export function nextAttempt(
	error: CallError,
	endpoint: Endpoint,
	{ retries, tooFastForMs }: { retries: ReadonlyMap<Action, number>; tooFastForMs: number },
	leftMs: number,
) {
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
	const pauseMs = pauseBefore?.(before + 1) ?? 0;
	if (isWithinItsTime && pauseMs + MIN_ATTEMPT_MS > leftMs) return undefined;
	return { action, isWithinItsTime, pauseMs };
}

/** A call of the service, and how its answer is read. */
export interface Query<T> {
	readonly endpoint: Endpoint;
	/** The time between two calls where the order's plan decides; else the endpoint's own. */
	readonly intervalMs?: number;
	/** A signal after which nothing is sent any more. What was sent before is not lost. */
	readonly wantedUntil?: AbortSignal;
	/** Adds the parameters that the service requires beyond those the user chose. */
	readonly complete?: (parameters: FlatParameters) => FlatParameters;
	/** Set for a purchase that several processes may send; all of its attempts have the present one. */
	readonly stamp?: SignatureStamp;
	/** @throws InvalidResponseError */
	readonly parse: (answer: ServiceAnswer, secrets: Secrets) => T;
}

/**
 * A call that returns one thing.
 *
 * @param what it is, as the end of "The service's response contains no …"
 * @param toResult undefined where the data of the response don't hold it
 */
export function dataQuery<T>(
	endpoint: Endpoint,
	what: string,
	toResult: (data: unknown) => T | undefined,
): Query<T> {
	return {
		endpoint,
		parse({ data }, secrets) {
			const result = toResult(data);
			if (result !== undefined) return result;
			const excerpt = endpoint.secretAnswer === true ? '' : excerptOfData(data, secrets);
			throw new InvalidResponseError(`contains no ${what}`, excerpt);
		},
	};
}

/** A call that sets a state and returns only a message. */
export function settingQuery(endpoint: Endpoint, parameters: FlatParameters = {}): Query<string> {
	return {
		endpoint,
		complete: (others) => ({ ...parameters, ...others }),
		parse: ({ msg }, secrets) => cleanServiceText(msg, secrets),
	};
}

/** Makes the call with the key pair that the endpoint needs. Throws what `runQuery` throws. */
export type RunQuery = <T>(query: Query<T>, parameters?: FlatParameters) => Promise<T>;

/** Throws InvalidResponseError for `data` that is no list of wanted records; an empty one is fine. */
export function parseRecords<T extends UnknownRecord>(
	{ data }: Pick<ServiceAnswer, 'data'>,
	isWanted: (record: UnknownRecord) => record is T,
	secrets: Secrets,
): T[] {
	if (!isList(data))
		throw new InvalidResponseError('contains no list', excerptOfData(data, secrets));
	return data.map((entry) => {
		if (isRecord(entry) && isWanted(entry)) return entry;
		throw new InvalidResponseError(
			'contains an entry with missing fields',
			excerptOfData(entry, secrets),
		);
	});
}

/** The failure of an attempt, which is its result; anything else is a fault of this program. */
function asFailure(error: unknown): CallError {
	if (!(error instanceof CallError)) throw error;
	return error;
}

/** One call, attempt by attempt. Whoever makes it decides after each failure whether there is another one. */
export class CallAttempts<T> {
	/** The parameters of the request; authentication adds its own. */
	private readonly parameters: FlatParameters;
	private readonly retries = new Map<Action, number>();
	private tooFastSince: number | undefined;
	/** The time that its attempts have taken, and the pauses between them; not the wait for its slot. */
	private spentMs = 0;
	/** Whether an attempt may have been carried out although it failed. */
	isUnclear = false;

	/** @throws WrongKeyTypeError: the service would refuse as well, with a code that differs by endpoint */
	constructor(
		private readonly client: ApiClient,
		private readonly query: Query<T>,
		parameters: FlatParameters = {},
	) {
		this.parameters = query.complete?.(parameters) ?? parameters;
		const { key } = query.endpoint;
		if (key !== 'either' && key !== client.credential.keyType) throw new WrongKeyTypeError(key);
	}

	/**
	 * Acquires a slot, sends once, and parses the response. A failure is the result, for the caller to judge.
	 *
	 * @param beforeSending called with the slot, right before the request leaves, while others with the same key
	 * wait; resolves with the result if nothing has to be sent
	 */
	async next(beforeSending?: () => Promise<T | undefined>): Promise<T | CallError> {
		const { endpoint } = this.query;
		// Before the queue: a new key pair has a pace of its own
		const unprepared = await this.prepare();
		if (unprepared !== undefined) return unprepared;
		const before = await this.acquireSlot(beforeSending);
		if (before !== undefined) return before;
		const origin = this.client.credential.hosts[endpoint.host];
		const correction = clockCorrection(origin);
		const outcome = await this.send();
		if (!(outcome instanceof CallError)) {
			rateLimiter.accepted(rateLimitKey(this.client.credential, endpoint));
			// A success that arrived counts even if the execution was cancelled meanwhile
			return outcome;
		}
		if (outcome instanceof ApiError && outcome.code === SIGNATURE_TOO_OLD) {
			noteRefusedTime(origin, correction, outcome.clockDifferenceMs);
		}
		this.isUnclear ||= mayBeCarriedOut(outcome);
		return outcome;
	}

	/** Makes ready for another attempt, the wait included; false where there is none. */
	async mayRetry(failure: CallError): Promise<boolean> {
		const { client, query } = this;
		const leftMs = client.timeoutMs - this.spentMs;
		const tooFastForMs = performance.now() - (this.tooFastSince ?? performance.now());
		const counts = { retries: this.retries, tooFastForMs };
		const next = nextAttempt(failure, query.endpoint, counts, leftMs);
		if (next === undefined) return false;
		this.retries.set(next.action, (this.retries.get(next.action) ?? 0) + 1);
		if (next.isWithinItsTime) this.spentMs += next.pauseMs;
		if (next.action === 'backOff') {
			this.tooFastSince ??= performance.now();
			const refusedBy = failure instanceof ApiError ? failure.endpoint : query.endpoint;
			const { intervalMs } = refusedBy;
			const ownInterval = refusedBy === query.endpoint ? query.intervalMs : undefined;
			const key = rateLimitKey(client.credential, refusedBy);
			rateLimiter.backOff(key, ownInterval ?? intervalMs);
			return true;
		}
		if (next.action === 'authenticateAgain') {
			if (!(failure instanceof ApiError && client.renewAuthentication(failure))) return false;
		}
		await wait(next.pauseMs, client.signal);
		return true;
	}

	private async prepare(): Promise<CallError | undefined> {
		const { client } = this;
		const start = performance.now();
		try {
			await untilCancelled(client.prepare(this.query.endpoint), client.signal);
			return undefined;
		} catch (error) {
			if (client.signal?.aborted === true) return new CancelledError();
			this.spentMs += performance.now() - start;
			const failure = asFailure(error);
			failure.isBeforeRequest = true;
			return failure;
		}
	}

	private async acquireSlot(beforeSending?: () => Promise<T | undefined>): Promise<T | undefined> {
		const { client, query } = this;
		const { endpoint, intervalMs = endpoint.intervalMs } = query;
		const key = rateLimitKey(client.credential, endpoint);
		const release = await rateLimiter.hold(key, intervalMs, client.signal);
		try {
			throwIfCancelled(query.wantedUntil);
			return await beforeSending?.();
		} finally {
			release();
		}
	}

	private async send(): Promise<T | CallError> {
		const { client, query, parameters } = this;
		const { endpoint, stamp } = query;
		// Whole milliseconds, as timers want them
		const leftMs = Math.max(MIN_ATTEMPT_MS, Math.round(client.timeoutMs - this.spentMs));
		const limitMs = endpoint.isRepeatable ? leftMs : client.timeoutMs;
		const start = performance.now();
		try {
			const content = { qs: { ...parameters } };
			const answer = await sendRequest(client, endpoint, content, limitMs, stamp);
			return query.parse(answer, client.secrets());
		} catch (error) {
			return asFailure(error);
		} finally {
			this.spentMs += performance.now() - start;
		}
	}
}

const MAY_BE_SET = 'The change may have been made all the same. Making it again does no harm.';

/**
 * Makes a call and reads its answer; all but purchases go through here. Retries reads and settings after most failures,
 * anything else only if the error proves that nothing was done.
 */
export async function runQuery<T>(
	client: ApiClient,
	query: Query<T>,
	parameters?: FlatParameters,
): Promise<T> {
	const attempts = new CallAttempts(client, query, parameters);
	for (;;) {
		const outcome = await attempts.next();
		if (!(outcome instanceof CallError)) return outcome;
		if (await attempts.mayRetry(outcome)) continue;
		const mayBeSet = query.endpoint.kind === 'setting' && attempts.isUnclear;
		throw mayBeSet ? outcome.addNote(MAY_BE_SET) : outcome;
	}
}
