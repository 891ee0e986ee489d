import type { IHttpRequestOptions } from 'n8n-workflow';

import type { KuaidailiCredential } from '../credential/kuaidailiCredential';
import type { FlatParameters } from '../credential/signature';
import type { Endpoint } from '../service/endpoint';
import { assertKeyType, attempt, prepare, retryAfter, type ResponseParser } from './attempt';
import { CallError, type ApiError } from './callErrors';
import { CallTime } from './callTime';
import type { Secrets } from './cleanText';
import {
	parseEnvelope,
	parseExtraction,
	type HttpResponse,
	type SuccessfulEnvelope,
	type SuccessfulExtraction,
} from './httpResponse';
import { rateLimiter } from './processState';
import { rateLimitKey } from './rateLimitKey';
import { RetryPolicy } from './retryPolicy';

export interface ServiceCall {
	readonly endpoint: Endpoint;
	/** What to send, as strings; authentication adds its own parameters. */
	readonly parameters: FlatParameters;
	/** Shortest time between two calls where the order's plan decides; else the endpoint's own. */
	readonly intervalMs?: number;
	/** Wait and repeat where too many addresses call with the order, 65 seconds at most. */
	readonly waitForCallers?: boolean;
	/** Wait and repeat when the order is too new to be used, 65 seconds at most. */
	readonly waitForNewOrder?: boolean;
}

/** Who calls: a node's execution, or the test of a credential. */
export interface Caller {
	readonly credential: KuaidailiCredential;
	/** For one call, with all its attempts if it is a read. */
	readonly timeoutMs: number;
	/** Aborts when the execution is cancelled. */
	readonly signal: AbortSignal | undefined;
	/** Texts that must not be shown, as they are at this moment. */
	secrets(): Secrets;
	/** Signs and sends; resolves with every HTTP status. */
	send(request: IHttpRequestOptions): Promise<HttpResponse>;
	/** Fetches the token that `send` needs, so that `send` doesn't have to wait; rejects as `send` does. */
	prepare(): Promise<void>;
	/** Called with each refusal by the service, before it is thrown or tried again. */
	onRefusal?(error: ApiError): void;
	/**
	 * Forgets the token or the key pair that the service refused, so that `prepare` fetches it anew; false
	 * where nothing can be fetched anew.
	 */
	renewAuthentication(refusal: ApiError): boolean;
}

async function callAndParse<T>(
	caller: Caller,
	call: ServiceCall,
	parse: ResponseParser<T>,
): Promise<T> {
	const { endpoint, intervalMs = endpoint.intervalMs } = call;
	const time = new CallTime(caller.timeoutMs);
	const retryPolicy = new RetryPolicy(endpoint, intervalMs, time);

	assertKeyType(caller, endpoint);
	for (;;) {
		const outcome =
			(await prepare(caller, endpoint, time)) ?? (await attemptInTurn(caller, call, parse, time));
		// A success that arrived counts even if the execution was cancelled meanwhile
		if (!(outcome instanceof CallError)) return outcome;
		if (!(await retryAfter(outcome, retryPolicy, caller, call))) throw outcome;
	}
}

async function attemptInTurn<T>(
	caller: Caller,
	call: ServiceCall,
	parse: ResponseParser<T>,
	time: CallTime,
): Promise<T | CallError> {
	const { endpoint, intervalMs = endpoint.intervalMs } = call;
	await rateLimiter.acquire(rateLimitKey(caller.credential, endpoint), intervalMs, caller.signal);
	return await attempt(caller, call, parse, time);
}

/**
 * All calls go through here: it keeps the rate limit, sends, parses the response, and retries: a read after
 * most failures, anything else only if the error proves that nothing was done.
 *
 * @throws WrongKeyTypeError, ApiError, HttpStatusError, InvalidResponseError, NetworkError,
 * CredentialError, CancelledError
 */
export async function callService(caller: Caller, call: ServiceCall): Promise<SuccessfulEnvelope> {
	return await callAndParse(caller, call, parseEnvelope);
}

/** The same for endpoints that also know the text format, in which a success has no envelope. */
export async function callExtraction(
	caller: Caller,
	call: ServiceCall,
): Promise<SuccessfulExtraction> {
	return await callAndParse(caller, call, parseExtraction);
}
