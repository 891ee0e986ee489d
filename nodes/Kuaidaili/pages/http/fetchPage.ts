import type { LeasedProxy } from '../../proxies/lease';
import { without, withoutFragment, type PageRequest } from '../request/pageRequest';
import type { HttpAnswer, RequestFailure } from './httpAnswer';
import {
	escapedBytes,
	requestableUrl,
	requestThroughProxy,
	type RequestScope,
} from './proxiedRequest';
import { refreshIn } from './refresh';
import type { RequestPace } from './requestPace';
import type { Session } from './session';

/** The result of requesting a page and following its redirects, all through one proxy. */
export interface FetchResult {
	readonly proxy: LeasedProxy;
	/** The last address that was requested. */
	readonly url: string;
	/** The targets of all redirects, the last address included. */
	readonly redirects: readonly string[];
	/** Whether the page may have received the request, or one of those that its redirects asked for. */
	readonly mayHaveArrived: boolean;
	/** In whole milliseconds, without the waiting for slots of the pace. */
	readonly milliseconds: number;
	/** How many there were for it. */
	readonly timeoutMs: number;
	readonly reply: HttpAnswer | RequestFailure;
}

const MOST_REDIRECTS = 20;

/** The absolute address of a redirect; undefined where it leads to no page. */
function nextUrl(location: string, from: string): string | undefined {
	if (!URL.canParse(location, from)) return undefined;
	const url = new URL(location, from);
	// Kept, as browsers do
	if (url.hash === '') url.hash = new URL(from).hash;
	return /^https?:$/.test(url.protocol) ? requestableUrl(withoutLogin(url)) : undefined;
}

/** A login in a link would be sent to whoever is there. */
function withoutLogin(url: URL): string {
	url.username = '';
	url.password = '';
	return url.href;
}

/** Headers that describe a body. */
const BODY_HEADERS = ['content-type', 'content-length', 'content-encoding', 'content-language'];

/**
 * The typed headers that go along to another site: those by which the browser looks the same there, and the type of what
 * is sent.
 */
function headersOffSite({ headers, body }: PageRequest): PageRequest['headers'] {
	const kept = ['user-agent', ...(body === undefined ? [] : ['content-type'])];
	return Object.fromEntries(
		Object.entries(headers).filter(([name]) => kept.includes(name.toLowerCase())),
	);
}

/** A request for another address: on another host, or in the clear again, without typed headers. */
export function requestFor(url: string, page: PageRequest): PageRequest {
	const [from, to] = [new URL(page.url), new URL(url)];
	const isSafe = from.origin === to.origin || from.protocol < to.protocol;
	const isSameSite = from.hostname === to.hostname && isSafe;
	const headers = isSameSite ? page.headers : headersOffSite(page);
	return { ...page, url: withoutLogin(to), headers };
}

/** The request that a redirect asks for, as browsers understand it. */
function redirectedRequest(page: PageRequest, status: number, url: string): PageRequest {
	const { method } = page;
	const toGet = status === 303 || (method === 'POST' && status < 303);
	if (!toGet) return requestFor(url, page);
	const { headers } = page;
	return requestFor(url, {
		...page,
		method: 'GET',
		headers: without(headers, BODY_HEADERS),
		body: undefined,
	});
}

/** The target of a page that goes on by itself; undefined where that was requested before: then this is the page. */
function refreshTarget(answer: HttpAnswer, from: string, requested: ReadonlySet<string>) {
	const { address, base = '' } = refreshIn(answer) ?? {};
	const basis = URL.canParse(escapedBytes(base), from)
		? new URL(escapedBytes(base), from).href
		: from;
	const location = address === undefined ? '' : escapedBytes(address);
	const absolute = URL.canParse(location, basis) ? new URL(location, basis).href : location;
	const url = address === undefined ? undefined : nextUrl(absolute, from);
	return url === undefined || requested.has(withoutFragment(url)) ? undefined : url;
}

/**
 * Requests a page and follows its redirects, through a proxy of the session and with its cookies.
 *
 * @param pace of the requests after the first one; the waiting for it doesn't count as the attempt's time
 * @throws CancelledError at once when the signal aborts
 */
export async function fetchPage(
	page: PageRequest,
	session: Session,
	proxy: LeasedProxy,
	pace: RequestPace,
	scope: RequestScope,
): Promise<FetchResult> {
	const { redirectedTo } = page.retryIf;
	const redirects: string[] = [];
	let step: PageRequest = { ...page, url: requestableUrl(page.url) };
	const timeoutMs = Math.min(page.attemptTimeoutMs, Math.floor(scope.endsAt - performance.now()));
	let remainingMs = timeoutMs;
	let mayHaveArrived = false;
	const requested = new Set<string>();
	const resultOf = (reply: FetchResult['reply']): FetchResult => ({
		proxy,
		url: step.url,
		redirects,
		mayHaveArrived,
		milliseconds: Math.round(timeoutMs - remainingMs),
		timeoutMs,
		reply,
	});
	for (;;) {
		if (redirects.length > 0) await pace.acquireSlot(scope.signal);
		const start = performance.now();
		const request = { ...step, headers: session.headersFor(step, proxy) };
		requested.add(withoutFragment(step.url));
		const reply = await requestThroughProxy(scope, request, proxy, remainingMs);
		remainingMs -= performance.now() - start;
		const { source } = reply;
		mayHaveArrived ||= source !== 'proxy';
		if (reply.kind === 'failure' || source !== 'page') return resultOf(reply);
		const { status, headers, location } = reply;
		session.storeCookies(headers['set-cookie'], step.url);
		const failed = (reason: RequestFailure['reason']) =>
			resultOf({ kind: 'failure', reason, code: '', source, status });
		let url: string | undefined;
		if (location !== undefined) {
			url = nextUrl(location, step.url);
			if (url === undefined) return failed('redirectTarget');
		} else {
			url = refreshTarget(reply, step.url, requested);
			if (url === undefined) return resultOf(reply);
		}
		if (redirects.length === MOST_REDIRECTS) return failed('redirects');
		const next = redirectedRequest(step, status, url);
		const wasEncrypted = step.url.startsWith('https:');
		if (next.body !== undefined && wasEncrypted && url.startsWith('http:')) {
			return failed('unencryptedRedirect');
		}
		redirects.push(url);
		step = next;
		// The target may be all that one has to know
		if (redirectedTo !== undefined && url.includes(redirectedTo)) return resultOf(reply);
	}
}
