import { CancelledError, DescribedError, wordsOf } from '../../../shared/api/errors';
import { loggedWait, wait, type ExecutionScope } from '../../../shared/api/wait';
import { plural } from '../../../shared/wording';
import { PageContent } from '../content/pageContent';
import type { BrowserIdentity } from '../http/browserIdentity';
import { fetchPage, type FetchResult } from '../http/fetchPage';
import type { SendRequest } from '../http/proxiedRequest';
import { siteOf, type PageRequest } from '../request/pageRequest';
import type { CircuitBreaker, Stop } from './circuitBreaker';
import { classifyAttempt, type AttemptResult, type NextPageAttempt } from './classifyAttempt';
import { countedAttempts, nextPageAttempt, retryAfterOf } from './nextPageAttempt';
import { describePageFailure, reasonsInWords } from './pageFailure';
import type { PageResult } from './pageResult';
import type { Session } from './session';

/** How often requests may leave, of whatever pages. */
export interface RequestPace {
	/** The time between two requests in milliseconds; 0 for any number at once. */
	readonly intervalMs: number;
	/** Resolves when the caller may send a request. Throws CancelledError at once when `signal` aborts. */
	acquireSlot(signal: AbortSignal | undefined): Promise<void>;
	/** Keeps all requests from leaving for so long. */
	pause(ms: number): void;
}

/** Everything that an attempt at a page needs from the run. */
export interface AttemptScope extends ExecutionScope {
	readonly send: SendRequest;
	readonly pace: RequestPace;
	readonly breaker: CircuitBreaker;
	readonly session: Session;
	/** Aborts also what has been sent; `signal` by default. */
	readonly requestSignal?: AbortSignal;
}

/** The name of a page in the log. Other parts of a URL may be secret. */
function nameInLog({ url }: PageRequest): string {
	return `page of ${new URL(url).host}`;
}

async function acquireSlot(
	page: PageRequest,
	scope: AttemptScope,
	signal: AbortSignal | undefined,
): Promise<void> {
	const slot = scope.pace.acquireSlot(signal);
	await loggedWait(slot, scope, nameInLog(page), 'for the pace of the order');
}

/** Waits for a slot of the pace, then for a proxy: one that is held meanwhile might come to its end. */
async function acquireIdentity(page: PageRequest, scope: AttemptScope): Promise<BrowserIdentity> {
	const { pace, session, signal } = scope;
	await acquireSlot(page, scope, signal);
	const since = performance.now();
	const acquired = session.acquire(siteOf(page));
	const identity = await loggedWait(acquired, scope, nameInLog(page), 'for a proxy');
	// Several pages may have waited for the same extraction, and would leave all at once
	if (performance.now() - since > pace.intervalMs) await acquireSlot(page, scope, signal);
	return identity;
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

/** Waits for the time of another attempt, and says so in the log. */
async function pauseBefore(
	{ counts, pauseMs }: NextPageAttempt,
	page: PageRequest,
	attempts: readonly AttemptResult[],
	scope: AttemptScope,
): Promise<void> {
	const label = nameInLog(page);
	const last = attempts[attempts.length - 1];
	const remaining = plural(page.maxAttempts - countedAttempts(attempts), 'attempt');
	scope.log(`${label}: another attempt, because ${last.reason} (${remaining} remaining)`);
	const isForOrder = !counts && last.nextStep === 'waitForOrder';
	const why = isForOrder ? 'the order allows no more requests' : 'the page asked for it';
	await loggedWait(wait(pauseMs, scope.signal), scope, label, `because ${why}`);
}

async function requestPage(
	page: PageRequest,
	scope: AttemptScope,
	before: readonly AttemptResult[],
): Promise<PageResult> {
	const { session, breaker, pace, signal, requestSignal = signal } = scope;
	const identity = await acquireIdentity(page, scope);
	const fetched = await fetchPage(page, identity, {
		send: scope.send,
		acquireSlot: async () => await acquireSlot(page, scope, requestSignal),
		signal: requestSignal,
	});
	const { reply, url, mayHaveArrived } = fetched;
	const content = pageContentOf(fetched, before);
	const classified = classifyAttempt(page, fetched, content);
	breaker.note(siteOf(page), fetched.proxy, classified, before.length === 0);
	const isFinal = page.method === 'POST' && mayHaveArrived;
	const retryAfterMs = reply.kind === 'answer' ? retryAfterOf(reply) : undefined;
	const limits = {
		maxAttempts: page.maxAttempts,
		orderRefusedMs: breaker.orderRefusedMs,
		retryAfterMs,
	};
	const next = isFinal ? undefined : nextPageAttempt(classified, before, limits);
	const attempt = { ...classified, next };
	session.note(attempt);
	const attempts = [...before, attempt];
	if (next !== undefined) {
		const isOfProxy = reply.kind === 'answer' && reply.source === 'proxy';
		// The order allows no more, of whatever page; but a page could say the same
		if (attempt.nextStep === 'waitForOrder' && isOfProxy) pace.pause(next.pauseMs);
		await pauseBefore(next, page, attempts, scope);
		return { url, attempts, mayHaveArrived, next };
	}
	const { outcome } = attempt;
	const ofFailure = reply.kind === 'failure' ? reply.status : undefined;
	const statusCode = content?.answer.status ?? ofFailure;
	const result = { url, attempts, outcome, content, statusCode, mayHaveArrived };
	if (outcome === 'opened') return result;
	return { ...result, error: describePageFailure(page, attempts, isFinal) };
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
		mayHaveArrived: false,
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
	scope: AttemptScope,
	before: readonly AttemptResult[],
): Promise<PageResult> {
	const { session, breaker } = scope;
	const stop = breaker.stopFor(siteOf(page));
	const result =
		stop === undefined
			? await requestPage(page, scope, before).catch((error: unknown) =>
					failedBeforeRequest(page, before, error),
				)
			: stopped(page, before, stop);
	if (result.next !== undefined) return result;
	const { isRestarted } = session;
	session.finishPage();
	return isRestarted ? { ...result, sessionRestarted: true } : result;
}
