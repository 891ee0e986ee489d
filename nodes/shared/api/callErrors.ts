import { codeMeaning, KEY_TYPE_DESCRIPTIONS, SIGNATURE_TOO_OLD } from '../service/codes';
import type { CodeMeaning, Endpoint } from '../service/endpoint';
import { durationInWords, sentences } from '../wording';
import { propertyOf } from '../guards';
import { cleanServiceText, type Secrets } from './cleanText';
import { transportFailure, type FailureKind, type TransportFailure } from './transportFailure';

export interface FailureText {
	/** The event, without a period. */
	readonly message: string;
	/** The advice, in whole sentences. */
	readonly description: string;
	/** The service's code, the HTTP status or the system's code; a text, as n8n wants it. */
	readonly code?: string;
}

/** Circumstances of a failed call that only its caller knows. */
interface FailureContext {
	/** More that the user has to know, in whole sentences. */
	readonly note?: string;
	/** Set where the request itself never left: what it needs first, such as a token, could not be had. */
	readonly isBeforeRequest?: true;
	/** The order that the call was about, where the account's key pair gave access to it. */
	readonly orderid?: string;
	/** Whether an earlier attempt of the call got no clear answer: the refusal may be of what that one did. */
	readonly followsUnclear?: boolean;
	/** The most likely reason for a code that the service does not document, as a whole sentence. */
	readonly likelyCause?: string;
}

/** A failed call, in words for the user. An error stays as it was made. */
export abstract class CallError extends Error implements FailureContext {
	readonly note?: string;
	readonly isBeforeRequest?: true;
	readonly orderid?: string;
	readonly followsUnclear?: boolean;
	readonly likelyCause?: string;

	constructor(
		private readonly text: FailureText,
		/** The words of the service or of n8n, as a sentence; empty where there is nothing. */
		readonly evidence = '',
		/** The documented meaning of a refusal's code. */
		readonly meaning?: CodeMeaning,
	) {
		super(text.message);
		this.name = new.target.name;
	}

	describe(): FailureText {
		const { text, note, orderid, likelyCause, meaning } = this;
		const advice =
			likelyCause === undefined || meaning !== undefined
				? text.description
				: `${likelyCause} If that isn't the reason, try again in a few minutes.`;
		const message =
			orderid === undefined
				? text.message
				: text.message.replace(/^This order\b/, () => `Order ${orderid}`);
		return { ...text, message, description: sentences(advice, note) };
	}
}

/** A new error that says more about the same failure. */
export function withContext<T extends CallError>(error: T, context: FailureContext): T {
	const copy = Object.defineProperties(new Error(), Object.getOwnPropertyDescriptors(error));
	const isCopy = (value: Error): value is T =>
		Reflect.setPrototypeOf(value, Reflect.getPrototypeOf(error));
	return isCopy(copy) ? Object.assign(copy, context) : error;
}

/** A new error with another sentence for the user behind those that it has. */
export function withNote<T extends CallError>(error: T, note: string): T {
	return withContext(error, { note: sentences(error.note, note) });
}

/** Makes a handler for `catch` that adds a note to the error. */
export function noting(note: string) {
	return (error: unknown): never => {
		throw error instanceof CallError ? withNote(error, note) : error;
	};
}

/** The execution was cancelled; nothing more is sent. */
export class CancelledError extends CallError {
	/** @param inFlight whether a request was on its way, so that it may have been carried out */
	constructor(readonly inFlight = false) {
		// With this exact wording, n8n gives the execution the status 'canceled'
		super({ message: 'The execution was canceled', description: 'Nothing more was sent.' });
	}
}

/** A handler for `catch`, where a question may stay without an answer. */
export function unlessCancelled(error: unknown): undefined {
	if (error instanceof CancelledError) throw error;
	return undefined;
}

/** A handler for `catch`, where a call that fails loses nothing that came before it. */
export function callFailure(error: unknown): CallError {
	if (error instanceof CancelledError || !(error instanceof CallError)) throw error;
	return error;
}

/** The error that was thrown; anything else that was thrown becomes the message of one. */
export function asError(error: unknown): Error {
	return error instanceof Error ? error : new Error(String(error));
}

/** Message and description of an error of this package. */
export function wordsOf(error: Error): string[] {
	const { message, description } =
		error instanceof CallError
			? error.describe()
			: { message: error.message, description: propertyOf(error, 'description') };
	return [message, description]
		.filter((text) => typeof text === 'string' && text !== '')
		.map(String);
}

const TRY_LATER = 'Try again in a few minutes.';

/** Mentions the clock only if the service rejected the timestamp and the difference is noticeable. */
function clockSentence(code: number, differenceMs = 0): string {
	if (code !== SIGNATURE_TOO_OLD || Math.abs(differenceMs) < 2000) return '';
	const direction = differenceMs > 0 ? 'behind' : 'ahead of';
	return `The clock of this machine is ${durationInWords(differenceMs)} ${direction} Kuaidaili's clock.`;
}

const UNKNOWN_CODE = `This node does not know this code. ${TRY_LATER} If it keeps happening, contact Kuaidaili support and mention the code.`;

export class ApiError extends CallError {
	constructor(
		readonly endpoint: Endpoint,
		readonly code: number,
		/** The service's own message, already fit to be shown. */
		readonly serviceText: string,
		/** The service's clock minus this machine's, in milliseconds; undefined without a Date header. */
		readonly clockDifferenceMs?: number,
	) {
		const meaning = codeMeaning(endpoint, code);
		const evidence =
			serviceText === ''
				? `Kuaidaili answered with code ${code}.`
				: `Kuaidaili said: ${serviceText} (code ${code}).`;
		const { message, description } = meaning ?? {
			message: `Kuaidaili refused the request with code ${code}: ${serviceText || 'no message'}`,
			description: UNKNOWN_CODE,
		};
		const clock = clockSentence(code, clockDifferenceMs);
		const text = {
			message,
			// The message for an unknown code holds the evidence
			description: sentences(clock, description, meaning && evidence),
			code: String(code),
		};
		super(text, evidence, meaning);
	}
}

/**
 * Makes a handler for `catch`: a refusal with an undocumented code says what is most likely behind it, as a sentence.
 */
export function explaining(likelyCause: string) {
	return (error: unknown): never => {
		throw error instanceof ApiError ? withContext(error, { likelyCause }) : error;
	};
}

/** An answer that is no response of the service. */
abstract class UnusableResponseError extends CallError {
	constructor(
		text: FailureText,
		/** The beginning of the body, fit to be shown. */
		readonly excerpt: string,
	) {
		const evidence = excerpt === '' ? '' : `The response began with: ${excerpt}`;
		super({ ...text, description: sentences(text.description, evidence) }, evidence);
	}
}

const CHECK_HOSTS =
	'Check the hosts in the credential, and the proxy of this n8n (HTTPS_PROXY) if it uses one.';

/** Message and description. */
function statusInWords(status: number): [string, string] {
	if (status === 429) {
		return [
			'Kuaidaili was called too often (HTTP status 429)',
			'Something else is using it from this machine or with the same key. Wait until it has finished, or spread out the calls.',
		];
	}
	if (status >= 500) {
		return [`Kuaidaili is unavailable right now (HTTP status ${status})`, TRY_LATER];
	}
	const message =
		status >= 300 && status < 400
			? `Kuaidaili redirected to another address (HTTP status ${status}), and this node does not follow redirects`
			: `Kuaidaili answered with HTTP status ${status}`;
	return [message, CHECK_HOSTS];
}

/** The HTTP status is not 200. */
export class HttpStatusError extends UnusableResponseError {
	constructor(
		readonly status: number,
		excerpt: string,
		/** The value of a `Retry-After` header in seconds; undefined without one. */
		readonly retryAfterMs?: number,
	) {
		const [message, description] = statusInWords(status);
		super({ message, description, code: String(status) }, excerpt);
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
		super({ message: `Kuaidaili's response ${reason}`, description: TRY_LATER }, excerpt);
	}
}

const CHECK_NETWORK =
	'Check the network and the firewall of this machine, the proxy of this n8n (HTTPS_PROXY) if it uses one, and the hosts in the credential if you changed them.';

/** Message and description. */
function failureInWords(
	kind: FailureKind,
	host: string,
	timeoutMs: number,
	evidence: string,
): [string, string] {
	const byKind: Readonly<Record<FailureKind, [message: string, description: string]>> = {
		refused: [`${host} refused the connection`, CHECK_NETWORK],
		unknownHost: [
			`The host ${host} was not found`,
			'Check the network and the DNS settings of this machine, and the hosts in the credential if you changed them.',
		],
		unreachable: [`No connection to ${host} could be made`, CHECK_NETWORK],
		timeout: [
			`${host} did not answer within ${durationInWords(timeoutMs)}`,
			"Try again in a few minutes, or raise 'API Timeout (Seconds)' where 'Options' have it.",
		],
		broken: [`The connection to ${host} was lost before the whole response arrived`, TRY_LATER],
		tls: [
			`Could not establish a secure connection to ${host}`,
			'Check the clock of this machine and any proxy that inspects encrypted traffic.',
		],
		blocked: [
			`n8n did not allow the request to ${host}`,
			"Check 'Allowed HTTP Request Domains' in the credential and the SSRF protection settings of this n8n.",
		],
		other: [`The request to ${host} got no response`, sentences(TRY_LATER, evidence)],
	};
	return byKind[kind];
}

export class NetworkError extends CallError {
	constructor(
		readonly failure: TransportFailure,
		/** The host that the request went to, such as `dev.kdlapi.com`. */
		host: string,
		timeoutMs: number,
	) {
		const { kind, detail } = failure;
		const evidence = kind === 'other' && detail !== '' ? `n8n said: "${detail}".` : '';
		const [message, description] = failureInWords(kind, host, timeoutMs, evidence);
		super({ message, description }, evidence);
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
	return new NetworkError({ ...failure, detail }, new URL(url).host, timeoutMs);
}

/** A failure that already has its text, such as one that is reported a second time. */
export class DescribedError extends CallError {}

export class WrongKeyTypeError extends CallError {
	constructor(needed: 'account' | 'order') {
		super({
			message: `This operation needs the ${needed}'s key pair, but the credential's 'Key Type' is '${needed === 'account' ? 'Order' : 'Account'}'`,
			description: KEY_TYPE_DESCRIPTIONS[needed],
		});
	}
}
