import fc from 'fast-check';

import {
	type Extracted,
	extractProxies,
} from '../../../../../nodes/Kuaidaili/proxies/extraction.ts';
import {
	proxyUrlWith,
	sessionsOfRun,
	withSuffixes,
} from '../../../../../nodes/Kuaidaili/proxies/logins.ts';
import type { ProxyRequest } from '../../../../../nodes/Kuaidaili/proxies/productFields.ts';
import { asError } from '../../../../../nodes/shared/api/errors.ts';
import { GET_PROXY_SVIP } from '../../../../../nodes/shared/service/endpoints/openProxy.ts';
import { type RunQuery, runQuery } from '../../../../../nodes/shared/api/call.ts';
import {
	fakeCaller,
	type FakeCaller,
	inTurn,
	type Outcome as Answer,
	refusal,
} from '../../../support/fakeCaller.mts';
import { addresses, listReply, nums } from './providerRun.mts';

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

	async function extractWith(caller: FakeCaller, what: ProxyRequest) {
		const run: RunQuery = async (query, parameters) => await runQuery(caller, query, parameters);
		return await extractProxies(run, what, { spent: 0 });
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
	});

	it('never gives a proxy twice, never too many, and misses none that came', async () => {
		const answers = fc.array(fc.array(fc.nat(40), { maxLength: 12 }), {
			minLength: 1,
			maxLength: 12,
		});
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 60 }),
				answers,
				fc.boolean(),
				async (total, lists, usesQuota) => {
					const missing: number[] = [];
					const seen = new Set<number>();
					const caller = fakeCaller((_request, index) => {
						// What comes twice was counted twice
						missing.push(total - (usesQuota ? CAP * index : seen.size));
						const list = lists[index % lists.length];
						list.forEach((one) => seen.add(one));
						return listReply(list.map((one) => `10.0.0.${one}:80`));
					});
					const { found, error } = await extract(caller, extraction(total, { usesQuota }));
					expect(error).toBeUndefined();
					expect(new Set(found).size).toBe(found.length);
					// What was counted is kept
					expect(found.length).toBe(usesQuota ? seen.size : Math.min(total, seen.size));
					nums(caller).forEach((num, index) => {
						const isWhole = total > CAP && !usesQuota;
						expect(num).toBe(isWhole ? CAP : Math.min(missing[index], CAP));
					});
				},
			),
			{ numRuns: 500 },
		);
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
