import { startSandbox, type Order, type Sandbox } from '../../sandbox/sandbox.mts';
import { money, tokens, type Soak } from './checks.mts';
import { addSoakKeys, ORDER_NAMES, TOKEN_LIFE_S, type SoakKeys } from './keys.mts';
import type { Lane, Output } from './lane.mts';
import { ReuseWatch } from './reuseWatch.mts';

const NOW = Date.parse('2026-01-31T04:00:00Z');

const proxies = (...all: Array<[host: string, secondsLeft: number]>): Output =>
	all.map(([host, left]) => ({
		address: `${host}:8080`,
		expiresAt: new Date(NOW + left * 1000).toISOString(),
	}));

describe('The watch over reused proxies', () => {
	it('counts those that were not handed out before', () => {
		const watch = new ReuseWatch(2, 30);
		expect(watch.expectOnlyMissing(proxies(['a', 60], ['b', 90]), NOW)).toBe(2);
		expect(watch.expectOnlyMissing(proxies(['a', 60], ['b', 90]), NOW + 10_000)).toBe(0);
		// The first one has too little time left
		expect(watch.expectOnlyMissing(proxies(['c', 200], ['b', 90]), NOW + 40_000)).toBe(1);
	});

	it('notices a proxy that was extracted although none was missing', () => {
		const watch = new ReuseWatch(2, 30);
		watch.expectOnlyMissing(proxies(['a', 60], ['b', 90]), NOW);
		const more = proxies(['a', 60], ['c', 90]);
		expect(() => watch.expectOnlyMissing(more, NOW + 1000)).toThrow('1 were extracted, and 0');
	});

	it('notices a proxy that ends too soon', () => {
		const watch = new ReuseWatch(1, 30);
		expect(() => watch.expectOnlyMissing(proxies(['a', 20]), NOW)).toThrow('a:8080 ends too soon');
	});
});

/** Each check and why it failed, if it did. */
async function reasonsOf(group: typeof money, soak: Soak): Promise<string> {
	const reasons: string[] = [];
	await group.run(soak, async (name, work) => {
		await Promise.resolve()
			.then(work)
			.catch((error: unknown) => reasons.push(`${name}: ${String(error)}`));
	});
	return reasons.join('\n');
}

describe('The checks of', () => {
	let sandbox: Sandbox;
	let keys: SoakKeys;
	let calls = 0;
	beforeEach(async () => {
		sandbox = await startSandbox({ forwardProxies: false, catalogueSize: 1 });
		keys = addSoakKeys(sandbox);
	});
	afterEach(async () => await sandbox.close());

	const call = (secretId: string, path = '/api/x', arrival = 0) => {
		const parameters = new Map([['secret_id', secretId]]);
		const logged = { parameters, path, host: 'base', method: 'GET', delivery: 1 } as const;
		sandbox.log.open({ ...logged, time: sandbox.clock.now(), arrival });
		return {
			...logged,
			number: ++calls,
			serverTime: sandbox.clock.now(),
			arrival: 0,
			clientAddress: '127.0.0.1',
		};
	};
	const pay = (kind: 'create' | 'renew', orderId: string) =>
		sandbox.ledger.take(keys.orders.tps.account, { kind, orderId, amountInFen: 1 }, call('x'));
	const extract = (order: Order, count: number) => {
		sandbox.extractions.record(order, { count }, call(order.keys.secretId));
		if (order.product === 'DPS' && order.ipBalance !== undefined) order.ipBalance -= count;
	};
	const lane = (quotaOf: Lane['quotaOf'], total: Partial<Lane['total']>): Lane => ({
		name: quotaOf ?? 'others',
		quotaOf,
		mostSpareShare: 0,
		pauseMs: 0,
		run: async () => await Promise.resolve({ items: 0 }),
		total: { items: 100, extracted: 0, created: [], renewed: [], ...total },
		failures: [],
	});
	const soak = (lanes: readonly Lane[], seconds = 60) =>
		({ lanes, seconds, session: { sandbox, orders: keys.orders } }) as unknown as Soak;
	const reusing = () => lane('dpsReused', { items: 100, extracted: 20 });

	describe('money and quota', () => {
		it('find nothing where the service counted what came out', async () => {
			pay('create', '1');
			pay('renew', '1');
			extract(keys.orders.dpsReused, 20);
			extract(keys.orders.dpsEach, 6);
			const lanes = [
				reusing(),
				lane('dpsEach', { extracted: 6 }),
				lane(undefined, { created: ['1'], renewed: ['1'] }),
			];
			expect(await reasonsOf(money, soak(lanes))).toBe('');
		});

		it.each<[string, () => void, string]>([
			['an order that was bought twice', () => pay('create', '1'), 'orders that were paid'],
			['an order that nobody knows of', () => pay('create', '2'), 'orders that were paid'],
			['a renewal too many', () => pay('renew', '1'), 'orders that were paid'],
			['a proxy that got lost', () => extract(keys.orders.dpsEach, 1), 'what the service counted'],
			[
				'a quota that is less than was counted',
				() => {
					const { dpsEach } = keys.orders;
					if (dpsEach.product === 'DPS') dpsEach.ipBalance = 1;
				},
				'what is left',
			],
		])('notice %s', async (_what, trouble, reason) => {
			pay('create', '1');
			pay('renew', '1');
			extract(keys.orders.dpsReused, 20);
			trouble();
			const lanes = [
				reusing(),
				lane('dpsEach', {}),
				lane(undefined, { created: ['1'], renewed: ['1'] }),
			];
			expect(await reasonsOf(money, soak(lanes))).toContain(reason);
		});

		it('notice proxies that are hardly reused, or never replaced', async () => {
			extract(keys.orders.dpsReused, 20);
			const seldom = [lane('dpsReused', { items: 90, extracted: 20 })];
			expect(await reasonsOf(money, soak(seldom))).toContain('too seldom');
			expect(await reasonsOf(money, soak([reusing()], 600))).toContain('none of them was replaced');
		});
	});

	describe('tokens', () => {
		const LIFE_MS = TOKEN_LIFE_S * 1000;
		const used = () => [
			sandbox.keys.account.secretId,
			...ORDER_NAMES.map((name) => keys.orders[name].keys.secretId),
		];
		/** Calls during ten lives of a token, and so many tokens for them. */
		const work = (id: string, fetches: number) => {
			for (let n = 0; n < 100; n++) call(id, '/api/x', (n * LIFE_MS) / 10);
			for (let n = 0; n < fetches; n++) call(id, '/api/get_secret_token');
		};

		it.each<[number, string]>([
			[9, 'and 10 are needed'],
			[10, ''],
			[16, ''],
			[17, 'and 10 are enough'],
		])('judge %i tokens of one key', async (count, reason) => {
			for (const id of used()) work(id, id === used()[3] ? count : 11);
			const found = await reasonsOf(tokens, soak([]));
			if (reason === '') expect(found).toBe('');
			else expect(found).toContain(reason);
		});

		it('want no token for a time in which there are no calls', async () => {
			for (const id of used()) work(id, 11);
			call('seldom', '/api/x', 0);
			call('seldom', '/api/x', 50 * LIFE_MS);
			for (let n = 0; n < 2; n++) call('seldom', '/api/get_secret_token');
			expect(await reasonsOf(tokens, soak([]))).toBe('');
		});

		it('notice a key that made no calls', async () => {
			for (const id of used().slice(1)) work(id, 11);
			expect(await reasonsOf(tokens, soak([]))).toContain('made no calls');
		});
	});
});
