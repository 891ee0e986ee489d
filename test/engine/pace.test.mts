import { useTestBed } from './testBed.mts';

const INTERVAL_MS = 200;

// Stricter than elsewhere: the pace itself is what is tested. Arrivals still jitter a little
const bed = useTestBed({ rateLimits: { toleranceMs: 50 } });

function arrivals(secretId: string): number[] {
	return bed()
		.extractions.filter(({ parameters }) => parameters.secret_id === secretId)
		.map(({ arrival }) => arrival);
}

/** What most of them are: a busy machine makes single ones longer. */
function usualGap(times: readonly number[]): number {
	const gaps = times.slice(1).map((time, index) => time - times[index]);
	return gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)];
}

function span(times: readonly number[]): number {
	return Math.max(...times) - Math.min(...times);
}

/**
 * A first call with each key. Many executions that start at one moment keep the process busy, so that
 * the first request of all would arrive late; behind this one they have time to start.
 */
async function before(...credentialIds: string[]): Promise<void> {
	for (const credentialId of credentialIds) await bed().extract({ credentialId });
	bed().sandbox.log.clear();
}

describe('many executions at once with one key', () => {
	it('call in the order in which they came, each one interval and 5 percent after the other', async () => {
		const { keys } = bed().newOrder();
		// Two credentials with the same key, as two people may have them
		const ids = [bed().addCredential(keys), bed().addCredential(keys)];
		await before(ids[0]);
		const start = performance.now();
		const runs = Array.from({ length: 20 }, (_, index) =>
			bed().extract({ credentialId: ids[index % 2], num: index + 1 }),
		);
		const results = await Promise.all(runs);
		const took = performance.now() - start;

		expect(results.map(({ error }) => error)).toEqual(results.map(() => undefined));
		expect(results.map(({ items }) => items.length)).toEqual(
			Array.from({ length: 20 }, (_, index) => index + 1),
		);
		expect(bed().extractions.map(({ parameters }) => Number(parameters.num))).toEqual(
			Array.from({ length: 20 }, (_, index) => index + 1),
		);
		expect(usualGap(arrivals(keys.secretId)) / INTERVAL_MS).toBeLessThanOrEqual(1.08);
		expect(span(arrivals(keys.secretId)) / (19 * INTERVAL_MS)).toBeLessThan(1.15);
		expect(took).toBeLessThan(20 * INTERVAL_MS * 1.15 + 200);
		expect(bed().sandbox.log.refusals()).toEqual([]);
	}, 20_000);

	it('and with several items each, share the pace item by item', async () => {
		const { keys } = bed().newOrder();
		const credentialId = bed().addCredential(keys);
		await before(credentialId);
		const runs = [1, 2, 3].map((num) => bed().extract({ credentialId, num, items: [{}, {}, {}] }));
		await Promise.all(runs);
		expect(bed().extractions.map(({ parameters }) => Number(parameters.num))).toEqual([
			1, 2, 3, 1, 2, 3, 1, 2, 3,
		]);
		expect(span(arrivals(keys.secretId))).toBeGreaterThan(8 * INTERVAL_MS - 50);
	}, 20_000);

	it('are all held back when the service says once that they are too fast', async () => {
		bed().sandbox.faults.add({ kind: 'code', code: -22, times: 1 });
		const { keys } = bed().newOrder();
		const credentialId = bed().addCredential(keys);
		const results = await Promise.all([1, 2, 3].map((num) => bed().extract({ credentialId, num })));
		expect(results.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
		const [first, second] = arrivals(keys.secretId);
		expect(second - first).toBeGreaterThanOrEqual(1000);
		expect(bed().extractions.map(({ code }) => code)).toEqual([-22, 0, 0, 0]);
	}, 20_000);
});

it('different keys do not wait for each other', async () => {
	const orders = [bed().newOrder(), bed().newOrder(), bed().newOrder('vip')];
	const [one, other, vip] = orders.map(({ keys }) => bed().addCredential(keys));
	await before(one, other);
	const runs = [
		...Array.from({ length: 6 }, () => [
			bed().extract({ credentialId: one }),
			bed().extract({ credentialId: other }),
		]).flat(),
		bed().extract({ plan: 'vip', credentialId: vip }),
		bed().extract({ plan: 'vip', credentialId: vip }),
	];
	const results = await Promise.all(runs);
	expect(results.map(({ error }) => error)).toEqual(results.map(() => undefined));
	const spans = orders.map(({ keys }) => span(arrivals(keys.secretId)));
	expect(spans[0]).toBeLessThan(5 * INTERVAL_MS * 1.2);
	expect(spans[1]).toBeLessThan(5 * INTERVAL_MS * 1.2);
	expect(spans[2]).toBeGreaterThan(1000 - 50);
	expect(spans[2]).toBeLessThan(1200);
}, 20_000);
