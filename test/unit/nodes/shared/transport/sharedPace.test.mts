import { setMaxListeners } from 'node:events';

import { RateLimiter } from '../../../../../nodes/shared/transport/rateLimiter.ts';

/** Five a second: 210 ms between two requests, the margin included. */
const INTERVAL_MS = 210;

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
