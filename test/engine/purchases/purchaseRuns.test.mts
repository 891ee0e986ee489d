import type { IDataObject } from 'n8n-workflow';

import { addManyOrders, type Fault } from '../../../sandbox/sandbox.mts';
import { uniqueName } from '../../uniqueName.mts';
import { DAY, HOUR } from '../../durations.mts';
import { CREATE, Customer, EXPIRY, KEY_PAIR, LIST, records, WEEK } from '../support/customer.mts';
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

describe("Renew with 'Max Orders per Execution'", () => {
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
		const reason = "'Max Orders per Execution' allows 2, and this execution has made 2";
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
