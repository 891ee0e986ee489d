import fc from 'fast-check';

import {
	ProxyPool,
	proxyPool,
	PooledProxy,
} from '../../../../../nodes/Kuaidaili/proxies/proxyPool.ts';
import { CancelledError, DescribedError } from '../../../../../nodes/shared/api/errors.ts';
import { expectSame } from '../../../support/properties.mts';
import { addressesOf, clocks, proxyOf, World } from './poolWorld.mts';

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
	expect([first.left, second.left]).toEqual([{ order_left_count: 98 }, undefined]);
	expect([first.fresh, second.fresh]).toEqual([2, 0]);
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
	const wanted = { minimumSecondsLeft: 0, answer: () => ['a.x:1,', 'b.x:1,0'] };
	expect(addressesOf((await world.obtain(2, wanted)).proxies)).toEqual(['a.x:1', 'b.x:1']);
	await world.obtain(1, wanted);
	expect(world.calls).toBe(2);
});

describe('what failed and comes again', () => {
	const dead = proxyOf('dead.x:1', 100);
	const isUsable = (order = world.order) => proxyPool.proxy(order, dead.address).isUsable;

	beforeEach(() => {
		const [entry] = world.add([dead]);
		entry.retire();
	});

	it('is not handed out before its end', () => {
		world.now = 99_999;
		world.add([dead]);
		world.add([dead], 'another selection');
		expect(isUsable()).toBe(false);
		world.now = 100_000;
		world.add([dead]);
		expect(isUsable()).toBe(true);
	});

	it('is not handed out for five minutes where nobody knows how long it lives', () => {
		const other = proxyOf('other.x:1', 100);
		const entry = proxyPool.proxy(world.order, other.address);
		entry.retire();
		world.now = 299_999;
		world.add([other]);
		expect(entry.isUsable).toBe(false);
		world.now = 300_000;
		expect(entry.isUsable).toBe(true);
	});

	it('is good for another order', () => {
		const order = `not ${world.order}`;
		world.add([dead], 'a', order);
		expect(isUsable(order)).toBe(true);
	});

	it.each([
		['what comes then', [dead.address, 'b.x:1'], 2, ['b.x:1']],
		['up to three times', [], 3, []],
	])('is extracted again in its place: %s', async (_what, list, calls, addresses) => {
		const { proxies } = await world.obtain(1, {
			minimumSecondsLeft: 0,
			answer: () => [`${list[world.calls - 1] ?? dead.address},60`],
		});
		expect([world.calls, addressesOf(proxies)]).toEqual([calls, addresses]);
	});
});

it('forgives a block by a site after ten minutes, and sooner where the address lives anew', () => {
	const [entry] = world.add([proxyOf('a:1', 900)]);
	entry.markBad('blocked', 'site');
	world.now = 599_999;
	expect([entry.isBlockedFor('site'), entry.isBlockedFor('another')]).toEqual([true, false]);
	world.now = 600_000;
	expect(entry.isBlockedFor('site')).toBe(false);
	entry.markBad('blocked', 'site');
	world.now = 900_000;
	world.add([proxyOf('a:1', 900)]);
	expect(entry.isBlockedFor('site')).toBe(false);
});

it('forgets blocks by sites that are over', () => {
	const [proxy] = world.add([proxyOf('a:1')]);
	const sizeOf = () => Reflect.get(proxy, 'blocks').size;
	const block = (from: number, count: number) => {
		for (let site = from; site < from + count; site += 1) proxy.markBad('blocked', `site ${site}`);
	};
	block(0, 5000);
	expect(sizeOf()).toBe(5000);
	world.now = 600_000;
	block(5000, 1);
	expect(sizeOf()).toBe(1);
});

it('works again after a failure when a page was opened through it', () => {
	const [proxy] = world.add([proxyOf('a:1', 900)]);
	proxy.retire();
	expect(proxy.isUsable).toBe(false);
	proxy.markGood();
	expect(proxy.isUsable).toBe(true);
});

it.each([
	['twice in a row', ['loginRefused', 'loginRefused'], 60],
	['once', ['loginRefused'], 0],
	['again after a page was opened through it', ['loginRefused', 'opened', 'loginRefused'], 0],
	['again after it has ended and come anew', ['loginRefused', 'ended', 'loginRefused'], 0],
])('rests for a minute where it refuses a login %s', (_when, events, seconds) => {
	const [proxy] = world.add([proxyOf('a:1', 900)]);
	for (const event of events) {
		if (event === 'loginRefused') proxy.markBad(event, 'site');
		else if (event === 'opened') proxy.markGood();
		else {
			world.now += 900_000;
			world.add([proxyOf('a:1', 900)]);
		}
	}
	expect(proxy.isUsable).toBe(seconds === 0);
	world.now += 60_000;
	expect(proxy.isUsable).toBe(true);
});

it('hands out nothing any more that was forgotten because others came', () => {
	const pool = new ProxyPool(2);
	const partition = pool.partition('order', 'a');
	pool.addTo(partition, 'order', [proxyOf('a:1', 900), proxyOf('b:1', 900)]);
	pool.add('order', [proxyOf('c:1', 900)]);
	const found = partition.find(3, () => true).map(({ current }) => current.address);
	expect(found).toEqual(['b:1']);
});

it('keeps what ended in no selection, and what does not fit in its own', () => {
	const pool = new ProxyPool();
	const partition = pool.partition('order', 'a');
	const [proxy] = pool.addTo(partition, 'order', [proxyOf('a:1', 10)]).proxies;
	expect(partition.find(1, () => false)).toEqual([]);
	expect(partition.has(proxy)).toBe(true);
	world.now = 10_000;
	expect(partition.find(1, () => true)).toEqual([]);
	expect(partition.has(proxy)).toBe(false);
});

it('hands out what was over and has come again, also where nobody says its end any more', () => {
	const [proxy] = world.add([proxyOf('a:1', 100)]);
	world.now = 100_000;
	world.add([proxyOf('a:1')]);
	expect([proxy.isUsable, proxy.secondsLeft]).toEqual([true, Infinity]);
});

it('looks like one browser to a proxy as long as it lives', () => {
	const come = (selection: string) => world.add([proxyOf('a:1', 100)], selection);
	const [{ identitySeed }] = come('a');
	expect(Number.isSafeInteger(identitySeed)).toBe(true);
	world.now = 99_000;
	expect(come('other')[0].identitySeed).toBe(identitySeed);
	world.now = 200_000;
	expect(come('other')[0].identitySeed).not.toBe(identitySeed);
});

it('does not hand out what was found dead, or died, while the missing ones were extracted', async () => {
	const [dead] = (await world.obtain(1)).proxies;
	const late = async (meanwhile: () => void, address: string) => {
		const answer = () => {
			meanwhile();
			return [`${address},100`];
		};
		return addressesOf((await world.obtain(2, { answer })).proxies);
	};
	const failing = () => proxyPool.proxy(world.order, dead.address).retire();
	expect(await late(failing, 'late.x:1')).toEqual(['late.x:1']);
	expect(await late(() => (world.now += 101_000), 'later.x:1')).toEqual(['later.x:1']);
});

it('keeps what came before an error, and tells the error', async () => {
	const error = new DescribedError({ message: 'no answer', description: '' });
	const answer = () => {
		if (world.calls === 2) throw error;
		return ['dead.x:1,100', 'a.x:1,100'];
	};
	world.add([proxyOf('dead.x:1', 100)])[0].retire();
	const { proxies, endedBy } = await world.obtain(2, { answer });
	expect([addressesOf(proxies), endedBy]).toEqual([['a.x:1'], error]);
	expect(addressesOf((await world.obtain(1)).proxies)).toEqual(['a.x:1']);
	world.calls = 1;
	await expect(world.obtain(1, { key: 'b', answer })).rejects.toBe(error);
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
	const [entry] = world.add([proxyOf('a:1', 300)]);
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
	void world.obtain(5, { answer: async () => await new Promise<never>(() => {}) });
	expect((await world.obtain(2)).proxies).toHaveLength(2);
	expect(world.extracted).toBe(2);
});

it('hands out only what has the extra values that are wanted', async () => {
	world.add([proxyOf('a:1', 300), { ...proxyOf('b:1', 300), region: '' }]);
	const { proxies } = await world.obtain(2, { extras: ['region'], answer: () => [] });
	expect(addressesOf(proxies)).toEqual(['b:1']);
});

it('looks at few of 10,000 proxies when it hands one out', async () => {
	await world.obtain(10_000);
	const looks = jest.spyOn(PooledProxy.prototype, 'isReusableFor');
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
	class Busy extends World {
		private readonly extracting = new Set<string>();

		private readonly bornAs = new Map<string, { key: string; diesAt: number }>();

		private make(key: string, count: number, life: number): string[] {
			const entries = this.entriesOf(count, life);
			const born = { key, diesAt: this.now + life * 1000 };
			for (const entry of entries) this.bornAs.set(entry.split(',')[0], born);
			return entries;
		}

		async run(one: Run): Promise<void> {
			const { key, count, minimumSecondsLeft, life, comes, turns, passing, cancelledAfter } = one;
			const beganAt = this.now;
			const controller = new AbortController();
			if (cancelledAfter !== undefined) {
				void pass(cancelledAfter).then(() => controller.abort());
			}
			const fresh: string[] = [];
			let asked = 0;
			const answer = async (missing: number) => {
				expectSame(this.extracting.has(key), false);
				this.extracting.add(key);
				asked = missing;
				await pass(turns);
				this.now += passing;
				const entries = this.make(key, Math.min(missing, comes), life);
				fresh.push(...entries.map((entry) => entry.split(',')[0]));
				this.extracting.delete(key);
				if (comes === 0) throw new DescribedError({ message: 'No more', description: '' });
				return entries;
			};
			const { signal } = controller;
			const { proxies, error } = await this.obtain(count, {
				...{ key, minimumSecondsLeft, answer, signal },
			}).then(
				(extracted) => ({ ...extracted, error: undefined }),
				(failure: unknown) => ({ proxies: [], error: failure }),
			);
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
				// It was chosen by what it had left before the other runs took their time
				const hadLeft = Number(secondsLeft) + Math.ceil((this.now - beganAt) / 1000);
				expectSame(fresh.includes(address) || hadLeft >= minimumSecondsLeft, true);
			}
		}

		/** Nobody holds a lock, and what is dead is not handed out. */
		async settle(): Promise<void> {
			// An extraction goes on when the run that began it is cancelled
			await pass(100);
			this.now += 400_001;
			for (const key of ['a', 'b']) {
				const before = this.extracted;
				await this.obtain(3, { key, minimumSecondsLeft: 0 });
				expectSame(this.extracted - before, 3);
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
					// Emptied, and made so small that some are forgotten meanwhile
					Object.assign(proxyPool, new ProxyPool(40));
					const busy = new Busy();
					for (const [wave, runs] of waves.entries()) {
						await Promise.all(runs.map(async (one) => await busy.run(one)));
						expectSame(Reflect.get(proxyPool, 'proxies').size <= 40, true);
						busy.now += pauses[wave];
					}
					await busy.settle();
				},
			),
			{ numRuns: 1000 },
		);
	});
});
