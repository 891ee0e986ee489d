import fc from 'fast-check';

import type { ExtractedProxy } from '../../../../../nodes/Kuaidaili/proxies/entries.ts';
import {
	Stock,
	StockedProxy,
	type ShelfRequest,
} from '../../../../../nodes/Kuaidaili/proxies/stock.ts';
import { CancelledError } from '../../../../../nodes/shared/errors/callErrors.ts';
import { expectSame } from '../../../support/properties.mts';
import { add, addressesOf, clocks, proxyOf, World } from './stockWorld.mts';

let world: World;

beforeEach(() => {
	world = new World();
});

it('hands out again what lives long enough, with the seconds that are left', async () => {
	const first = await world.obtain(2);
	world.now = 100_500;
	const second = await world.obtain(2);
	expect(world.calls).toBe(1);
	expect(second.proxies).toEqual(first.proxies.map((proxy) => ({ ...proxy, secondsLeft: 199 })));
});

it('extracts anew what would live too shortly, to the second', async () => {
	await world.obtain(1, { life: 300, minimumSecondsLeft: 30 });
	world.now = 270_000;
	await world.obtain(1);
	expect(world.calls).toBe(1);
	world.now = 270_001;
	await world.obtain(1);
	expect(world.calls).toBe(2);
});

it('hands out what tells no life to whoever extracted it, and does not keep it', async () => {
	const proxies = [proxyOf('a:1'), proxyOf('b:1', 0)];
	const extract = jest.fn<Promise<void>, Parameters<ShelfRequest['extract']>>(
		async (_missing, keep) => keep(proxies),
	);
	const wanted = { minimumSecondsLeft: 0, extract };
	expect((await world.obtain(2, wanted)).proxies).toEqual(proxies);
	await world.obtain(1, wanted);
	expect(extract).toHaveBeenCalledTimes(2);
});

describe('what failed and comes again', () => {
	const key = 'order';
	const dead = proxyOf('dead:1', 100);
	const isUsable = (order = 'order') => world.stock.entry(order, dead.address).isUsable;

	beforeEach(() => {
		add(world.stock, key, [dead]);
		world.stock.entry('order', dead.address).fail();
	});

	it('is not handed out before its end', () => {
		world.now = 99_999;
		add(world.stock, key, [dead]);
		add(world.stock, 'another selection', [dead]);
		expect(isUsable()).toBe(false);
		world.now = 100_000;
		add(world.stock, key, [dead]);
		expect(isUsable()).toBe(true);
	});

	it('is not handed out for five minutes where nobody knows how long it lives', () => {
		const other = proxyOf('other:1', 100);
		const entry = world.stock.entry('order', other.address);
		entry.fail();
		world.now = 299_999;
		add(world.stock, key, [other]);
		expect(entry.isUsable).toBe(false);
		world.now = 300_000;
		expect(entry.isUsable).toBe(true);
	});

	it('is good for another order', () => {
		add(world.stock, key, [dead], 'another order');
		expect(isUsable('another order')).toBe(true);
	});

	it.each([
		['what comes then', [dead.address, 'b:1'], 2, ['b:1']],
		['up to three times', [], 3, []],
	])('is extracted again in its place: %s', async (_what, list, calls, addresses) => {
		let call = 0;
		const { proxies } = await world.obtain(1, {
			minimumSecondsLeft: 0,
			extract: async (_missing, keep) => keep([proxyOf(list[(call += 1) - 1] ?? dead.address, 60)]),
		});
		expect([call, addressesOf(proxies)]).toEqual([calls, addresses]);
	});
});

it('forgives a block by a site after ten minutes, and sooner where the address lives anew', () => {
	const [entry] = add(world.stock, 'k', [proxyOf('a:1', 900)]);
	entry.block('site');
	world.now = 599_999;
	expect([entry.isUsableFor('site'), entry.isUsableFor('another')]).toEqual([false, true]);
	world.now = 600_000;
	expect(entry.isUsableFor('site')).toBe(true);
	entry.block('site');
	world.now = 900_000;
	add(world.stock, 'k', [proxyOf('a:1', 900)]);
	expect(entry.isUsableFor('site')).toBe(true);
});

it('has one visitor for a proxy as long as it lives', () => {
	const come = (selection: string) => add(world.stock, selection, [proxyOf('a:1', 100)]);
	const [{ visitor }] = come('k');
	expect(Number.isSafeInteger(visitor)).toBe(true);
	world.now = 99_000;
	expect(come('other')[0].visitor).toBe(visitor);
	world.now = 200_000;
	expect(come('other')[0].visitor).not.toBe(visitor);
});

it('does not hand out what was found dead, or died, while the missing ones were extracted', async () => {
	const [dead] = (await world.obtain(1)).proxies;
	const late = async (meanwhile: () => void, address: string) => {
		const { proxies } = await world.obtain(2, {
			extract: async (_missing, keep) => {
				meanwhile();
				keep([proxyOf(address, 100)]);
			},
		});
		return addressesOf(proxies);
	};
	const failing = () => world.stock.entry('order', dead.address).fail();
	expect(await late(failing, 'late:1')).toEqual(['late:1']);
	expect(await late(() => (world.now += 101_000), 'later:1')).toEqual(['later:1']);
});

it('keeps what came before an error, and tells the error', async () => {
	const error = new Error('no answer');
	const outcome = await world.obtain(2, {
		extract: async (_missing, keep) => {
			keep([proxyOf('a:1', 100)]);
			throw error;
		},
	});
	expect(outcome).toMatchObject({ proxies: [proxyOf('a:1', 100)], error });
	expect(addressesOf((await world.obtain(1)).proxies)).toEqual(['a:1']);
	const nothing = world.obtain(1, {
		key: 'another',
		extract: async () => await Promise.reject(error),
	});
	await expect(nothing).rejects.toBe(error);
});

it('lets go of whoever is cancelled while another one extracts', async () => {
	const controller = new AbortController();
	const first = world.obtain(1);
	const second = world.obtain(1, { signal: controller.signal });
	controller.abort();
	await expect(second).rejects.toBeInstanceOf(CancelledError);
	await first;
	expect(world.calls).toBe(1);
});

it('goes by the clock that ends first', () => {
	const [entry] = add(world.stock, 'k', [proxyOf('a:1', 300)]);
	expect(entry.secondsLeft).toBe(300);
	// A suspended machine
	clocks.wall += 290_000;
	expect(entry.secondsLeft).toBe(10);
	clocks.wall -= 290_000;
	clocks.monotonic += 290_000;
	expect(entry.secondsLeft).toBe(10);
});

it('makes nobody wait for an extraction that they do not need', async () => {
	await world.obtain(2);
	void world.obtain(5, { extract: async () => await new Promise<void>(() => {}) });
	expect((await world.obtain(2)).proxies).toHaveLength(2);
	expect(world.extracted).toBe(2);
});

it('hands out only what has the extra values that are wanted', async () => {
	add(world.stock, 'order', [proxyOf('a:1', 300), { ...proxyOf('b:1', 300), region: '' }]);
	const mayServe = (entry: StockedProxy) => entry.fits({ extras: ['region'] });
	const { proxies } = await world.obtain(2, { mayServe, extract: async () => {} });
	expect(addressesOf(proxies)).toEqual(['b:1']);
});

it('looks at few of 10,000 proxies when it hands one out', async () => {
	world = new World(20_000);
	await world.obtain(10_000);
	const looks = jest.spyOn(StockedProxy.prototype, 'fits');
	for (let turn = 0; turn < 100; turn += 1) await world.obtain(1);
	expect(looks.mock.calls.length).toBeLessThanOrEqual(200);
	looks.mockRestore();
});

it('keeps 250 selections of one proxy each', async () => {
	for (const round of [1, 2]) {
		for (let area = 0; area < 250; area += 1) await world.obtain(1, { key: `area ${area}` });
		expect([round, world.extracted]).toEqual([round, 250]);
	}
});

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
				.shelf('order', key)
				.obtain({
					count,
					mayServe: (entry) => entry.livesFor(minimumSecondsLeft),
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
				await this.stock.shelf('order', key).obtain({
					count: 3,
					mayServe: (entry) => entry.livesFor(0),
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
