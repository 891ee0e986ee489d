import { ResponseCache } from '../../../../../nodes/shared/api/cache.ts';

const LIMITS = { longestAgeMs: 60_000, largestSize: 100 };

let now: number;
let cache: ResponseCache<string>;
let asked: string[];

beforeEach(() => {
	now = 1000;
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	cache = new ResponseCache(LIMITS);
	asked = [];
});
afterEach(() => {
	jest.restoreAllMocks();
});

const sizeOf = (one: ResponseCache<string>): number => Reflect.get(one, 'entries').size;

/** An answer that comes when the test says so. */
function later() {
	let resolve: (text: string) => void = () => {};
	let reject: (reason: Error) => void = () => {};
	const promise = new Promise<string>((whenResolved, whenRejected) => {
		resolve = whenResolved;
		reject = whenRejected;
	});
	return { promise, resolve, reject };
}

/** Asks, and answers with the number of the question that really went out. */
async function obtain(question: string): Promise<string> {
	return await cache.obtain(question, async () => {
		asked.push(question);
		return await Promise.resolve(`${question}${asked.length}`);
	});
}

it('asks once, and gives the same answer for a minute', async () => {
	expect(await obtain('a')).toBe('a1');
	now += 59_999;
	expect(await obtain('a')).toBe('a1');
	expect(asked).toEqual(['a']);
});

it('asks again after a minute, which counts from the question and not from its last use', async () => {
	await obtain('a');
	now += 40_000;
	await obtain('a');
	now += 20_000;
	expect(await obtain('a')).toBe('a2');
	now += 59_999;
	expect(await obtain('a')).toBe('a2');
});

describe('a failure', () => {
	it('is told to all who wait for it, and not held', async () => {
		const answer = later();
		const ask = jest.fn(async () => await answer.promise);
		const all = Promise.allSettled([cache.obtain('a', ask), cache.obtain('a', ask)]);
		answer.reject(new Error('refused'));
		const outcomes = (await all).map((one) =>
			one.status === 'rejected' ? String(one.reason) : '',
		);
		expect(outcomes).toEqual(['Error: refused', 'Error: refused']);
		expect(ask).toHaveBeenCalledTimes(1);
		expect(sizeOf(cache)).toBe(0);
		expect(await obtain('a')).toBe('a1');
	});
});

it('gives each its answer although far more are asked for at once than it holds', async () => {
	const names = Array.from({ length: 10_000 }, (_none, index) => `q${index}`);
	const answers = await Promise.all(names.map(obtain));
	expect(answers.every((answer, index) => answer.startsWith(names[index]))).toBe(true);
	expect(sizeOf(cache)).toBeLessThanOrEqual(100);
});

it('holds 100 answers at most, and drops the oldest first', async () => {
	for (let count = 0; count < 250; count++) await obtain(`q${count}`);
	expect(sizeOf(cache)).toBe(100);
	expect(await obtain('q249')).toBe('q249250');
	expect(await obtain('q0')).toBe('q0251');
	expect(sizeOf(cache)).toBeLessThanOrEqual(100);
});

describe('a response that tells its own end', () => {
	const usable = () =>
		new ResponseCache<{ name: string; until: number }>({
			...LIMITS,
			isUsable: ({ until }) => now < until,
		});

	it('is used until then, and fetched anew once for all who ask afterwards', async () => {
		const tokens = usable();
		const fetched: string[] = [];
		const fetch = (name: string) => async () => {
			fetched.push(name);
			return await Promise.resolve({ name, until: now + 1000 });
		};
		await tokens.obtain('keys', fetch('first'));
		now += 999;
		expect((await tokens.obtain('keys', fetch('too early'))).name).toBe('first');
		now += 1;
		const both = [tokens.obtain('keys', fetch('second')), tokens.obtain('keys', fetch('third'))];
		expect((await Promise.all(both)).map(({ name }) => name)).toEqual(['second', 'second']);
		expect(fetched).toEqual(['first', 'second']);
	});
});

it('measures the time by a clock that cannot be set', async () => {
	const own = new ResponseCache<number>(LIMITS);
	const clock = jest.spyOn(Date, 'now').mockReturnValue(0);
	const ask = jest.fn(async () => await Promise.resolve(1));
	await own.obtain('a', ask);
	clock.mockReturnValue(10 * 60_000);
	await own.obtain('a', ask);
	clock.mockRestore();
	expect(ask).toHaveBeenCalledTimes(1);
});
