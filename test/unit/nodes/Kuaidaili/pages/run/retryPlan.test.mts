import {
	planRetry,
	type RetryPlan,
	type RetryState,
} from '../../../../../../nodes/Kuaidaili/pages/run/retryPlan.ts';

const FAILED: RetryState = {
	nextStep: 'tryAgain',
	mayRepeat: true,
	attemptsRemaining: 2,
	isProxyBlamed: true,
	orderWaits: 0,
	orderRefusedMs: 0,
	hasWaitedForPage: false,
};
const BUSY = { nextStep: 'waitForOrder' } as const;
const END = { kind: 'end' } as const;
const again = (pauseMs: number) => ({ kind: 'tryAgain', pauseMs }) as const;
const forOrder = (pauseMs: number) => ({ kind: 'waitForOrder', pauseMs }) as const;
const forPage = (pauseMs: number) => ({ kind: 'waitForPage', pauseMs }) as const;

it.each<[string, Partial<RetryState>, RetryPlan]>([
	['an opened page is not tried again', { nextStep: 'done' }, END],
	['a page that would fail in the same way is given up', { nextStep: 'giveUp' }, END],
	['another proxy is tried at once', {}, again(0)],
	['a server in trouble has half a second', { isProxyBlamed: false }, again(500)],
	['the last attempt is the last', { attemptsRemaining: 0 }, END],
	['what may have arrived is not sent twice', { mayRepeat: false }, END],
	['not even after a pause', { mayRepeat: false, retryAfterMs: 1000 }, END],
	['nor when the order is busy', { ...BUSY, mayRepeat: false }, END],
	['a page is waited for as long as it says', { retryAfterMs: 20_000 }, forPage(20_000)],
	['at least half a second', { retryAfterMs: 0 }, forPage(500)],
	['also after the last attempt', { retryAfterMs: 1000, attemptsRemaining: 0 }, forPage(1000)],
	['once with a proxy', { retryAfterMs: 1000, hasWaitedForPage: true }, again(0)],
	['a busy order is waited for', BUSY, forOrder(1000)],
	['longer each time', { ...BUSY, orderWaits: 1 }, forOrder(2000)],
	['and longer', { ...BUSY, orderWaits: 2 }, forOrder(4000)],
	['but not beyond 8 seconds', { ...BUSY, orderWaits: 8 }, forOrder(8000)],
	['also after the last attempt', { ...BUSY, attemptsRemaining: 0 }, forOrder(1000)],
	['for a minute', { ...BUSY, orderWaits: 8, orderRefusedMs: 52_000 }, forOrder(8000)],
	['and no longer', { ...BUSY, orderWaits: 8, orderRefusedMs: 52_001 }, END],
	['with those who have waited before', { ...BUSY, orderRefusedMs: 59_001 }, END],
])('%s: %j', (_what, state, plan) => {
	expect(planRetry({ ...FAILED, ...state })).toEqual(plan);
});
