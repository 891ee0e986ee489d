import type { Endpoint } from '../service/endpoint';
import type { TransportFailure } from './transportFailure';

/** A failure in words for the user. */
export interface FailureText {
	/** What happened, without a full stop. */
	readonly message: string;
	/** What to do next, in whole sentences. */
	readonly description: string;
	/** The service's code, the HTTP status or the system's code; a text, as n8n wants it. */
	readonly code?: string;
}

/**
 * What can go wrong with a call, as plain facts. `transport/describeFailure.ts` has the words for the
 * user; nothing in between needs to know about n8n.
 */
export abstract class CallError extends Error {
	/** What the user also has to know, as a whole sentence. */
	note?: string;

	/** Set where the request itself never left: what it needs first, such as a token, could not be had. */
	isBeforeRequest?: true;
}

/** The execution was cancelled; nothing more is sent. */
export class CancelledError extends CallError {
	/** @param inFlight whether a request was on its way, so that it may have been carried out */
	constructor(readonly inFlight = false) {
		// Spelt as n8n spells it: by this word it gives the execution the status 'canceled'
		super('The execution was canceled');
		this.name = 'CancelledError';
	}
}

/** The service answered with a code other than 0. */
export class ApiError extends CallError {
	/** The order that the call was about, where the account's key pair gave access to it. */
	orderid?: string;

	constructor(
		readonly endpoint: Endpoint,
		readonly code: number,
		/** The service's own message, already fit to be shown. */
		readonly serviceText: string,
		/** The service's clock minus this machine's, in milliseconds; undefined without a Date header. */
		readonly clockDifferenceMs?: number,
	) {
		super(`The service refused the request with code ${code}`);
		this.name = 'ApiError';
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
export class InvalidResponseError extends CallError {
	constructor(
		/** Continues the sentence "The answer …". */
		readonly reason: string,
		/** The beginning of the body, fit to be shown. */
		readonly excerpt: string,
	) {
		super(`The answer ${reason}`);
		this.name = 'InvalidResponseError';
	}
}

/** No answer arrived. */
export class NetworkError extends CallError {
	constructor(
		readonly failure: TransportFailure,
		/** Where the request went, such as `dev.kdlapi.com`. */
		readonly host: string,
		readonly timeoutMs: number,
	) {
		super(`No answer arrived from ${host}`);
		this.name = 'NetworkError';
	}
}

/** A failure that has its words already, such as one that is told a second time. */
export class DescribedError extends CallError {
	constructor(readonly text: FailureText) {
		super(text.message);
		this.name = 'DescribedError';
	}
}

/** The credential holds the other kind of key pair; nothing was sent. */
export class WrongKeyTypeError extends CallError {
	constructor(
		/** What the operation needs. */
		readonly needed: 'account' | 'order',
	) {
		super(`The operation needs the key pair of the ${needed}`);
		this.name = 'WrongKeyTypeError';
	}
}

/** The credential itself cannot be used; nothing was sent. */
export class CredentialError extends CallError {
	constructor(message: string) {
		super(message);
		this.name = 'CredentialError';
	}
}
