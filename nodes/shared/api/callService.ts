import { isRepeatable, type Endpoint } from '../service/endpoint';
import {
	ApiError,
	CallError,
	CancelledError,
	withContext,
	withNote,
	WrongKeyTypeError,
} from './callErrors';
import { throwIfCancelled, untilCancelled, wait, logWait } from './wait';
import { clockCorrection, noteRefusedTime } from './signRequest';
import { LIKE_PROXY_LOGIN, SIGNATURE_TOO_OLD } from '../service/codes';
import type { Query } from './query';
import type { FlatParameters, ServiceAnswer } from '../service/wireTypes';
import type { ApiClient, ServiceCall } from './apiClient';
import { MIN_ATTEMPT_MS, mayBeCarriedOut, nextAttempt, type Action } from './retryPolicy';
import { rateLimiter, rateLimitKey } from './rateLimiter';
import { sendRequest } from './sendRequest';

/** A letter for the product and a number, such as t12926732052681, maybe with settings; key pairs have no such ID. */
const PROXY_LOGIN = /^[tdf]\d{8,}(?:-|$)/;

function asFailure(error: unknown, { credential, orderid }: ApiClient): CallError {
	if (!(error instanceof CallError)) throw error;
	const isOfKeys = error.meaning?.retry === 'authenticateAgain';
	const isProxyLogin = isOfKeys && PROXY_LOGIN.test(credential.secretId);
	const failure = error instanceof ApiError ? withContext(error, { orderid }) : error;
	return isProxyLogin ? withNote(failure, LIKE_PROXY_LOGIN) : failure;
}

/** The longest wait in the queue after which a prepared request is sent: a token may have expired then. */
const PREPARED_FOR_MS = 1000;

/** The origin of the host that an endpoint is called on. */
export function originOf({ credential }: ApiClient, { host }: Endpoint): string {
	return new URL(credential.hosts[host]).origin;
}

/** One call, attempt by attempt. Whoever makes it decides after each failure whether there is another one. */
export class CallAttempts {
	private readonly retries = new Map<Action, number>();
	private tooFastSince: number | undefined;
	/** The time that its attempts have taken, and the pauses between them; not the wait for its slot. */
	private spentMs = 0;
	private wasUnclear = false;

	/** @throws WrongKeyTypeError: the service would refuse as well, with a code that differs by endpoint */
	constructor(
		private readonly caller: ApiClient,
		private readonly call: ServiceCall,
	) {
		const { endpoint } = call;
		const { key } = endpoint;
		if (key !== 'either' && key !== caller.credential.keyType) throw new WrongKeyTypeError(key);
	}

	/**
	 * Waits for its turn, sends once, and parses the response. A failure is the result, for the caller to judge.
	 *
	 * @param beforeSending called when it is its turn, right before the request leaves, while others with the same key
	 * wait; resolves with the result if nothing has to be sent
	 */
	async next<T>(
		parse: (answer: ServiceAnswer) => T,
		beforeSending?: () => Promise<T | undefined>,
	): Promise<T | CallError> {
		const { endpoint } = this.call;
		// Before the queue as well: a new key pair has a pace of its own
		const before = (await this.prepare()) ?? (await this.acquireSlot(beforeSending));
		if (before !== undefined && !(before instanceof CallError)) return before;
		const origin = originOf(this.caller, endpoint);
		const correction = clockCorrection(origin);
		const outcome = before ?? (await this.send(parse));
		if (!(outcome instanceof CallError)) {
			rateLimiter.accepted(rateLimitKey(this.caller.credential, endpoint));
			// A success that arrived counts even if the execution was cancelled meanwhile
			return outcome;
		}
		if (outcome instanceof ApiError && outcome.code === SIGNATURE_TOO_OLD) {
			noteRefusedTime(origin, correction, outcome.clockDifferenceMs);
		}
		const isUnclear: boolean = mayBeCarriedOut(outcome);
		const followsUnclear = this.wasUnclear && !isUnclear;
		this.wasUnclear ||= isUnclear;
		return outcome instanceof ApiError ? withContext(outcome, { followsUnclear }) : outcome;
	}

	/** Makes ready for another attempt, the wait included; false where there is none. */
	async mayRetry(failure: CallError): Promise<boolean> {
		const { call, caller } = this;
		const leftMs = caller.timeoutMs - this.spentMs;
		const tooFastForMs = performance.now() - (this.tooFastSince ?? performance.now());
		const counts = { retries: this.retries, tooFastForMs };
		const next = nextAttempt(failure, call.endpoint, counts, leftMs);
		if (next === undefined) return false;
		this.retries.set(next.action, (this.retries.get(next.action) ?? 0) + 1);
		if (next.isWithinItsTime) this.spentMs += next.pauseMs;
		if (next.action === 'backOff') this.tooFastSince ??= performance.now();
		const logRetry = (pauseMs: number) => {
			const when = pauseMs > 0 ? `in ${(pauseMs / 1000).toFixed(1)} s` : 'at once';
			caller.log(`${call.endpoint.path}: another attempt ${when}. ${failure.describe().message}`);
		};
		if (next.action === 'backOff') {
			const refusedBy = failure instanceof ApiError ? failure.endpoint : call.endpoint;
			const { intervalMs } = refusedBy;
			const ownInterval = refusedBy === call.endpoint ? call.intervalMs : undefined;
			const key = rateLimitKey(caller.credential, refusedBy);
			logRetry(rateLimiter.backOff(key, ownInterval ?? intervalMs));
			return true;
		}
		if (next.action === 'authenticateAgain') {
			if (!(failure instanceof ApiError && caller.renewAuthentication(failure))) return false;
		}
		logRetry(next.pauseMs);
		await wait(next.pauseMs, caller.signal);
		return true;
	}

	/** Starts to measure, and returns what ends it. */
	private measure(): () => void {
		const start = performance.now();
		return () => {
			this.spentMs += performance.now() - start;
		};
	}

	private async prepare(): Promise<CallError | undefined> {
		const { caller } = this;
		const stop = this.measure();
		try {
			await untilCancelled(caller.prepare(this.call.endpoint), caller.signal);
			return undefined;
		} catch (error) {
			if (caller.signal?.aborted === true) return new CancelledError();
			stop();
			return withContext(asFailure(error, caller), { isBeforeRequest: true });
		}
	}

	private async acquireSlot<T>(
		beforeSending?: () => Promise<T | undefined>,
	): Promise<T | CallError | undefined> {
		const { call, caller } = this;
		const { endpoint, intervalMs = endpoint.intervalMs } = call;
		const queuedAt = performance.now();
		const key = rateLimitKey(caller.credential, endpoint);
		const release = await rateLimiter.hold(key, intervalMs, caller.signal);
		try {
			const waitedMs = performance.now() - queuedAt;
			logWait(caller, endpoint.path, waitedMs, 'for its turn');
			const failure = waitedMs > PREPARED_FOR_MS ? await this.prepare() : undefined;
			throwIfCancelled(call.wantedUntil);
			return failure ?? (await beforeSending?.());
		} finally {
			release();
		}
	}

	private async send<T>(parse: (answer: ServiceAnswer) => T): Promise<T | CallError> {
		const { caller } = this;
		const { endpoint, parameters, sharedSignature: shared } = this.call;
		// Whole milliseconds, as timers want them
		const leftMs = Math.max(MIN_ATTEMPT_MS, Math.round(caller.timeoutMs - this.spentMs));
		const limitMs = isRepeatable(endpoint) ? leftMs : caller.timeoutMs;
		const stop = this.measure();
		try {
			return parse(await sendRequest(caller, endpoint, { qs: { ...parameters } }, limitMs, shared));
		} catch (error) {
			return asFailure(error, caller);
		} finally {
			stop();
		}
	}
}

const MAY_BE_SET = 'The change may have been made all the same. Making it again does no harm.';

/**
 * Makes a call; all but purchases go through here. Retries reads and settings after most failures, anything else only if
 * the error proves that nothing was done.
 */
export async function callService(caller: ApiClient, call: ServiceCall): Promise<ServiceAnswer> {
	const attempts = new CallAttempts(caller, call);
	for (;;) {
		const outcome = await attempts.next((answer) => answer);
		if (!(outcome instanceof CallError)) return outcome;
		if (await attempts.mayRetry(outcome)) continue;
		const isUnclear = outcome.followsUnclear === true || mayBeCarriedOut(outcome);
		throw call.endpoint.kind === 'setting' && isUnclear ? withNote(outcome, MAY_BE_SET) : outcome;
	}
}

/** Makes one call and reads its answer. Throws what `callService` throws. */
export async function runQuery<T>(
	caller: ApiClient,
	{ complete = (chosen) => chosen, parse, ...call }: Query<T>,
	parameters: FlatParameters = {},
): Promise<T> {
	const answer = await callService(caller, { ...call, parameters: complete(parameters) });
	return parse(answer, caller.secrets());
}
