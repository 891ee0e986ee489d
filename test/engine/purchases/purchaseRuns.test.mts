import type { IDataObject } from 'n8n-workflow';

import { addManyOrders, type Fault } from '../../../sandbox/sandbox.mts';
import { uniqueName } from '../../uniqueName.mts';
import { DAY, HOUR, MINUTE } from '../../durations.mts';
import {
	CREATE,
	Customer,
	EXPIRY,
	KEY_PAIR,
	LIST,
	records,
	textOf,
	WEEK,
} from '../support/customer.mts';
import type { RunResult } from '../support/engine.mts';
import { n8nLogger } from '../support/n8nLogger.mts';
import { CONTINUE } from '../support/nodeSettings.mts';
import { useTestBed } from '../support/testBed.mts';

/* Runs of many purchases, and several runs of one node. What was paid is what the ledger says. */

const bed = useTestBed();

const BY_ITEM: IDataObject = {
	orderid: { __rl: true, mode: 'code', value: '={{ $json.orderid }}' },
};

/** What the list of orders and the trigger put out. */
async function listed(customer: Customer): Promise<IDataObject[]> {
	const result = await customer.list();
	return records(result).map((record) => ({ ...record }));
}

function hintsOf({ hints }: RunResult): string {
	return hints.map(({ message }) => message).join(' ');
}

describe("Renew with 'Max Orders per Run'", () => {
	it('renews so many, those that end first, and says of the others that the limit was reached', async () => {
		const customer = new Customer(bed());
		const hours = [40, 10, 50, 20, 30];
		const orders = hours.map((left) => customer.tunnel(left * HOUR));
		const byNumber = new Map((await listed(customer)).map((item) => [item.orderid, item]));
		const items = orders.map(({ orderId }) => byNumber.get(orderId) ?? {});
		const result = await customer.renewByNumber(
			orders[0],
			{ ...BY_ITEM, ...WEEK, options: { maxOrdersPerRun: 2 } },
			{ items },
		);
		expect(customer.payments.map(({ orderId }) => orderId)).toEqual([
			orders[1].orderId,
			orders[3].orderId,
		]);
		const reason = "'Max Orders per Run' allows 2, and this execution has made 2";
		// In the order of the input
		expect(records(result)).toMatchObject([
			{ renewed: false, reason },
			{ orderid: orders[1].orderId, renewed: true },
			{ renewed: false, reason },
			{ orderid: orders[3].orderId, renewed: true },
			{ renewed: false, reason },
		]);
		expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual(
			orders.map((_order, item) => ({ item })),
		);
	});

	it('does not count orders that need no renewal', async () => {
		const customer = new Customer(bed());
		const orders = [30, 1, 30, 2, 30].map((days) => customer.tunnel(days * DAY));
		const result = await customer.renewByNumber(
			orders[0],
			{ ...BY_ITEM, ...WEEK, options: { maxOrdersPerRun: 2 } },
			{ items: orders.map(({ orderId: orderid }) => ({ orderid })) },
		);
		expect(result.error).toBeUndefined();
		expect(records(result).map(({ renewed }) => renewed)).toEqual([
			false,
			true,
			false,
			true,
			false,
		]);
	});

	it('allows 10 by itself', async () => {
		const customer = new Customer(bed());
		const orders = Array.from({ length: 11 }, () => customer.tunnel(DAY));
		const items = orders.map(({ orderId: orderid }) => ({ orderid }));
		const result = await customer.renewByNumber(orders[0], { ...BY_ITEM, ...WEEK }, { items });
		expect(customer.paid).toBe(10);
		expect(result.error).toBeUndefined();
		expect(records(result).map(({ renewed }) => renewed)).toEqual(
			items.map((_item, index) => index < 10),
		);
		expect(hintsOf(result)).toContain(`(${orders[10].orderId}): 'Max Orders per Run' allows 10`);
	});
});

describe('Renew for 200 orders of an account', () => {
	/** Of which so many expire within the three days. */
	function ordersOf(customer: Customer, expiring: number): IDataObject[] {
		const { store, clock } = customer.sandbox;
		const now = clock.now();
		const sorts = ['tps'] as const;
		const orders = [
			...addManyOrders(store, customer.account, now, {
				count: 200 - expiring,
				fromDay: 4,
				toDay: 60,
				sorts,
			}),
			...addManyOrders(store, customer.account, now, {
				count: expiring,
				fromDay: 1,
				toDay: 2,
				sorts,
			}),
		];
		return orders.map(({ orderId: orderid }) => ({ orderid }));
	}

	it('makes one call when none of them expires', async () => {
		const customer = new Customer(bed());
		const items = ordersOf(customer, 0);
		const result = await customer.renewByNumber(
			customer.tunnel(DAY),
			{ ...BY_ITEM, ...WEEK },
			{ items },
		);
		expect(records(result)).toHaveLength(200);
		expect(records(result).every(({ renewed }) => renewed === false)).toBe(true);
		expect(customer.calls).toEqual([LIST]);
	});

	it('makes one call, three for each of the ten that expire, and eleven for balances, as fast as their key pairs come', async () => {
		const customer = new Customer(bed());
		const items = ordersOf(customer, 10);
		const begin = performance.now();
		const result = await customer.renewByNumber(
			customer.tunnel(DAY),
			{ ...BY_ITEM, ...WEEK },
			{ items },
		);
		const took = performance.now() - begin;
		expect(records(result).filter(({ renewed }) => renewed === true)).toHaveLength(10);
		expect(customer.paid).toBe(10);
		expect(customer.calls).toHaveLength(1 + 3 * 10 + 11);
		expect(customer.requests(KEY_PAIR)).toHaveLength(10);
		expect(customer.requests(EXPIRY)).toHaveLength(10);
		expect(took).toBeLessThan(10 * 1050 + 500);
	});

	it('says how many are beyond the limit, and when the first of them ends', async () => {
		const customer = new Customer(bed());
		const minutes = Array.from({ length: 60 }, (_none, index) => (index * 7) % 60);
		for (const left of minutes) customer.tunnel(20 * HOUR + left * MINUTE);
		const items = await listed(customer);
		const result = await customer.renewAll(
			{ ...BY_ITEM, ...WEEK, options: { maxOrdersPerRun: 20 } },
			{ items },
		);
		expect(result.error).toBeUndefined();
		expect(customer.paid).toBe(20);
		const left = (id: unknown) =>
			Number(items.find(({ orderid }) => orderid === id)?.secondsLeft) - (20 * HOUR) / 1000;
		const renewed = customer.payments.map(({ orderId }) => left(orderId));
		expect(Math.max(...renewed)).toBeLessThanOrEqual((20 * MINUTE) / 1000);
		const [, first = ''] =
			/40 orders were not renewed because of a limit.* Order (\d+) ends at /.exec(
				hintsOf(result),
			) ?? [];
		expect(left(first)).toBeGreaterThan((19 * MINUTE) / 1000);
		expect(left(first)).toBeLessThanOrEqual((20 * MINUTE) / 1000);
		// The next run of the morning goes on where this one ended
		const rest = await customer.renewAll(
			{ ...BY_ITEM, ...WEEK, options: { maxOrdersPerRun: 200 } },
			{ items: await listed(customer) },
		);
		expect(rest.error).toBeUndefined();
		expect(customer.paid).toBe(60);
		expect(new Set(customer.payments.map(({ orderId }) => orderId)).size).toBe(60);
	});

	it('reads the list once for orders that come from an earlier one, which may be old', async () => {
		const customer = new Customer(bed());
		ordersOf(customer, 10);
		const items = (await listed(customer)).slice(0, 10);
		const before = customer.calls.length;
		const result = await customer.renewByNumber(
			customer.tunnel(DAY),
			{ ...BY_ITEM, ...WEEK },
			{ items },
		);
		expect(records(result).every(({ renewed }) => renewed === true)).toBe(true);
		expect(customer.paid).toBe(10);
		expect(customer.calls.slice(before)).toHaveLength(1 + 3 * 10 + 11);
		expect(customer.requests(LIST)).toHaveLength(2);
	});

	it('renews by what the service says now, not by an old item', async () => {
		const customer = new Customer(bed());
		const [renewedSince, expiresNow] = [customer.tunnel(DAY), customer.tunnel(30 * DAY)];
		const items = await listed(customer);
		const now = customer.sandbox.clock.now().getTime();
		renewedSince.expiresAt = new Date(now + 30 * DAY);
		expiresNow.expiresAt = new Date(now + DAY);
		const result = await customer.renewByNumber(renewedSince, { ...BY_ITEM, ...WEEK }, { items });
		expect(records(result).map(({ orderid, renewed }) => [orderid, renewed])).toEqual([
			[renewedSince.orderId, false],
			[expiresNow.orderId, true],
		]);
		expect(customer.payments.map(({ orderId }) => orderId)).toEqual([expiresNow.orderId]);
	});

	it('asks each order by itself where the list cannot be read', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'code', code: -108, path: LIST });
		const orders = [customer.tunnel(DAY), customer.tunnel(30 * DAY)];
		const items = orders.map(({ orderId: orderid }) => ({ orderid }));
		const result = await customer.renewByNumber(orders[0], { ...BY_ITEM, ...WEEK }, { items });
		expect(records(result).map(({ renewed }) => renewed)).toEqual([true, false]);
	});
});

describe('A run that is cancelled', () => {
	const MISSED: Fault = { kind: 'cut', when: 'before', path: CREATE, times: 1 };

	it('names what is paid and what is unclear in the log, and in a hint of the next run', async () => {
		const customer = new Customer(bed());
		const settings = { ...CONTINUE, id: uniqueName('node') };
		customer.sandbox.faults.add(MISSED);
		const log = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
		const second = customer.asked(CREATE, 2).then(async () => {
			while (customer.paid < 1) await new Promise((resolve) => setTimeout(resolve, 10));
		});
		await customer.buy({}, { items: [{}, {}, {}, {}], settings, cancelWhen: second });
		const logged = log.mock.calls.map(([text]) => text).join('');
		log.mockRestore();
		const [{ orderId }] = customer.payments;
		expect(logged).toContain(orderId);
		expect(logged).toMatch(
			/May have been bought in this run: Tunnel Proxy \(TPS\), Prepaid, sent at \S+.* \(item 0\)/,
		);

		customer.sandbox.faults.clear();
		const [hint, ...more] = (await customer.buy({}, { settings })).hints;
		expect(more).toEqual([]);
		expect(hint.message).toMatch(
			/^A run of this node was canceled at \d{4}-\S+ \S+ \(\S+; \d{4}-\S+ \S+ in China\)\. /,
		);
		expect(hint.message).toContain(`order ${orderId}`);
		expect(hint.message).toContain('May have been bought in that run: ');
		// Once
		expect((await customer.buy({}, { settings })).hints).toEqual(more);
	});

	it('is told of by the first run that is not cancelled as well', async () => {
		const customer = new Customer(bed());
		const settings = { id: uniqueName('node') };
		const click = async (tpsMaxRps: number, cancelWhen?: Promise<unknown>) =>
			await customer.buy(
				{ tpsMaxRps },
				{ settings, cancelWhen, executionId: uniqueName('execution') },
			);
		const log = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
		const paid = customer.asked(CREATE).then(async () => {
			customer.sandbox.faults.add({ kind: 'hang', path: LIST });
			await customer.asked(LIST, 2);
		});
		await click(5, paid);
		await click(6, customer.asked(LIST, 3));
		log.mockRestore();
		expect(customer.paid).toBe(1);
		customer.sandbox.faults.clear();
		const [hint] = (await click(5)).hints;
		expect(hint.message).toMatch(
			/^A run of this node was canceled at \d{4}-\S+ \S+ \(\S+; \d{4}-\S+ \S+ in China\)\. /,
		);
		expect(hint.message).toContain(`order ${customer.payments[0].orderId}`);
	});

	it('is told of by a next run that fails, too', async () => {
		const customer = new Customer(bed());
		const settings = { id: uniqueName('node') };
		const log = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
		const paid = customer.asked(CREATE).then(async () => {
			customer.sandbox.faults.add({ kind: 'hang', path: LIST });
			await customer.asked(LIST, 2);
		});
		await customer.buy({}, { settings, cancelWhen: paid });
		log.mockRestore();
		customer.sandbox.faults.clear();
		const failed = await customer.buy({ tpsMaxRps: 4 }, { settings });
		expect(textOf(failed)).toMatch(
			/A run of this node was canceled at \S+ \S+ \(.* in China\)\. .*in that run: order /,
		);
		expect(textOf(failed)).toContain(customer.payments[0].orderId);
	});

	it('leaves no hint for other nodes, nor where nothing was bought', async () => {
		const customer = new Customer(bed());
		const settings = { id: uniqueName('node') };
		const log = jest.spyOn(n8nLogger, 'warn').mockReturnValue();
		customer.sandbox.faults.add({ kind: 'hang', path: LIST, times: 1 });
		await customer.buy({}, { settings, cancelWhen: customer.asked(LIST) });
		log.mockRestore();
		expect(customer.paid).toBe(0);
		expect((await customer.buy({}, { settings })).hints).toEqual([]);
	});
});
