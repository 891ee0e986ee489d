import type { IHttpRequestOptions } from 'n8n-workflow';

import { isRepeatable, type Endpoint } from '../service/endpoint';
import type { Caller, ServiceCall } from './caller';
import { CallError, CancelledError, ApiError, WrongKeyTypeError } from './callErrors';
import { silenceLimitMs, type CallTime } from './callTime';
import type { Secrets } from './cleanText';
import { withDeadline } from './deadline';
import { describeFailure } from './describeFailure';
import { RESPONSE_OPTIONS, type HttpResponse } from '../response/httpResponse';
import { rateLimiter } from './processState';
import { rateLimitKey } from './rateLimitKey';
import type { RetryPolicy } from './retryPolicy';
import { networkError } from './networkError';
import { untilCancelled, wait } from './wait';

function asFailure(error: unknown, caller: Caller, url: string): CallError {
	if (caller.signal?.aborted === true) return new CancelledError(true);
	if (error instanceof CallError) return error;
	return networkError(error, url, caller.timeoutMs, caller.secrets());
}

export type ResponseParser<T> = (
	endpoint: Endpoint,
	reply: HttpResponse,
	secrets: Secrets,
	now: number,
) => T;

/** Sends once. Never rejects: a failure is the result, for the caller to judge. */
export async function attempt<T>(
	caller: Caller,
	call: ServiceCall,
	parse: ResponseParser<T>,
	time: CallTime,
): Promise<T | CallError> {
	const { endpoint } = call;
	const mayRepeat = isRepeatable(endpoint);
	const limitMs = mayRepeat ? time.leftMs : caller.timeoutMs;
	const stop = time.start();
	const url = `${caller.credential.hosts[endpoint.host]}${endpoint.path}`;
	const request: IHttpRequestOptions = {
		...RESPONSE_OPTIONS,
		method: endpoint.method,
		url,
		qs: { ...call.parameters },
		timeout: mayRepeat ? silenceLimitMs(limitMs, caller.timeoutMs) : limitMs,
	};
	try {
		const { timeoutMs, signal } = caller;
		const reply = await withDeadline(caller.send(request), { url, limitMs, timeoutMs, signal });
		return parse(endpoint, reply, caller.secrets(), Date.now());
	} catch (error) {
		return asFailure(error, caller, url);
	} finally {
		stop();
	}
}

/**
 * Gets what the request needs, such as a token. Before its turn: a call that had its turn and then waited for a
 * token would leave together with the next one.
 *
 * @returns what went wrong, if anything did
 */
export async function prepare(
	caller: Caller,
	endpoint: Endpoint,
	time: CallTime,
): Promise<CallError | undefined> {
	const stop = time.start();
	try {
		await untilCancelled(caller.prepare(), caller.signal);
		return undefined;
	} catch (error) {
		if (caller.signal?.aborted === true) return new CancelledError();
		stop();
		const failure = asFailure(error, caller, caller.credential.hosts[endpoint.host]);
		failure.isBeforeRequest = true;
		return failure;
	}
}

/**
 * The service would refuse as well, with a code that differs by endpoint.
 *
 * @throws WrongKeyTypeError
 */
export function assertKeyType({ credential }: Caller, { key }: Endpoint): void {
	if (key !== 'either' && key !== credential.keyType) throw new WrongKeyTypeError(key);
}

/**
 * Does what is needed between two attempts, including the wait.
 *
 * @returns false when there is no other attempt
 * @throws CancelledError
 */
export async function retryAfter(
	failure: CallError,
	retryPolicy: RetryPolicy,
	caller: Caller,
	call: ServiceCall,
): Promise<boolean> {
	if (failure instanceof ApiError) caller.onRefusal?.(failure);
	const next = retryPolicy.next(failure);
	if (next === undefined) return false;
	const logRetry = () => {
		const when = next.pauseMs > 0 ? `in ${(next.pauseMs / 1000).toFixed(1)} s` : 'at once';
		caller.log(
			`${call.endpoint.path}: another attempt ${when}. ${describeFailure(failure).message}`,
		);
	};
	if (next.action === 'backOff' || next.action === 'repeatMoreSlowly') {
		const refusedBy = failure instanceof ApiError ? failure.endpoint : call.endpoint;
		rateLimiter.pause(rateLimitKey(caller.credential, refusedBy), next.pauseMs);
		logRetry();
		return true;
	}
	if (next.action === 'waitForCallers' && call.waitForCallers !== true) return false;
	if (next.action === 'newOrder' && call.waitForNewOrder !== true) return false;
	if (next.action === 'authenticateAgain') {
		if (!(failure instanceof ApiError && caller.renewAuthentication(failure))) return false;
	}
	logRetry();
	if (next.pauseMs > 0) await wait(next.pauseMs, caller.signal);
	return true;
}
