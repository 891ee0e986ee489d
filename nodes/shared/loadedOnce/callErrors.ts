import type { EndpointName } from '../service/endpoints';
import type { TransportFailure } from '../transport/transportFailure';

/**
 * What can go wrong with a call, as plain facts. `transport/describeFailure.ts` has the words for the
 * user; nothing in between needs to know about n8n.
 */
export abstract class CallError extends Error {
	/** What the user also has to know, as a whole sentence. */
	note?: string;
}

/** The execution was cancelled; nothing more is sent. */
export class CancelledError extends CallError {
	constructor() {
		super('The execution was cancelled');
		this.name = 'CancelledError';
	}
}

/** The service answered with a code other than 0. */
export class ServiceRefusedError extends CallError {
	constructor(
		readonly endpoint: EndpointName,
		readonly code: number,
		/** The service's own message, already fit to be shown. */
		readonly serviceText: string,
		/** The service's clock minus this machine's, in milliseconds; undefined without a Date header. */
		readonly clockDifferenceMs?: number,
	) {
		super(`The service refused the request with code ${code}`);
		this.name = 'ServiceRefusedError';
	}
}

/** The HTTP status is not 200, so the body is no answer of the service. */
export class HttpStatusError extends CallError {
	constructor(
		readonly status: number,
		/** The beginning of the body, fit to be shown. */
		readonly excerpt: string,
		/** Of a `Retry-After` header in seconds; undefined where there is none. */
		readonly retryAfterMs?: number,
	) {
		super(`The answer has the HTTP status ${status}`);
		this.name = 'HttpStatusError';
	}
}

/** HTTP 200, but not a well-formed answer. */
export class UnusableAnswerError extends CallError {
	constructor(
		/** Continues the sentence "The answer …". */
		readonly reason: string,
		/** The beginning of the body, fit to be shown. */
		readonly excerpt: string,
	) {
		super(`The answer ${reason}`);
		this.name = 'UnusableAnswerError';
	}
}

/** No answer arrived. */
export class NoAnswerError extends CallError {
	constructor(
		readonly failure: TransportFailure,
		/** Where the request went, such as `dev.kdlapi.com`. */
		readonly host: string,
		readonly timeoutMs: number,
	) {
		super(`No answer arrived from ${host}`);
		this.name = 'NoAnswerError';
	}
}

/** The credential itself cannot be used; nothing was sent. */
export class CredentialError extends CallError {
	constructor(message: string) {
		super(message);
		this.name = 'CredentialError';
	}
}
