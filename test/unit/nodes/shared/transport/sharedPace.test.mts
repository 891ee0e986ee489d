import { setMaxListeners } from 'node:events';

import { CancelledError } from '../../../../../nodes/shared/errors/callErrors.ts';
import { RateLimiter } from '../../../../../nodes/shared/transport/rateLimiter.ts';

/** Five a second: 210 ms between two requests, the margin included. */
const INTERVAL_MS = 210;

const RUN = 'run';

/** Of requests, of which so many may leave in a second. */
class Pace {
	private readonly limiter = new RateLimiter('perSecond');

	constructor(private readonly perSecond: number) {}

	async turn(run: string, signal: AbortSignal | undefined): Promise<void> {
		await this.limiter.acquire('key', 1000 / this.perSecond, signal, run);
	}

	pause(ms: number): void {
		this.limiter.pause('key', ms);
	}
}

/** When each of those who come now leaves, in milliseconds from now. */
function departures(pace: Pace, count: number, run = RUN): Array<Promise<number>> {
	const start = performance.now();
	return Array.from({ length: count }, async () => {
		await pace.turn(run, undefined);
		return performance.now() - start;
	});
}

it('lets requests leave evenly spread', async () => {
	const moments = await Promise.all(departures(new Pace(5), 4));
	for (const [at, moment] of moments.entries()) {
		expect(moment).toBeGreaterThanOrEqual(at * INTERVAL_MS - 1);
		expect(moment).toBeLessThan(at * INTERVAL_MS + 100);
	}
});

it('gives the turns of those who are cancelled to whoever waits behind them', async () => {
	const pace = new Pace(5);
	const controller = new AbortController();
	await pace.turn(RUN, undefined);
	const cancelled = Array.from({ length: 20 }, () =>
		pace.turn(RUN, AbortSignal.any([controller.signal])),
	);
	const [next] = departures(pace, 1);
	controller.abort();
	for (const { status } of await Promise.allSettled(cancelled)) expect(status).toBe('rejected');
	expect(await next).toBeLessThan(2 * INTERVAL_MS);
});

it('takes up no turn for who comes after having been cancelled', async () => {
	const pace = new Pace(1);
	await expect(pace.turn(RUN, AbortSignal.abort())).rejects.toBeInstanceOf(CancelledError);
	const [next] = departures(pace, 1);
	expect(await next).toBeLessThan(100);
});

it('pauses those, too, who wait already', async () => {
	const pace = new Pace(5);
	await pace.turn(RUN, undefined);
	const [next] = departures(pace, 1);
	pace.pause(600);
	expect(await next).toBeGreaterThanOrEqual(599);
});

describe('runs', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	/** A run has a hundred requests to make; the names of runs whose requests have left come in `order`. */
	async function besideLongRun() {
		const pace = new Pace(5);
		const order: string[] = [];
		const ask = (name: string, run: string, count: number, signal?: AbortSignal) => {
			for (let index = 0; index < count; index += 1)
				pace.turn(run, signal).then(
					() => order.push(name),
					() => {},
				);
		};
		ask('long', 'long', 100);
		await jest.advanceTimersByTimeAsync(INTERVAL_MS / 2);
		return { order, ask, pass: async (ms: number) => await jest.advanceTimersByTimeAsync(ms) };
	}

	it('take turns, however many requests of one wait', async () => {
		const { order, ask, pass } = await besideLongRun();
		ask('b', 'b', 2);
		ask('c', 'c', 1);
		await pass(6 * INTERVAL_MS);
		expect(order.slice(0, 7)).toEqual(['long', 'long', 'b', 'c', 'long', 'b', 'long']);
	});

	it('keep the pace together', async () => {
		const { order, ask, pass } = await besideLongRun();
		ask('b', 'b', 50);
		await pass(10 * INTERVAL_MS);
		expect(order).toHaveLength(11);
		await pass(200 * INTERVAL_MS);
		expect(order).toHaveLength(150);
	});

	it('lose no turn to one that is cancelled', async () => {
		const { order, ask, pass } = await besideLongRun();
		const controller = new AbortController();
		setMaxListeners(0, controller.signal);
		ask('cancelled', 'cancelled', 50, controller.signal);
		ask('b', 'b', 1);
		controller.abort();
		await pass(2 * INTERVAL_MS);
		expect(order).toEqual(['long', 'long', 'b']);
	});
});

it('makes nobody wait where any number is allowed', async () => {
	const moments = await Promise.all(departures(new Pace(Infinity), 100));
	expect(Math.max(...moments)).toBeLessThan(100);
});
