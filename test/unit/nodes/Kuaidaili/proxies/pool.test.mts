import { ProxyPool } from '../../../../../nodes/Kuaidaili/proxies/pool.ts';
import { CancelledError } from '../../../../../nodes/shared/errors/callErrors.ts';
import { keyOf, type Proxy, World } from './poolWorld.mts';

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
	const pool = new ProxyPool<Proxy>({ mostProxies: 10, unknownLifeSeconds: 0 }, undefined);
	const extract = async (_missing: number, keep: (proxies: Proxy[]) => void) =>
		keep([{ address: 'a:1' }]);
	const request = { key: keyOf('k'), count: 1, minimumSecondsLeft: 0, extract, signal: undefined };
	expect((await pool.obtain(request)).proxies).toEqual([{ address: 'a:1' }]);
	expect(pool.size).toBe(0);
});

it('does not hand out again what was found dead', async () => {
	const world = new World();
	const [dead] = (await world.obtain(2)).proxies;
	world.pool.forget('order', dead.address);
	const { proxies } = await world.obtain(2);
	expect(proxies.map(({ address }) => address)).not.toContain(dead.address);
	expect(world.extracted).toBe(3);
});

describe('what failed and comes again', () => {
	const key = keyOf('order');
	const dead: Proxy = { address: 'dead:1', secondsLeft: 100 };
	const QUERY = { key, minimumSecondsLeft: 0 };

	function worldWithDead(): World {
		const world = new World();
		world.pool.add(key, [dead]);
		world.pool.forget('order', dead.address);
		return world;
	}

	it('is not taken back before its end', () => {
		const world = worldWithDead();
		world.now = 99_999;
		world.pool.add(key, [dead]);
		world.pool.add(keyOf('another selection'), [dead]);
		expect(world.pool.size).toBe(0);
		world.now = 100_000;
		world.pool.add(key, [dead]);
		expect(world.pool.hold(QUERY)?.proxy).toEqual(dead);
	});

	it('is not taken back for five minutes where nobody knows how long it lives', () => {
		const world = new World();
		world.pool.forget('order', dead.address);
		world.now = 299_999;
		world.pool.add(key, [dead]);
		expect(world.pool.size).toBe(0);
		world.now = 300_000;
		world.pool.add(key, [dead]);
		expect(world.pool.size).toBe(1);
	});

	it('is good for another order', () => {
		const world = worldWithDead();
		const other = { ...key, order: 'another order' };
		world.pool.add(other, [dead]);
		expect(world.pool.hold({ ...QUERY, key: other })?.proxy.address).toBe(dead.address);
	});

	it('is extracted again in its place, up to three times', async () => {
		const obtain = async (list: readonly string[]) => {
			const world = worldWithDead();
			let calls = 0;
			const { proxies } = await world.pool.obtain({
				...QUERY,
				count: 1,
				signal: undefined,
				extract: async (_missing, keep) =>
					keep([{ address: list[(calls += 1) - 1] ?? dead.address, secondsLeft: 60 }]),
			});
			return { calls, addresses: proxies.map(({ address }) => address) };
		};
		expect(await obtain([dead.address, 'b:1'])).toEqual({ calls: 2, addresses: ['b:1'] });
		expect(await obtain([])).toEqual({ calls: 3, addresses: [] });
	});
});

it('does not hand out what was found dead while the missing ones were extracted', async () => {
	const world = new World();
	const [dead] = (await world.obtain(1)).proxies;
	const { proxies } = await world.pool.obtain({
		key: keyOf('order'),
		count: 2,
		minimumSecondsLeft: 30,
		signal: undefined,
		extract: async (_missing, keep) => {
			world.pool.forget('order', dead.address);
			keep([{ address: 'late:1', secondsLeft: 100 }]);
		},
	});
	expect(proxies.map(({ address }) => address)).toEqual(['late:1']);
});

it('keeps what came before an error, and tells the error', async () => {
	const world = new World();
	const error = new Error('no answer');
	const request = { key: keyOf('order'), minimumSecondsLeft: 30, signal: undefined };
	const outcome = await world.pool.obtain({
		...request,
		count: 2,
		extract: async (_missing, keep) => {
			keep([{ address: 'a:1', secondsLeft: 100 }]);
			throw error;
		},
	});
	expect(outcome).toMatchObject({ proxies: [{ address: 'a:1', secondsLeft: 100 }], error });
	expect((await world.obtain(1)).proxies[0].address).toBe('a:1');
	const nothing = world.pool.obtain({
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
	const { proxies } = await world.pool.obtain({
		key: keyOf('order'),
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

it('goes by the clock that ends first', async () => {
	const clocks = { monotonic: 0, wall: 1_700_000_000_000 };
	const pool = new ProxyPool<Proxy>({ mostProxies: 10, unknownLifeSeconds: 0 }, undefined, {
		monotonic: () => clocks.monotonic,
		wall: () => clocks.wall,
	});
	const query = { key: keyOf('k'), minimumSecondsLeft: 30 };
	pool.add(query.key, [{ address: 'a:1', secondsLeft: 300 }]);
	expect(pool.count(query)).toBe(1);
	// A suspended machine
	clocks.wall += 290_000;
	expect(pool.count(query)).toBe(0);
	clocks.wall -= 290_000;
	clocks.monotonic += 290_000;
	expect(pool.count(query)).toBe(0);
});

it('makes nobody wait for an extraction that they do not need', async () => {
	const world = new World();
	await world.obtain(2);
	const never = new Promise<void>(() => {});
	void world.pool.obtain({
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
	world.pool.forget('another order', address);
	expect((await world.obtain(1)).proxies[0].address).toBe(address);
});

it('hands out only what has the extra values that are wanted', () => {
	const world = new World();
	const key = keyOf('order');
	world.pool.add(key, [{ address: 'a:1', secondsLeft: 300 }], ['region']);
	world.pool.add(key, [{ address: 'b:1', secondsLeft: 300 }]);
	const held = world.pool.hold({ key, minimumSecondsLeft: 0, extras: ['region'] });
	expect(held?.proxy.address).toBe('a:1');
	expect(world.pool.hold({ key, minimumSecondsLeft: 0, extras: ['region'] })).toBeUndefined();
});

it('keeps 250 selections of one proxy each', async () => {
	const world = new World();
	for (const round of [1, 2]) {
		for (let area = 0; area < 250; area += 1) await world.obtain(1, { key: `area ${area}` });
		expect([round, world.extracted]).toEqual([round, 250]);
	}
});
