import type { IHttpRequestOptions } from 'n8n-workflow';

import type { KuaidailiCredential } from './kuaidailiCredential';
import { serviceTime, type SharedSignature } from './signRequest';
import { CallError, CancelledError, NetworkError, networkError } from './callErrors';
import type { Secrets } from './cleanText';
import { failureOf } from './transportFailure';
import { parseResponse, readResponse, RESPONSE_OPTIONS } from './httpResponse';
import { isRepeatable, type Endpoint } from '../service/endpoint';
import type { ServiceAnswer } from '../service/wireTypes';

/** The shortest silence before a repeatable call is tried again. */
const MIN_SILENCE_MS = 5000;

/** The number of attempts that share the time of a call. */
const ATTEMPTS = 3;

/** The timeout of n8n's helper restarts with every byte that arrives; this one doesn't. */
const GRACE_MS = 500;

/** A sender of requests with one key pair. */
export interface Sender {
	readonly credential: KuaidailiCredential;
	/** The time for one call in milliseconds, with all its attempts if it may be repeated. */
	readonly timeoutMs: number;
	/** Aborts when the execution is cancelled. */
	readonly signal: AbortSignal | undefined;
	/** Texts that must not be shown, as they are at this moment. */
	secrets(): Secrets;
	/** Signs and sends; resolves with what n8n's helper returns, for every HTTP status. */
	send(
		request: IHttpRequestOptions,
		endpoint: Endpoint,
		shared?: SharedSignature,
	): Promise<unknown>;
}

/**
 * Sends once, and parses the response. Settles when that is done or `limitMs` are over; nothing goes on after that.
 * Throws CallError.
 */
export async function sendRequest(
	sender: Sender,
	endpoint: Endpoint,
	content: Pick<IHttpRequestOptions, 'qs' | 'headers' | 'body'>,
	limitMs: number,
	shared?: SharedSignature,
): Promise<ServiceAnswer> {
	const { credential, timeoutMs, signal } = sender;
	const url = `${credential.hosts[endpoint.host]}${endpoint.path}`;
	// How long nothing may arrive before there is no time for another attempt
	const silenceMs = Math.max(MIN_SILENCE_MS, Math.floor(timeoutMs / ATTEMPTS));
	const isOver = AbortSignal.timeout(limitMs + GRACE_MS);
	const abortSignal = signal === undefined ? isOver : AbortSignal.any([isOver, signal]);
	const request: IHttpRequestOptions = {
		...RESPONSE_OPTIONS,
		...content,
		method: endpoint.method,
		url,
		timeout: isRepeatable(endpoint) ? Math.min(limitMs, silenceMs) : limitMs,
		abortSignal,
	};
	const reply = await sender.send(request, endpoint, shared).catch((error: unknown): never => {
		// n8n's helper says both in its own way
		if (signal?.aborted === true) throw new CancelledError(true);
		if (isOver.aborted) {
			throw new NetworkError(failureOf('timeout'), new URL(url).host, timeoutMs);
		}
		throw error instanceof CallError
			? error
			: networkError(error, url, timeoutMs, sender.secrets());
	});
	const answer = parseResponse(endpoint, readResponse(reply), sender.secrets(), Date.now());
	return { ...answer, answeredAt: serviceTime(new URL(url).origin, answer.answeredAt) };
}
