import fc from 'fast-check';

import { ProxyPool } from '../../../../../../../nodes/Kuaidaili/actions/proxy/extract/proxyPool.ts';
import { CancelledError } from '../../../../../../../nodes/shared/transport/callErrors.ts';
import { expectSame } from '../../../../../support/properties.mts';

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

it('does not hand out what was found dead while the missing ones were extracted', async () => {
	const world = new World();
	const [dead] = (await world.obtain(1)).proxies;
	const { proxies } = await world.pool.obtain({
		key: 'order',
		count: 2,
		minimumSecondsLeft: 30,
		signal: undefined,
		extract: async (_missing, keep) => {
			world.pool.forget(dead.address);
			keep([{ address: 'late:1', secondsLeft: 100 }]);
		},
	});
	expect(proxies.map(({ address }) => address)).toEqual(['late:1']);
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

it('does not hand out what died while the missing ones were extracted', async () => {
	const world = new World();
	await world.obtain(1, { life: 40 });
	const { proxies } = await world.pool.obtain({
		key: 'order',
		count: 2,
		minimumSecondsLeft: 30,
		signal: undefined,
		extract: async (_missing, keep) => {
			world.now += 41_000;
			keep([{ address: 'late:1', secondsLeft: 100 }]);
		},
	});
	expect(proxies).toEqual([{ address: 'late:1', secondsLeft: 100 }]);
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
			{ numRuns: 1000 },
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
					expectSame(new Set(proxies.map(({ address }) => address)).size, count);
					for (const { address, secondsLeft = 0 } of proxies) {
						expectSame(address.startsWith(`${key}-`), true);
						const isFresh = Number(/-(\d+):/.exec(address)?.[1]) >= known;
						expectSame(isFresh || secondsLeft >= minimumSecondsLeft, true);
					}
				}
			}),
			{ numRuns: 1000 },
		);
	});

	const run = fc.record({
		key: fc.constantFrom('a', 'b'),
		count: fc.integer({ min: 1, max: 12 }),
		life: fc.integer({ min: 0, max: 400 }),
		minimumSecondsLeft: fc.integer({ min: 0, max: 120 }),
		/** How many of the missing ones come before the service fails; Infinity where it does not. */
		comes: fc.oneof(fc.constant(Infinity), fc.integer({ min: 0, max: 12 })),
		/** How long it takes to answer, in turns of the event loop, and how far the clock moves on meanwhile. */
		turns: fc.integer({ min: 0, max: 5 }),
		passing: fc.integer({ min: 0, max: 60_000 }),
		/** When the run is cancelled; undefined where it is not. */
		cancelledAfter: fc.option(fc.integer({ min: 0, max: 8 }), { nil: undefined }),
	});
	type Run = typeof run extends fc.Arbitrary<infer R> ? R : never;

	/** Waves of runs at once, some of which fail or are cancelled. */
	class Busy {
		now = 0;

		private made = 0;

		private readonly extracting = new Set<string>();

		private readonly bornAs = new Map<string, { key: string; diesAt: number }>();

		readonly pool = new ProxyPool<Proxy>({ mostProxies: 40, mostKeys: 2 }, () => this.now);

		private make(key: string, life: number): Proxy {
			const address = `${key}-${(this.made += 1)}:80`;
			this.bornAs.set(address, { key, diesAt: this.now + life * 1000 });
			return { address, secondsLeft: life };
		}

		async obtain(one: Run): Promise<void> {
			const { key, count, minimumSecondsLeft, life, comes, turns, passing, cancelledAfter } = one;
			const controller = new AbortController();
			if (cancelledAfter !== undefined) {
				void pass(cancelledAfter).then(() => controller.abort());
			}
			const fresh = new Set<string>();
			let asked = 0;
			const outcome = await this.pool
				.obtain({
					key,
					count,
					minimumSecondsLeft,
					signal: controller.signal,
					extract: async (missing, keep) => {
						expectSame(this.extracting.has(key), false);
						this.extracting.add(key);
						asked = missing;
						await pass(turns);
						this.now += passing;
						const proxies = Array.from({ length: Math.min(missing, comes) }, () =>
							this.make(key, life),
						);
						for (const { address } of proxies) fresh.add(address);
						keep(proxies);
						this.extracting.delete(key);
						if (proxies.length < missing) throw new Error('No more');
					},
				})
				.catch((error: unknown) => ({ proxies: [], error }));
			const { proxies, error } = outcome;
			expectSame(asked <= count, true);
			expectSame(new Set(proxies.map(({ address }) => address)).size, proxies.length);
			expectSame(proxies.length <= count, true);
			if (asked === 0 && error === undefined) expectSame(proxies.length, count);
			for (const { address, secondsLeft } of proxies) {
				const born = this.bornAs.get(address);
				expectSame(born?.key, key);
				// Handed out by now, if not a moment ago
				const left = Math.floor(((born?.diesAt ?? NaN) - this.now) / 1000);
				expectSame(secondsLeft !== undefined && secondsLeft >= Math.max(0, left), true);
			}
		}

		/** Nobody holds a lock, and what is dead is not handed out. */
		async settle(): Promise<void> {
			this.now += 400_001;
			for (const key of ['a', 'b']) {
				let extracted = 0;
				await this.pool.obtain({
					key,
					count: 3,
					minimumSecondsLeft: 0,
					signal: undefined,
					extract: async (missing, keep) => {
						extracted = missing;
						keep(Array.from({ length: missing }, () => this.make(key, 60)));
					},
				});
				expectSame(extracted, 3);
			}
		}
	}

	async function pass(turns: number): Promise<void> {
		for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
	}

	it('runs at once, some of which fail or are cancelled, get only what is theirs and alive', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.array(run, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
				fc.array(fc.integer({ min: 0, max: 200_000 }), { minLength: 3, maxLength: 3 }),
				async (waves, pauses) => {
					const busy = new Busy();
					for (const [wave, runs] of waves.entries()) {
						await Promise.all(runs.map(async (one) => await busy.obtain(one)));
						expectSame(busy.pool.size <= 40, true);
						busy.now += pauses[wave];
					}
					await busy.settle();
				},
			),
			{ numRuns: 8_000 },
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
