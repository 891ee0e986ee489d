import type { Endpoint } from '../service/endpoint';
import { cleanServiceText, type Secrets } from './cleanText';
import { proxyIn, transportFailure, type TransportFailure } from './transportFailure';

export interface FailureText {
	/** What happened, without a period. */
	readonly message: string;
	/** What to do next, in whole sentences. */
	readonly description: string;
	/** The service's code, the HTTP status or the system's code; a text, as n8n wants it. */
	readonly code?: string;
}

/** What can go wrong with a call. `describeFailure.ts` turns it into text for the user, and into n8n's errors. */
export abstract class CallError extends Error {
	constructor(message: string) {
		super(message);
		this.name = new.target.name;
	}

	/** What the user also has to know, as a whole sentence. */
	note?: string;

	/** Set where the request itself never left: what it needs first, such as a token, could not be had. */
	isBeforeRequest?: true;

	/** What the service or n8n said, word for word, as a sentence; empty where there is nothing. */
	get evidence(): string {
		return '';
	}
}

/** For `catch`. */
export function noting(note: string) {
	return (error: unknown): never => {
		if (error instanceof CallError) error.note = note;
		throw error;
	};
}

/** The execution was cancelled; nothing more is sent. */
export class CancelledError extends CallError {
	/** @param inFlight whether a request was on its way, so that it may have been carried out */
	constructor(readonly inFlight = false) {
		// With this exact wording, n8n gives the execution the status 'canceled'
		super('The execution was canceled');
	}
}

/** For `catch`, where a question may stay without an answer. */
export function unlessCancelled(error: unknown): undefined {
	if (error instanceof CancelledError) throw error;
	return undefined;
}

/** What was thrown, which may be anything. */
export function asError(error: unknown): Error {
	return error instanceof Error ? error : new Error(String(error));
}

export class ApiError extends CallError {
	/** The order that the call was about, where the account's key pair gave access to it. */
	orderid?: string;

	/** Whether an earlier attempt of the call got no clear answer: the refusal may be of what that one did. */
	followsUnclear = false;

	/** What is most likely behind a code that the service does not document, as a whole sentence. */
	likelyCause?: string;

	constructor(
		readonly endpoint: Endpoint,
		readonly code: number,
		/** The service's own message, already fit to be shown. */
		readonly serviceText: string,
		/** The service's clock minus this machine's, in milliseconds; undefined without a Date header. */
		readonly clockDifferenceMs?: number,
	) {
		super(`Kuaidaili refused the request with code ${code}`);
	}

	override get evidence(): string {
		const { code, serviceText } = this;
		if (serviceText === '') return `Kuaidaili answered with code ${code}.`;
		return `Kuaidaili said: ${serviceText} (code ${code}).`;
	}
}

/** What came is no response of the service. */
abstract class UnusableResponseError extends CallError {
	constructor(
		message: string,
		/** The beginning of the body, fit to be shown. */
		readonly excerpt: string,
	) {
		super(message);
	}

	override get evidence(): string {
		return this.excerpt === '' ? '' : `The response began with: ${this.excerpt}`;
	}
}

/** The HTTP status is not 200. */
export class HttpStatusError extends UnusableResponseError {
	constructor(
		readonly status: number,
		excerpt: string,
		/** Of a `Retry-After` header in seconds; undefined where there is none. */
		readonly retryAfterMs?: number,
	) {
		super(`The answer has the HTTP status ${status}`, excerpt);
	}
}

/** HTTP 200, but not a well-formed response. */
export class InvalidResponseError extends UnusableResponseError {
	constructor(
		/** Continues the sentence "The service's response …". */
		readonly reason: string,
		excerpt: string,
		/** Whether the body was cut or corrupted on its way, as far as can be seen. */
		readonly isBroken = false,
	) {
		super(`The answer ${reason}`, excerpt);
	}
}

export class NetworkError extends CallError {
	constructor(
		readonly failure: TransportFailure,
		/** Where the request went, such as `dev.kdlapi.com`. */
		readonly host: string,
		readonly timeoutMs: number,
	) {
		super(`No answer arrived from ${host}`);
	}

	override get evidence(): string {
		const { kind, detail } = this.failure;
		return kind === 'other' && detail !== '' ? `n8n said: "${detail}".` : '';
	}
}

/** An error of n8n's request helpers, with its text cleaned: it may hold the request, keys included. */
export function networkError(
	error: unknown,
	url: string,
	timeoutMs: number,
	secrets: Secrets,
): NetworkError {
	const failure = transportFailure(error);
	const detail = cleanServiceText(failure.detail, secrets);
	const { hostname, host, port, protocol } = new URL(url);
	const service = { hostname, port: Number(port || (protocol === 'https:' ? 443 : 80)) };
	const proxy = proxyIn(error, service);
	return new NetworkError({ ...failure, detail, proxy }, host, timeoutMs);
}

/** A failure that already has its text, such as one that is reported a second time. */
export class DescribedError extends CallError {
	constructor(readonly text: FailureText) {
		super(text.message);
	}
}

export class WrongKeyTypeError extends CallError {
	constructor(readonly needed: 'account' | 'order') {
		super(`The operation needs the key pair of the ${needed}`);
	}
}
