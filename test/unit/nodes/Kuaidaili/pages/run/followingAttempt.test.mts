import type { AttemptResult } from '../../../../../../nodes/Kuaidaili/pages/run/classifyAttempt.ts';
import {
	followingAttempt,
	retryAfterOf,
} from '../../../../../../nodes/Kuaidaili/pages/run/followingAttempt.ts';

type Next = NonNullable<AttemptResult['next']>;

const FAILED = { nextStep: 'tryAgain', blame: 'failed' } as const;
const TROUBLE = { nextStep: 'tryAgain' } as const;
const BUSY = { nextStep: 'waitForOrder' } as const;

const again = (pauseMs: number): Next => ({ counts: true, pauseMs, sameProxy: false });
const afterPause = (pauseMs: number): Next => ({
	counts: false,
	pauseMs,
	sameProxy: true,
});

type Attempt = Parameters<typeof followingAttempt>[0] & { next?: Next };
type Limits = Partial<Parameters<typeof followingAttempt>[2]>;

const counted: Attempt = { ...FAILED, next: again(0) };
const waited: Attempt = { ...FAILED, next: afterPause(1000) };
const busy = (count: number): Attempt[] =>
	Array<Attempt>(count).fill({ ...BUSY, next: afterPause(1) });

it.each<[string, Attempt, Attempt[], Limits, Next | undefined]>([
	[
		'a page that would fail in the same way is not tried again',
		{ nextStep: 'end' },
		[],
		{},
		undefined,
	],
	['another proxy is tried at once', FAILED, [], {}, again(0)],
	['a server in trouble has half a second', TROUBLE, [], {}, again(500)],
	['the last attempt is the last', FAILED, [counted, counted], {}, undefined],
	['those that waited do not count', FAILED, [counted, waited, ...busy(3)], {}, again(0)],
	[
		'a page is waited for as long as it says',
		FAILED,
		[],
		{ retryAfterMs: 20_000 },
		afterPause(20_000),
	],
	['at least half a second', FAILED, [], { retryAfterMs: 0 }, afterPause(500)],
	[
		'also after the last attempt',
		FAILED,
		[counted, counted],
		{ retryAfterMs: 1000 },
		afterPause(1000),
	],
	['once with a proxy', FAILED, [waited], { retryAfterMs: 1000 }, again(0)],
	['again with another one', FAILED, [waited, counted], { retryAfterMs: 1000 }, afterPause(1000)],
	['a busy order is waited for', BUSY, [], {}, afterPause(1000)],
	['longer each time', BUSY, busy(1), {}, afterPause(2000)],
	['and longer', BUSY, [...busy(1), counted, ...busy(1)], {}, afterPause(4000)],
	['but not beyond 8 seconds', BUSY, busy(8), {}, afterPause(8000)],
	['also after the last attempt, for the order', BUSY, [counted, counted], {}, afterPause(1000)],
	['for a minute', BUSY, busy(8), { orderRefusedMs: 52_000 }, afterPause(8000)],
	['and no longer', BUSY, busy(8), { orderRefusedMs: 52_001 }, undefined],
	['with those who have waited before', BUSY, [], { orderRefusedMs: 59_001 }, undefined],
])('%s: %j', (_what, attempt, before, limits, next) => {
	expect(
		followingAttempt(attempt, before, { maxAttempts: 3, orderRefusedMs: 0, ...limits }),
	).toEqual(next);
});

it.each<[number, unknown, number | undefined]>([
	[429, '20', 20_000],
	[503, ' 20 ', 20_000],
	[500, '20', undefined],
	[200, '20', undefined],
	[429, undefined, undefined],
	[429, ['20'], undefined],
	[429, '', undefined],
	[429, 'soon', undefined],
	[429, '0', 0],
	[429, '30', 30_000],
	[429, '31', undefined],
	[429, 'Sun, 29 Nov 2026 10:00:20 GMT', 20_000],
	[429, 'Sun, 29 Nov 2026 09:00:00 GMT', 0],
	[429, 'Sun, 29 Nov 2026 11:00:00 GMT', undefined],
])('a page with status %i and %j wants to be left alone for %j ms', (status, header, ms) => {
	const now = jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 10, 29, 10));
	const [kind, source, body] = ['answer', 'page', Buffer.alloc(0)] as const;
	const headers = { 'retry-after': header };
	expect(retryAfterOf({ kind, source, body, status, statusText: '', headers })).toBe(ms);
	now.mockRestore();
});
