import { CancelledError, DescribedError, wordsOf } from '../../../shared/api/errors';
import { throwIfCancelled, wait } from '../../../shared/api/wait';
import type { LeasedProxy } from '../../proxies/lease';
import type { OrderProxies } from '../../proxies/orderProxies';
import { PageContent } from '../content/pageContent';
import { fetchPage, type FetchResult } from '../http/fetchPage';
import type { RequestScope } from '../http/proxiedRequest';
import type { RequestPace } from '../http/requestPace';
import type { Session } from '../http/session';
import { siteOf, type PageRequest } from '../request/pageRequest';
import type { CircuitBreaker, Stop } from './circuitBreaker';
import { classifyAttempt, type AttemptResult } from './classifyAttempt';
import { followingAttempt, retryAfterOf } from './followingAttempt';
import { describePageFailure, reasonsInWords } from './pageFailure';
import type { PageResult } from './pageResult';
import { wallOf } from './walls';

/** The proxies through which pages are opened, and how often requests may leave. */
export interface PageRoute {
	/** Tells orders apart. */
	readonly orderKey: string;
	readonly proxies: Pick<OrderProxies, 'lease' | 'expected'>;
	readonly pace: RequestPace;
	readonly breaker: CircuitBreaker;
}

/** Everything that an attempt at a page needs from the run. */
export interface AttemptScope extends RequestScope {
	/** Aborts when no attempt is to begin any more: with `signal`, and some seconds before `endsAt`. */
	readonly beginSignal: AbortSignal;
	/** Tells why none begins before `endsAt`. */
	readonly outOfTime: Stop;
}

/** Waits for a slot of the pace, then for a proxy: one that is held meanwhile might come to its end. */
async function acquireProxy(
	page: PageRequest,
	{ pace, proxies }: PageRoute,
	session: Session,
	{ beginSignal }: AttemptScope,
): Promise<LeasedProxy> {
	await pace.acquireSlot(beginSignal);
	const since = performance.now();
	const proxy = await session.acquire(siteOf(page), proxies, beginSignal);
	// Several pages may have waited for the same extraction, and would leave all at once
	if (performance.now() - since > pace.intervalMs) await pace.acquireSlot(beginSignal);
	return proxy;
}

/**
 * The page's own answer. An answer that two proxies have given alike over http, without words of a proxy, is the page's
 * as well.
 */
function pageContentOf(
	{ reply, url, proxy }: FetchResult,
	before: readonly AttemptResult[],
): PageContent | undefined {
	if (reply.kind === 'failure') return undefined;
	const { source, status } = reply;
	const isConfirmed = before.some(
		(attempt) =>
			attempt.isUnclear === true &&
			attempt.statusCode === status &&
			attempt.proxy !== proxy.address,
	);
	const isOfPage = source === 'page' || (source === 'unclear' && isConfirmed);
	return isOfPage ? new PageContent(reply, url) : undefined;
}

/** Characters of a page in which a log-in form is looked for. */
const MOST_BEFORE_FORM = 200_000;

const PASSWORD_FIELD = /<input\b[^<>]{0,1000}\btype\s{0,9}=\s{0,9}["']?password\b/i;

function hasPasswordField(content: PageContent | undefined): boolean {
	return content?.isHtml === true && PASSWORD_FIELD.test(content.text.slice(0, MOST_BEFORE_FORM));
}

async function requestPage(
	page: PageRequest,
	route: PageRoute,
	session: Session,
	scope: AttemptScope,
	before: readonly AttemptResult[],
): Promise<PageResult> {
	const { breaker, pace } = route;
	const proxy = await acquireProxy(page, route, session, scope);
	const fetched = await fetchPage(page, session, proxy, pace, scope);
	const { reply, url, mayHaveArrived } = fetched;
	const content = pageContentOf(fetched, before);
	const wall = content && (await wallOf(content, url));
	const classified = classifyAttempt(page, fetched, content, wall);
	breaker.note(siteOf(page), proxy, classified, before.length === 0);
	const isFinal = page.method === 'POST' && mayHaveArrived;
	const retryAfterMs = reply.kind === 'answer' ? retryAfterOf(reply) : undefined;
	const limits = {
		maxAttempts: page.maxAttempts,
		orderRefusedMs: breaker.orderRefusedMs,
		retryAfterMs,
	};
	const next = isFinal ? undefined : followingAttempt(classified, before, limits);
	const attempt = { ...classified, next };
	session.note(attempt);
	const attempts = [...before, attempt];
	if (next !== undefined) {
		const isOfProxy = reply.kind === 'answer' && reply.source === 'proxy';
		// The order allows no more, of whatever page; but a page could say the same
		if (attempt.nextStep === 'waitForOrder' && isOfProxy) pace.pause(next.pauseMs);
		return { url, attempts, next };
	}
	const { outcome } = attempt;
	const ofFailure = reply.kind === 'failure' ? reply.status : undefined;
	const statusCode = content?.answer.status ?? ofFailure;
	const result = { url, attempts, outcome, content, statusCode };
	if (outcome !== 'opened') {
		return { ...result, error: describePageFailure(page, attempts, isFinal) };
	}
	const isLoggedIn = page.sessionKey !== undefined && session.hasPosted;
	return isLoggedIn && hasPasswordField(content) ? { ...result, asksToLogIn: true } : result;
}

/** The result where no other request is made: that of the last attempt, without an answer. */
function unrequested(
	{ url }: PageRequest,
	attempts: readonly AttemptResult[],
	error: Error,
): PageResult {
	const { outcome, isConnected, statusCode } = attempts.at(-1) ?? {};
	return {
		url,
		attempts,
		outcome,
		statusCode: isConnected === true ? statusCode : undefined,
		error,
	};
}

/** The result where nothing more is to be tried on this site, or with this order. */
function stopped(page: PageRequest, attempts: readonly AttemptResult[], stop: Stop): PageResult {
	const error =
		attempts.length === 0 ? stop.error : describePageFailure(page, attempts, false, stop.because);
	return { ...unrequested(page, attempts, error), stop };
}

/** The result where an attempt failed before its request, such as for lack of a proxy. */
function failedBeforeRequest(
	page: PageRequest,
	attempts: readonly AttemptResult[],
	failure: unknown,
): PageResult {
	if (failure instanceof CancelledError || !(failure instanceof Error)) throw failure;
	if (attempts.length === 0) return unrequested(page, attempts, failure);
	const [message, ...description] = wordsOf(failure);
	const all = [...description, 'Before that:', reasonsInWords(attempts)];
	return unrequested(page, attempts, new DescribedError({ message, description: all.join(' ') }));
}

/**
 * Makes an attempt at a page, unless nothing more is to be tried on its site or with the order. Whatever goes wrong with
 * the page or its proxies is in the result.
 *
 * @param before attempts at the page so far
 * @returns the result of the page, or, with `next`, only what there is so far: the pause before the next attempt is over
 * @throws CancelledError
 */
export async function attemptPage(
	page: PageRequest,
	route: PageRoute,
	session: Session,
	scope: AttemptScope,
	before: readonly AttemptResult[],
): Promise<PageResult> {
	let attempts = before;
	let result: PageResult;
	try {
		throwIfCancelled(scope.beginSignal);
		const stop = route.breaker.stopFor(siteOf(page));
		result =
			stop === undefined
				? await requestPage(page, route, session, scope, before)
				: stopped(page, before, stop);
		({ attempts } = result);
		if (result.next !== undefined) await wait(result.next.pauseMs, scope.beginSignal);
	} catch (error) {
		const isOutOfTime = error instanceof CancelledError && scope.signal?.aborted !== true;
		result = isOutOfTime
			? stopped(page, attempts, scope.outOfTime)
			: failedBeforeRequest(page, attempts, error);
	}
	if (result.next !== undefined) return result;
	return session.finishPage() ? { ...result, sessionRestarted: true } : result;
}
