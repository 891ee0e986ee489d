import { Session } from '../../../../../../nodes/Kuaidaili/pages/http/session.ts';
import type { LeasedProxy } from '../../../../../../nodes/Kuaidaili/proxies/lease.ts';
import { fakeProxies, pageRequest } from '../run/fakePages.mts';

type Noted = Parameters<Session['note']>[0];

const OPENED: Noted = { outcome: 'opened' };
const TRIED = { outcome: 'status', next: { sameProxy: false } };
const FAILED = { outcome: 'proxyFailed', blame: 'failed' } as const;

/** A browser and its proxies, which have so many seconds left, and what each was given back with. */
function sessionOf(kept?: 'attempt' | 'page' | 'slot', secondsLeft?: number) {
	const session = new Session(kept);
	const { proxies } = fakeProxies();
	const ends: unknown[][] = [];
	const acquire = async (): Promise<LeasedProxy> =>
		await session.acquire(
			'',
			{
				async lease(...given) {
					const { proxy } = await proxies.lease(...given);
					return { proxy: { ...proxy, secondsLeft }, end: (...result) => void ends.push(result) };
				},
			},
			undefined,
		);
	return { session, acquire, ends };
}

it.each<[kept: 'attempt' | 'page' | 'slot', what: string, noted: Noted, isKept: boolean]>([
	['attempt', 'a page that was opened', OPENED, false],
	['attempt', 'an attempt that is not the last', TRIED, false],
	['attempt', 'one that waits', { ...FAILED, next: { sameProxy: true } }, true],
	['page', 'a page that was opened', OPENED, true],
	['page', 'a page that was not', { outcome: 'status' }, true],
	['page', 'a page whose proxy failed', FAILED, false],
	['page', 'an attempt that is not the last', TRIED, false],
	['slot', 'a page that was opened', OPENED, true],
	['slot', 'an attempt that is not the last', TRIED, true],
	['slot', 'a page whose proxy failed', FAILED, false],
])('a browser of one %s has its proxy behind %s: %j %s', async (kept, _what, noted, isKept) => {
	const { session, acquire, ends } = sessionOf(kept);
	const proxy = await acquire();
	session.note(noted);
	expect([session.isOpen, ends.length]).toEqual([isKept, isKept ? 0 : 1]);
	expect((await acquire()) === proxy).toBe(isKept);
});

it.each<[string, 'attempt' | 'slot', Noted[], unknown[]]>([
	['a page that was opened', 'attempt', [OPENED], ['opened', false]],
	['no attempt', 'attempt', [], [undefined, false]],
	['a fault', 'attempt', [FAILED], ['failed', false]],
	['nothing', 'attempt', [{ outcome: 'status' }], [undefined, false]],
	['what was not seen', 'attempt', [{ outcome: 'proxyFailed', isUnseen: true }], [undefined, true]],
	['what was not seen by all pages', 'slot', [{ ...FAILED, isUnseen: true }], ['failed', false]],
	['a page before one that was not', 'slot', [OPENED, { outcome: 'status' }], ['opened', false]],
	['a fault behind a page', 'slot', [OPENED, FAILED], ['failed', false]],
])('a proxy is given back once, with %s', async (_what, kept, noted, result) => {
	const { session, acquire, ends } = sessionOf(kept);
	await acquire();
	for (const attempt of noted) session.note(attempt);
	session.end();
	expect(ends).toEqual([result]);
	await acquire();
	session.end();
	expect(ends[1]).toEqual([undefined, false]);
});

it('another proxy takes the place of one whose time is over, and knows no cookies', async () => {
	const now = jest.spyOn(performance, 'now').mockReturnValue(1000);
	const { session, acquire, ends } = sessionOf('slot', 10);
	const first = await acquire();
	const page = pageRequest();
	session.storeCookies('a=1', page.url);
	expect(session.headersFor(page, first)).toHaveProperty('Cookie', 'a=1');
	session.note(OPENED);
	expect(session.finishPage()).toBe(false);
	now.mockReturnValue(10_999);
	expect(await acquire()).toBe(first);
	expect(session.finishPage()).toBe(false);
	now.mockReturnValue(11_000);
	const second = await acquire();
	expect([second.address === first.address, ends]).toEqual([false, [['opened', false]]]);
	expect(session.headersFor(page, second)).not.toHaveProperty('Cookie');
	expect([session.finishPage(), session.finishPage()]).toEqual([true, false]);
	now.mockRestore();
});

it('another proxy for the first page is no other browser', async () => {
	const { session, acquire } = sessionOf('slot');
	await acquire();
	session.note({ ...FAILED, next: { sameProxy: false } });
	await acquire();
	session.note(OPENED);
	expect(session.finishPage()).toBe(false);
});

it('remembers a POST', async () => {
	const { session, acquire } = sessionOf();
	const proxy = await acquire();
	session.headersFor(pageRequest(), proxy);
	expect(session.hasPosted).toBe(false);
	session.headersFor(pageRequest({ method: 'POST' }), proxy);
	session.headersFor(pageRequest(), proxy);
	expect(session.hasPosted).toBe(true);
});
