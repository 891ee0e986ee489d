import { CallError, CancelledError, DescribedError } from '../../shared/errors/callErrors';
import { propertyOf } from '../../shared/guards';
import { describeFailure } from '../../shared/transport/describeFailure';
import { loggedWait, wait, type Waiter } from '../../shared/concurrency/wait';
import { judge, type Judgement, type Outcome } from './judge';
import type { Pace } from './pace';
import { PageContent } from './pageContent';
import type { PageRequest } from './pageRequest';
import {
	describePageFailure,
	reasonsInWords,
	type FailedAttempt,
	type FailedPage,
} from './pageFailure';
import type { SendRequest } from './proxiedRequest';
import type { Session, Visitor } from './session';
import { isDoubtful, visitPage, type Visit } from './visit';

/** One attempt, as the output tells it. */
export interface Attempt {
	/** `host:port`, never with a login. */
	readonly proxy: string;
	readonly outcome: Outcome;
	readonly statusCode?: number;
	/** How long it took, in whole milliseconds, without the waiting for the order's pace. */
	readonly milliseconds: number;
}

/** What became of a page. */
export interface PageResult {
	/** The last address. */
	readonly url: string;
	readonly attempts: readonly Attempt[];
	/** Of the page itself, unless it refused the request. */
	readonly content?: PageContent;
	readonly headers?: Readonly<Record<string, unknown>>;
	/** Whether the page may have received the last request. */
	readonly mayHaveArrived: boolean;
	/** Set when the session that the item belongs to had to start again. */
	readonly sessionRestarted?: true;
	/** Why the page was not opened. */
	readonly error?: Error;
}

export interface PageSurroundings extends Waiter {
	readonly send: SendRequest;
	readonly pace: Pace;
	/** What the page belongs to: runs take turns. */
	readonly run: object;
	readonly session: Session;
	/** Aborts also what has been sent; `signal` where it is not there. */
	readonly requestSignal?: AbortSignal;
}

/** For how long a page is tried again after the first time that the order allowed no more requests. */
const LONGEST_WAIT_MS = 60_000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 8000;

/** Before a page in trouble is asked again. */
const PAUSE_FOR_SERVER_MS = 500;

function contentOf(page: PageRequest, { answer, url }: Visit): PageContent | undefined {
	if (answer === undefined || answer.isFromProxy) return undefined;
	return new PageContent(answer, page.method, url);
}

/** What a page was given up or finished with. */
type End = Omit<PageResult, 'attempts' | 'sessionRestarted'>;

function endOf(
	page: PageRequest,
	visit: Visit,
	content: PageContent | undefined,
	failed: FailedPage,
): End {
	const { outcome } = failed.judgement;
	const isOfPage = outcome === 'opened' || outcome === 'status';
	return {
		url: visit.url,
		content: isOfPage ? content : undefined,
		headers: visit.answer?.isFromProxy === false ? visit.answer.headers : undefined,
		mayHaveArrived: visit.mayHaveArrived,
		error: outcome === 'opened' ? undefined : describePageFailure(page, failed),
	};
}

/** One page, while it is being opened. */
class PageOpening {
	private readonly attempts: Attempt[] = [];

	private readonly failures: FailedAttempt[] = [];

	/** Attempts that count against the most that there may be. */
	private counted = 0;

	/** Since when the order has allowed no more requests, in milliseconds. */
	private waitingSince?: number;

	private pauseMs = FIRST_PAUSE_MS;

	/** Of an answer that a proxy may have made up. */
	private doubtfulStatus?: number;

	constructor(
		private readonly page: PageRequest,
		private readonly surroundings: PageSurroundings,
	) {}

	/** @throws CancelledError */
	async open(): Promise<PageResult> {
		const { session } = this.surroundings;
		const restartsBefore = session.restartCount;
		let end: End | undefined;
		while (end === undefined) end = await this.attempt();
		const isRestarted = session.restartCount > restartsBefore;
		return { ...end, attempts: this.attempts, ...(isRestarted && { sessionRestarted: true }) };
	}

	/** @returns undefined when there is to be another one */
	private async attempt(): Promise<End | undefined> {
		const { page } = this;
		const { session, send, signal, requestSignal = signal } = this.surroundings;
		const visitor = await this.nextVisitor().catch(asFailure);
		if ('failure' in visitor) {
			const error = this.withAttempts(visitor.failure);
			// Only what has certainly not arrived was to be sent again
			return { url: page.url, mayHaveArrived: false, error };
		}
		const turn = async () => await this.turn(requestSignal);
		const visit = await visitPage(page, visitor, { send, turn, signal: requestSignal });
		const content = contentOf(page, visit);
		const doubt = this.doubtOf(visit, visitor);
		const judgement = doubt ?? judge(page, visit, content);
		this.note(visitor.lease.proxy.address, visit, judgement);
		const isUnsent = !visit.mayHaveArrived;
		const failed = { judgement, attempts: this.failures, isUnsent };
		if (content !== undefined && doubt === undefined) session.succeeded();
		// A proxy cannot confirm itself
		if (doubt !== undefined) session.end();
		if (judgement.fault !== undefined) session.blame(judgement.fault);
		if (await this.isToBeRepeated(judgement, page.method !== 'POST' || isUnsent)) {
			this.surroundings.log(`${this.label}: another attempt, because ${judgement.reason}`);
			return undefined;
		}
		// Another page may get further with that proxy
		if (isUnsent) session.unseen();
		session.donePage();
		return endOf(page, visit, content, failed);
	}

	/** A page is believed where two proxies have brought the same. A POST must not be sent again to find out. */
	private doubtOf({ answer }: Visit, visitor: Visitor): Judgement | undefined {
		if (answer === undefined || answer.isFromProxy || this.page.method === 'POST') return undefined;
		const { status } = answer;
		if (!isDoubtful(answer, visitor)) return undefined;
		if (this.doubtfulStatus === status) return undefined;
		this.doubtfulStatus = status;
		return {
			outcome: 'proxyFailed',
			statusCode: status,
			next: 'again',
			reason: `the proxy itself may have answered with status ${status}, which a second one has to confirm`,
		};
	}

	/** Nobody takes a proxy while they wait for their turn: it might come to its end meanwhile. */
	private async nextVisitor(): Promise<Visitor> {
		const { session, pace, signal } = this.surroundings;
		await this.turn(signal);
		const since = performance.now();
		const { hostname } = new URL(this.page.url);
		const visitor = await this.logged(session.next(hostname), 'for a proxy');
		// Several pages may have waited for the same extraction, and would leave all at once
		if (performance.now() - since > pace.intervalMs) await this.turn(signal);
		return visitor;
	}

	private async turn(signal: AbortSignal | undefined): Promise<void> {
		const { pace, run } = this.surroundings;
		await this.logged(pace.turn(run, signal), 'for its turn');
	}

	/** Logs a long wait. */
	private async logged<T>(work: Promise<T>, reason: string): Promise<T> {
		return await loggedWait(work, this.surroundings, this.label, reason);
	}

	/** In n8n's log. What else is in its URL may be secret. */
	private get label(): string {
		return `page of ${new URL(this.page.url).host}`;
	}

	/** What was tried before there was no proxy any more. */
	private withAttempts(failure: Error): Error {
		if (this.failures.length === 0) return failure;
		const [message, ...description] = wordsOf(failure);
		return new DescribedError({
			message,
			description: [...description, 'Before that:', reasonsInWords(this.failures)].join(' '),
		});
	}

	private note(address: string, { milliseconds }: Visit, judgement: Judgement): void {
		const { outcome, statusCode, reason } = judgement;
		const status = statusCode === undefined ? {} : { statusCode };
		this.attempts.push({ proxy: address, outcome, ...status, milliseconds });
		if (reason !== '') this.failures.push({ proxy: address, reason });
	}

	/** Waits where that is needed before. */
	private async isToBeRepeated({ next, fault }: Judgement, mayRepeat: boolean): Promise<boolean> {
		const { pace, session, signal } = this.surroundings;
		if (next === 'wait') this.waitingSince ??= performance.now();
		const { waitingSince = 0 } = this;
		if (next === 'wait' && mayRepeat && performance.now() - waitingSince < LONGEST_WAIT_MS) {
			// The order allows no more, whoever asks: the time in the line behind others counts, too
			pace.pause(this.pauseMs);
			await this.logged(wait(this.pauseMs, signal), 'because the order allows no more requests');
			this.pauseMs = Math.min(2 * this.pauseMs, LONGEST_PAUSE_MS);
			return true;
		}
		this.counted += 1;
		if (next !== 'again' || !mayRepeat || this.counted >= this.page.maxAttempts) return false;
		if (fault === undefined) {
			session.donePage();
			await wait(PAUSE_FOR_SERVER_MS, signal);
		}
		return true;
	}
}

function asFailure(error: unknown): { readonly failure: Error } {
	if (error instanceof CancelledError) throw cancelled();
	return { failure: error instanceof Error ? error : new Error(String(error)) };
}

/** Message and description of an error of this package. */
export function wordsOf(error: Error): string[] {
	const { message, description } =
		error instanceof CallError
			? describeFailure(error)
			: { message: error.message, description: propertyOf(error, 'description') };
	return [message, description]
		.filter((text) => typeof text === 'string' && text !== '')
		.map(String);
}

function cancelled(): CancelledError {
	return new CancelledError();
}

/**
 * Opens a page, in as many attempts as it takes and may have: each through another proxy, or through the session's as
 * long as that works. Whatever goes wrong with the page or its proxies is in the result.
 *
 * @throws CancelledError
 */
export async function openPage(
	page: PageRequest,
	surroundings: PageSurroundings,
): Promise<PageResult> {
	return await new PageOpening(page, surroundings).open();
}
