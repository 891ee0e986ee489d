import fc from 'fast-check';

import { ProxyPool } from '../../../../../../../nodes/Kuaidaili/actions/proxy/extract/proxyPool.ts';
import { CancelledError } from '../../../../../../../nodes/shared/transport/callErrors.ts';

interface Proxy {
	readonly address: string;
	readonly secondsLeft?: number;
}

/** A service that never hands out the same address twice, and a clock that is moved by hand. */
class World {
	now = 0;

	extracted = 0;

	calls = 0;

	readonly pool: ProxyPool<Proxy>;

	constructor(limits = { mostProxies: 1000, mostKeys: 100 }) {
		this.pool = new ProxyPool<Proxy>(limits, () => this.now);
	}

	async obtain(
		count: number,
		{
			key = 'order',
			life = 300,
			minimumSecondsLeft = 30,
			signal = undefined as AbortSignal | undefined,
		} = {},
	) {
		return await this.pool.obtain({
			key,
			count,
			minimumSecondsLeft,
			signal,
			extract: async (missing, keep) => {
				this.calls += 1;
				// The answer takes a while
				await Promise.resolve();
				const proxies = Array.from({ length: missing }, (_, index) => ({
					address: `${key}-${this.extracted + index}:80`,
					secondsLeft: life,
				}));
				this.extracted += missing;
				keep(proxies);
			},
		});
	}
}

it('hands out again what lives long enough, with the seconds that are left', async () => {
	const world = new World();
	const first = await world.obtain(2);
	world.now = 100_500;
	const second = await world.obtain(2);
	expect(world.calls).toBe(1);
	expect(second.proxies).toEqual(
		first.proxies.map(({ address }) => ({ address, secondsLeft: 199 })),
	);
});

it('extracts only what is missing', async () => {
	const world = new World();
	await world.obtain(3);
	const { proxies } = await world.obtain(5);
	expect(new Set(proxies.map(({ address }) => address)).size).toBe(5);
	expect(world.extracted).toBe(5);
});

it('extracts anew what would live too shortly, to the second', async () => {
	const world = new World();
	await world.obtain(1, { life: 300, minimumSecondsLeft: 30 });
	world.now = 270_000;
	await world.obtain(1);
	expect(world.calls).toBe(1);
	world.now = 270_001;
	await world.obtain(1);
	expect(world.calls).toBe(2);
});

it('hands out what it has just extracted even if that lives too shortly', async () => {
	const world = new World();
	const { proxies } = await world.obtain(2, { life: 10, minimumSecondsLeft: 30 });
	expect(proxies).toHaveLength(2);
});

it('never mixes orders and filters', async () => {
	const world = new World();
	await world.obtain(2, { key: 'a' });
	const { proxies } = await world.obtain(2, { key: 'b' });
	expect(proxies.every(({ address }) => address.startsWith('b-'))).toBe(true);
});

it('does not hold what tells no life', async () => {
	const pool = new ProxyPool<Proxy>();
	const extract = async (_missing: number, keep: (proxies: Proxy[]) => void) =>
		keep([{ address: 'a:1' }]);
	const request = { key: 'k', count: 1, minimumSecondsLeft: 0, extract, signal: undefined };
	expect(await pool.obtain(request)).toEqual({ proxies: [{ address: 'a:1' }] });
	expect(pool.size).toBe(0);
});

it('does not hand out again what was found dead', async () => {
	const world = new World();
	const [dead] = (await world.obtain(2)).proxies;
	world.pool.forget(dead.address);
	const { proxies } = await world.obtain(2);
	expect(proxies.map(({ address }) => address)).not.toContain(dead.address);
	expect(world.extracted).toBe(3);
});

it('keeps what came before an error, and tells the error', async () => {
	const world = new World();
	const error = new Error('no answer');
	const request = { key: 'order', minimumSecondsLeft: 30, signal: undefined };
	const outcome = await world.pool.obtain({
		...request,
		count: 2,
		extract: async (_missing, keep) => {
			keep([{ address: 'a:1', secondsLeft: 100 }]);
			throw error;
		},
	});
	expect(outcome).toEqual({ proxies: [{ address: 'a:1', secondsLeft: 100 }], error });
	expect((await world.obtain(1)).proxies[0].address).toBe('a:1');
	const nothing = world.pool.obtain({
		...request,
		key: 'another',
		count: 1,
		extract: async () => await Promise.reject(error),
	});
	await expect(nothing).rejects.toBe(error);
});

it('lets go of whoever is cancelled while another one extracts', async () => {
	const world = new World();
	const controller = new AbortController();
	const first = world.obtain(1);
	const second = world.obtain(1, { signal: controller.signal });
	controller.abort();
	await expect(second).rejects.toBeInstanceOf(CancelledError);
	await first;
	expect(world.calls).toBe(1);
});

describe('whatever happens', () => {
	const request = fc.record({
		key: fc.constantFrom('a', 'b', 'c'),
		count: fc.integer({ min: 1, max: 20 }),
		life: fc.integer({ min: 1, max: 600 }),
		minimumSecondsLeft: fc.integer({ min: 0, max: 120 }),
		passing: fc.integer({ min: 0, max: 400_000 }),
	});

	it('runs at once never extract the same missing ones twice', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }),
				async (counts) => {
					const world = new World();
					await Promise.all(counts.map(async (count) => await world.obtain(count)));
					// Together they need no more than the one that wants most
					expect(world.extracted).toBe(Math.max(...counts));
				},
			),
		);
	});

	it('each gets as many different ones as it wants, of its own key, alive for long enough or fresh', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(request, { maxLength: 30 }), async (requests) => {
				const world = new World();
				for (const { key, count, life, minimumSecondsLeft, passing } of requests) {
					world.now += passing;
					const known = world.extracted;
					const { proxies } = await world.obtain(count, { key, life, minimumSecondsLeft });
					expect(new Set(proxies.map(({ address }) => address)).size).toBe(count);
					for (const { address, secondsLeft = 0 } of proxies) {
						expect(address.startsWith(`${key}-`)).toBe(true);
						const isFresh = Number(/-(\d+):/.exec(address)?.[1]) >= known;
						expect(isFresh || secondsLeft >= minimumSecondsLeft).toBe(true);
					}
				}
			}),
		);
	});

	it('its memory is bounded', async () => {
		const limits = { mostProxies: 25, mostKeys: 2 };
		await fc.assert(
			fc.asyncProperty(fc.array(request, { maxLength: 30 }), async (requests) => {
				const world = new World(limits);
				for (const { key, count, life, passing } of requests) {
					world.now += passing;
					await world.obtain(count, { key, life });
					expect(world.pool.size).toBeLessThanOrEqual(limits.mostProxies);
				}
			}),
		);
	});
});
