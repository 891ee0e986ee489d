import { sleep, type IHttpRequestOptions } from 'n8n-workflow';

import { throwIfCancelled, untilAborted } from '../../../shared/api/wait';
import { mapValues, propertyOf, type UnknownRecord } from '../../../shared/guards';
import { readLimitedBody } from './limitedBody';
import type { LeasedProxy } from '../../proxies/lease';
import { statusesOf } from '../../proxies/products';
import { headerOf, type PageRequest } from '../request/pageRequest';
import {
	EVERY_ANSWER_AS_ERROR,
	requestFailureOf,
	responseOf,
	sourceOf,
	type HelperResponse,
} from './helperResponse';
import type { HttpAnswer, RequestFailure } from './httpAnswer';

/** Everything that a request needs from the run of the node. */
export interface RequestScope {
	/** Aborts when the execution is cancelled. */
	readonly signal: AbortSignal | undefined;
	/** n8n's helpers, of which only the one without a credential requests pages. */
	readonly helpers: { httpRequest(options: IHttpRequestOptions): Promise<unknown> };
	/** The end of all requests, by `performance.now()`; Infinity for none. */
	readonly endsAt: number;
}

const HOST = /^(?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*|[0-9a-fA-F:]*:[0-9a-fA-F:.]*)$/;
const HIGHEST_PORT = 65_535;

/**
 * The proxy as n8n's helper takes it.
 *
 * @throws Error for anything else than a host and a port of http: the helper would send the request straight from the
 * user's own address, and say nothing
 */
export function proxyOption({ host, port, scheme, login }: LeasedProxy) {
	const isUsable =
		scheme === 'http' &&
		typeof host === 'string' &&
		HOST.test(host) &&
		Number.isInteger(port) &&
		port >= 1 &&
		port <= HIGHEST_PORT;
	if (!isUsable) throw new Error('There is no proxy that could be used, so nothing was sent');
	return {
		protocol: 'http',
		host: host.includes(':') ? `[${host}]` : host,
		port,
		// n8n's helper decodes names and passwords once more
		...(login && { auth: mapValues(login, (text) => text.replaceAll('%', '%25')) }),
	};
}

function call(target: unknown, name: 'read' | 'destroy'): void {
	const method = propertyOf(target, name);
	if (typeof method === 'function') Reflect.apply(method, target, []);
}

/** An address in a header or a page as browsers send it: byte by byte, in whatever encoding they are. */
export function escapedBytes(address: string): string {
	const escaped = (byte: string) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;
	return address.replace(/[\x80-\xff]/g, escaped);
}

/** The target of a redirect; undefined for an answer that is none. */
function locationOf(status: number, { location }: UnknownRecord): string | undefined {
	const isRedirect = [301, 302, 303, 307, 308].includes(status);
	const isTarget = isRedirect && typeof location === 'string' && location !== '';
	return isTarget ? escapedBytes(location) : undefined;
}

/** The helper quotes and trims text that is labelled JSON, and takes no bytes that are labelled a form. */
function unchanged({ body = '', headers }: PageRequest): string | Buffer {
	return /json/i.test(headerOf(headers, 'content-type') ?? '') ? Buffer.from(body) : body;
}

/**
 * The address as it can be requested. n8n's helper takes the first part of a path that begins with `//` for the host of a
 * page over http.
 */
export function requestableUrl(url: string): string {
	return url.replace(/^(http:\/\/[^/]+)\/{2,}/, '$1/');
}

function optionsFor(
	page: PageRequest,
	proxy: IHttpRequestOptions['proxy'],
	abortSignal: AbortSignal,
): IHttpRequestOptions {
	const { method, url, headers, body, ignoresCertificates } = page;
	return {
		...EVERY_ANSWER_AS_ERROR,
		method,
		url,
		headers: { ...headers },
		...(body === undefined ? {} : { body: unchanged(page) }),
		proxy,
		abortSignal,
		encoding: 'stream',
		json: false,
		returnFullResponse: true,
		disableFollowRedirect: true,
		skipSslCertificateValidation: ignoresCertificates,
	};
}

/**
 * Sends a request through a proxy, once, and follows no redirect. No other function requests pages, and this one refuses
 * to send anything without a proxy.
 *
 * @param timeoutMs for all of it, the connection to the proxy and the body included
 * @throws CancelledError at once when `signal` aborts, Error when there is no usable proxy
 */
export async function requestThroughProxy(
	{ helpers, signal }: Pick<RequestScope, 'helpers' | 'signal'>,
	page: PageRequest,
	through: LeasedProxy,
	timeoutMs: number,
): Promise<HttpAnswer | RequestFailure> {
	const { url, maxBytes } = page;
	const proxy = proxyOption(through);
	throwIfCancelled(signal);
	const deadline = AbortSignal.timeout(Math.max(1, Math.round(timeoutMs)));
	// The helper's own time limit does not cover the way to a proxy, and it knows nothing of the execution
	const stop = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
	const stopped = () => new Error('stopped');
	let response: HelperResponse | undefined;
	let status: number | undefined;
	const sent = responseOf(helpers.httpRequest(optionsFor(page, proxy, stop)));
	try {
		response = await untilAborted(sent, stop, stopped);
		// What is below 200 announces an answer
		if (response.status < 200) throw new Error('There is no response');
		({ status } = response);
		const location = locationOf(status, response.headers);
		const hasBody = location === undefined;
		const length = Number(response.headers['content-length']);
		const reading =
			hasBody && length > maxBytes
				? undefined
				: readLimitedBody(hasBody ? response.body : [], maxBytes, length);
		const body = reading && (await untilAborted(reading, stop, stopped));
		if (body === undefined)
			return { kind: 'failure', reason: 'tooLarge', code: '', source: 'page', status };
		const { headers, statusText, request } = response;
		const answer = { status, statusText, headers, body };
		const source = sourceOf(url, answer, request, statusesOf(page.product));
		return { kind: 'answer', ...answer, location, source };
	} catch (error) {
		throwIfCancelled(signal);
		const isOver = deadline.aborted;
		// The helper's own error says how far the request got
		const thrown = sent.then(
			() => error,
			(late: unknown) => late,
		);
		const known = isOver ? ((await Promise.race([thrown, sleep(0)])) ?? error) : error;
		return requestFailureOf(known, url, isOver, status);
	} finally {
		// The stream keeps the connection open when it is destroyed before anybody has read of it
		call(response?.body, 'read');
		call(response?.body, 'destroy');
		call(response?.request, 'destroy');
	}
}
