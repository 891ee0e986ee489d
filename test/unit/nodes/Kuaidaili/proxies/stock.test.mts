import { Stock, StockedProxy } from '../../../../../nodes/Kuaidaili/proxies/stock.ts';
import { CancelledError } from '../../../../../nodes/shared/errors/callErrors.ts';
import { keyOf, proxyOf, World } from './stockWorld.mts';

it('hands out again what lives long enough, with the seconds that are left', async () => {
	const world = new World();
	const first = await world.obtain(2);
	world.now = 100_500;
	const second = await world.obtain(2);
	expect(world.calls).toBe(1);
	expect(second.proxies).toEqual(first.proxies.map((proxy) => ({ ...proxy, secondsLeft: 199 })));
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

it('hands out what tells no life to whoever extracted it, and does not keep it', async () => {
	const world = new World();
	const proxies = [proxyOf('a:1'), proxyOf('b:1', 0)];
	let calls = 0;
	const request = {
		key: keyOf('k'),
		minimumSecondsLeft: 0,
		extract: async (_missing: number, keep: (some: typeof proxies) => void) => {
			calls += 1;
			keep(proxies);
		},
		signal: undefined,
	};
	expect((await world.stock.obtain({ ...request, count: 2 })).proxies).toEqual(proxies);
	await world.stock.obtain({ ...request, count: 1 });
	expect(calls).toBe(2);
});

it('does not hand out again what was found dead', async () => {
	const world = new World();
	const [dead] = (await world.obtain(2)).proxies;
	world.stock.entry('order', dead.address).fail();
	const { proxies } = await world.obtain(2);
	expect(proxies.map(({ address }) => address)).not.toContain(dead.address);
	expect(world.extracted).toBe(3);
});

describe('what failed and comes again', () => {
	const key = keyOf('order');
	const dead = proxyOf('dead:1', 100);

	function worldWithDead(): World {
		const world = new World();
		world.stock.add(key, [dead]);
		world.stock.entry('order', dead.address).fail();
		return world;
	}

	const isUsable = ({ stock }: World, order = 'order') => stock.entry(order, dead.address).isUsable;

	it('is not handed out before its end', () => {
		const world = worldWithDead();
		world.now = 99_999;
		world.stock.add(key, [dead]);
		world.stock.add(keyOf('another selection'), [dead]);
		expect(isUsable(world)).toBe(false);
		world.now = 100_000;
		world.stock.add(key, [dead]);
		expect(isUsable(world)).toBe(true);
	});

	it('is not handed out for five minutes where nobody knows how long it lives', () => {
		const world = new World();
		world.stock.entry('order', dead.address).fail();
		world.now = 299_999;
		world.stock.add(key, [dead]);
		expect(isUsable(world)).toBe(false);
		world.now = 300_000;
		expect(isUsable(world)).toBe(true);
	});

	it('is good for another order', () => {
		const world = worldWithDead();
		world.stock.add({ ...key, order: 'another order' }, [dead]);
		expect(isUsable(world, 'another order')).toBe(true);
	});

	it('is extracted again in its place, up to three times', async () => {
		const obtain = async (list: readonly string[]) => {
			const world = worldWithDead();
			let calls = 0;
			const { proxies } = await world.stock.obtain({
				key,
				minimumSecondsLeft: 0,
				count: 1,
				signal: undefined,
				extract: async (_missing, keep) =>
					keep([proxyOf(list[(calls += 1) - 1] ?? dead.address, 60)]),
			});
			return { calls, addresses: proxies.map(({ address }) => address) };
		};
		expect(await obtain([dead.address, 'b:1'])).toEqual({ calls: 2, addresses: ['b:1'] });
		expect(await obtain([])).toEqual({ calls: 3, addresses: [] });
	});
});

it('forgives a block by a site after ten minutes, and sooner where the address lives anew', () => {
	const world = new World();
	const [entry] = world.stock.add(keyOf('k'), [proxyOf('a:1', 900)]);
	entry.block('site');
	world.now = 599_999;
	expect([entry.isUsableFor('site'), entry.isUsableFor('another')]).toEqual([false, true]);
	world.now = 600_000;
	expect(entry.isUsableFor('site')).toBe(true);
	entry.block('site');
	world.now = 900_000;
	world.stock.add(keyOf('k'), [proxyOf('a:1', 900)]);
	expect(entry.isUsableFor('site')).toBe(true);
});

it('has one visitor for a proxy as long as it lives', () => {
	const world = new World();
	const [{ visitor }] = world.stock.add(keyOf('k'), [proxyOf('a:1', 100)]);
	expect(Number.isSafeInteger(visitor)).toBe(true);
	const again = () => world.stock.add(keyOf('other'), [proxyOf('a:1', 100)])[0].visitor;
	world.now = 99_000;
	expect(again()).toBe(visitor);
	world.now = 200_000;
	expect(again()).not.toBe(visitor);
});

it('does not hand out what was found dead while the missing ones were extracted', async () => {
	const world = new World();
	const [dead] = (await world.obtain(1)).proxies;
	const { proxies } = await world.stock.obtain({
		key: keyOf('order'),
		count: 2,
		minimumSecondsLeft: 30,
		signal: undefined,
		extract: async (_missing, keep) => {
			world.stock.entry('order', dead.address).fail();
			keep([proxyOf('late:1', 100)]);
		},
	});
	expect(proxies.map(({ address }) => address)).toEqual(['late:1']);
});

it('keeps what came before an error, and tells the error', async () => {
	const world = new World();
	const error = new Error('no answer');
	const request = { key: keyOf('order'), minimumSecondsLeft: 30, signal: undefined };
	const outcome = await world.stock.obtain({
		...request,
		count: 2,
		extract: async (_missing, keep) => {
			keep([proxyOf('a:1', 100)]);
			throw error;
		},
	});
	expect(outcome).toMatchObject({ proxies: [proxyOf('a:1', 100)], error });
	expect((await world.obtain(1)).proxies[0].address).toBe('a:1');
	const nothing = world.stock.obtain({
		...request,
		key: keyOf('another'),
		count: 1,
		extract: async () => await Promise.reject(error),
	});
	await expect(nothing).rejects.toBe(error);
});

it('does not hand out what died while the missing ones were extracted', async () => {
	const world = new World();
	await world.obtain(1, { life: 40 });
	const { proxies } = await world.stock.obtain({
		key: keyOf('order'),
		count: 2,
		minimumSecondsLeft: 30,
		signal: undefined,
		extract: async (_missing, keep) => {
			world.now += 41_000;
			keep([proxyOf('late:1', 100)]);
		},
	});
	expect(proxies).toEqual([proxyOf('late:1', 100)]);
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

it('hands out the least recently used first', async () => {
	const world = new World();
	const first = await world.obtain(3);
	const turns: string[] = [];
	for (let turn = 0; turn < 4; turn += 1) {
		turns.push((await world.obtain(1)).proxies[0].address);
	}
	const [a, b, c] = first.proxies.map(({ address }) => address);
	expect(turns).toEqual([a, b, c, a]);
	expect(world.extracted).toBe(3);
});

it('goes by the clock that ends first', () => {
	const clocks = { monotonic: 0, wall: 1_700_000_000_000 };
	const stock = new Stock(10, { monotonic: () => clocks.monotonic, wall: () => clocks.wall });
	const [entry] = stock.add(keyOf('k'), [proxyOf('a:1', 300)]);
	expect(entry.secondsLeft).toBe(300);
	// A suspended machine
	clocks.wall += 290_000;
	expect(entry.secondsLeft).toBe(10);
	clocks.wall -= 290_000;
	clocks.monotonic += 290_000;
	expect(entry.secondsLeft).toBe(10);
});

it('makes nobody wait for an extraction that they do not need', async () => {
	const world = new World();
	await world.obtain(2);
	const never = new Promise<void>(() => {});
	void world.stock.obtain({
		key: keyOf('order'),
		count: 5,
		minimumSecondsLeft: 30,
		signal: undefined,
		extract: async () => await never,
	});
	expect((await world.obtain(2)).proxies).toHaveLength(2);
	expect(world.extracted).toBe(2);
});

it('counts what is learned for its order only', async () => {
	const world = new World();
	const [{ address }] = (await world.obtain(1)).proxies;
	world.stock.entry('another order', address).fail();
	expect((await world.obtain(1)).proxies[0].address).toBe(address);
});

it('hands out only what has the extra values that are wanted', async () => {
	const world = new World();
	const key = keyOf('order');
	world.stock.add(key, [proxyOf('a:1', 300)]);
	world.stock.add(key, [proxyOf('b:1', 300)], ['region']);
	const request = { key, count: 2, minimumSecondsLeft: 0, extras: ['region'], signal: undefined };
	const { proxies } = await world.stock.obtain({ ...request, extract: async () => {} });
	expect(proxies.map(({ address }) => address)).toEqual(['b:1']);
});

it('looks at few of 10,000 proxies when it hands one out', async () => {
	const world = new World(20_000);
	await world.obtain(10_000);
	const looks = jest.spyOn(StockedProxy.prototype, 'has');
	for (let turn = 0; turn < 100; turn += 1) await world.obtain(1);
	expect(looks.mock.calls.length).toBeLessThanOrEqual(200);
	looks.mockRestore();
});

it('keeps 250 selections of one proxy each', async () => {
	const world = new World();
	for (const round of [1, 2]) {
		for (let area = 0; area < 250; area += 1) await world.obtain(1, { key: `area ${area}` });
		expect([round, world.extracted]).toEqual([round, 250]);
	}
});
