import type { HttpAnswer } from '../http/httpAnswer';
import type { AttemptResult } from './classifyAttempt';

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

/** Whether an order that has allowed no request for so long is given up rather than asked once more after a pause. */
export function isOrderHopeless(orderRefusedMs: number, pauseMs = FIRST_ORDER_PAUSE_MS): boolean {
	return orderRefusedMs + pauseMs > ORDER_PATIENCE_MS;
}

/** The number of attempts that count against *Max Attempts*, of those that another one followed. */
function countedAttempts(attempts: ReadonlyArray<Pick<AttemptResult, 'next'>>): number {
	return attempts.filter(({ next }) => next?.counts === true).length;
}

/**
 * The attempt that follows one at a page.
 *
 * @param before attempts at the page before this one, each with what followed it
 * @param limits `orderRefusedMs` is how long the order has allowed no request, and `retryAfterMs` how long the page wants
 * to be left alone, where it says so
 * @returns undefined where there is no other attempt
 */
export function followingAttempt(
	{ nextStep, blame }: Pick<AttemptResult, 'nextStep' | 'blame'>,
	before: ReadonlyArray<Pick<AttemptResult, 'nextStep' | 'next'>>,
	limits: {
		readonly maxAttempts: number;
		readonly orderRefusedMs: number;
		readonly retryAfterMs?: number;
	},
): AttemptResult['next'] {
	const { maxAttempts, orderRefusedMs, retryAfterMs } = limits;
	switch (nextStep) {
		case 'end':
			return undefined;
		case 'waitForOrder': {
			const waits = before.filter((attempt) => attempt.nextStep === 'waitForOrder').length;
			const growing = FIRST_ORDER_PAUSE_MS * 2 ** Math.min(waits, 10);
			const pauseMs = Math.min(growing, LONGEST_ORDER_PAUSE_STEP_MS);
			// Whoever comes when others have waited for a minute need not begin anew
			if (isOrderHopeless(orderRefusedMs, pauseMs)) return undefined;
			return { counts: false, pauseMs, sameProxy: true };
		}
		case 'tryAgain': {
			const last = before.at(-1);
			const hasWaited = last?.nextStep === 'tryAgain' && last.next?.sameProxy === true;
			// Once for each proxy: a second refusal may be meant for it
			if (retryAfterMs !== undefined && !hasWaited) {
				const pauseMs = Math.max(retryAfterMs, PAUSE_FOR_SERVER_MS);
				return { counts: false, pauseMs, sameProxy: true };
			}
			if (countedAttempts(before) + 1 >= maxAttempts) return undefined;
			const pauseMs = blame === undefined ? PAUSE_FOR_SERVER_MS : 0;
			return { counts: true, pauseMs, sameProxy: false };
		}
		default:
			return nextStep satisfies never;
	}
}
