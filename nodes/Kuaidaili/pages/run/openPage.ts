import { CancelledError, DescribedError, wordsOf } from '../../../shared/api/callErrors';
import { loggedWait, wait, type ExecutionScope } from '../../../shared/api/wait';
import { plural } from '../../../shared/wording';
import { PageContent } from '../content/pageContent';
import type { BrowserIdentity } from '../http/browserIdentity';
import { fetchPage, type FetchResult } from '../http/fetchPage';
import type { SendRequest } from '../http/proxiedRequest';
import { siteOf, type PageRequest } from '../request/pageRequest';
import type { CircuitBreaker, Stop } from './circuitBreaker';
import { classifyAttempt, type AttemptResult } from './classifyAttempt';
import { describePageFailure, reasonsInWords } from './pageFailure';
import type { PageResult } from './pageResult';
import { planRetry, retryAfterOf, type RetryPlan } from './retryPlan';
import type { StickySession } from './stickySession';

/** How often requests may leave, of whatever pages. */
export interface RequestPace {
	/** The time between two requests in milliseconds; 0 for any number at once. */
	readonly intervalMs: number;
	/** Resolves when the caller may send a request. Throws CancelledError at once when `signal` aborts. */
	acquireSlot(signal: AbortSignal | undefined): Promise<void>;
	/** Keeps all requests from leaving for so long. */
	pause(ms: number): void;
}

/** Everything that opening a page needs from the run. */
export interface PageEnvironment extends ExecutionScope {
	readonly send: SendRequest;
	readonly pace: RequestPace;
	readonly breaker: CircuitBreaker;
	readonly session: StickySession;
	/** Aborts also what has been sent; `signal` by default. */
	readonly requestSignal?: AbortSignal;
}

/**
 * Opens a page in as many attempts as it takes and may have: each through another proxy, or through the session's as
 * long as that works. Whatever goes wrong with the page or its proxies is in the result.
 */
export class PageOpening {
	private readonly isPost: boolean;

	private readonly site: string;

	private readonly restartsBefore: number;

	private readonly attempts: AttemptResult[] = [];

	/** Attempts that count against the most that there may be. */
	private countedAttempts = 0;

	/** The identity that has already waited for Retry-After once. */
	private patientIdentity?: BrowserIdentity;

	/** How often the page has waited for the order. */
	private orderWaits = 0;

	/** The proxies that may have answered in place of the page, by status. */
	private readonly unclearStatuses = new Map<number, string>();

	/** The name of the page in the log. Other parts of a URL may be secret. */
	private readonly label: string;

	constructor(
		private readonly page: PageRequest,
		private readonly environment: PageEnvironment,
	) {
		this.isPost = page.method === 'POST';
		this.site = siteOf(page);
		this.restartsBefore = environment.session.restartCount;
		this.label = `page of ${new URL(page.url).host}`;
	}

	/**
	 * Makes an attempt, unless nothing more is to be tried on the site or with the order.
	 *
	 * @returns undefined when there is to be another attempt
	 * @throws CancelledError
	 */
	async attempt(): Promise<PageResult | undefined> {
		const { session, breaker } = this.environment;
		const stop = breaker.stopFor(this.site, this.page.giveUpSiteAfter);
		const result =
			stop === undefined
				? await this.request().catch((error: unknown) => this.failedBeforeRequest(error))
				: this.stopped(stop);
		const isRestarted = session.restartCount > this.restartsBefore;
		return result && isRestarted ? { ...result, sessionRestarted: true } : result;
	}

	/** Resolves with undefined when there is to be another attempt. */
	private async request(): Promise<PageResult | undefined> {
		const { page, environment, attempts } = this;
		const { session, breaker, pace, log, signal, requestSignal = signal } = environment;
		const identity = await this.acquireIdentity();
		const fetched = await fetchPage(page, identity, {
			send: environment.send,
			acquireSlot: async () => await this.acquireSlot(requestSignal),
			signal: requestSignal,
		});
		const content = this.contentOf(fetched);
		const attempt = classifyAttempt(page, fetched, content);
		attempts.push(attempt);
		breaker.note(this.site, fetched.proxy, attempt, attempts.length === 1);
		const plan = this.planRetry(identity, fetched, attempt);
		const isCounted = plan.kind === 'end' || plan.kind === 'tryAgain';
		if (isCounted) {
			this.countedAttempts += 1;
			session.finishAttempt(attempt, plan.kind === 'end');
		}
		if (plan.kind === 'end') {
			if (attempt.nextStep === 'waitForOrder') breaker.noteOrderRefusal(attempt);
			return this.resultOf(fetched, content, attempt);
		}
		if (plan.kind === 'waitForPage') this.patientIdentity = identity;
		if (plan.kind === 'waitForOrder') {
			this.orderWaits += 1;
			// The order allows no more, of whatever page; but a page could say the same
			const { reply } = fetched;
			if (reply.kind === 'answer' && reply.source === 'proxy') pace.pause(plan.pauseMs);
		}
		const remaining = plural(page.maxAttempts - this.countedAttempts, 'attempt');
		log(`${this.label}: another attempt, because ${attempt.reason} (${remaining} remaining)`);
		const why =
			plan.kind === 'waitForPage' ? 'the page asked for it' : 'the order allows no more requests';
		await this.logged(wait(plan.pauseMs, signal), `because ${why}`);
		return undefined;
	}

	/** Waits for a slot, then for a proxy: one that is held meanwhile might come to its end. */
	private async acquireIdentity(): Promise<BrowserIdentity> {
		const { pace, session, signal } = this.environment;
		await this.acquireSlot(signal);
		const since = performance.now();
		const identity = await this.logged(session.acquire(this.site), 'for a proxy');
		// Several pages may have waited for the same extraction, and would leave all at once
		if (performance.now() - since > pace.intervalMs) await this.acquireSlot(signal);
		return identity;
	}

	private async acquireSlot(signal: AbortSignal | undefined): Promise<void> {
		await this.logged(this.environment.pace.acquireSlot(signal), 'for the pace of the order');
	}

	private async logged<T>(work: Promise<T>, reason: string): Promise<T> {
		return await loggedWait(work, this.environment, this.label, reason);
	}

	/**
	 * The page's own answer. An answer that two proxies have given alike over http, without words of a proxy, is the page's
	 * as well.
	 */
	private contentOf({ reply, url, proxy }: FetchResult): PageContent | undefined {
		if (reply.kind === 'failure') return undefined;
		const { source, status } = reply;
		if (source === 'proxy' || source === 'saysProxy') return undefined;
		if (source === 'unclear') {
			const before = this.unclearStatuses.get(status);
			this.unclearStatuses.set(status, proxy.address);
			if (before === undefined || before === proxy.address) return undefined;
		}
		return new PageContent(reply, this.page.method, url);
	}

	private planRetry(
		identity: BrowserIdentity,
		{ reply, mayHaveArrived }: FetchResult,
		{ nextStep, blame }: AttemptResult,
	): RetryPlan {
		return planRetry({
			nextStep,
			mayRepeat: !this.isPost || !mayHaveArrived,
			attemptsRemaining: this.page.maxAttempts - this.countedAttempts - 1,
			isProxyBlamed: blame !== undefined,
			orderWaits: this.orderWaits,
			orderRefusedMs: this.environment.breaker.orderRefusedMs,
			retryAfterMs: reply.kind === 'answer' ? retryAfterOf(reply) : undefined,
			hasWaitedForPage: identity === this.patientIdentity,
		});
	}

	private resultOf(
		{ url, reply, mayHaveArrived }: FetchResult,
		content: PageContent | undefined,
		{ outcome }: AttemptResult,
	): PageResult {
		const { page, attempts } = this;
		const ofFailure = reply.kind === 'failure' ? reply.status : undefined;
		const statusCode = content?.answer.status ?? ofFailure;
		const result = { url, attempts, outcome, content, statusCode, mayHaveArrived };
		if (outcome === 'opened') return result;
		const isFinal = this.isPost && mayHaveArrived;
		return { ...result, error: describePageFailure(page, attempts, isFinal) };
	}

	/** The result where nothing more is to be tried on this site, or with this order. */
	private stopped({ kind, because, error }: Stop): PageResult {
		const { page, attempts } = this;
		this.environment.session.finishPage();
		const result = { url: page.url, attempts, mayHaveArrived: false, stoppedBy: kind };
		const last = attempts.at(-1);
		if (last === undefined) return { ...result, error };
		const { outcome, isConnected, statusCode } = last;
		return {
			...result,
			outcome,
			statusCode: isConnected ? statusCode : undefined,
			error: describePageFailure(page, attempts, false, because),
		};
	}

	/** The result where an attempt failed before its request, such as for lack of a proxy. */
	private failedBeforeRequest(failure: unknown): PageResult {
		if (failure instanceof CancelledError || !(failure instanceof Error)) throw failure;
		const { page, attempts } = this;
		const result = { url: page.url, attempts, mayHaveArrived: false };
		const last = attempts.at(-1);
		if (last === undefined) return { ...result, error: failure };
		const { outcome, isConnected, statusCode } = last;
		const [message, ...description] = wordsOf(failure);
		const all = [...description, 'Before that:', reasonsInWords(attempts)];
		return {
			...result,
			outcome,
			statusCode: isConnected ? statusCode : undefined,
			error: new DescribedError({ message, description: all.join(' ') }),
		};
	}
}
