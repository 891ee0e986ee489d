import type { IDataObject } from 'n8n-workflow';

import { DAY, HOUR, MINUTE } from '../../durations.mts';
import { uniqueName } from '../../uniqueName.mts';
import { moveDate, resetDate } from '../../virtualTime.mts';
import { API } from '../support/api.mts';
import { records, textOf } from '../support/results.mts';
import { CONTINUE_WITH_ERRORS, scheduled } from '../support/runSettings.mts';
import { sleep } from '../support/sleep.mts';
import { useWorkbench } from '../support/workbench.mts';
import { ALWAYS } from './guardedRenewals.mts';

/* A run that a person repeats or repairs by hand: each item gets its own order, and never that of another item. */

const { customer } = useWorkbench({ rateLimits: false });
afterEach(resetDate);

const CUSTOMERS = ['a', 'b', 'c', 'd'].map((name) => ({ name }));
const FOUR = { options: { maxOrdersPerRun: 4 } };

/** Executions of one node: by a schedule, or by hand. */
function oneNode() {
	const settings = { id: uniqueName('node') };
	const executionId = () => uniqueName('execution');
	return {
		bySchedule: async (items: IDataObject[], more = {}) =>
			await customer.buy(FOUR, {
				items,
				...scheduled(),
				settings: { ...settings, ...more },
			}),
		byHand: async (items: IDataObject[]) =>
			await customer.buy(FOUR, { items, settings, executionId: executionId() }),
	};
}

/** The third purchase is refused, because the account is empty. */
async function refuseThird() {
	await customer.asked(API.createorder, 2);
	customer.sandbox.faults.add({ kind: 'code', code: -4, path: API.createorder, times: 1 });
}

const placed = () => customer.payments.map(({ orderId }) => orderId);

describe('After a run of a schedule whose third order was refused', () => {
	it.each([0, 4 * 60_000, 20 * 60_000])(
		'the third and the fourth are bought by hand, %i ms later',
		async (pauseMs) => {
			const { bySchedule, byHand } = oneNode();
			void refuseThird();
			const failed = await bySchedule(CUSTOMERS);
			expect(failed.error?.context?.itemIndex).toBe(2);
			await sleep(pauseMs);
			const repaired = await byHand(CUSTOMERS.slice(2));
			expect(repaired.error).toBeUndefined();
			expect(customer.paid).toBe(4);
			expect(records(repaired).map((record) => record.created)).toEqual([true, true]);
			expect(records(repaired).map(({ orderid }) => orderid)).toEqual(placed().slice(2));
			expect(failed.error?.description).toContain('Not tried: item 3.');
			expect(failed.error?.description).toContain('Leave the items that were bought out');
		},
	);

	it('a run of all four by hand gives the first two theirs, and buys the others', async () => {
		const { bySchedule, byHand } = oneNode();
		void refuseThird();
		await bySchedule(CUSTOMERS);
		const repaired = await byHand(CUSTOMERS);
		expect(records(repaired).map((record) => record.created)).toEqual([false, false, true, true]);
		expect(records(repaired).map(({ orderid }) => orderid)).toEqual(placed());
		expect(customer.paid).toBe(4);
	});

	it('the error output, fed into a click, is bought', async () => {
		const { bySchedule, byHand } = oneNode();
		void refuseThird();
		const { errorItems } = await bySchedule(CUSTOMERS, CONTINUE_WITH_ERRORS);
		expect(errorItems).toHaveLength(1);
		expect(errorItems[0].json).toHaveProperty('error');
		const repaired = await byHand(errorItems.map(({ json }) => json));
		expect(records(repaired)[0]).toMatchObject({ created: true, orderid: placed().at(-1) });
		expect(customer.paid).toBe(4);
	});
});

describe('Another item with the same goods', () => {
	it('is an error for longer where the date is set back', async () => {
		const { byHand } = oneNode();
		await byHand([{ name: 'a' }]);
		moveDate(-HOUR);
		await sleep(11 * MINUTE);
		expect(textOf(await byHand([{ name: 'b' }]))).toMatch(/bought the same .* run it again after/s);
		expect(customer.paid).toBe(1);
	});

	it('is bought where a limit held it back, once that is raised', async () => {
		const settings = { id: uniqueName('node') };
		const click = async (maxCostPerRun: number) => {
			const options = { maxOrdersPerRun: 2, maxCostPerRun, expectedCost: 6 };
			const items = CUSTOMERS.slice(0, 2);
			return await customer.buy(
				{ options },
				{ items, settings, executionId: uniqueName('execution') },
			);
		};
		expect((await click(8)).error?.context?.itemIndex).toBe(1);
		expect(records(await click(20)).map((record) => record.created)).toEqual([false, true]);
		expect(customer.paid).toBe(2);
	});

	it('gets an order of its own in the same run, and in the same loop', async () => {
		const { byHand } = oneNode();
		expect(records(await byHand(CUSTOMERS)).map((record) => record.created)).toEqual([
			true,
			true,
			true,
			true,
		]);
		const loop = await customer.buy(FOUR, { runs: 3, executionId: uniqueName('execution') });
		expect(loop.itemsOfRuns.flat().map(({ json }) => json.created)).toEqual([true, true, true]);
	});
});

describe('One order with two durations', () => {
	const items = [{ weeks: 1 }, { weeks: 2 }];
	const fields = { timeType: 'WEEK', timeNumber: '={{ $json.weeks }}', ...ALWAYS };

	it('is renewed once by two clicks', async () => {
		const order = customer.tunnel(30 * DAY);
		const settings = { id: uniqueName('node') };
		const click = async () =>
			await customer.renewByNumber(order, fields, {
				items,
				settings,
				executionId: uniqueName('execution'),
			});
		const renewed = [...records(await click()), ...records(await click())];
		expect(renewed.map((record) => record.renewed)).toEqual([true, false, false, false]);
		expect(customer.paid).toBe(1);
	});
});
