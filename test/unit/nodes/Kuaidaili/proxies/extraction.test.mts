import fc from 'fast-check';

import {
	type Extracted,
	extractProxies,
	leftInWords,
} from '../../../../../nodes/Kuaidaili/proxies/extraction.ts';
import {
	proxyUrlWith,
	sessionsOfRun,
	withSuffixes,
} from '../../../../../nodes/Kuaidaili/proxies/logins.ts';
import type { ProxyRequest } from '../../../../../nodes/Kuaidaili/proxies/productFields.ts';
import { asError, CallError } from '../../../../../nodes/shared/api/errors.ts';
import { GET_DPS } from '../../../../../nodes/shared/service/endpoints/extraction.ts';
import { GET_PROXY_SVIP } from '../../../../../nodes/shared/service/endpoints/openProxy.ts';
import { type RunQuery, runQuery } from '../../../../../nodes/shared/api/call.ts';
import {
	fakeCaller,
	type FakeCaller,
	inTurn,
	type Outcome as Answer,
	refusal,
	reply,
} from '../../../support/fakeCaller.mts';
import { addresses, listReply, nums } from './providerRun.mts';

/** A list of so many proxies whose own count is another one. */
function withCount(count: number, came: number): Answer {
	return reply({ code: 0, msg: '', data: { count, proxy_list: addresses(0, came) } });
}

it.each<[ReadonlyArray<Extracted['left']>, string | undefined]>([
	[[{ order_left_count: 1940 }], '1,940 are left in the order'],
	[[{ order_left_count: 1 }], '1 is left in the order'],
	[[{ order_left_count: 0 }], 'none are left in the order'],
	[[{ today_left_count: 940 }], '940 are left for today'],
	[[{ order_left_today: 2 }, { today_left_count: 3 }], '5 are left for today'],
	[[{ order_left_count: 2 }, undefined, { order_left_count: 3 }], '5 are left in the orders'],
	[[{ order_left_count: 2 }, { today_left_count: 3 }], undefined],
	[[undefined, {}], undefined],
	[[], undefined],
])('what orders have left, %j, is in words: %s', (left, words) => {
	expect(leftInWords(...left)).toBe(words);
});

describe('an extraction', () => {
	/** Small, so that many calls take no time. */
	const CAP = 10;

	beforeEach(() => {
		jest.useFakeTimers();
	});
	afterEach(() => jest.useRealTimers());

	function extraction(total: number, others: Partial<ProxyRequest> = {}): ProxyRequest {
		return {
			product: 'OPS',
			endpoint: GET_PROXY_SVIP,
			parameters: { format: 'json' },
			total,
			cap: CAP,
			intervalMs: 0,
			usesQuota: false,
			extras: [],
			hasFilters: true,
			scheme: 'http',
			wantsLogin: false,
			maxExtractions: 0,
			...others,
		};
	}

	async function extractWith(caller: FakeCaller, what: ProxyRequest, calls = { spent: 0 }) {
		const ask: RunQuery = async (query, parameters) => await runQuery(caller, query, parameters);
		return await extractProxies(ask, what, calls);
	}

	interface Outcome {
		found: string[];
		endedBy?: Extracted['endedBy'];
		error?: unknown;
	}

	async function extract(caller: FakeCaller, what: ProxyRequest): Promise<Outcome> {
		const work = extractWith(caller, what).then(
			({ proxies, endedBy }): Outcome => ({
				found: proxies.map(({ address }) => address),
				...(endedBy === undefined ? {} : { endedBy }),
			}),
			(error: unknown): Outcome => ({ found: [], error }),
		);
		await jest.advanceTimersByTimeAsync(60_000);
		return await work;
	}

	/** A service that gives new addresses until it has no more. */
	function supply(available: number): (request: { qs?: unknown }) => Answer {
		let given = 0;
		return ({ qs }) => {
			const num = typeof qs === 'object' && qs !== null ? Number(Reflect.get(qs, 'num')) : 0;
			const count = Math.min(num, available - given);
			given += count;
			return listReply(addresses(given - count, count));
		};
	}

	it('asks for no more than is missing where what is handed out is used up', async () => {
		const caller = fakeCaller(supply(1000));
		const what = extraction(25, { usesQuota: true });
		expect(await extract(caller, what)).toEqual({ found: addresses(0, 25) });
		expect(nums(caller)).toEqual([10, 10, 5]);
	});

	it('needs few calls near the end of a pool', async () => {
		// Any ten of twelve, as from a pool in which a call takes at random
		const lists = [addresses(0, 10), addresses(2, 10)];
		const caller = fakeCaller((_request, index) => listReply(lists[index % 2]));
		expect(await extract(caller, extraction(12))).toEqual({ found: addresses(0, 12) });
		expect(nums(caller)).toEqual([10, 10]);
	});

	const SOME = { usesQuota: true, endpoint: GET_DPS };
	const twice = (from: number, count: number) =>
		addresses(from, count).flatMap((one) => [one, one]);

	it.each<[string, ProxyRequest, ReadonlyArray<readonly string[]>, number, Extracted['endedBy']]>([
		['nothing was missing', extraction(10), [addresses(0, 10)], 1, undefined],
		['there are fewer', extraction(25), [addresses(0, 10), addresses(10, 9)], 2, 'noMoreMatches'],
		['one call would do, and brings the same', extraction(10), [twice(0, 5)], 1, 'repeats'],
		['two calls bring nothing new', extraction(25), [addresses(0, 10)], 3, 'repeats'],
		[
			'what came twice was counted',
			extraction(25, SOME),
			[addresses(0, 10), twice(5, 5), addresses(20, 5)],
			3,
			'repeats',
		],
		[
			'the order has a list',
			extraction(10, { isWholeList: true }),
			[addresses(0, 4)],
			1,
			'noMoreMatches',
		],
		['all there are were wanted', extraction(Infinity), [addresses(0, 4)], 1, undefined],
	])('ends where %s', async (_why, what, lists, calls, endedBy) => {
		const caller = fakeCaller(inTurn(...lists.map(listReply)));
		const { found, ...ending } = await extract(caller, what);
		expect(found).toEqual([...new Set(lists.flat())]);
		expect(ending).toEqual(endedBy === undefined ? {} : { endedBy });
		expect(caller.requests).toHaveLength(calls);
		const asked = nums(caller).reduce((sum, num) => sum + num, 0);
		if (what.usesQuota) expect(asked).toBe(what.total);
	});

	it('ends without an error where nothing matches', async () => {
		const caller = fakeCaller(inTurn(refusal(3)));
		const expected = { found: [], endedBy: 'noMoreMatches' };
		expect(await extract(caller, extraction(10, SOME))).toEqual(expected);
	});

	it('asks for a whole list without a number', async () => {
		const caller = fakeCaller(inTurn(listReply(addresses(0, 4))));
		await extract(caller, extraction(10, { isWholeList: true }));
		expect(caller.requests[0].qs).not.toHaveProperty('num');
	});

	const NOTED = 'Proxies may have been extracted and counted all the same. See there.';

	it.each<[string, Partial<ProxyRequest>, Answer, number, boolean]>([
		['what came', SOME, listReply(addresses(0, 7)), 3 + 7, false],
		['all that was asked for, without an answer', SOME, reply('', { status: 502 }), 3 + 10, true],
		['nothing that was refused', SOME, refusal(-4), 3, false],
		['nothing that is not counted', {}, reply('', { status: 502 }), 3, false],
	])('counts %s', async (_what, others, answer, spent, isNoted) => {
		const calls = { spent: 3 };
		const what = extraction(10, { whereCounted: 'See there.', ...others });
		const work = extractWith(fakeCaller(inTurn(answer)), what, calls).catch(asError);
		await jest.advanceTimersByTimeAsync(60_000);
		const outcome = await work;
		const text = outcome instanceof CallError ? outcome.describe().description : '';
		expect(text.includes(NOTED)).toBe(isNoted);
		expect(calls.spent).toBe(spent);
	});

	it.each<[string, Partial<ProxyRequest>, Answer, string[] | string]>([
		['fewer than its count says, where they were counted', SOME, withCount(7, 3), addresses(0, 3)],
		['fewer than its count says', {}, withCount(7, 3), addresses(0, 3)],
		['none of those that were counted', SOME, withCount(7, 0), 'contains none'],
		['something else beside them', SOME, listReply([...addresses(0, 3), 'x']), addresses(0, 3)],
		[
			'something else, where nothing was counted',
			{},
			listReply(['10.0.0.0:8080', 'x']),
			'an entry',
		],
	])('of an answer with %s', async (_what, others, answer, expected) => {
		const outcome = await extract(fakeCaller(inTurn(answer)), extraction(10, others));
		if (typeof expected !== 'string') expect(outcome.found).toEqual(expected);
		else expect(String(outcome.error)).toContain(expected);
	});

	it('tells until when a proxy works, by its own time or by that of all', async () => {
		const answer = listReply(['1.2.3.4:80,60', '1.2.3.5:80,']);
		const { proxies } = await extractWith(
			fakeCaller(inTurn(answer)),
			extraction(2, { extras: ['secondsLeft'], lifeSeconds: 120 }),
		);
		const lives = proxies.map(({ secondsLeft, expiresAt = '' }) => [
			secondsLeft,
			Date.parse(expiresAt) - Date.now(),
		]);
		expect(lives).toEqual([
			[60, 60_000],
			[120, 120_000],
		]);
	});

	it('does not give up while there is something new now and then', async () => {
		const lists = [0, 0, 10, 0, 20].map((from) => addresses(from, 10));
		const caller = fakeCaller((_request, index) => listReply(lists[index]));
		expect((await extract(caller, extraction(30))).found).toHaveLength(30);
		expect(caller.requests).toHaveLength(5);
	});

	it('waits until fewer addresses call, for a minute', async () => {
		const service = supply(1000);
		const caller = fakeCaller((request, index) => (index === 1 ? refusal(-51) : service(request)));
		expect((await extract(caller, extraction(20))).found).toHaveLength(20);
		const refused = extractWith(fakeCaller(inTurn(refusal(-51))), extraction(20)).catch(asError);
		await jest.advanceTimersByTimeAsync(100_000);
		expect(await refused).toMatchObject({ code: -51 });
	});

	it('gives no more than asked for, also of a number that is not whole and was not checked', async () => {
		const caller = fakeCaller(inTurn(listReply(addresses(0, 10))));
		const { found } = await extract(caller, extraction(2.5));
		expect(found).toEqual(addresses(0, 3));
		expect(nums(caller)).toEqual([2.5]);
	});
});

const PRO = { username: 't2964279696', password: 'p' };
const OVERSEAS = { username: 'f2964279696', password: 'p' };

describe('a login says', () => {
	it('period, session and place behind the user name, in this order', () => {
		const suffixes = [
			['period', '0.5'],
			['sid', 's01'],
		] as const;
		expect(withSuffixes(PRO, suffixes)).toEqual({
			username: 't2964279696-period-0.5-sid-s01',
			password: 'p',
		});
		const place = [
			['region', 'US'],
			['area', 'New York'],
			['period', '1'],
		] as const;
		expect(withSuffixes(OVERSEAS, place).username).toBe(
			'f2964279696-region-US-area-New York-period-1',
		);
	});

	it.each([
		['type-std', 't2964279696-area-NC-type-std'],
		['-pool-q10', 't2964279696-area-NC-pool-q10'],
		['', 't2964279696-area-NC'],
	])('the suffix %j as it was typed, after a hyphen', (suffix, username) => {
		expect(withSuffixes(PRO, [['area', 'NC']], suffix).username).toBe(username);
	});
});

describe('the URL of a proxy', () => {
	it('has the login percent-encoded, and the address as it is', () => {
		const login = { username: 'f1-area-New York', password: 'a:b@c/d%' };
		expect(proxyUrlWith('http', 'x000.kdlfps.com:18866', login)).toBe(
			'http://f1-area-New%20York:a%3Ab%40c%2Fd%25@x000.kdlfps.com:18866',
		);
	});

	it('begins with socks5 for SOCKS, and has no login where none is wanted', () => {
		expect(proxyUrlWith('socks5', '[::1]:20818')).toBe('socks5://[::1]:20818');
	});

	it('is a URL also where a character of the login is cut off', () => {
		const login = { username: 'u-\ud83d', password: 'p' };
		expect(proxyUrlWith('http', '1.2.3.4:80', login)).toBe('http://u-%EF%BF%BD:p@1.2.3.4:80');
	});

	it('gives back every login to whoever takes it apart', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
				const url = new URL(proxyUrlWith('http', '1.2.3.4:80', { username: a, password: b }));
				expect([url.username, url.password].map(decodeURIComponent)).toEqual([a, b]);
				expect(url.host).toBe('1.2.3.4');
			}),
		);
	});
});

describe('a session', () => {
	it('has six letters and digits, and is not that of another number', () => {
		for (const start of [0, 1 - 3 / 36 ** 6, 0.999_999_999]) {
			const sessionOf = sessionsOfRun(() => start);
			const sessions = Array.from({ length: 5000 }, (_, number) => sessionOf(number));
			expect(new Set(sessions).size).toBe(5000);
			for (const session of sessions) expect(session).toMatch(/^[a-z0-9]{6}$/);
		}
	});
});
