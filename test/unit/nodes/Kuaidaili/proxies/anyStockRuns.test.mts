import fc from 'fast-check';

import type { ExtractedProxy } from '../../../../../nodes/Kuaidaili/proxies/entries.ts';
import { Stock } from '../../../../../nodes/Kuaidaili/proxies/stock.ts';
import { expectSame } from '../../../support/properties.mts';
import { addressesOf, clocks, keyOf, proxyOf, World } from './stockWorld.mts';

describe('whatever happens', () => {
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
			{ numRuns: 300 },
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
		private made = 0;

		private readonly extracting = new Set<string>();

		private readonly bornAs = new Map<string, { key: string; diesAt: number }>();

		readonly stock = new Stock(40);

		get now(): number {
			return clocks.monotonic;
		}

		set now(ms: number) {
			Object.assign(clocks, { monotonic: ms, wall: ms });
		}

		private make(key: string, life: number): ExtractedProxy {
			const address = `${key}-${(this.made += 1)}:80`;
			this.bornAs.set(address, { key, diesAt: this.now + life * 1000 });
			return proxyOf(address, life);
		}

		async obtain(one: Run): Promise<void> {
			const { key, count, minimumSecondsLeft, life, comes, turns, passing, cancelledAfter } = one;
			const controller = new AbortController();
			if (cancelledAfter !== undefined) {
				void pass(cancelledAfter).then(() => controller.abort());
			}
			const fresh = new Set<string>();
			let asked = 0;
			const outcome = await this.stock
				.obtain({
					key: keyOf(key),
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
			expectSame(new Set(addressesOf(proxies)).size, proxies.length);
			expectSame(proxies.length <= count, true);
			if (asked === 0 && error === undefined) expectSame(proxies.length, count);
			for (const { address, secondsLeft } of proxies) {
				const born = this.bornAs.get(address);
				expectSame(born?.key, key);
				// Handed out by now, if not a moment ago
				const left = Math.floor(((born?.diesAt ?? NaN) - this.now) / 1000);
				expectSame(secondsLeft !== undefined && secondsLeft >= Math.max(0, left), true);
				expectSame(fresh.has(address) || Number(secondsLeft) >= minimumSecondsLeft, true);
			}
		}

		/** Nobody holds a lock, and what is dead is not handed out. */
		async settle(): Promise<void> {
			this.now += 400_001;
			for (const key of ['a', 'b']) {
				let extracted = 0;
				await this.stock.obtain({
					key: keyOf(key),
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

	it('runs at once, some of which fail or are cancelled, get only what is theirs and alive for long enough', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.array(run, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
				fc.array(fc.integer({ min: 0, max: 200_000 }), { minLength: 3, maxLength: 3 }),
				async (waves, pauses) => {
					const busy = new Busy();
					for (const [wave, runs] of waves.entries()) {
						await Promise.all(runs.map(async (one) => await busy.obtain(one)));
						expectSame(busy.stock.size <= 40, true);
						busy.now += pauses[wave];
					}
					await busy.settle();
				},
			),
			{ numRuns: 2000 },
		);
	});
});
