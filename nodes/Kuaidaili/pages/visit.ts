import { isList } from '../../shared/guards';
import { headerOf, type PageRequest } from './pageRequest';
import {
	requestThroughProxy,
	type Answer,
	type FailureReason,
	type ProxiedRequest,
	type RequestFailure,
	type SendRequest,
} from './proxiedRequest';
import { keptFromPage } from '../proxies/proxyStatuses';
import type { Visitor } from './session';

const MOST_REDIRECTS = 20;

/** What stopped a visit before there was an answer to judge. */
export interface VisitFailure extends Pick<RequestFailure, 'code' | 'status'> {
	readonly reason: FailureReason | 'redirects' | 'redirectTarget';
}

/** What came of requesting a page and following its redirects, all through one proxy. */
export interface Visit {
	/** The last address that was requested. */
	readonly url: string;
	/** Where redirects led to, the last address included. */
	readonly redirects: readonly string[];
	readonly answer?: Answer;
	readonly failure?: VisitFailure;
	/** Whether the page may have got the request, or one of those that its redirects asked for. */
	readonly mayHaveArrived: boolean;
	/** In whole milliseconds, without the waiting for the order's pace. */
	readonly milliseconds: number;
}

export interface VisitSurroundings {
	readonly send: SendRequest;
	/** Resolves when the order allows another request, after the first one. Throws CancelledError. */
	readonly turn: () => Promise<void>;
	readonly signal: AbortSignal | undefined;
}

type Step = Pick<ProxiedRequest, 'method' | 'url' | 'headers' | 'body'>;

function setCookiesOf({ headers }: Answer): string[] {
	const values = headers['set-cookie'];
	const list = isList(values) ? values : [values];
	return list.filter((value) => typeof value === 'string');
}

/** Where a redirect leads to; undefined for an answer that is none. */
function locationOf({ status, headers }: Answer): string | undefined {
	const { location } = headers;
	const isRedirect = [301, 302, 303, 307, 308].includes(status);
	if (!isRedirect || typeof location !== 'string' || location === '') return undefined;
	// Addresses with Chinese characters come as UTF-8, and Node.js reads headers as Latin-1
	const bytes = Buffer.from(location, 'latin1');
	const text = bytes.toString('utf8');
	return text.includes('\uFFFD') ? location : text;
}

const PAGE_PROTOCOLS = ['http:', 'https:'];

/** @returns undefined when it leads to no page */
function nextUrl(location: string, from: string): string | undefined {
	if (!URL.canParse(location, from)) return undefined;
	const url = new URL(location, from);
	// A login would be sent to whoever is there
	url.username = '';
	url.password = '';
	// Kept, as browsers do
	if (url.hash === '') url.hash = new URL(from).hash;
	return PAGE_PROTOCOLS.includes(url.protocol) ? url.href : undefined;
}

const OF_BODY = ['content-type', 'content-length', 'content-encoding', 'content-language'];
/** What was meant for one site is not for another. */
const OF_SITE = ['authorization', 'cookie', 'origin', 'host'];

function without(headers: Step['headers'], names: readonly string[]): Step['headers'] {
	return Object.fromEntries(
		Object.entries(headers).filter(([name]) => !names.includes(name.toLowerCase())),
	);
}

/** What a redirect asks for, as browsers understand it. */
function nextStep(step: Step, status: number, url: string): Step {
	const toGet = status === 303 ? step.method !== 'HEAD' : step.method === 'POST' && status < 303;
	const isOtherSite = new URL(url).origin !== new URL(step.url).origin;
	const ofSameSite = isOtherSite ? without(step.headers, OF_SITE) : step.headers;
	if (!toGet) return { ...step, url, headers: ofSameSite };
	return { method: 'GET', url, headers: without(ofSameSite, OF_BODY) };
}

/** Whether the visitor's proxy may have made up the answer of an encrypted page. */
export function isDoubtful(answer: Answer, visitor: Visitor): boolean {
	return answer.isDoubtful && !visitor.leadsToPages;
}

function firstStep({ method, url, headers, body }: PageRequest): Step {
	if (body === undefined) return { method, url, headers };
	const hasType = headerOf(headers, 'content-type') !== undefined;
	const typed = hasType ? headers : { ...headers, 'Content-Type': body.contentType };
	return { method, url, headers: typed, body: body.text };
}

const BROWSER_ACCEPTS = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** Without an encoding that no browser accepts, which n8n's helper would add. */
const BROWSER_ENCODINGS = 'gzip, deflate, br';

function cookiesIn(header: string): string[] {
	const cookies = header.split(';').map((cookie) => cookie.trim());
	return cookies.filter(Boolean);
}

function nameOf(cookie: string): string {
	return cookie.split('=', 1)[0].trim();
}

/** What was typed, but for what the site has set itself since then. A site may have one name at several paths. */
function cookieHeader(typed: string, stored: string): string {
	const ofSite = cookiesIn(stored);
	const names = new Set(ofSite.map(nameOf));
	const own = cookiesIn(typed).filter((cookie) => !names.has(nameOf(cookie)));
	return [...own, ...ofSite].join('; ');
}

/** The headers of one request: what was typed goes before what a visitor has by itself. */
function headersFor(step: Step, visitor: Visitor): Step['headers'] {
	const cookie = cookieHeader(headerOf(step.headers, 'cookie') ?? '', visitor.cookiesFor(step.url));
	return {
		...(headerOf(step.headers, 'user-agent') === undefined && { 'User-Agent': visitor.userAgent }),
		...(headerOf(step.headers, 'accept') === undefined && { Accept: BROWSER_ACCEPTS }),
		...(headerOf(step.headers, 'accept-encoding') === undefined && {
			'Accept-Encoding': BROWSER_ENCODINGS,
		}),
		...without(step.headers, ['cookie']),
		...(cookie !== '' && { Cookie: cookie }),
	};
}

/**
 * Requests a page and follows its redirects, through the visitor's proxy and with its cookies. Waiting for the
 * order's pace doesn't count against the time of the attempt.
 *
 * @throws CancelledError at once when the signal aborts
 */
export async function visitPage(
	page: PageRequest,
	visitor: Visitor,
	{ send, turn, signal }: VisitSurroundings,
): Promise<Visit> {
	const { proxy } = visitor.lease;
	const redirects: string[] = [];
	let step = firstStep(page);
	let leftMs = page.attemptTimeoutMs;
	let mayHaveArrived = false;
	const ended = (end: Pick<Visit, 'answer' | 'failure'>): Visit => {
		const milliseconds = Math.round(page.attemptTimeoutMs - leftMs);
		return { url: step.url, redirects, mayHaveArrived, milliseconds, ...end };
	};
	for (;;) {
		if (redirects.length > 0) await turn();
		const start = performance.now();
		const result = await requestThroughProxy(send, {
			...step,
			headers: headersFor(step, visitor),
			proxy,
			maxBytes: page.maxBytes,
			timeoutMs: leftMs,
			signal,
		});
		leftMs -= performance.now() - start;
		if ('failure' in result) {
			mayHaveArrived ||= result.failure.mayHaveArrived;
			return ended(result);
		}
		const { answer } = result;
		if (answer.isFromProxy) {
			mayHaveArrived ||= step.url.startsWith('http:') && !keptFromPage(answer.status);
			return ended({ answer });
		}
		mayHaveArrived = true;
		if (!answer.isDoubtful && step.url.startsWith('https:')) visitor.leadsToPages = true;
		// Cookies that a proxy made up would go to the page with the next request
		const mayBeMadeUp = isDoubtful(answer, visitor) && step.method !== 'POST';
		if (!mayBeMadeUp) visitor.storeCookies(setCookiesOf(answer), step.url);
		const location = page.followRedirects ? locationOf(answer) : undefined;
		if (location === undefined) return ended({ answer });
		const url = nextUrl(location, step.url);
		const { status } = answer;
		if (url === undefined)
			return ended({ failure: { reason: 'redirectTarget', code: '', status } });
		if (redirects.length === MOST_REDIRECTS) {
			return ended({ failure: { reason: 'redirects', code: '', status } });
		}
		redirects.push(url);
		step = nextStep(step, status, url);
		// Where it leads may be all that one has to know
		if (page.retryIf.redirectedTo !== undefined && url.includes(page.retryIf.redirectedTo)) {
			return ended({ answer });
		}
	}
}
