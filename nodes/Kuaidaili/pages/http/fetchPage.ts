import { sleep, type IHttpRequestOptions } from 'n8n-workflow';

import { throwIfCancelled, untilAborted } from '../../../shared/concurrency/wait';
import { asError } from '../../../shared/errors/callErrors';
import { SHORTEST_SECRET } from '../../../shared/errors/cleanText';
import { transportFailure } from '../../../shared/errors/transportFailure';
import {
	isList,
	isRecord,
	mapValues,
	propertyOf,
	type UnknownRecord,
} from '../../../shared/guards';
import type { LeasedProxy, ProxyLease } from '../../proxies/lease';
import { mayBeOfProxy } from '../../proxies/proxyStatuses';
import { newCookies } from '../../../shared/bundled/cookieJar';
import { headerOf, without, type Headers, type PageRequest } from '../request/pageRequest';

const WINDOWS = 'Windows NT 10.0; Win64; x64';
const MACOS = 'Macintosh; Intel Mac OS X 10_15_7';
const VERSION = 154;

/**
 * Current browsers of computers, as they are in China: the same pages as whoever makes the workflow sees. By brand,
 * platform, and what their user agents say.
 */
const BROWSERS = [
	['Google Chrome', 'Windows', WINDOWS, ''],
	['Microsoft Edge', 'Windows', WINDOWS, ` Edg/${VERSION}.0.0.0`],
	['Google Chrome', 'macOS', MACOS, ''],
] as const;

type BrowserRequest = Pick<PageRequest, 'method' | 'url' | 'headers'>;

/** Where the request comes from, as the typed headers have it. */
function fetchSite({ method, url, headers }: BrowserRequest): string {
	const from = headerOf(headers, 'referer') ?? headerOf(headers, 'origin');
	if (from === undefined || !URL.canParse(from)) return method === 'POST' ? 'same-origin' : 'none';
	return new URL(from).origin === new URL(url).origin ? 'same-origin' : 'cross-site';
}

function ofBrowser(visitor: number, request: BrowserRequest): Headers {
	const [brand, platform, system, suffix] = BROWSERS[Math.abs(visitor) % BROWSERS.length];
	const { method, url, headers } = request;
	const isSecure = url.startsWith('https:');
	const type = headerOf(headers, 'content-type') ?? '';
	// Scripts send what forms don't
	const isOfScript = method === 'POST' && !/^application\/x-www-form-urlencoded/i.test(type);
	return {
		...(isSecure && {
			'sec-ch-ua': `"Chromium";v="${VERSION}", "${brand}";v="${VERSION}", "Not A(Brand";v="99"`,
			'sec-ch-ua-mobile': '?0',
			'sec-ch-ua-platform': `"${platform}"`,
		}),
		...(isOfScript ? {} : { 'Upgrade-Insecure-Requests': '1' }),
		'User-Agent': `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${VERSION}.0.0.0 Safari/537.36${suffix}`,
		Accept: isOfScript
			? '*/*'
			: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
		...(method === 'POST' && { Origin: new URL(url).origin }),
		...(isSecure && {
			'Sec-Fetch-Site': fetchSite(request),
			'Sec-Fetch-Mode': isOfScript ? 'cors' : 'navigate',
			...(isOfScript ? {} : { 'Sec-Fetch-User': '?1' }),
			'Sec-Fetch-Dest': isOfScript ? 'empty' : 'document',
		}),
		// Without an encoding that n8n's helper cannot unpack everywhere
		'Accept-Encoding': isSecure ? 'gzip, deflate, br' : 'gzip, deflate',
		'Accept-Language': 'zh-CN,zh;q=0.9,en;q=0.8',
	};
}

/** What any client may send beside a user agent that somebody typed: nothing that contradicts it. */
const OF_ANY: ReadonlySet<string> = new Set(['Accept', 'Accept-Encoding', 'Accept-Language']);

/**
 * All headers of a request but cookies. What was typed goes before what a browser has by itself, whatever the case of
 * its name; `visitor` is the same number for the same browser.
 */
export function browserHeaders(visitor: number, request: BrowserRequest): Headers {
	const typed = new Set(Object.keys(request.headers).map((name) => name.toLowerCase()));
	const own = Object.entries(ofBrowser(visitor, request)).filter(
		([name]) => !typed.has(name.toLowerCase()) && (!typed.has('user-agent') || OF_ANY.has(name)),
	);
	return { ...Object.fromEntries(own), ...request.headers };
}

function cookiesIn(header: string): Array<readonly [name: string, cookie: string]> {
	const cookies = header.split(';').map((cookie) => cookie.trim());
	return cookies.filter(Boolean).map((cookie) => [cookie.split('=', 1)[0].trim(), cookie]);
}

/** Whom a site sees: one proxy, one browser, one set of cookies. */
export class BrowserIdentity {
	private jar?: ReturnType<typeof newCookies>;

	/** When the proxy ends, by `performance.now()`; Infinity where that is unknown. */
	readonly endsAt: number;

	constructor(readonly lease: ProxyLease) {
		const { secondsLeft = Infinity } = lease.proxy;
		this.endsAt = performance.now() + secondsLeft * 1000;
	}

	/** What was typed goes first, but for the cookies that the site has set itself since then. */
	headersFor(request: BrowserRequest): Headers {
		const headers = browserHeaders(this.lease.proxy.identitySeed, request);
		// A site may have one name at several paths
		const ofSite = cookiesIn(this.jar?.getCookieStringSync(request.url) ?? '');
		const names = new Set(ofSite.map(([name]) => name));
		const typed = cookiesIn(headerOf(headers, 'cookie') ?? '').filter(([name]) => !names.has(name));
		const cookie = [...typed, ...ofSite].map(([, one]) => one).join('; ');
		return { ...without(headers, ['cookie']), ...(cookie !== '' && { Cookie: cookie }) };
	}

	/** @param setCookies what an answer has of this header: one value, several, or none */
	storeCookies(setCookies: unknown, url: string): void {
		for (const cookie of isList(setCookies) ? setCookies : [setCookies]) {
			if (typeof cookie !== 'string') continue;
			this.jar ??= newCookies();
			// One that cannot be used is passed over
			this.jar.setCookieSync(cookie, url, { ignoreError: true });
		}
	}
}

/** n8n's request helper without a credential. */
export type SendRequest = (options: IHttpRequestOptions) => Promise<unknown>;

/**
 * How far a request got, as far as that is certain: `nowhere` means that the proxy was not reached, or did not open the
 * way to the page, so that nobody has received it; `page` that something came from there, or an encrypted connection
 * had begun; `proxy` that either may be so.
 */
export type AnsweredBy = 'nowhere' | 'proxy' | 'page';

/** What came back, whatever its status. */
export interface HttpAnswer {
	readonly status: number;
	/** With names in lower case. */
	readonly headers: UnknownRecord;
	/** Empty where a redirect is followed. */
	readonly body: Buffer;
	/** Where a redirect leads to that is followed. */
	readonly location?: string;
	readonly reach: AnsweredBy;
}

/** Why nothing came back that could be used. */
export interface RequestFailure {
	/** `forbidden` by n8n's own protection, or `unknownHost` to it; `corrupt` cannot be unpacked; the last two are of redirects. */
	readonly reason:
		| 'timeout'
		| 'tooLarge'
		| 'certificate'
		| 'forbidden'
		| 'unknownHost'
		| 'corrupt'
		| 'connection'
		| 'redirects'
		| 'redirectTarget';
	/** The system's code, such as ECONNRESET; may be empty. */
	readonly code: string;
	readonly reach: AnsweredBy;
	/** The status of the page, where one came before. */
	readonly status?: number;
	/** Whether it is certain that the proxy itself could not be connected to. */
	readonly isProxyDown?: true;
}

/** One of both. */
interface Reply {
	readonly answer?: HttpAnswer;
	readonly failure?: RequestFailure;
}

const HOST = /^(?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*|[0-9a-fA-F:]*:[0-9a-fA-F:.]*)$/;
const LARGEST_PORT = 65_535;

/**
 * The proxy as n8n's helper takes it. With anything else than a host and a port of http, the helper sends the
 * request straight from the user's own address, and says nothing: that throws an Error here.
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
	return {
		protocol: 'http',
		host: host.includes(':') ? `[${host}]` : host,
		port,
		// n8n's helper decodes names and passwords once more
		...(login && { auth: mapValues(login, (text) => text.replaceAll('%', '%25')) }),
	};
}

const ALL_STATUSES = Array.from({ length: 900 }, (_, index) => 100 + index);

/**
 * Lets n8n's helper make an error of every answer: only errors tell whether the connection was encrypted, and thereby
 * who answered. n8n 1 knows no such list, and would hide all errors; it does not read the options of the agent either.
 */
function everyAnswerAsError() {
	let readsOptions = false;
	return {
		get agentOptions() {
			readsOptions = true;
			return {};
		},
		get ignoreHttpStatusErrors(): IHttpRequestOptions['ignoreHttpStatusErrors'] {
			return readsOptions ? { ignore: true, except: ALL_STATUSES } : false;
		},
	};
}

function call(target: unknown, name: 'read' | 'destroy'): void {
	const method = propertyOf(target, name);
	if (typeof method === 'function') Reflect.apply(method, target, []);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
	return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** @returns undefined when there is more than allowed; the rest is not fetched */
export async function readAll(body: unknown, maxBytes: number): Promise<Buffer | undefined> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of isAsyncIterable(body) ? body : []) {
		const bytes = chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk));
		size += bytes.length;
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

/** Where a redirect leads to; undefined for an answer that is none. */
function locationOf(status: number, { location }: UnknownRecord): string | undefined {
	const isRedirect = [301, 302, 303, 307, 308].includes(status);
	if (!isRedirect || typeof location !== 'string' || location === '') return undefined;
	// As a browser: byte by byte, in whatever encoding they are
	const encoded = (byte: string) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;
	return location.replace(/[\x80-\xff]/g, encoded);
}

/** Whether the connection of a request is encrypted; undefined where nobody says. Null is a connection that is none. */
function encryptionOf(request: unknown): boolean | null | undefined {
	if (!isRecord(request)) return undefined;
	const socket = propertyOf(request, 'socket');
	if (socket === null) return null;
	return isRecord(socket) ? propertyOf(socket, 'encrypted') === true : undefined;
}

/** Codes of what unpacks gzip, Brotli, and Zstandard. */
const CORRUPT = /^(?:Z_|ZSTD_|ERR_BR|ERR__ERROR_)/;

const CERTIFICATE = /CERT|SIGNED|SIGNATURE/;

const PROXY_DOWN = ['refused', 'unknownHost', 'unreachable'];

/** What n8n's helper has thrown, without anything of the request that it holds. */
function failureOf(error: unknown, url: string, isOver: boolean, status?: number): RequestFailure {
	const { kind, detail } = transportFailure(error);
	if (kind === 'blocked') return { reason: 'forbidden', code: '', reach: 'nowhere' };
	// To protect its network, n8n looks up the hosts of pages itself
	if (detail === 'ENOTFOUND' && propertyOf(error, 'hostname') === new URL(url).hostname) {
		return { reason: 'unknownHost', code: '', reach: 'nowhere' };
	}
	const isEncrypted = encryptionOf(propertyOf(error, 'request'));
	const isPage = status !== undefined || isEncrypted === true || kind === 'tls';
	const isKept = isEncrypted === null || (isEncrypted === false && url.startsWith('https:'));
	const isProxyDown = PROXY_DOWN.includes(kind);
	const isNowhere = isKept || isProxyDown || kind === 'proxyClosed';
	const reach = isPage ? 'page' : isNowhere ? 'nowhere' : 'proxy';
	if (isOver || kind === 'timeout') return { reason: 'timeout', code: '', reach, status };
	const ownCode = propertyOf(error, 'code');
	if (typeof ownCode === 'string' && CORRUPT.test(ownCode)) {
		return { reason: 'corrupt', code: ownCode, reach: 'page', status };
	}
	// The text of an error may hold the whole request, login included: only a code is passed on
	const code = /^[A-Z][A-Z0-9_]{2,40}$/.test(detail) ? detail : '';
	const isCertificate = kind === 'tls' && CERTIFICATE.test(detail);
	const reason = isCertificate ? 'certificate' : 'connection';
	return { reason, code, reach, status, ...(isProxyDown && { isProxyDown }) };
}

/** Without the login of the proxy, which some pass on with what is sent over http, and some pages show. */
function withoutLogin(body: Buffer, { login }: LeasedProxy): Buffer {
	const { username = '', password = '' } = login ?? {};
	const sent = Buffer.from(`${username}:${password}`).toString('base64').replace(/=+$/, '');
	return [sent, password].reduce((rest, secret) => {
		if (secret.length < SHORTEST_SECRET || !rest.includes(secret)) return rest;
		return Buffer.from(rest.toString('latin1').replaceAll(secret, '***'), 'latin1');
	}, body);
}

/** A response of the helper, or the one that it made an error of; with what has the connection, where that is told. */
async function responseOf(sent: Promise<unknown>) {
	try {
		const response = await sent;
		const headers = plainHeaders(propertyOf(response, 'headers'));
		const body = propertyOf(response, 'body');
		// Of n8n 1, which leaves the connection on a body that it has not unpacked
		return { status: propertyOf(response, 'statusCode'), headers, body, request: body };
	} catch (error) {
		const response = propertyOf(error, 'response');
		const status = propertyOf(response, 'status');
		if (typeof status !== 'number') throw asError(error);
		const headers = plainHeaders(propertyOf(response, 'headers'));
		const request = propertyOf(response, 'request');
		return { status, headers, body: propertyOf(response, 'data'), request };
	}
}

/** Only what came through an encrypted connection with a page of https is the page's. */
function reachOf(url: string, status: number, body: Buffer, request: unknown): AnsweredBy {
	const isEncrypted = encryptionOf(request);
	if (url.startsWith('https:') && typeof isEncrypted === 'boolean') {
		return isEncrypted ? 'page' : 'nowhere';
	}
	return mayBeOfProxy(status, body) ? 'proxy' : 'page';
}

/** The helper quotes and trims text that is labelled JSON, and takes no bytes that are labelled a form. */
function unchanged({ body = '', headers }: PageRequest): string | Buffer {
	return /json/i.test(headerOf(headers, 'content-type') ?? '') ? Buffer.from(body) : body;
}

/**
 * Sends a request through a proxy, once, and follows no redirect. Never without one: what is no proxy is refused before.
 *
 * @param timeoutMs for all of it, the way to the proxy and the body included
 * @throws CancelledError at once when `signal` aborts, Error when there is no usable proxy
 */
export async function requestThroughProxy(
	send: SendRequest,
	page: PageRequest,
	through: LeasedProxy,
	timeoutMs: number,
	signal: AbortSignal | undefined,
): Promise<Reply> {
	const { method, url, headers, maxBytes } = page;
	const proxy = proxyOption(through);
	throwIfCancelled(signal);
	const deadline = AbortSignal.timeout(Math.max(1, Math.round(timeoutMs)));
	// The helper's own time limit does not cover the way to a proxy, and it knows nothing of the execution
	const stop = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
	const stopped = () => new Error('stopped');
	const options: IHttpRequestOptions = Object.assign(everyAnswerAsError(), {
		method,
		// The helper takes the first part of a path that begins with // for the host of a page over http
		url: url.replace(/^(http:\/\/[^/]+)\/{2,}/, '$1/'),
		headers: { ...headers },
		...(page.body === undefined ? {} : { body: unchanged(page) }),
		proxy,
		abortSignal: stop,
		encoding: 'stream' as const,
		json: false,
		returnFullResponse: true as const,
		disableFollowRedirect: true,
		skipSslCertificateValidation: page.ignoresCertificates,
	});
	let response: Awaited<ReturnType<typeof responseOf>> | undefined;
	let status: number | undefined;
	const sent = responseOf(send(options));
	try {
		response = await untilAborted(sent, stop, stopped);
		// What is below 200 announces an answer
		if (!(Number(response.status) >= 200)) throw new Error('There is no response');
		status = Number(response.status);
		const location = page.followRedirects ? locationOf(status, response.headers) : undefined;
		const isRead = method !== 'HEAD' && location === undefined;
		const isTooLong = isRead && Number(response.headers['content-length']) > maxBytes;
		const reading = isTooLong ? undefined : readAll(isRead ? response.body : [], maxBytes);
		const whole = reading && (await untilAborted(reading, stop, stopped));
		if (whole === undefined) {
			return { failure: { reason: 'tooLarge', code: '', reach: 'page', status } };
		}
		const body = url.startsWith('http:') ? withoutLogin(whole, through) : whole;
		const reach = reachOf(url, status, body, response.request);
		return { answer: { status, headers: response.headers, body, location, reach } };
	} catch (error) {
		throwIfCancelled(signal);
		const isOver = deadline.aborted;
		// The helper's own error says how far the request got
		const own = sent.then(
			() => error,
			(late: unknown) => late,
		);
		const known = isOver ? ((await Promise.race([own, sleep(0)])) ?? error) : error;
		return { failure: failureOf(known, url, isOver, status) };
	} finally {
		// The stream keeps the connection open when it is destroyed before anybody has read of it
		call(response?.body, 'read');
		call(response?.body, 'destroy');
		call(response?.request, 'destroy');
	}
}

const MOST_REDIRECTS = 20;

/** @returns undefined when it leads to no page */
function nextUrl(location: string, from: string): string | undefined {
	if (!URL.canParse(location, from)) return undefined;
	const url = new URL(location, from);
	// A login would be sent to whoever is there
	url.username = '';
	url.password = '';
	// Kept, as browsers do
	if (url.hash === '') url.hash = new URL(from).hash;
	return /^https?:$/.test(url.protocol) ? url.href : undefined;
}

const OF_BODY = ['content-type', 'content-length', 'content-encoding', 'content-language'];
/** What was meant for one site is not for another. */
const OF_SITE = ['authorization', 'cookie', 'origin', 'host'];

/** The same for another address: without what is meant for the first one on another host, or in the clear again. */
export function requestFor(url: string, page: PageRequest): PageRequest {
	const [from, to] = [new URL(page.url), new URL(url)];
	const isSafe = from.origin === to.origin || from.protocol < to.protocol;
	const isSameSite = from.hostname === to.hostname && isSafe;
	return { ...page, url, headers: isSameSite ? page.headers : without(page.headers, OF_SITE) };
}

/** What a redirect asks for, as browsers understand it. */
function redirected(page: PageRequest, status: number, url: string): PageRequest {
	const { method } = page;
	const toGet = status === 303 ? method !== 'HEAD' : method === 'POST' && status < 303;
	const next = requestFor(url, page);
	if (!toGet) return next;
	return { ...next, method: 'GET', headers: without(next.headers, OF_BODY), body: undefined };
}

/**
 * Requests a page and follows its redirects, through the visitor's proxy and with its cookies.
 *
 * @param turn resolves when the order allows another request, after the first one; this waiting doesn't count against
 * the time of the attempt
 * @throws CancelledError at once when the signal aborts
 */
export async function fetchPage(
	page: PageRequest,
	visitor: BrowserIdentity,
	send: SendRequest,
	turn: () => Promise<void>,
	signal: AbortSignal | undefined,
) {
	const { redirectedTo } = page.retryIf;
	const redirects: string[] = [];
	let step = page;
	let leftMs = page.attemptTimeoutMs;
	let mayHaveArrived = false;
	const { proxy } = visitor.lease;
	const ended = (reply: Reply) => ({
		proxy,
		/** The last address that was requested. */
		url: step.url,
		/** Where redirects led to, the last address included. */
		redirects,
		/** Whether the page may have got the request, or one of those that its redirects asked for. */
		mayHaveArrived,
		/** In whole milliseconds, without the waiting for the order's pace. */
		milliseconds: Math.round(page.attemptTimeoutMs - leftMs),
		...reply,
	});
	for (;;) {
		if (redirects.length > 0) await turn();
		const start = performance.now();
		const request = { ...step, headers: visitor.headersFor(step) };
		const reply = await requestThroughProxy(send, request, proxy, leftMs, signal);
		leftMs -= performance.now() - start;
		const { answer, failure } = reply;
		mayHaveArrived ||= (answer ?? failure)?.reach !== 'nowhere';
		if (answer?.reach !== 'page') return ended(reply);
		visitor.storeCookies(answer.headers['set-cookie'], step.url);
		const { status, location } = answer;
		if (location === undefined) return ended(reply);
		const url = nextUrl(location, step.url);
		const failed = (reason: RequestFailure['reason']) =>
			ended({ failure: { reason, code: '', reach: 'page', status } });
		if (url === undefined) return failed('redirectTarget');
		if (redirects.length === MOST_REDIRECTS) return failed('redirects');
		redirects.push(url);
		step = redirected(step, status, url);
		// Where it leads may be all that one has to know
		if (redirectedTo !== undefined && url.includes(redirectedTo)) return ended(reply);
	}
}

/** What came of requesting a page and following its redirects, all through one proxy. */
export type FetchResult = Awaited<ReturnType<typeof fetchPage>>;
