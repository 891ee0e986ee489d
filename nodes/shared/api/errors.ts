import { isList, propertyOf } from '../guards';
import { codeMeaning, KEY_TYPE_DESCRIPTIONS } from '../service/codes';
import type { CodeMeaning, Endpoint } from '../service/endpoint';
import { durationInWords, sentences } from '../wording';
import { cleanServiceText, excerpt, type Secrets } from './cleanText';
import { NodeApiError, NodeOperationError, type INode, type JsonObject } from 'n8n-workflow';
import { InvalidFieldError } from '../fields/field';

const NOT_CONNECTED = { mayHaveArrived: false, passes: true };
const NO_ANSWER = { mayHaveArrived: true, passes: true };

const KINDS = {
	refused: NOT_CONNECTED,
	/** The host name is not known. */
	unknownHost: NOT_CONNECTED,
	/** There is no way to the host, maybe through the proxy of this n8n, or it did not accept the connection in time. */
	unreachable: NOT_CONNECTED,
	timeout: NO_ANSWER,
	/** The connection broke. */
	broken: NO_ANSWER,
	tls: { mayHaveArrived: true, passes: false },
	/** Stopped by n8n's SSRF protection or a domain restriction. */
	blocked: { mayHaveArrived: false, passes: false },
	other: NO_ANSWER,
};

export type FailureKind = keyof typeof KINDS;

interface TransportFailure {
	readonly kind: FailureKind;
	/** Whether the request may have been carried out. Without a connection, or blocked by n8n, it can't have. */
	readonly mayHaveArrived: boolean;
	/** Whether another attempt may succeed without anybody doing anything. */
	readonly passes: boolean;
	/** The system's code such as ECONNREFUSED, or a short text; may be empty. */
	readonly detail: string;
}

export function failureOf(kind: FailureKind, detail = ''): TransportFailure {
	const isCertificate = /CERT|SIGNED|SIGNATURE/.test(detail);
	const { passes, mayHaveArrived } = KINDS[kind];
	return { kind, detail, passes, mayHaveArrived: mayHaveArrived && !isCertificate };
}

const KIND_OF_CODE: ReadonlyMap<string, FailureKind> = new Map<string, FailureKind>([
	['ECONNREFUSED', 'refused'],
	['ENOTFOUND', 'unknownHost'],
	['EAI_AGAIN', 'unknownHost'],
	['ECONNABORTED', 'timeout'],
	['ETIMEDOUT', 'timeout'],
	['ESOCKETTIMEDOUT', 'timeout'],
	['ECONNRESET', 'broken'],
	['EPIPE', 'broken'],
	['ERR_BAD_RESPONSE', 'broken'],
	['ERR_STREAM_PREMATURE_CLOSE', 'broken'],
	['EPROTO', 'tls'],
]);

function kindOfCode(code: string): FailureKind | undefined {
	if (/CERT|_SSL_|_TLS_|SIGNED|SIGNATURE/.test(code)) return 'tls';
	// Not HTTP, or compressed data that is cut or corrupt
	if (/^(?:HPE|Z)_/.test(code)) return 'broken';
	return KIND_OF_CODE.get(code);
}

/** The errors inside an error: of n8n, of axios, and of several attempts to connect at once. */
function innerErrors(error: unknown): unknown[] {
	const inner = [propertyOf(error, 'cause'), propertyOf(error, 'errorResponse')];
	return inner.filter((one) => typeof one === 'object' && one !== null);
}

/** n8n wraps errors: the system's code is on the error, on its cause, or in `httpCode`. */
function errorCodesOf(error: unknown, depth = 0): string[] {
	if (depth > 4 || typeof error !== 'object' || error === null) return [];
	const own = [propertyOf(error, 'code'), propertyOf(error, 'httpCode')];
	return [
		...own.filter((code) => typeof code === 'string'),
		...innerErrors(error).flatMap((one) => errorCodesOf(one, depth + 1)),
	];
}

/** Whether the system says that it failed while connecting. */
function failedToConnect(error: unknown, depth = 0): boolean {
	if (depth > 4) return false;
	if (propertyOf(error, 'syscall') === 'connect') return true;
	const attempts = propertyOf(error, 'errors');
	if (isList(attempts) && attempts.length > 0) {
		return attempts.every((one) => failedToConnect(one, depth + 1));
	}
	return innerErrors(error).some((one) => failedToConnect(one, depth + 1));
}

function textsOf(error: unknown): string {
	const messages = propertyOf(error, 'messages');
	const texts = [propertyOf(error, 'message'), ...(isList(messages) ? messages : [])];
	return texts.filter((text) => typeof text === 'string').join(' ');
}

/** Sorts an error of n8n's request helpers, which differ by version and helper, into one of the kinds. */
export function transportFailure(error: unknown): TransportFailure {
	const codes = errorCodesOf(error);
	if (failedToConnect(error) && !codes.some((code) => kindOfCode(code) === 'refused')) {
		return failureOf('unreachable', codes[0] ?? '');
	}
	for (const code of codes) {
		const kind = kindOfCode(code);
		if (kind !== undefined) return failureOf(kind, code);
	}
	const text = textsOf(error);
	if (/The request was blocked because|^Domain not allowed/i.test(text))
		return failureOf('blocked', text);
	if (/proxy connection ended before/i.test(text)) return failureOf('unreachable');
	if (/socket hang up|aborted/i.test(text)) return failureOf('broken');
	return failureOf('other', text);
}

export interface FailureText {
	/** The event, without a period. */
	readonly message: string;
	/** The advice, in whole sentences. */
	readonly description: string;
	/** The service's code, the HTTP status or the system's code; a text, as n8n wants it. */
	readonly code?: string;
}

/** A failed call, in words for the user. */
export abstract class CallError extends Error {
	/** Set where the request itself never left: what it needs first, such as a token, could not be had. */
	isBeforeRequest?: true;

	private readonly notes = new Set<string>();

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

	/** Adds more that the user has to know, in whole sentences, behind what it says already; each note once. */
	addNote(note: string): this {
		this.notes.add(note);
		return this;
	}

	describe(): FailureText {
		const { text, notes } = this;
		return { ...text, description: sentences(text.description, ...notes) };
	}
}

/** Makes a handler for `catch` that adds a note to the error. */
export function noting(note: string) {
	return (error: unknown): never => {
		throw error instanceof CallError ? error.addNote(note) : error;
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

const UNKNOWN_CODE = `This node does not know this code. ${TRY_LATER} If it keeps happening, contact Kuaidaili support and mention the code.`;

export class ApiError extends CallError {
	constructor(
		readonly endpoint: Endpoint,
		readonly code: number,
		/** The service's own message, already fit to be shown. */
		readonly serviceText: string,
		/** The service's clock minus this machine's, in milliseconds; undefined without a Date header. */
		readonly clockDifferenceMs?: number,
		/** The order that the call was about, where the account's key pair gave access to it. */
		readonly orderid?: string,
	) {
		const meaning = codeMeaning(endpoint, code);
		const evidence =
			serviceText === ''
				? `Kuaidaili answered with code ${code}.`
				: `Kuaidaili said: ${serviceText} (code ${code}).`;
		const { otherwise } = endpoint;
		const { message, description } = meaning ?? {
			message: `Kuaidaili refused the request with code ${code}: ${serviceText || 'no message'}`,
			description:
				otherwise === undefined
					? UNKNOWN_CODE
					: `${otherwise} If that isn't the reason, try again in a few minutes.`,
		};
		const text = {
			message:
				orderid === undefined
					? message
					: message.replace(/^This order\b/, () => `Order ${excerpt(orderid, [])}`),
			// The message for an unknown code holds the evidence
			description: sentences(description, meaning && evidence),
			code: String(code),
		};
		super(text, evidence, meaning);
	}
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

function isNodeError(error: unknown): error is NodeApiError | NodeOperationError {
	// By name: a second copy of n8n-workflow makes instanceof fail
	return error instanceof Error && ['NodeApiError', 'NodeOperationError'].includes(error.name);
}

/** n8n's error, with the message and the description that it is to have. */
function nodeErrorOf(node: INode, error: unknown) {
	if (error instanceof CallError) {
		const { message, description, code } = error.describe();
		const response: JsonObject = code === undefined ? {} : { code };
		const options = { message, description, httpCode: code };
		return { shown: new NodeApiError(node, response, options), message, description };
	}
	if (isNodeError(error)) {
		return { shown: error, message: error.message, description: error.description ?? undefined };
	}
	const { message } = asError(error);
	const description = error instanceof InvalidFieldError ? error.description : undefined;
	return { shown: new NodeOperationError(node, message), message, description };
}

/**
 * The error as n8n words its own: what happened, and to which item, in `message`, and what to do next in
 * `description`.
 *
 * @param item the input item that it is about, and whether there is no other: n8n's editor names an item only among
 * several, and as `[item 3]`
 */
export function toNodeError(
	node: INode,
	error: unknown,
	item?: { readonly index: number; readonly isOnly: boolean },
): NodeApiError | NodeOperationError {
	const { shown, message, description } = nodeErrorOf(node, error);
	// n8n replaces messages that contain certain words by stock texts, so ours are set afterwards
	shown.message = item === undefined || item.isOnly ? message : `${message} [item ${item.index}]`;
	shown.description = description;
	if (item !== undefined) shown.context.itemIndex = item.index;
	return shown;
}
