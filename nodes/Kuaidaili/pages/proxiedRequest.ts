import type { IHttpRequestOptions } from 'n8n-workflow';

import { isRecord, propertyOf, type UnknownRecord } from '../../shared/guards';
import { CancelledError } from '../../shared/errors/callErrors';
import { transportFailure } from '../../shared/errors/transportFailure';
import { throwIfCancelled, untilAborted } from '../../shared/concurrency/wait';
import type { LeasedProxy } from '../proxies/lease';
import { looksLikeProxy } from '../proxies/proxyStatuses';

/** n8n's request helper without a credential. */
export type SendRequest = (options: IHttpRequestOptions) => Promise<unknown>;

/** One request, which is sent once. */
export interface ProxiedRequest {
	readonly method: 'GET' | 'HEAD' | 'POST';
	/** Of http or https. */
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body?: string;
	readonly proxy: LeasedProxy;
	/** A longer body is not read to its end. */
	readonly maxBytes: number;
	/** For all of it, the way to the proxy and the body included. */
	readonly timeoutMs: number;
	/** Of the execution. */
	readonly signal: AbortSignal | undefined;
}

/** What came back, whatever its status. */
export interface Answer {
	readonly status: number;
	/** With names in lower case. */
	readonly headers: UnknownRecord;
	readonly body: Buffer;
	/** Whether the proxy said so, and not the page. */
	readonly isFromProxy: boolean;
	/**
	 * Whether a proxy may have made it up, although the page is encrypted: nothing else than 200 opens the way to the
	 * page, and n8n's helper does not tell how other statuses of success came.
	 */
	readonly isDoubtful: boolean;
}

export type FailureReason =
	/** The time was over. */
	| 'timeout'
	/** The body is longer than allowed. */
	| 'tooLarge'
	/** The certificate of the page is not one to trust. */
	| 'certificate'
	/** n8n's own protection forbids the address. */
	| 'forbidden'
	/** The page came compressed, and could not be unpacked. */
	| 'corrupt'
	/** The connection did not come about, or broke. */
	| 'connection';

/** Why nothing came back that could be used. */
export interface RequestFailure {
	readonly reason: FailureReason;
	/** The system's code, such as ECONNRESET; may be empty. */
	readonly code: string;
	/** Whether the page may have got the request. */
	readonly mayHaveArrived: boolean;
	/** The status of the page, where one came before. */
	readonly status?: number;
}

export type RequestResult = { readonly answer: Answer } | { readonly failure: RequestFailure };

/** n8n's helper decodes names and passwords once more. */
function encodedPercent(text: string): string {
	return text.replaceAll('%', '%25');
}

const HOST = /^(?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*|[0-9a-fA-F:]*:[0-9a-fA-F:.]*)$/;
const LARGEST_PORT = 65_535;

/**
 * The proxy as n8n's helper takes it. With anything else than a host and a port of http, the helper sends the
 * request straight from the user's own address, and says nothing.
 *
 * @throws Error
 */
export function proxyOption({ host, port, scheme, login }: LeasedProxy) {
	const isUsable =
		scheme === 'http' &&
		typeof host === 'string' &&
		HOST.test(host) &&
		Number.isInteger(port) &&
		port >= 1 &&
		port <= LARGEST_PORT;
	if (!isUsable) throw new Error('There is no proxy that could be used, so nothing was sent');
	const { username, password } = login ?? {};
	return {
		protocol: 'http',
		host: host.includes(':') ? `[${host}]` : host,
		port,
		...(username === undefined || password === undefined
			? {}
			: { auth: { username: encodedPercent(username), password: encodedPercent(password) } }),
	};
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
	return (
		typeof value === 'object' &&
		value !== null &&
		typeof Reflect.get(value, Symbol.asyncIterator) === 'function'
	);
}

function destroy(stream: unknown): void {
	const end = propertyOf(stream, 'destroy');
	if (typeof end === 'function') Reflect.apply(end, stream, []);
}

/** @returns undefined when there is more than allowed; the rest is not fetched */
async function readAll(body: unknown, maxBytes: number): Promise<Buffer | undefined> {
	if (!isAsyncIterable(body)) {
		const whole = typeof body === 'string' || body instanceof Uint8Array ? Buffer.from(body) : '';
		return whole.length > maxBytes ? undefined : Buffer.from(whole);
	}
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of body) {
		const bytes = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
		size += bytes.length;
		// Leaving the loop ends the stream, and with it the connection
		if (size > maxBytes) return undefined;
		chunks.push(bytes);
	}
	return Buffer.concat(chunks, size);
}

function plainHeaders(headers: unknown): UnknownRecord {
	if (!isRecord(headers)) return {};
	return Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
	);
}

/** Over the way to an encrypted page, a proxy answers without encryption. */
function wasEncrypted(response: unknown): boolean | undefined {
	const socket = propertyOf(propertyOf(response, 'request'), 'socket');
	return isRecord(socket) ? propertyOf(socket, 'encrypted') === true : undefined;
}

/** Codes of what unpacks gzip, Brotli, and Zstandard. */
const CORRUPT = /^(?:Z_|ZSTD_|ERR_BR|ERR__ERROR_)/;

/** Errors of a connection that say how far it got, but have no code for it. */
const BEFORE_PAGE = /before receiving CONNECT response|before secure TLS connection/i;

function failureOf(error: unknown, isOver: boolean, status?: number): RequestFailure {
	if (isOver) return { reason: 'timeout', code: '', mayHaveArrived: true, status };
	const ownCode = propertyOf(error, 'code');
	if (typeof ownCode === 'string' && CORRUPT.test(ownCode)) {
		return { reason: 'corrupt', code: ownCode, mayHaveArrived: true, status };
	}
	const { kind, detail, mayHaveArrived } = transportFailure(error);
	// The text of an error may hold the whole request, login included: only a code is passed on
	const code = /^[A-Z][A-Z0-9_]{2,40}$/.test(detail) ? detail : '';
	if (kind === 'blocked') return { reason: 'forbidden', code, mayHaveArrived: false };
	if (kind === 'timeout') return { reason: 'timeout', code, mayHaveArrived, status };
	const isCertificate = kind === 'tls' && !mayHaveArrived;
	const keptBefore = BEFORE_PAGE.test(String(propertyOf(error, 'message')));
	return {
		reason: isCertificate ? 'certificate' : 'connection',
		code,
		mayHaveArrived: status !== undefined || (mayHaveArrived && !keptBefore),
		status,
	};
}

/** What is below announces an answer, or is no status at all. */
function isFinalStatus(status: unknown): status is number {
	return typeof status === 'number' && status >= 200;
}

/** A response of the helper, or the one that it made an error of because of its status. */
async function responseOf(sent: Promise<unknown>): Promise<{
	readonly status: unknown;
	readonly headers: unknown;
	readonly body: unknown;
	readonly isEncrypted?: boolean;
}> {
	try {
		const response = await sent;
		return {
			status: propertyOf(response, 'statusCode'),
			headers: propertyOf(response, 'headers'),
			body: propertyOf(response, 'body'),
		};
	} catch (error) {
		const response = propertyOf(error, 'response');
		if (typeof propertyOf(response, 'status') !== 'number') throw rejectionOf(error);
		return {
			status: propertyOf(response, 'status'),
			headers: propertyOf(response, 'headers'),
			body: propertyOf(response, 'data'),
			isEncrypted: wasEncrypted(response),
		};
	}
}

function rejectionOf(error: unknown): Error {
	return error instanceof Error ? error : new Error(String(error));
}

/**
 * Sends a request through a proxy, once. Never without one: what is no proxy is refused before.
 *
 * @throws CancelledError at once when `signal` aborts, Error when there is no usable proxy
 */
export async function requestThroughProxy(
	send: SendRequest,
	request: ProxiedRequest,
): Promise<RequestResult> {
	const { method, url, headers, body, maxBytes, timeoutMs, signal } = request;
	const proxy = proxyOption(request.proxy);
	throwIfCancelled(signal);
	const deadline = AbortSignal.timeout(Math.max(1, Math.round(timeoutMs)));
	// The helper's own time limit does not cover the way to a proxy, and it knows nothing of the execution
	const stop = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
	let stream: unknown;
	let status: number | undefined;
	try {
		const sent = send({
			method,
			url,
			headers: { ...headers },
			...(body === undefined ? {} : { body }),
			proxy,
			abortSignal: stop,
			encoding: 'stream',
			json: false,
			returnFullResponse: true,
			disableFollowRedirect: true,
		});
		const stopped = () => new Error('stopped');
		const response = await untilAborted(responseOf(sent), stop, stopped);
		stream = response.body;
		if (!isFinalStatus(response.status)) throw new Error('There is no response');
		status = response.status;
		const announced = Number(propertyOf(response.headers, 'content-length'));
		const isTooLong = method !== 'HEAD' && announced > maxBytes;
		const bytes = isTooLong
			? undefined
			: await untilAborted(readAll(stream, maxBytes), stop, stopped);
		if (bytes === undefined) {
			return { failure: { reason: 'tooLarge', code: '', mayHaveArrived: true, status } };
		}
		const isFromProxy =
			response.isEncrypted === undefined || !url.startsWith('https:')
				? looksLikeProxy(status, bytes)
				: !response.isEncrypted;
		const isDoubtful =
			response.isEncrypted === undefined && url.startsWith('https:') && status !== 200;
		return {
			answer: {
				status,
				headers: plainHeaders(response.headers),
				body: bytes,
				isFromProxy,
				isDoubtful,
			},
		};
	} catch (error) {
		if (signal?.aborted === true) throw cancelled();
		return { failure: failureOf(error, deadline.aborted, status) };
	} finally {
		destroy(stream);
	}
}

function cancelled(): CancelledError {
	return new CancelledError(true);
}
