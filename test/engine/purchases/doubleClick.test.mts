import type { IDataObject } from 'n8n-workflow';

import { uniqueName } from '../../uniqueName.mts';
import { DAY } from '../../durations.mts';
import { CREATE, Customer, RENEW, textOf, WEEK } from '../support/customer.mts';
import type { RunSettings } from '../support/engine.mts';
import { sleep } from '../support/sleep.mts';
import { useTestBed } from '../support/testBed.mts';
import { ALWAYS, MISSED } from './guardedRenewals.mts';

/* Runs of many purchases, and several runs of one node. What was paid is what the ledger says. */

const bed = useTestBed();

/** Of renewals and of new orders. */
const AUTOMATIC: IDataObject = {
	isAutoRenew: true,
	autoRenewUnit: 'MONTH',
	prepayIsAutoRenew: true,
	prepayAutoRenewUnit: 'MONTH',
};

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

	it.each([0, 590_000])(
		'%i ms later buys nothing, and succeeds with the order of the first',
		async (pauseMs) => {
			const customer = new Customer(bed());
			const [first, second] = await twice(customer, {}, pauseMs);
			expect(customer.paid).toBe(1);
			const [{ orderId }] = customer.payments;
			expect(first.items[0].json).toMatchObject({ orderid: orderId, created: true });
			expect(second.items[0].json).toMatchObject({ orderid: orderId, created: false });
			expect(first.items[0].json).toHaveProperty('purchasedAt');
			// A table of purchases is not to get it once more, without its cost
			expect(second.items[0].json).not.toHaveProperty('purchasedAt');
			expect(second.items[0].json.reason).toMatch(
				/^This node bought it .* ago, in another run started by hand \(order \d+\), so nothing was bought\.$/,
			);
		},
	);

	it.each([
		['paid', []],
		['unclear', [MISSED]],
	])(
		'that only changes to the key pair of the order or of the account buys nothing: %s',
		async (_state, faults) => {
			for (const isOrderFirst of [true, false]) {
				const customer = new Customer(bed());
				const order = customer.tunnel(DAY);
				const fields = { ...WEEK, ...ALWAYS };
				const settings = { id: uniqueName('node') };
				const renew = async (withOrderKey: boolean) => {
					const run = { settings, executionId: uniqueName('execution') };
					return withOrderKey
						? await customer.renew(order, fields, run)
						: await customer.renewByNumber(order, fields, run);
				};
				customer.sandbox.faults.add(...faults);
				const first = await renew(isOrderFirst);
				const second = await renew(!isOrderFirst);
				expect(customer.requests(RENEW)).toHaveLength(1);
				const [text] = [first, second].map(textOf);
				if (faults.length > 0) expect(textOf(second)).toBe(text);
				else expect(second.items[0].json).toMatchObject({ renewed: false, orderid: order.orderId });
			}
		},
	);

	it.each<[string, IDataObject]>([
		['that Kuaidaili notifies', { options: { isNotify: true } }],
		['that no coupon is used', { options: { isCoupon: false } }],
		['what Kuaidaili does by itself', { isAutoRenew: false, prepayIsAutoRenew: false }],
		['to renew the order automatically', AUTOMATIC],
	])('that only adds %s buys nothing', async (_what, changed) => {
		const customer = new Customer(bed());
		const order = customer.tunnel(DAY);
		for (const buy of [
			async (fields: IDataObject, settings: Partial<RunSettings>) =>
				await customer.buy(fields, settings),
			async (fields: IDataObject, settings: Partial<RunSettings>) =>
				await customer.renewByNumber(order, { renewWhen: 'always', ...fields }, settings),
		]) {
			const before = customer.paid;
			const settings = { id: uniqueName('node') };
			const click = async (fields: IDataObject) =>
				await buy(fields, { settings, executionId: uniqueName('execution') });
			const runs = [await click({}), await click(changed), await click({})];
			for (const run of runs) expect(run.error).toBeUndefined();
			for (const { items } of runs.slice(1)) {
				expect(items[0].json.reason).toContain('This node bought it ');
			}
			expect(customer.paid).toBe(before + 1);
		}
	});

	it('says what is unclear, as the first one did', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'cut', when: 'before', path: CREATE, times: 1 });
		const [first, second] = await twice(customer, {}, 2000);
		expect(textOf(first)).toContain('The order may have been placed: ');
		expect(textOf(second)).toContain(String(first.error?.description));
		expect(customer.requests(CREATE)).toHaveLength(1);
	});

	it('fails where the first one was canceled before it could look whether a refusal was one', async () => {
		const customer = new Customer(bed());
		const settings = { id: uniqueName('node') };
		// Done, but refused for the pace, such as the second delivery of a request
		customer.sandbox.faults.add({
			kind: 'code',
			code: -120,
			when: 'after',
			path: CREATE,
			times: 1,
		});
		const cancelWhen = customer.asked(CREATE).then(async () => await sleep(500));
		const click = async (more = {}) =>
			await customer.buy({}, { settings, executionId: uniqueName('execution'), ...more });
		await click({ cancelWhen });
		expect(customer.paid).toBe(1);
		expect(textOf(await click())).toContain('The order may have been placed: ');
		expect(customer.paid).toBe(1);
	});

	it('fails, and is not filed under Canceled, where the first one was canceled on its way', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'hang', when: 'after', path: CREATE, times: 1 });
		const settings = { id: uniqueName('node') };
		const click = async (cancelWhen?: Promise<unknown>) =>
			await customer.buy({}, { settings, cancelWhen, executionId: uniqueName('execution') });
		const first = await click(customer.asked(CREATE));
		expect(first.status).toBe('canceled');
		const second = await click();
		expect(second.status).toBe('error');
		expect(textOf(second)).toContain('The order may have been placed: The execution was stopped');
		expect(customer.requests(CREATE)).toHaveLength(1);
	});

	it('gives each item its own order, and buys what the first run did not', async () => {
		const customer = new Customer(bed());
		const settings = { id: uniqueName('node') };
		const click = async (count: number) =>
			await customer.buy(
				{ options: { maxOrdersPerRun: 3 } },
				{
					settings,
					items: Array.from({ length: count }, () => ({})),
					executionId: uniqueName('execution'),
				},
			);
		await click(2);
		const { items } = await click(3);
		expect(items.map(({ json }) => json.created)).toEqual([false, false, true]);
		expect(new Set(items.map(({ json }) => json.orderid)).size).toBe(3);
		expect(customer.paid).toBe(3);
	});

	it('buys nothing with Retry On Fail, either', async () => {
		const customer = new Customer(bed());
		const settings = {
			id: uniqueName('node'),
			retryOnFail: true,
			maxTries: 2,
			waitBetweenTries: 1,
		};
		const other = { options: { maxOrdersPerRun: 2 } };
		await customer.buy(other, { settings, executionId: uniqueName('execution') });
		customer.sandbox.faults.add({ kind: 'code', code: -4, path: CREATE, times: 1 });
		const { items } = await customer.buy(other, {
			settings,
			items: [{}, {}],
			executionId: uniqueName('execution'),
		});
		expect(items.map(({ json }) => json.created)).toEqual([false, true]);
		expect(customer.paid).toBe(2);
	});

	it('is none after more than 10 minutes', async () => {
		const customer = new Customer(bed());
		const results = await twice(customer, {}, 640_000);
		expect(results.map(({ items }) => items[0].json.created)).toEqual([true, true]);
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
});
