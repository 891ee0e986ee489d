import { Pace, paceOfOrder } from '../../../../../nodes/Kuaidaili/pages/pace.ts';
import { CancelledError } from '../../../../../nodes/shared/errors/callErrors.ts';

/** Five a second: 210 ms between two requests, the margin included. */
const INTERVAL_MS = 210;

/** When each of those who come now leaves, in milliseconds from now. */
function departures(pace: Pace, count: number): Array<Promise<number>> {
	const start = performance.now();
	return Array.from({ length: count }, async () => {
		await pace.turn(undefined);
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
	await pace.turn(undefined);
	const cancelled = Array.from({ length: 20 }, () =>
		pace.turn(AbortSignal.any([controller.signal])),
	);
	const [next] = departures(pace, 1);
	controller.abort();
	for (const { status } of await Promise.allSettled(cancelled)) expect(status).toBe('rejected');
	expect(await next).toBeLessThan(2 * INTERVAL_MS);
});

it('takes up no turn for who comes after having been cancelled', async () => {
	const pace = new Pace(1);
	await expect(pace.turn(AbortSignal.abort())).rejects.toBeInstanceOf(CancelledError);
	const [next] = departures(pace, 1);
	expect(await next).toBeLessThan(100);
});

it('pauses those, too, who wait already', async () => {
	const pace = new Pace(5);
	await pace.turn(undefined);
	const [next] = departures(pace, 1);
	pace.pause(600);
	expect(await next).toBeGreaterThanOrEqual(599);
});

it('makes nobody wait where any number is allowed', async () => {
	const moments = await Promise.all(departures(new Pace(Infinity), 100));
	expect(Math.max(...moments)).toBeLessThan(100);
});

it('keeps the pace of an order when the service does not say it this time', () => {
	const pace = paceOfOrder('an order', 5);
	expect(paceOfOrder('an order')).toBe(pace);
	expect(paceOfOrder('an order', 10)).not.toBe(pace);
	expect(paceOfOrder('another order').intervalMs).toBe(0);
});
