import { assertKeyType, attempt, prepare, retryAfter, type ResponseParser } from './attempt';
import { CallError } from './callErrors';
import type { Caller, ServiceCall } from './caller';
import { CallTime } from './callTime';
import {
	parseEnvelope,
	parseExtraction,
	type SuccessfulEnvelope,
	type SuccessfulExtraction,
} from '../response/httpResponse';
import { rateLimiter } from './processState';
import { rateLimitKey } from './rateLimitKey';
import { RetryPolicy } from './retryPolicy';
import { logWait } from './wait';

/** The result of a call that needs no further request. */
export interface Settled<T> {
	readonly result: T;
}

/** What a call does besides sending, such as a purchase, which looks at the account before and after each request. */
export interface CallHooks<T> {
	/**
	 * Called when it is the call's turn, right before the request leaves. Others with the same key wait.
	 *
	 * @returns the result if nothing has to be sent
	 */
	beforeSending?(): Promise<Settled<T> | undefined>;
	/**
	 * Called after each failed attempt; without it, the failure of the last one is thrown.
	 *
	 * @param mayRetry waits as the retry policy says; false when there is no other attempt
	 * @returns the result; undefined for another attempt
	 */
	afterFailure?(
		failure: CallError,
		mayRetry: () => Promise<boolean>,
	): Promise<Settled<T> | undefined>;
}

/**
 * All calls go through here. It keeps the rate limit, sends, parses the response, and retries: reads and
 * settings after most failures, anything else only if the error proves that nothing was done.
 *
 * @throws WrongKeyTypeError, ApiError, HttpStatusError, InvalidResponseError, NetworkError,
 * CredentialError, CancelledError, and what the hooks throw
 */
export async function callWithHooks<T>(
	caller: Caller,
	call: ServiceCall,
	parse: ResponseParser<T>,
	hooks: CallHooks<T> = {},
): Promise<T> {
	const { endpoint, intervalMs = endpoint.intervalMs } = call;
	const time = new CallTime(caller.timeoutMs);
	const retryPolicy = new RetryPolicy(endpoint, intervalMs, time);

	const takeTurn = async (): Promise<Settled<T> | undefined> => {
		const queuedAt = performance.now();
		const key = rateLimitKey(caller.credential, endpoint);
		const release = await rateLimiter.hold(key, intervalMs, caller.signal);
		try {
			logWait(caller, endpoint.path, performance.now() - queuedAt, 'for its turn');
			return await hooks.beforeSending?.();
		} finally {
			release();
		}
	};

	assertKeyType(caller, endpoint);
	for (;;) {
		const failedToPrepare = await prepare(caller, endpoint, time);
		const settled = failedToPrepare === undefined ? await takeTurn() : undefined;
		if (settled !== undefined) return settled.result;
		const outcome = failedToPrepare ?? (await attempt(caller, call, parse, time));
		// A success that arrived counts even if the execution was cancelled meanwhile
		if (!(outcome instanceof CallError)) return outcome;

		const mayRetry = async () => await retryAfter(outcome, retryPolicy, caller, call);
		if (hooks.afterFailure !== undefined) {
			const decided = await hooks.afterFailure(outcome, mayRetry);
			if (decided !== undefined) return decided.result;
		} else if (!(await mayRetry())) throw outcome;
	}
}

/** A call without hooks. Throws what `callWithHooks` throws. */
export async function callService(caller: Caller, call: ServiceCall): Promise<SuccessfulEnvelope> {
	return await callWithHooks(caller, call, parseEnvelope);
}

/** The same for endpoints that also know the text format, in which a success has no envelope. */
export async function callExtraction(
	caller: Caller,
	call: ServiceCall,
): Promise<SuccessfulExtraction> {
	return await callWithHooks(caller, call, parseExtraction);
}
