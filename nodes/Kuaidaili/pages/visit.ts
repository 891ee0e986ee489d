import { headerOf, without, type PageRequest } from './pageRequest';
import {
	requestThroughProxy,
	type Answer,
	type ProxiedRequest,
	type RequestFailure,
	type SendRequest,
} from './proxiedRequest';
import type { Visitor } from './visitor';

const MOST_REDIRECTS = 20;

/** What came of requesting a page and following its redirects, all through one proxy. */
export interface Visit {
	/** The last address that was requested. */
	readonly url: string;
	/** Where redirects led to, the last address included. */
	readonly redirects: readonly string[];
	readonly answer?: Answer;
	/** What stopped the visit before there was an answer to judge. */
	readonly failure?: RequestFailure;
	/** Whether the page may have got the request, or one of those that its redirects asked for. */
	readonly mayHaveArrived: boolean;
	/** In whole milliseconds, without the waiting for the order's pace. */
	readonly milliseconds: number;
}

type Step = Pick<ProxiedRequest, 'method' | 'url' | 'headers' | 'body'>;

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

/** Whether what is meant for one address is for the other as well: the same host, and not in the clear again. */
function isSameSite(from: string, to: string): boolean {
	const [before, after] = [new URL(from), new URL(to)];
	if (before.hostname !== after.hostname) return false;
	return before.origin === after.origin || before.protocol < after.protocol;
}

/** What a redirect asks for, as browsers understand it. */
function nextStep(step: Step, status: number, url: string): Step {
	const toGet = status === 303 ? step.method !== 'HEAD' : step.method === 'POST' && status < 303;
	const ofSameSite = isSameSite(step.url, url) ? step.headers : without(step.headers, OF_SITE);
	if (!toGet) return { ...step, url, headers: ofSameSite };
	return { method: 'GET', url, headers: without(ofSameSite, OF_BODY) };
}

function firstStep({ method, url, headers, body }: PageRequest): Step {
	if (body === undefined) return { method, url, headers };
	const hasType = headerOf(headers, 'content-type') !== undefined;
	const typed = hasType ? headers : { ...headers, 'Content-Type': body.contentType };
	return { method, url, headers: typed, body: body.text };
}

/**
 * Requests a page and follows its redirects, through the visitor's proxy and with its cookies.
 *
 * @param turn resolves when the order allows another request, after the first one; this waiting doesn't count against
 * the time of the attempt
 * @throws CancelledError at once when the signal aborts
 */
export async function visitPage(
	page: PageRequest,
	visitor: Visitor,
	send: SendRequest,
	turn: () => Promise<void>,
	signal: AbortSignal | undefined,
): Promise<Visit> {
	const { maxBytes, ignoresCertificates, followRedirects } = page;
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
			headers: visitor.headersFor(step),
			proxy: visitor.lease.proxy,
			maxBytes,
			ignoresCertificates,
			followRedirects,
			timeoutMs: leftMs,
			signal,
		});
		leftMs -= performance.now() - start;
		if ('failure' in result) {
			mayHaveArrived ||= result.failure.reach !== 'nowhere';
			return ended(result);
		}
		const { answer } = result;
		mayHaveArrived ||= answer.from !== 'proxy';
		if (answer.from !== 'page') return ended({ answer });
		visitor.storeCookies(answer.headers['set-cookie'], step.url);
		const { status, location } = answer;
		if (location === undefined) return ended({ answer });
		const url = nextUrl(location, step.url);
		const failed = (reason: RequestFailure['reason']): Visit =>
			ended({ failure: { reason, code: '', reach: 'page', status } });
		if (url === undefined) return failed('redirectTarget');
		if (redirects.length === MOST_REDIRECTS) return failed('redirects');
		redirects.push(url);
		step = nextStep(step, status, url);
		// Where it leads may be all that one has to know
		if (page.retryIf.redirectedTo !== undefined && url.includes(page.retryIf.redirectedTo)) {
			return ended({ answer });
		}
	}
}
