import { CallError, CancelledError, DescribedError } from '../../../shared/errors/callErrors';
import { propertyOf } from '../../../shared/guards';
import { loggedWait, wait, type ExecutionScope } from '../../../shared/concurrency/wait';
import { formatNumber, plural } from '../../../shared/wording';
import type { LeasedProxy, ProxyLease } from '../../proxies/lease';
import { PageContent } from '../content/pageContent';
import { siteOf, type PageRequest } from '../request/pageRequest';
import {
	describePageFailure,
	classifyAttempt,
	NO_SUCH_PAGE,
	reasonsInWords,
	shownUrl,
	type AttemptResult,
	type Outcome,
} from './classifyAttempt';
import {
	fetchPage,
	BrowserIdentity,
	type HttpAnswer,
	type SendRequest,
	type FetchResult,
} from '../http/fetchPage';

export interface PageResult {
	/** The last address. */
	readonly url: string;
	readonly attempts: readonly AttemptResult[];
	/** Of the last attempt; undefined where there was none. */
	readonly outcome?: Outcome;
	/** What the page itself answered, also where it refused the request. */
	readonly content?: PageContent;
	/** Of that, or of what was too large or broken to be one. */
	readonly statusCode?: number;
	readonly mayHaveArrived: boolean;
	/** Set when the session that the item belongs to had to start again. */
	readonly sessionRestarted?: true;
	/** Why it was not opened. */
	readonly error?: Error;
}

/** @param error why nothing was sent */
export function notRequested(error: Error, url = ''): PageResult {
	return { url, attempts: [], mayHaveArrived: false, error };
}

/** How often requests may leave, whosever they are. */
export interface Pace {
	/** Between two of them; 0 for any number at once. */
	readonly intervalMs: number;
	/** Resolves when it is the caller's turn. Throws CancelledError at once when `signal` aborts. */
	turn(signal: AbortSignal | undefined): Promise<void>;
	/** Nobody leaves for so long. */
	pause(ms: number): void;
}

/** Proxies in a row that brought nothing, and why the last of them did not. */
class FailureStreak {
	private readonly proxies = new Set<string>();

	/** Those of which it is certain that no site was to blame. */
	private readonly certain = new Set<string>();

	private readonly sites = new Set<string>();

	private reason = '';

	add(proxy: string, site: string, { reason, isUnconnected }: AttemptResult): void {
		this.proxies.add(proxy);
		if (isUnconnected === true) this.certain.add(proxy);
		this.sites.add(site);
		this.reason = reason;
	}

	/** @param limit 0 for none */
	reaches(limit: number): boolean {
		return limit > 0 && this.proxies.size >= limit;
	}

	/** Whether proxies rather than sites are to blame. A few sites that are dead must not end the run of others. */
	isOfProxies(limit: number, isConnected: boolean): boolean {
		const { proxies, certain, sites } = this;
		if (limit === 0) return false;
		if (certain.size >= limit || sites.size >= 3 * limit) return true;
		return !isConnected && sites.size >= 3 && proxies.size >= 2 * limit;
	}

	get inWords(): string {
		return `The last ${formatNumber(this.proxies.size)} proxies in a row brought nothing, the last one because ${this.reason}.`;
	}
}

const LIMIT = "'Give Up Site After (Proxies)' in 'Options'";

const CAUSES =
	"Check whether a firewall between n8n and the internet blocks the ports of the proxies, whether n8n runs outside China, where most proxies serve nobody, and whether the order's whitelist has n8n's address, or its user name and password were changed.";

/** Ends what would only use up proxies: the pages of a site that opens none, and a run that gets nowhere. One for each order of a run. */
export class CircuitBreaker {
	private readonly sites = new Map<string, FailureStreak>();

	private unconnected = new FailureStreak();

	/** Whether any proxy has led anywhere. */
	private isConnected = false;

	/** Addresses of proxies that failed for whatever page. */
	readonly failedProxies = new Set<string>();

	/** How many pages were given up, by site. */
	private readonly pagesGivenUp = new Map<string, number>();

	note(site: string, { address, identitySeed }: LeasedProxy, verdict: AttemptResult): void {
		const { fault, outcome, statusCode } = verdict;
		const proxy = `${address} ${identitySeed}`;
		if (verdict.isUnconnected === false) {
			this.isConnected = true;
			this.unconnected = new FailureStreak();
		} else this.unconnected.add(proxy, site, verdict);
		if (outcome === 'opened') this.sites.delete(site);
		if (fault === 'failed' || fault === 'loginRefused') this.failedProxies.add(address);
		const isMissing = outcome === 'status' && NO_SUCH_PAGE.has(statusCode);
		// A proxy that leads nowhere says nothing about the site
		const isOfProxy = verdict.isUnconnected === true;
		if (outcome === 'opened' || isOfProxy || verdict.next === 'wait' || isMissing) return;
		const streak = this.sites.get(site) ?? new FailureStreak();
		streak.add(proxy, site, verdict);
		this.sites.set(site, streak);
	}

	isSiteGivenUp(site: string, limit: number): boolean {
		return this.sites.get(site)?.reaches(limit) === true;
	}

	/** Why a page is not tried, with an outcome where that is only so for its site; undefined where it may be. */
	stopFor(site: string, limit: number) {
		if (this.unconnected.isOfProxies(limit, this.isConnected)) {
			const error = new DescribedError({
				message: 'No proxy could be connected to',
				description: `${this.unconnected.inWords} ${CAUSES} No other proxy was tried; ${LIMIT} says after how many.`,
			});
			return { error };
		}
		const streak = this.sites.get(site);
		if (streak === undefined || !streak.reaches(limit)) return undefined;
		this.pagesGivenUp.set(site, (this.pagesGivenUp.get(site) ?? 0) + 1);
		const error = new DescribedError({
			message: `The site ${site} was given up in this run`,
			description: `${streak.inWords} ${this.isConnected ? '' : `${CAUSES} `}If other pages of it can be opened, raise ${LIMIT}; 0 never gives up.`,
		});
		return { error, outcome: 'siteGivenUp' } as const;
	}

	get hints(): string[] {
		return [...this.pagesGivenUp].map(([site, pages]) => {
			const why = this.sites.get(site)?.inWords ?? '';
			return `The site ${site} was given up, and ${plural(pages, 'page')} of it failed. ${why}`.trim();
		});
	}
}

/** The visitors of a page, or of all pages of a session, one after the other. */
export class StickySession {
	private visitor?: BrowserIdentity;

	/** The last POST of the session, which may have been to log in, and whether it was opened. */
	private login?: { readonly url: string; readonly isOpened: boolean };

	/** How often somebody new came after pages had been visited, so that the site has to get to know them again. */
	restartCount = 0;

	/**
	 * @param lease takes a proxy for a page of a site
	 * @param isKept whether a visitor stays for further pages
	 * @param hasHistory whether pages have been visited before
	 */
	constructor(
		private readonly lease: (site: string) => Promise<ProxyLease>,
		readonly isKept: boolean,
		private hasHistory = false,
	) {}

	/** Who visits the next page: the one from before, or somebody new. */
	async next(site: string): Promise<BrowserIdentity> {
		if (this.visitor !== undefined && performance.now() < this.visitor.endsAt) return this.visitor;
		this.end();
		this.visitor = new BrowserIdentity(await this.lease(site));
		if (this.isKept && this.hasHistory) {
			this.restartCount += 1;
			if (this.login?.isOpened === true) this.login = undefined;
		}
		return this.visitor;
	}

	doneLogin(url: string, isOpened: boolean): void {
		this.login = { url, isOpened };
	}

	/**
	 * What to do about a page that fails for lack of a login, in place of trying other proxies.
	 *
	 * @param isRefused whether the site itself refused it
	 * @returns undefined where that is not likely
	 */
	loginAdvice(isRefused: boolean): string | undefined {
		if (!this.isKept || this.login === undefined) return undefined;
		const { url, isOpened } = this.login;
		if (!isOpened) return `The POST to ${url} before it in the session failed. See to that first.`;
		return isRefused
			? `Look at what ${url} answered to the POST before it in the session: the login may have failed.`
			: undefined;
	}

	/** Whether nobody holds a proxy, or will be the one to visit further pages. */
	get isFree(): boolean {
		return !this.isKept && this.visitor === undefined;
	}

	/** @param isDone whether no other attempt follows for the page */
	leave({ outcome, fault, isUnseen }: AttemptResult, isDone: boolean): void {
		const lease = this.visitor?.lease;
		if (outcome === 'opened') lease?.markGood();
		if (fault !== undefined) lease?.markBad(fault);
		// Another page may get further with that proxy
		if (isUnseen === true && !this.isKept) lease?.markUnused();
		if (fault !== undefined) this.end();
		if (fault === undefined || isDone) this.donePage();
	}

	donePage(): void {
		this.hasHistory = true;
		if (!this.isKept) this.end();
	}

	/** Gives the proxy back. */
	end(): void {
		this.visitor?.lease.release();
		this.visitor = undefined;
	}
}

export interface PageSurroundings extends ExecutionScope {
	readonly send: SendRequest;
	readonly pace: Pace;
	readonly brakes: CircuitBreaker;
	readonly session: StickySession;
	/** Aborts also what has been sent; `signal` where it is not there. */
	readonly requestSignal?: AbortSignal;
}

/** One after the other, while the order allows no more requests: for a minute in all. */
const PAUSES_MS = [1000, 2000, 4000, 8000, 8000, 8000, 8000, 8000, 8000];

/** Before a page in trouble is asked again. */
const PAUSE_FOR_SERVER_MS = 500;

const LONGEST_RETRY_AFTER_MS = 30_000;

/** How long a page wants to be left alone; undefined where it does not say, or wants too long. */
function retryAfterOf(answer: HttpAnswer | undefined): number | undefined {
	const value = answer?.headers['retry-after'];
	if (typeof value !== 'string' || (answer?.status !== 429 && answer?.status !== 503)) {
		return undefined;
	}
	const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - Date.now();
	return ms <= LONGEST_RETRY_AFTER_MS ? Math.max(ms, PAUSE_FOR_SERVER_MS) : undefined;
}

/** What a page was given up or finished with. */
type End = Omit<PageResult, 'attempts' | 'sessionRestarted'>;

/**
 * Opens a page in as many attempts as it takes and may have: each through another proxy, or through the session's as
 * long as that works. Whatever goes wrong with the page or its proxies is in the result.
 *
 * @returns what makes the attempts, and throws CancelledError. Where others would rather be tried than this page again
 * (`mayPause`), it pauses, without a proxy, and resolves with undefined: call it once more.
 */
export function pageOpening(page: PageRequest, surroundings: PageSurroundings) {
	const { send, pace, brakes, session, log, signal, requestSignal = signal } = surroundings;
	const isPost = page.method === 'POST';
	const site = siteOf(page);
	const restartsBefore = session.restartCount;
	const attempts: AttemptResult[] = [];
	/** Attempts that count against the most that there may be. */
	let counted = 0;
	/** Has come again when the page asked for it, if that was near enough. */
	let returned: BrowserIdentity | undefined;
	/** How often the order has allowed no more requests. */
	let waits = 0;
	/** By status, the proxy that may have answered so in place of the page. */
	const statusesOfProxies = new Map<number, string>();
	/** In place of trying other proxies. */
	let advice: string | undefined;

	// What else is in its URL may be secret
	const label = `page of ${new URL(page.url).host}`;
	const logged = async <T>(work: Promise<T>, reason: string): Promise<T> =>
		await loggedWait(work, surroundings, label, reason);
	const turn = async (until = signal) => await logged(pace.turn(until), 'for its turn');

	/** Nobody takes a proxy while they wait for their turn: it might come to its end meanwhile. */
	const nextVisitor = async (): Promise<BrowserIdentity> => {
		await turn();
		const since = performance.now();
		const visitor = await logged(session.next(site), 'for a proxy');
		// Several pages may have waited for the same extraction, and would leave all at once
		if (performance.now() - since > pace.intervalMs) await turn();
		return visitor;
	};

	/** The page's own answer. What two proxies have answered alike over http is the page's as well. */
	const contentOf = ({ answer, url, proxy }: FetchResult): PageContent | undefined => {
		if (answer === undefined || answer.reach === 'nowhere') return undefined;
		if (answer.reach === 'proxy') {
			const before = statusesOfProxies.get(answer.status);
			statusesOfProxies.set(answer.status, proxy.address);
			if (before === undefined || before === proxy.address) return undefined;
		}
		return new PageContent(answer, page.method, url);
	};

	/** How long to wait before another attempt through the same proxy; undefined when there is to be none. */
	const pauseWith = (
		visitor: BrowserIdentity,
		{ answer }: FetchResult,
		{ next }: AttemptResult,
	) => {
		if (next === 'wait') {
			const pauseMs: number | undefined = PAUSES_MS[waits++];
			// The order allows no more, whoever asks; but a page could say the same
			if (pauseMs !== undefined && answer?.reach === 'nowhere') pace.pause(pauseMs);
			return pauseMs;
		}
		if (next !== 'again' || visitor === returned) return undefined;
		const askedMs = retryAfterOf(answer);
		if (askedMs !== undefined) returned = visitor;
		return askedMs;
	};

	const endOf = (
		visit: FetchResult,
		content: PageContent | undefined,
		verdict: AttemptResult,
	): End => {
		const { outcome } = verdict;
		const { url, failure, mayHaveArrived } = visit;
		const statusCode = content?.answer.status ?? failure?.status;
		const isOpened = outcome === 'opened';
		if (isPost) session.doneLogin(shownUrl(page.url), isOpened);
		const end = { url, outcome, content, statusCode, mayHaveArrived };
		if (isOpened) return end;
		const isFinal = isPost && mayHaveArrived;
		return { ...end, error: describePageFailure(page, verdict, attempts, isFinal, advice) };
	};

	/** No other attempt can be made. Only what has certainly not arrived was to be sent again. */
	const untried = (failure: unknown, outcome = attempts.at(-1)?.outcome): End => {
		if (failure instanceof CancelledError || !(failure instanceof Error)) throw failure;
		const end = { url: page.url, outcome, mayHaveArrived: false };
		if (attempts.length === 0) return { ...end, error: failure };
		const [message, ...description] = wordsOf(failure);
		const all = [...description, 'Before that:', reasonsInWords(attempts)];
		return { ...end, error: new DescribedError({ message, description: all.join(' ') }) };
	};

	/** @returns undefined when there is to be another one */
	const attempt = async (): Promise<End | undefined> => {
		const visitor = await nextVisitor();
		const nextTurn = async () => await turn(requestSignal);
		const visit = await fetchPage(page, visitor, send, nextTurn, requestSignal);
		const content = contentOf(visit);
		const verdict = classifyAttempt(page, visit, content);
		const { fault, next, statusCode, reason } = verdict;
		attempts.push(verdict);
		brakes.note(site, visit.proxy, verdict);
		const isRefused = content !== undefined && (fault === 'blocked' || statusCode === 401);
		// The next attempt begins without the login
		if (!isPost) advice ??= session.loginAdvice(isRefused);
		const mayRepeat = !isPost || !visit.mayHaveArrived;
		const pauseMs = mayRepeat ? pauseWith(visitor, visit, verdict) : undefined;
		if (pauseMs === undefined) {
			counted += 1;
			const isDone = !mayRepeat || next !== 'again' || counted >= page.maxAttempts;
			session.leave(verdict, isDone);
			if (isDone) return endOf(visit, content, verdict);
		}
		log(`${label}: another attempt, because ${reason}`);
		const why = next === 'wait' ? 'the order allows no more requests' : 'the page asked for it';
		const afterMs = pauseMs ?? (fault === undefined ? PAUSE_FOR_SERVER_MS : 0);
		await logged(wait(afterMs, signal), `because ${why}`);
		return undefined;
	};

	return async (mayPause = () => false): Promise<PageResult | undefined> => {
		for (;;) {
			// Where nothing more is to be tried on this site, or at all
			const stop = brakes.stopFor(site, page.giveUpSiteAfter);
			if (stop !== undefined) session.donePage();
			const end =
				stop === undefined
					? await attempt().catch((error: unknown) => untried(error))
					: untried(stop.error, stop.outcome);
			if (end !== undefined) {
				const isRestarted = session.restartCount > restartsBefore;
				return { ...end, attempts, ...(isRestarted && { sessionRestarted: true }) };
			}
			if (session.isFree && mayPause()) return undefined;
		}
	};
}

/** Message and description of an error of this package. */
export function wordsOf(error: Error): string[] {
	const { message, description } =
		error instanceof CallError
			? error.describe()
			: { message: error.message, description: propertyOf(error, 'description') };
	return [message, description]
		.filter((text) => typeof text === 'string' && text !== '')
		.map(String);
}
