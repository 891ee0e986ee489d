import type { HttpAnswer } from '../http/httpAnswer';
import type { AttemptResult } from './classifyAttempt';

/** Everything that decides whether and when an attempt is followed by another one. */
export interface RetryState {
	/** The result of the attempt that failed. */
	readonly nextStep: AttemptResult['nextStep'];
	/** False where the page may have received what must not be sent twice. */
	readonly mayRepeat: boolean;
	/** Attempts that count and have not been made, this one not included. */
	readonly attemptsRemaining: number;
	/** Whether the proxy is to blame, so that the next attempt takes another one at once. */
	readonly isProxyBlamed: boolean;
	/** How often this page has waited for the order. */
	readonly orderWaits: number;
	/** How long the order has allowed no request, in milliseconds. */
	readonly orderRefusedMs: number;
	/** How long the page wants to be left alone, in milliseconds; undefined where it does not say, or too long. */
	readonly retryAfterMs?: number;
	/** Whether this proxy has waited for the page before. */
	readonly hasWaitedForPage: boolean;
}

/**
 * - `end`: no other attempt.
 * - `waitForOrder`, `waitForPage`: the same again through the same proxy after a pause; it does not count as an attempt.
 * - `tryAgain`: an attempt that counts, after a pause.
 */
export type RetryPlan =
	| { readonly kind: 'end' }
	| { readonly kind: 'waitForOrder' | 'waitForPage' | 'tryAgain'; readonly pauseMs: number };

const FIRST_ORDER_PAUSE_MS = 1000;
const LONGEST_ORDER_PAUSE_STEP_MS = 8000;

/** How long an order may allow no request before its pages fail. */
export const ORDER_PATIENCE_MS = 60_000;

/** The pause before a page in trouble is asked again. */
const PAUSE_FOR_SERVER_MS = 500;

/** The longest time for which a page is left alone because it wants that. */
export const LONGEST_PAGE_PAUSE_MS = 30_000;

/** How long a page wants to be left alone, in milliseconds; undefined where it does not say, or wants too long. */
export function retryAfterOf({ headers, status }: HttpAnswer): number | undefined {
	const { 'retry-after': header } = headers;
	if (typeof header !== 'string' || (status !== 429 && status !== 503)) return undefined;
	const value = header.slice(0, 100).trim();
	const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
	return ms <= LONGEST_PAGE_PAUSE_MS ? Math.max(ms, 0) : undefined;
}

const END: RetryPlan = { kind: 'end' };

/** Decides what follows a failed attempt. */
export function planRetry(state: RetryState): RetryPlan {
	const { nextStep, retryAfterMs } = state;
	if (!state.mayRepeat) return END;
	switch (nextStep) {
		case 'done':
		case 'giveUp':
			return END;
		case 'waitForOrder': {
			const growing = FIRST_ORDER_PAUSE_MS * 2 ** Math.min(state.orderWaits, 10);
			const pauseMs = Math.min(growing, LONGEST_ORDER_PAUSE_STEP_MS);
			// Whoever comes when others have waited for a minute need not begin anew
			return state.orderRefusedMs + pauseMs > ORDER_PATIENCE_MS
				? END
				: { kind: 'waitForOrder', pauseMs };
		}
		case 'tryAgain': {
			// Once for each proxy: a second refusal may be meant for it
			if (retryAfterMs !== undefined && !state.hasWaitedForPage) {
				return { kind: 'waitForPage', pauseMs: Math.max(retryAfterMs, PAUSE_FOR_SERVER_MS) };
			}
			if (state.attemptsRemaining <= 0) return END;
			return { kind: 'tryAgain', pauseMs: state.isProxyBlamed ? 0 : PAUSE_FOR_SERVER_MS };
		}
		default:
			nextStep satisfies never;
			return END;
	}
}
