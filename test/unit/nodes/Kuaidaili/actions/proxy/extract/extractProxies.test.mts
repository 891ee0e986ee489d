import fc from 'fast-check';

import {
	extractProxies,
	type Extraction,
} from '../../../../../../../nodes/Kuaidaili/actions/proxy/extract/extractProxies.ts';
import type { Plan } from '../../../../../../../nodes/Kuaidaili/actions/proxy/extract/plans.ts';
import { GET_PROXY_SVIP } from '../../../../../../../nodes/shared/service/endpoints/openProxy.ts';
import {
	ApiError,
	InvalidResponseError,
} from '../../../../../../../nodes/shared/transport/callErrors.ts';
import type { RunExtraction } from '../../../../../../../nodes/shared/service/query.ts';
import { runExtraction } from '../../../../../../../nodes/shared/transport/runQuery.ts';
import {
	fakeCaller,
	inTurn,
	refusal,
	reply,
	type FakeCaller,
	type Outcome,
} from '../../../../../support/fakeCaller.mts';

/** Small and quick, so that many calls take no time. */
const PLAN: Plan = { displayName: 'Test', endpoint: GET_PROXY_SVIP, cap: 10, intervalMs: 0 };

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => jest.useRealTimers());

function extraction(total: number, others: Partial<Extraction> = {}): Extraction {
	return {
		plan: PLAN,
		total,
		parameters: { format: 'json' },
		requested: [],
		waitForMinuteCap: false,
		...others,
	};
}

async function extractWith(caller: FakeCaller, what: Extraction) {
	const run: RunExtraction = async (query, parameters) =>
		await runExtraction(caller, query, parameters);
	return await extractProxies(run, what);
}

async function extract(caller: FakeCaller, what: Extraction, ms = 60_000) {
	const work = extractWith(caller, what).then(
		(proxies) => ({ found: proxies.map(({ address }) => address), error: undefined }),
		(error: unknown) => ({ found: [], error }),
	);
	await jest.advanceTimersByTimeAsync(ms);
	return await work;
}

function addresses(from: number, count: number): string[] {
	return Array.from({ length: Math.max(0, count) }, (_, index) => {
		const n = from + index;
		return `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}:8080`;
	});
}

function listReply(list: readonly string[]) {
	return reply({ code: 0, msg: '', data: { count: list.length, proxy_list: list } });
}

function nums({ requests }: FakeCaller): number[] {
	return requests.map(({ qs }) => Number(qs?.num));
}

/** A service that gives new addresses until it has no more. */
function supply(available: number): (request: { qs?: unknown }) => Outcome {
	let given = 0;
	return ({ qs }) => {
		const num = typeof qs === 'object' && qs !== null ? Number(Reflect.get(qs, 'num')) : 0;
		const count = Math.min(num, available - given);
		given += count;
		return listReply(addresses(given - count, count));
	};
}

it('asks once for what one call gives', async () => {
	const caller = fakeCaller(supply(1000));
	expect((await extract(caller, extraction(7))).found).toEqual(addresses(0, 7));
	expect(nums(caller)).toEqual([7]);
});

it('sends the parameters and the number as texts', async () => {
	const caller = fakeCaller(supply(1000));
	await extract(caller, extraction(7, { parameters: { format: 'json', area: '北京' } }));
	expect(caller.requests[0].qs).toEqual({ num: '7', format: 'json', area: '北京' });
	expect(caller.requests[0].url).toBe('https://svip.kdlapi.com/api/getproxy');
});

it('splits more than one call gives, and asks for no more than is missing', async () => {
	const caller = fakeCaller(supply(1000));
	expect((await extract(caller, extraction(25))).found).toEqual(addresses(0, 25));
	expect(nums(caller)).toEqual([10, 10, 5]);
});

it('asks again for what came twice', async () => {
	const lists = [addresses(0, 10), addresses(5, 10), addresses(15, 5)];
	const caller = fakeCaller((_request, index) => listReply(lists[index]));
	expect((await extract(caller, extraction(20))).found).toEqual(addresses(0, 20));
	expect(nums(caller)).toEqual([10, 10, 5]);
});

it('gives what there is when the service runs dry', async () => {
	const caller = fakeCaller(supply(13));
	expect((await extract(caller, extraction(100))).found).toEqual(addresses(0, 13));
	expect(nums(caller)).toEqual([10, 10]);
});

it('gives what there is when the service says that nothing matches any more', async () => {
	const caller = fakeCaller(inTurn(listReply(addresses(0, 10)), refusal(3)));
	expect(await extract(caller, extraction(100))).toEqual({
		found: addresses(0, 10),
		error: undefined,
	});
	expect(caller.requests).toHaveLength(2);
});

it.each([refusal(3), listReply([]), reply('ERROR(3): none')])(
	'gives nothing when nothing matches (%#)',
	async (answer) => {
		const caller = fakeCaller(inTurn(answer));
		expect(await extract(caller, extraction(100))).toEqual({ found: [], error: undefined });
		expect(caller.requests).toHaveLength(1);
	},
);

it('gives up when three calls in a row bring nothing new', async () => {
	const caller = fakeCaller(inTurn(listReply(addresses(0, 10))));
	expect((await extract(caller, extraction(100))).found).toEqual(addresses(0, 10));
	expect(caller.requests).toHaveLength(4);
});

it('does not give up while there is something new now and then', async () => {
	const lists = [0, 0, 0, 10, 0, 0, 20].map((from) => addresses(from, 10));
	const caller = fakeCaller((_request, index) => listReply(lists[index]));
	expect((await extract(caller, extraction(30))).found).toHaveLength(30);
	expect(caller.requests).toHaveLength(7);
});

it('takes no more than was asked for, although more came', async () => {
	const caller = fakeCaller(inTurn(listReply(addresses(0, 10))));
	expect((await extract(caller, extraction(3))).found).toEqual(addresses(0, 3));
});

it('takes one of two that came in one answer', async () => {
	const caller = fakeCaller(inTurn(listReply([...addresses(0, 3), ...addresses(0, 3)])));
	expect((await extract(caller, extraction(6))).found).toEqual(addresses(0, 3));
});

it('asks once for exactly what one call gives, whatever comes', async () => {
	const caller = fakeCaller(inTurn(listReply([...addresses(0, 5), ...addresses(0, 5)])));
	expect((await extract(caller, extraction(10))).found).toEqual(addresses(0, 5));
	expect(caller.requests).toHaveLength(1);
});

it('reads extra values and other separators', async () => {
	const caller = fakeCaller(inTurn(reply('1.2.3.4:80,北京|5.6.7.8:90,上海')));
	const what = extraction(2, { parameters: { sep: '4' }, requested: ['region'] });
	const work = extractWith(caller, what);
	await jest.advanceTimersByTimeAsync(0);
	expect((await work).map(({ region }) => region)).toEqual(['北京', '上海']);
});

it.each([
	[{}, 1000],
	[{ dedup: '1' }, 5000],
])('keeps the interval with the parameters %j', async (parameters, intervalMs) => {
	const caller = fakeCaller(supply(1000));
	const what = extraction(20, { parameters, plan: { ...PLAN, intervalMs: 1000 } });
	await extract(caller, what);
	const gap = caller.times[1] - caller.times[0];
	expect(gap).toBeGreaterThan(intervalMs);
	expect(gap).toBeLessThanOrEqual(intervalMs * 1.06);
});

it.each([
	[true, 20],
	[false, 0],
])("waits for the order's limit per minute: %s", async (waitForMinuteCap, count) => {
	const service = supply(1000);
	const caller = fakeCaller((request, index) => (index === 1 ? refusal(-51) : service(request)));
	const { found, error } = await extract(caller, extraction(20, { waitForMinuteCap }));
	expect(found).toHaveLength(count);
	expect(error === undefined).toBe(waitForMinuteCap);
});

it('gives no more than asked for, also of a number that is not whole and was not checked', async () => {
	const caller = fakeCaller(inTurn(listReply(addresses(0, 10))));
	const { found } = await extract(caller, extraction(2.5));
	expect(found).toEqual(addresses(0, 3));
});

describe('what cannot be answered', () => {
	it('in the first call is told as it is', async () => {
		const { error } = await extract(fakeCaller(inTurn(refusal(-3))), extraction(20));
		expect(error).toBeInstanceOf(ApiError);
		expect(error).toHaveProperty('note', undefined);
	});

	it('in a later call is told with what is lost', async () => {
		const caller = fakeCaller(inTurn(listReply(addresses(0, 10)), refusal(-3)));
		const { error } = await extract(caller, extraction(20));
		expect(error).toMatchObject({
			code: -3,
			note: 'Earlier calls for this item had extracted 10 proxies, which are not in the output.',
		});
	});

	it('is an answer with an entry that is no proxy', async () => {
		const caller = fakeCaller(inTurn(listReply(['1.2.3.4:80', 'garbage'])));
		const { error } = await extract(caller, extraction(2));
		expect(error).toBeInstanceOf(InvalidResponseError);
		expect(error).toMatchObject({ excerpt: 'garbage' });
	});

	it('does not show the secret key', async () => {
		const caller = fakeCaller(inTurn(listReply(['the-secret-key'])));
		const { error } = await extract(caller, extraction(2));
		expect(error).toMatchObject({ excerpt: '[hidden]' });
	});
});

it('never gives a proxy twice, never too many, never asks for more than is missing', async () => {
	const answers = fc.array(fc.array(fc.nat(40), { maxLength: 12 }), {
		minLength: 1,
		maxLength: 12,
	});
	await fc.assert(
		fc.asyncProperty(fc.integer({ min: 1, max: 60 }), answers, async (total, lists) => {
			const missing: number[] = [];
			const seen = new Set<number>();
			const caller = fakeCaller((_request, index) => {
				missing.push(total - seen.size);
				const list = lists[index % lists.length];
				list.forEach((one) => seen.add(one));
				return listReply(list.map((one) => `10.0.0.${one}:80`));
			});
			const { found, error } = await extract(caller, extraction(total));
			expect(error).toBeUndefined();
			expect(new Set(found).size).toBe(found.length);
			expect(found.length).toBe(Math.min(total, seen.size));
			nums(caller).forEach((num, index) => {
				expect(num).toBe(Math.min(missing[index], PLAN.cap));
			});
		}),
		{ numRuns: 500 },
	);
});

it('finds 100,000', async () => {
	const caller = fakeCaller(supply(200_000));
	const what = extraction(100_000, { plan: { ...PLAN, cap: 2000 } });
	const { found } = await extract(caller, what);
	expect(new Set(found).size).toBe(100_000);
	expect(caller.requests).toHaveLength(50);
});
