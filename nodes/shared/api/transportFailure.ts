import { isList, propertyOf } from '../guards';

interface KindOfFailure {
	/** Whether the request may have been carried out. Without a connection, or blocked by n8n, it can't have. */
	readonly mayHaveArrived: boolean;
	/** Whether another attempt may succeed without anybody doing anything. */
	readonly passes: boolean;
}

const NOT_CONNECTED: KindOfFailure = { mayHaveArrived: false, passes: true };
const NO_ANSWER: KindOfFailure = { mayHaveArrived: true, passes: true };

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
} as const satisfies Record<string, KindOfFailure>;

export type FailureKind = keyof typeof KINDS;

export interface TransportFailure extends KindOfFailure {
	readonly kind: FailureKind;
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
