import type { IDataObject } from 'n8n-workflow';

import { uniqueName } from '../../uniqueName.mts';
import { DAY } from '../../durations.mts';
import { CREATE, Customer, RENEW, textOf, WEEK } from '../support/customer.mts';
import type { RunSettings } from '../support/engine.mts';
import { useTestBed } from '../support/testBed.mts';

/* Runs of many purchases, and several runs of one node. What was paid is what the ledger says. */

const bed = useTestBed();

describe('A double click on Execute step', () => {
	const twice = async (
		customer: Customer,
		fields: IDataObject,
		pauseMs: number,
		others: Partial<RunSettings> = {},
	) => {
		const settings = { id: uniqueName('node') };
		const first = customer.buy(fields, { settings, executionId: uniqueName('execution') });
		await new Promise((resolve) => setTimeout(resolve, pauseMs));
		const second = customer.buy(fields, {
			settings,
			executionId: uniqueName('execution'),
			...others,
		});
		return await Promise.all([first, second]);
	};

	it.each([0, 200, 5000, 9000])(
		'%i ms later buys nothing, and names the order',
		async (pauseMs) => {
			const customer = new Customer(bed());
			const [first, second] = await twice(customer, {}, pauseMs);
			expect(customer.paid).toBe(1);
			expect(first.error).toBeUndefined();
			expect(second.error?.message).toMatch(
				new RegExp(
					`^This node bought the same \\d+ seconds? ago: order ${customer.payments[0].orderId}, `,
				),
			);
			expect(second.error?.description).toContain('Nothing was bought this time.');
		},
	);

	it('is none after 12 seconds', async () => {
		const customer = new Customer(bed());
		const results = await twice(customer, {}, 12_000);
		expect(results.map(({ error }) => error)).toEqual([undefined, undefined]);
		expect(customer.paid).toBe(2);
	});

	it('is none for another order, nor for another node', async () => {
		const customer = new Customer(bed());
		const results = [
			await customer.buy({ tpsMaxRps: 5 }, { executionId: '1', settings: { id: 'a' } }),
			await customer.buy({ tpsMaxRps: 6 }, { executionId: '2', settings: { id: 'a' } }),
			await customer.buy({ tpsMaxRps: 5 }, { executionId: '3', settings: { id: 'b' } }),
		];
		expect(results.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
		expect(customer.paid).toBe(3);
	});

	it('is none after a purchase that was refused', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'code', code: -4, path: CREATE, times: 1 });
		const [first, second] = await twice(customer, {}, 2000);
		expect(first.error).toBeDefined();
		expect(second.error).toBeUndefined();
		expect(customer.paid).toBe(1);
	});

	it('renews once, too', async () => {
		const customer = new Customer(bed());
		const order = customer.tunnel(DAY);
		const settings = { id: uniqueName('node') };
		const fields = { ...WEEK, renewWhen: 'always' };
		await customer.renew(order, fields, { settings, executionId: '1' });
		const again = await customer.renew(order, fields, { settings, executionId: '2' });
		expect(textOf(again)).toContain(`renewal of order ${order.orderId}`);
		expect(customer.requests(RENEW)).toHaveLength(1);
		expect(customer.paid).toBe(1);
	});
});
