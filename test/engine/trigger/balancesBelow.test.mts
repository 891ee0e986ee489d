import { newOverseasProxyOrder, newPrivateProxyOrder } from '../../../sandbox/sandbox.mts';
import { DAY, MINUTE } from '../../durations.mts';
import { uniqueName } from '../../uniqueName.mts';
import { API } from '../support/api.mts';
import { until } from '../../virtualTime.mts';
import { typed } from '../support/customer.mts';
import type { Polled } from '../support/poller.mts';
import { sleep } from '../support/sleep.mts';
import {
	BALANCE_BELOW,
	bed,
	failureOf,
	IPS_BELOW,
	jsonOf,
	LIST,
	logged,
	nextPoll,
	orderFor,
	orderIds,
	pass,
	watching,
} from './watching.mts';

describe('Account Balance Below', () => {
	it('tells each crossing of the line once', async () => {
		const account = bed().newAccount({ balanceInFen: 150_00 });
		const poller = watching('account', account, BALANCE_BELOW);
		expect(await poller.activate()).toBeNull();
		account.balanceInFen = 100_00;
		expect(await nextPoll(poller)).toBeNull();
		account.balanceInFen = 99_99;
		expect(jsonOf(await nextPoll(poller))).toEqual([
			{
				event: 'accountBalanceBelow',
				text: 'The Kuaidaili account balance is 99.99 yuan, below the limit of 100 yuan',
				balance: '99.99',
				balanceNumber: 99.99,
				below: 100,
			},
		]);
		account.balanceInFen = 1;
		expect(await nextPoll(poller)).toBeNull();
		account.balanceInFen = 500_00;
		expect(await nextPoll(poller)).toBeNull();
		account.balanceInFen = 0;
		expect(jsonOf(await nextPoll(poller))).toMatchObject([{ balance: '0.00' }]);
	});

	it('tells at once what is below already, and nothing again when it is activated anew', async () => {
		const account = bed().newAccount({ balanceInFen: 5_00 });
		const poller = watching('account', account, BALANCE_BELOW);
		expect(jsonOf(await poller.activate())).toMatchObject([{ balance: '5.00' }]);
		poller.deactivate();
		expect(await poller.activate()).toBeNull();
		expect(await nextPoll(poller)).toBeNull();
	});

	it('loses no crossing over a restart of n8n, and tells once more what is still below', async () => {
		const account = bed().newAccount({ balanceInFen: 5_00 });
		const poller = watching('account', account, BALANCE_BELOW);
		expect(jsonOf(await poller.activate())).toMatchObject([{ balance: '5.00' }]);
		account.balanceInFen = 500_00;
		expect(await nextPoll(poller)).toBeNull();
		// n8n has not saved that it was above
		poller.crash();
		account.balanceInFen = 4_00;
		expect(jsonOf(await poller.activate('init'))).toMatchObject([{ balance: '4.00' }]);
		expect(await nextPoll(poller)).toBeNull();
		poller.crash();
		expect(jsonOf(await poller.activate('init'))).toMatchObject([{ balance: '4.00' }]);
	});

	it('tells anew for another line, and for another account', async () => {
		const accounts = [5_00, 6_00].map((balanceInFen) => bed().newAccount({ balanceInFen }));
		const poller = watching('account', accounts[0], BALANCE_BELOW);
		expect(jsonOf(await poller.activate())).toMatchObject([{ balance: '5.00' }]);
		poller.deactivate();
		poller.settings.parameters = { ...BALANCE_BELOW, balanceBelow: 50 };
		expect(jsonOf(await poller.activate())).toMatchObject([{ balance: '5.00', below: 50 }]);
		poller.deactivate();
		bed().engine.credentials.edit(poller.settings.credentialId, { ...accounts[1].keys });
		expect(jsonOf(await poller.activate())).toMatchObject([{ balance: '6.00' }]);
	});
});

describe('IP Balance Below', () => {
	function privateOrder(ipBalance: number | undefined) {
		const { store, clock } = bed().sandbox;
		const settings = { payType: 'PRE_PAY_IP', ipBalance } as const;
		const account = bed().newAccount();
		return store.addOrder(newPrivateProxyOrder(uniqueName('dps'), account, clock.now(), settings));
	}

	it.each(['account', 'order'] as const)(
		'tells each crossing of the line once, with the key pair of the %s',
		async (keyType) => {
			const order = privateOrder(60);
			const isAccount = keyType === 'account';
			const poller = watching(keyType, isAccount ? order.account : order, {
				...IPS_BELOW,
				...(isAccount ? { orderid: typed(order.orderId) } : {}),
			});
			const told = {
				event: 'ipBalanceBelow',
				balanceOf: 'order',
				below: 50,
				...(isAccount ? { orderid: order.orderId } : {}),
			};
			const textOf = (ips: number) =>
				`${isAccount ? 'Private Proxy order ' + order.orderId : 'The Private Proxy order'} has ${ips} IPs left, below the limit of 50 IPs`;
			expect(await poller.activate()).toBeNull();
			order.ipBalance = 50;
			expect(await nextPoll(poller)).toBeNull();
			order.ipBalance = 49;
			expect(jsonOf(await nextPoll(poller))).toEqual([{ ...told, text: textOf(49), balance: 49 }]);
			order.ipBalance = 3;
			expect(await nextPoll(poller)).toBeNull();
			order.ipBalance = 1000;
			expect(await nextPoll(poller)).toBeNull();
			order.ipBalance = 0;
			expect(jsonOf(await nextPoll(poller))).toEqual([{ ...told, text: textOf(0), balance: 0 }]);
		},
	);

	describe("without an order, with the account's key pair", () => {
		function privateOrders() {
			const { store, clock } = bed().sandbox;
			const account = bed().newAccount();
			const add = (settings: Parameters<typeof newPrivateProxyOrder>[3]) =>
				store.addOrder(newPrivateProxyOrder(uniqueName('dps'), account, clock.now(), settings));
			const perIp = add({ payType: 'PRE_PAY_IP', ipBalance: 60 });
			const daily = add({ payType: 'PRE_PAY', fetchType: 2, ipBalance: 60 });
			const even = add({ payType: 'PRE_PAY', fetchType: 1, ipBalance: undefined });
			orderFor(account, DAY);
			const closed = add({ payType: 'PRE_PAY_IP', ipBalance: 1, status: 'CLOSED' });
			return { account, perIp, daily, even, closed };
		}

		it('watches each order of the account that has an IP balance', async () => {
			const { account, perIp, daily } = privateOrders();
			const poller = watching('account', account, IPS_BELOW);
			expect(await poller.activate()).toBeNull();
			daily.ipBalance = 49;
			expect(jsonOf(await nextPoll(poller))).toEqual([
				{
					event: 'ipBalanceBelow',
					text: `Private Proxy order ${daily.orderId} has 49 IPs left today, below the limit of 50 IPs`,
					orderid: daily.orderId,
					balance: 49,
					balanceOf: 'today',
					below: 50,
				},
			]);
			perIp.ipBalance = 7;
			daily.ipBalance = 3;
			expect(jsonOf(await nextPoll(poller))).toMatchObject([
				{ orderid: perIp.orderId, balance: 7, balanceOf: 'order' },
			]);
			expect(await nextPoll(poller)).toBeNull();
			daily.ipBalance = 80;
			expect(await nextPoll(poller)).toBeNull();
			daily.ipBalance = 1;
			expect(jsonOf(await nextPoll(poller))).toMatchObject([{ orderid: daily.orderId }]);
			expect(logged()).toEqual([]);
		});

		it('shows all of them in a test, and says where there is none', async () => {
			const { account, perIp, daily } = privateOrders();
			const told = jsonOf(await watching('account', account, IPS_BELOW).tryOut());
			expect(told.map(({ orderid }) => orderid)).toEqual([perIp.orderId, daily.orderId]);
			const other = bed().newAccount();
			orderFor(other, DAY);
			const { message } = await failureOf(watching('account', other, IPS_BELOW).tryOut());
			expect(message).toBe('No active order of the account has an IP balance');
			expect(await watching('account', other, IPS_BELOW).activate()).toBeNull();
		});

		it('says in a test why the only order that has one cannot be read', async () => {
			const { account, perIp, daily } = privateOrders();
			daily.status = 'FORBIDDEN';
			const { secretId } = perIp.keys;
			bed().sandbox.faults.add({ kind: 'code', code: -999, path: API.getipbalance, secretId });
			const { message, description } = await failureOf(
				watching('account', account, IPS_BELOW).tryOut(),
			);
			expect(message).toContain('-999');
			expect(description).toContain(`This was order ${perIp.orderId}.`);
		});

		it('leaves out an order whose key pair is refused, and says so in the log', async () => {
			const { account, perIp, daily } = privateOrders();
			daily.ipBalance = 3;
			bed().sandbox.faults.add({ kind: 'code', code: -102, secretId: perIp.keys.secretId });
			const told = jsonOf(await watching('account', account, IPS_BELOW).activate());
			expect(told).toMatchObject([{ orderid: daily.orderId }]);
			expect(logged()).toEqual([expect.stringContaining(`rder ${perIp.orderId}`)]);
		});

		it('tells the others where an order has a code that nobody knows, and fails a check', async () => {
			const { account, perIp, daily } = privateOrders();
			daily.ipBalance = 3;
			const { secretId } = perIp.keys;
			bed().sandbox.faults.add({ kind: 'code', code: -999, path: API.getipbalance, secretId });
			const poller = watching('account', account, IPS_BELOW);
			expect(jsonOf(await poller.activate())).toMatchObject([{ orderid: daily.orderId }]);
			expect(logged()).toEqual([expect.stringContaining(`order ${perIp.orderId}`)]);
			const { description } = await failureOf(nextPoll(poller));
			expect(description).toContain(`This was order ${perIp.orderId}.`);
			expect(await nextPoll(poller)).toBeNull();
		});

		it.each([
			['has no answer', { kind: 'status', status: 503 }],
			['has an answer that is none', { kind: 'status', status: 200, body: '<html>' }],
			['is never answered', { kind: 'hang' }],
		] as const)('tells the others where an order %s', async (_what, fault) => {
			const { account, perIp, daily } = privateOrders();
			perIp.expiresAt = new Date(bed().sandbox.clock.milliseconds() + DAY);
			daily.ipBalance = 60;
			const poller = watching('account', account, IPS_BELOW);
			await poller.activate();
			const { secretId } = perIp.keys;
			bed().sandbox.faults.add({ ...fault, path: API.getipbalance, secretId });
			daily.ipBalance = 3;
			const told: unknown[] = [];
			// An answer that is none fails the check that has nothing else to tell
			for (let poll = 0; poll < 3; poll += 1) {
				told.push(...orderIds(await nextPoll(poller).catch(() => null)));
			}
			expect(told).toEqual([daily.orderId]);
		});

		it('tells nothing again of an order that was out of sight for a while', async () => {
			const { account, perIp, daily } = privateOrders();
			const poller = watching('account', account, { ...IPS_BELOW, ipBalanceBelow: 100 });
			expect(jsonOf(await poller.activate())).toHaveLength(2);
			perIp.status = 'FORBIDDEN';
			bed().sandbox.faults.add({ kind: 'code', code: -102, secretId: daily.keys.secretId });
			expect(await nextPoll(poller)).toBeNull();
			perIp.status = 'VALID';
			bed().sandbox.faults.clear();
			expect(await nextPoll(poller)).toBeNull();
			perIp.ipBalance = 100;
			expect(await nextPoll(poller)).toBeNull();
			perIp.ipBalance = 99;
			expect(jsonOf(await nextPoll(poller))).toMatchObject([{ orderid: perIp.orderId }]);
		});
	});

	describe('with 400 orders', () => {
		/** All of them are below the limit; the last one ends first. */
		function manyOrders() {
			const { store, clock } = bed().sandbox;
			const account = bed().newAccount();
			const orders = Array.from({ length: 400 }, (_, index) => {
				const expiresAt = new Date(clock.milliseconds() + (500 - index) * DAY);
				const settings = { payType: 'PRE_PAY_IP', ipBalance: 1, expiresAt } as const;
				return store.addOrder(
					newPrivateProxyOrder(uniqueName('dps'), account, clock.now(), settings),
				);
			});
			return { account, soonestFirst: orders.map(({ orderId }) => orderId).reverse() };
		}

		async function timed(poll: Promise<Polled>): Promise<{ ids: unknown[]; ms: number }> {
			const start = performance.now();
			const ids = orderIds(await poll);
			return { ids, ms: performance.now() - start };
		}

		it('tells all within three polls, the soonest to end first, and none twice', async () => {
			const { account, soonestFirst } = manyOrders();
			const poller = watching('account', account, IPS_BELOW);
			const first = await timed(poller.activate());
			// Nobody waits longer than that for the workflow to be published
			expect(first.ms).toBeLessThanOrEqual(36_000);
			const polls = [first, await timed(nextPoll(poller)), await timed(nextPoll(poller))];
			expect(polls.flatMap(({ ids }) => ids)).toEqual(soonestFirst);
			expect(await nextPoll(poller)).toBeNull();
		});

		it("keeps to the time that n8n's scheduler gives a poll, and goes on where it stopped", async () => {
			const { account, soonestFirst } = manyOrders();
			const poller = watching('account', account, IPS_BELOW);
			const told = [...(await timed(poller.activate())).ids];
			let polls = 0;
			while (told.length < soonestFirst.length) {
				pass(MINUTE);
				const { ids, ms } = await timed(poller.pollInScheduler());
				expect(ms).toBeLessThanOrEqual(36_000);
				told.push(...ids);
				polls += 1;
			}
			// A key pair for each order, at one per second
			expect(polls).toBeLessThan(16);
			expect(told).toEqual(soonestFirst);
			// With the key pairs at hand, one poll reads all
			pass(MINUTE);
			expect(await poller.pollInScheduler()).toBeNull();
			expect(poller.savedState).not.toContain('"next"');
		});
	});

	it('tells each order once where orders come, end, and are renewed between polls, of which one fails', async () => {
		const { store, clock, faults } = bed().sandbox;
		const account = bed().newAccount();
		const inDays = (days: number) => new Date(clock.milliseconds() + days * DAY);
		const add = (days: number) => {
			const settings = { payType: 'PRE_PAY_IP', ipBalance: 1, expiresAt: inDays(days) } as const;
			return store.addOrder(
				newPrivateProxyOrder(uniqueName('dps'), account, clock.now(), settings),
			);
		};
		const orders = Array.from({ length: 40 }, (_, index) => add(index + 2));
		faults.add({ kind: 'delay', ms: 2000, path: API.getipbalance });
		const poller = watching('account', account, IPS_BELOW);
		const told = orderIds(await poller.activate());
		// Those with which the next poll would go on
		const [ended, renewed] = orders.slice(told.length);
		ended.expiresAt = inDays(0);
		renewed.expiresAt = inDays(100);
		orders.push(add(1));
		faults.add({ kind: 'status', status: 502, path: API.getipbalance, times: 3 });
		for (let poll = 0; poll < 8; poll += 1) {
			pass(MINUTE);
			told.push(...orderIds(await poller.pollInScheduler()));
		}
		const expected = orders.filter((order) => order !== ended).map(({ orderId }) => orderId);
		expect([...told].sort()).toEqual(expected.sort());
	});

	it('tells a crossing once where the first poll of the scheduler meets that of the activation', async () => {
		const order = privateOrder(1);
		const poller = watching('account', order.account, IPS_BELOW);
		bed().sandbox.faults.add({ kind: 'delay', ms: 2000, when: 'after', path: LIST, times: 1 });
		const activation = poller.activate();
		await until(() => bed().sandbox.log.count(LIST) > 0);
		await sleep(100);
		const polled = [await poller.pollInScheduler(), await activation];
		expect(polled.flatMap(orderIds)).toEqual([order.orderId]);
		pass(MINUTE);
		expect(await poller.pollInScheduler()).toBeNull();
	});

	it('tells each crossing where n8n saves no poll that found nothing', async () => {
		const order = privateOrder(60);
		const poller = watching('account', order.account, IPS_BELOW);
		expect(await poller.activate()).toBeNull();
		for (const left of [49, 1]) {
			order.ipBalance = left;
			pass(MINUTE);
			expect(jsonOf(await poller.pollInScheduler())).toMatchObject([{ balance: left }]);
			order.ipBalance = 60;
			pass(MINUTE);
			expect(await poller.pollInScheduler()).toBeNull();
		}
	});

	it('refuses an order that has no IP balance', async () => {
		const order = orderFor(bed().newAccount(), DAY);
		const { message, description } = await failureOf(
			watching('order', order, IPS_BELOW).activate(),
		);
		expect(message).toMatch(/has no IP balance/);
		expect(description).toMatch(/pay-per-IP/);
	});
});

describe('Traffic Below', () => {
	const TRAFFIC_BELOW = { event: 'trafficBelow', trafficBelow: 500 };

	function overseasOrder(settings: { flowInGb?: number } = {}) {
		const { store, clock } = bed().sandbox;
		const account = bed().newAccount();
		return store.addOrder(
			newOverseasProxyOrder(uniqueName('fps'), account, clock.now(), {
				flowInGb: 1,
				flowUsedInMb: {},
				...settings,
			}),
		);
	}

	it('without an order, watches each order of the account that is billed by traffic', async () => {
		const { store, clock } = bed().sandbox;
		const order = overseasOrder();
		const { account } = order;
		const monthly = newOverseasProxyOrder(uniqueName('fps'), account, clock.now(), {
			flowInGb: undefined,
			flowUsedInMb: {},
		});
		store.addOrder(monthly);
		orderFor(account, DAY);
		const poller = watching('account', account, TRAFFIC_BELOW);
		expect(await poller.activate()).toBeNull();
		order.flowUsedInMb['2026-01-01'] = 1000;
		expect(jsonOf(await nextPoll(poller))).toMatchObject([
			{
				text: `Overseas Dynamic Proxy order ${order.orderId} has 24 MB of traffic left, below the limit of 500 MB`,
				orderid: order.orderId,
				flow_left: 24,
				below: 500,
			},
		]);
	});

	it('says that an order by the month has no traffic left', async () => {
		const order = overseasOrder({ flowInGb: undefined });
		const { message, description } = await failureOf(
			watching('order', order, TRAFFIC_BELOW).activate(),
		);
		expect(message).toMatch(/does not say how much traffic this order has left/);
		expect(description).toMatch(/billed by the month.*Choose another order/);
	});
});
