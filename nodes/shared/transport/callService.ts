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
 * All calls go through here. It keeps the rate limit, sends, parses the response, and retries: reads and
 * settings after most failures, anything else only if the error proves that nothing was done.
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
