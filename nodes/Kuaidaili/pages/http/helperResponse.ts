// Relies on n8n's request helper: it throws axios errors, which hold the request and its socket, also of each status in
// `except`.
import type { IHttpRequestOptions } from 'n8n-workflow';

import { asError, transportFailure } from '../../../shared/api/errors';
import { isRecord, propertyOf, type UnknownRecord } from '../../../shared/guards';
import {
	answerOfProxy,
	type ProxyStatuses,
	type UnprovenAnswer,
} from '../../proxies/proxyStatuses';
import type { HttpAnswer, RequestFailure } from './httpAnswer';

/**
 * Options that make n8n's helper throw every answer: only errors tell whether the connection was encrypted, and thereby
 * who answered.
 */
export const EVERY_ANSWER_AS_ERROR: Pick<IHttpRequestOptions, 'ignoreHttpStatusErrors'> = {
	ignoreHttpStatusErrors: {
		ignore: true,
		except: Array.from({ length: 900 }, (_, index) => 100 + index),
	},
};

/** A response that n8n's request helper has thrown. What is unknown has not been checked. */
export interface HelperResponse {
	readonly status: number;
	/** The reason phrase of the status line; empty where there is none. */
	readonly statusText: string;
	/** With names in lower case. */
	readonly headers: UnknownRecord;
	readonly body: unknown;
	/** The object that has the socket of the connection, where there is one. */
	readonly request: unknown;
}

function lowerCased(headers: unknown): UnknownRecord {
	if (!isRecord(headers)) return {};
	return Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
	);
}

function phraseOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

/** The response in the error that the helper has thrown. Throws an Error that has none. */
export async function responseOf(sent: Promise<unknown>): Promise<HelperResponse> {
	const error = await sent.catch((thrown: unknown) => thrown);
	const response = propertyOf(error, 'response');
	const status = propertyOf(response, 'status');
	if (typeof status !== 'number') throw asError(error);
	const headers = lowerCased(propertyOf(response, 'headers'));
	const statusText = phraseOf(propertyOf(response, 'statusText'));
	const body = propertyOf(response, 'data');
	return { status, statusText, headers, body, request: propertyOf(response, 'request') };
}

/** Whether the connection of a request is encrypted: null where there was none, undefined where nobody says. */
function encryptionOf(request: unknown): boolean | null | undefined {
	if (!isRecord(request)) return undefined;
	const socket = propertyOf(request, 'socket');
	if (socket === null) return null;
	return isRecord(socket) ? propertyOf(socket, 'encrypted') === true : undefined;
}

/** The sender of an answer. Only one through an encrypted connection with a page of https is certainly the page's. */
export function sourceOf(
	url: string,
	answer: UnprovenAnswer,
	request: unknown,
	statuses: ProxyStatuses,
): HttpAnswer['source'] {
	const isEncrypted = encryptionOf(request);
	if (url.startsWith('https:') && typeof isEncrypted === 'boolean') {
		return isEncrypted ? 'page' : 'proxy';
	}
	const isOfProxy = answerOfProxy(statuses, answer);
	switch (isOfProxy) {
		case 'certain':
			return 'saysProxy';
		case 'possible':
			return 'unclear';
		case 'no':
			return 'page';
		default:
			return isOfProxy satisfies never;
	}
}

/** Codes of the parser of HTTP. */
const BROKEN_HTTP = /^HPE_/;

/** Codes of the unpackers of gzip, Brotli, and Zstandard. */
const CORRUPT = /^(?:Z_|ZSTD_|ERR_BR|ERR__ERROR_)/;

const CERTIFICATE = /CERT|SIGNED|SIGNATURE/;

/** Kinds of failures that show that the proxy cannot be connected to. */
const PROXY_DOWN: ReadonlySet<string> = new Set(['refused', 'unknownHost', 'unreachable']);

/**
 * The failure behind an error that n8n's helper has thrown, without anything of the request that it holds.
 *
 * @param isOver whether the time of the attempt is over
 * @param status of the answer, where one had begun
 */
export function requestFailureOf(
	error: unknown,
	url: string,
	isOver: boolean,
	status?: number,
): RequestFailure {
	const kind = 'failure';
	const { kind: cause, detail } = transportFailure(error);
	if (cause === 'blocked') return { kind, reason: 'forbidden', code: '', source: 'proxy' };
	// To protect its network, n8n looks up the hosts of pages itself
	if (detail === 'ENOTFOUND' && propertyOf(error, 'hostname') === new URL(url).hostname) {
		return { kind, reason: 'unknownHost', code: '', source: 'proxy' };
	}
	const isEncrypted = encryptionOf(propertyOf(error, 'request'));
	const isPage = status !== undefined || isEncrypted === true || cause === 'tls';
	const isUnsent = isEncrypted === null || (isEncrypted === false && url.startsWith('https:'));
	const isOfProxy = isUnsent || PROXY_DOWN.has(cause);
	const source = isPage ? 'page' : isOfProxy ? 'proxy' : 'unclear';
	if (isOver || cause === 'timeout') return { kind, reason: 'timeout', code: '', source, status };
	const ownCode = propertyOf(error, 'code');
	if (typeof ownCode === 'string' && CORRUPT.test(ownCode)) {
		return { kind, reason: 'corrupt', code: ownCode, source: 'page', status };
	}
	// The text of an error may hold the whole request, login included: only a code is passed on
	const code = /^[A-Z][A-Z0-9_]{2,40}$/.test(detail) ? detail : '';
	if (BROKEN_HTTP.test(code) && url.startsWith('https:') && source === 'page') {
		return { kind, reason: 'brokenHttp', code, source, status };
	}
	const isCertificate = cause === 'tls' && CERTIFICATE.test(detail);
	const reason = isCertificate ? 'certificate' : 'connection';
	return { kind, reason, code, source, status };
}
