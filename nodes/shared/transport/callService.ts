import type { IHttpRequestOptions } from 'n8n-workflow';

import type { KuaidailiCredential } from '../credential/kuaidailiCredential';
import type { FlatParameters } from '../credential/signature';
import { CallError, CancelledError, NetworkError, ApiError, WrongKeyTypeError } from './callErrors';
import { rateLimiter } from './processState';
import type { Endpoint } from '../service/endpoint';
import { cleanServiceText, type Secrets } from './cleanText';
import {
	parseEnvelope,
	parseResponse,
	RESPONSE_OPTIONS,
	type HttpResponse,
	type Success,
	type SuccessfulEnvelope,
} from './httpResponse';
import { rateLimitKey } from './rateLimitKey';
import { RetryPolicy } from './retryPolicy';
import { transportFailure, type TransportFailure } from './transportFailure';
import { throwIfCancelled, untilAborted, untilCancelled, wait } from './wait';

export interface ServiceCall {
	readonly endpoint: Endpoint;
	/** Only what is to be sent, as texts; authentication adds its own. */
	readonly parameters: FlatParameters;
	/** Shortest time between two calls where the order's plan decides; else the endpoint's own. */
	readonly intervalMs?: number;
	/** Wait and repeat when the order's limit per minute is used up, 65 seconds at most. */
	readonly waitForMinuteCap?: boolean;
	/**
	 * Waited for each time its turn has come, before it leaves; where it throws, nothing is sent. Without a
	 * connection it is tried again, as the call itself would be.
	 */
	readonly beforeLeaving?: () => Promise<void>;
	/** Called each time the request is about to leave, when its turn has come. */
	readonly onLeaving?: () => void;
}

/** Who calls: a node's execution, or the test of a credential. */
export interface Caller {
	readonly credential: KuaidailiCredential;
	readonly timeoutMs: number;
	/** Aborts when the execution is cancelled. */
	readonly signal: AbortSignal | undefined;
	/** Texts that must not be shown, as they are at this moment. */
	secrets(): Secrets;
	/** Signs and sends; resolves with every HTTP status. */
	send(request: IHttpRequestOptions): Promise<HttpResponse>;
	/** Gets what `send` needs first, a token, so that `send` can leave at once; rejects as `send` does. */
	prepare(): Promise<void>;
	/** Longest time that `send` needs before the request itself leaves, in milliseconds. */
	preparationMs(): number;
	/** Told of each refusal by the service, with its code. */
	onRefusal?(code: number): void;
	/** Makes the next `send` fetch a new secret token; false where no token is used. */
	refreshToken(): boolean;
}

/** The time-out of n8n's helper starts anew with each byte that arrives; this is what ends the rest. */
const DEADLINE_GRACE_MS = 500;

const TIMED_OUT: TransportFailure = { kind: 'timeout', detail: '', mayHaveArrived: true };

async function sendWithDeadline(
	caller: Caller,
	request: IHttpRequestOptions,
): Promise<HttpResponse> {
	const limit = caller.timeoutMs + caller.preparationMs() + DEADLINE_GRACE_MS;
	const { host } = new URL(request.url);
	const overdue = () => new NetworkError(TIMED_OUT, host, caller.timeoutMs);
	const answer = untilAborted(caller.send(request), AbortSignal.timeout(limit), overdue);
	return await untilCancelled(answer, caller.signal);
}

function asFailure(error: unknown, caller: Caller, url: string): CallError {
	if (caller.signal?.aborted === true) return new CancelledError(true);
	if (error instanceof CallError) return error;
	const failure = transportFailure(error);
	const detail = cleanServiceText(failure.detail, caller.secrets());
	return new NetworkError({ ...failure, detail }, new URL(url).host, caller.timeoutMs);
}

type ResponseParser<T> = (
	endpoint: Endpoint,
	reply: HttpResponse,
	secrets: Secrets,
	now: number,
) => T;

/** One try. Never rejects: what went wrong is the result, for the caller to judge. */
async function attempt<T>(
	caller: Caller,
	call: ServiceCall,
	read: ResponseParser<T>,
): Promise<T | CallError> {
	const { endpoint } = call;
	const url = `${caller.credential.hosts[endpoint.host]}${endpoint.path}`;
	const request: IHttpRequestOptions = {
		...RESPONSE_OPTIONS,
		method: endpoint.method,
		url,
		qs: { ...call.parameters },
		timeout: caller.timeoutMs,
	};
	try {
		const reply = await sendWithDeadline(caller, request);
		return read(endpoint, reply, caller.secrets(), Date.now());
	} catch (error) {
		return asFailure(error, caller, url);
	}
}

/** Before the turn is taken: who had it and then waited for a token would leave together with the next. */
async function failedPreparation(
	caller: Caller,
	call: ServiceCall,
): Promise<CallError | undefined> {
	try {
		await untilCancelled(caller.prepare(), caller.signal);
		return undefined;
	} catch (error) {
		if (caller.signal?.aborted === true) return new CancelledError();
		const failure = asFailure(error, caller, caller.credential.hosts[call.endpoint.host]);
		failure.tokenFetch = 'beforeRequest';
		return failure;
	}
}

async function failureOf(work: Promise<void>): Promise<CallError | undefined> {
	return await work.then(
		() => undefined,
		(error: unknown) => {
			if (error instanceof CallError) return error;
			throw error;
		},
	);
}

/** The service would refuse as well, with a code that differs by endpoint. */
function assertKeyType({ credential }: Caller, { key }: Endpoint): void {
	if (key !== 'either' && key !== credential.keyType) throw new WrongKeyTypeError(key);
}

async function callAndRead<T>(
	caller: Caller,
	call: ServiceCall,
	read: ResponseParser<T>,
): Promise<T> {
	const { endpoint } = call;
	const intervalMs = call.intervalMs ?? endpoint.intervalMs;
	const limitKey = rateLimitKey(caller.credential, endpoint);
	const retryPolicy = new RetryPolicy(endpoint, intervalMs);

	assertKeyType(caller, endpoint);
	const inTurn = async (): Promise<T | CallError> => {
		await rateLimiter.acquire(limitKey, intervalMs, caller.signal);
		if (call.beforeLeaving !== undefined) {
			const obstacle = await failureOf(call.beforeLeaving());
			if (obstacle !== undefined) return obstacle;
			throwIfCancelled(caller.signal);
			rateLimiter.restart(limitKey);
		}
		call.onLeaving?.();
		return await attempt(caller, call, read);
	};

	for (;;) {
		const outcome = (await failedPreparation(caller, call)) ?? (await inTurn());
		// A success that arrived counts even if the execution was cancelled meanwhile: it may be paid
		if (!(outcome instanceof CallError)) return outcome;

		if (outcome instanceof ApiError) caller.onRefusal?.(outcome.code);
		const next = retryPolicy.next(outcome);
		if (next === undefined) throw outcome;
		if (next.action === 'backOff') {
			const refusedBy = outcome instanceof ApiError ? outcome.endpoint : endpoint;
			rateLimiter.pause(rateLimitKey(caller.credential, refusedBy), next.pauseMs);
		} else {
			if (next.action === 'minuteCap' && call.waitForMinuteCap !== true) throw outcome;
			if (next.action === 'refreshToken' && !caller.refreshToken()) throw outcome;
			if (next.pauseMs > 0) await wait(next.pauseMs, caller.signal);
		}
	}
}

/**
 * The one door to the service: keeps the pace, sends, judges the answer, and repeats where the refusal
 * proves that nothing was done.
 *
 * @throws WrongKeyTypeError, ApiError, HttpStatusError, InvalidResponseError, NetworkError,
 * CredentialError, CancelledError
 */
export async function callService(caller: Caller, call: ServiceCall): Promise<SuccessfulEnvelope> {
	return await callAndRead(caller, call, parseEnvelope);
}

/** The same for endpoints that also know the text format, in which a success has no envelope. */
export async function callExtraction(caller: Caller, call: ServiceCall): Promise<Success> {
	return await callAndRead(caller, call, parseResponse);
}
