import type { PageContent } from '../content/pageContent';
import type { Stop } from './circuitBreaker';
import type { AttemptResult, Outcome } from './classifyAttempt';

/** The result of opening a page, with all of its attempts. */
export interface PageResult {
	/** The last address that was requested. */
	readonly url: string;
	readonly attempts: readonly AttemptResult[];
	/** The outcome of the last attempt; undefined where there was none. */
	readonly outcome?: Outcome;
	/** The page's own answer, also where it refused the request; undefined where none came. */
	readonly content?: PageContent;
	/** The status of the page's last answer, also of one that was too large or broken; undefined where none came. */
	readonly statusCode?: number;
	/** Set when the session that the item belongs to had to start again. */
	readonly sessionRestarted?: true;
	/** Set when the page asks for a password although its session has sent a POST, such as one that logs in. */
	readonly asksToLogIn?: true;
	/** Set when no attempt, or no other one, was made, because others before had opened nothing. */
	readonly stop?: Stop;
	/** The attempt that is to follow; undefined for the result of the page. */
	readonly next?: AttemptResult['next'];
	/** Why the page was not opened; undefined for an opened one. */
	readonly error?: Error;
}

/** The result of a page that was not requested. */
export function notRequested(error: Error): PageResult {
	return { url: '', attempts: [], error };
}
