import type { IDataObject } from 'n8n-workflow';

import { DAY } from '../../durations.mts';
import { uniqueName } from '../../uniqueName.mts';
import {
	BALANCE,
	CREATE,
	Customer,
	elsewhere,
	records,
	textOf,
	WEEK,
	WEEK_ALWAYS,
} from '../support/customer.mts';
import { useTestBed } from '../support/testBed.mts';

/* What purchases cost, by the ledger of the sandbox. */

const bed = useTestBed();

/** What a record says of its costs. */
function reportOf({ balanceBefore, balanceAfter, cost }: IDataObject): IDataObject {
	return { balanceBefore, balanceAfter, cost };
}

/** The same by the ledger, in the order of the purchases. */
function paidBy({ payments }: Customer): IDataObject[] {
	return payments.map(({ amountInFen, balanceInFen }) => ({
		balanceBefore: (balanceInFen + amountInFen) / 100,
		balanceAfter: balanceInFen / 100,
		cost: amountInFen / 100,
	}));
}

const NO_REPORT = { balanceBefore: undefined, balanceAfter: undefined, cost: undefined };

const MAY_SHOW_ANOTHER =
	"Not every purchase has its 'cost', because the balance may also show another purchase, made at nearly the same time. The purchases are not affected.";

describe('The cost of a purchase', () => {
	it('stands in the output of new orders, with one balance more than orders', async () => {
		const customer = new Customer(bed(), { balanceInFen: 620_80 });
		const { error, items } = await customer.buy({}, { items: [{}, {}, {}] });
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => reportOf(json))).toEqual(paidBy(customer));
		expect(customer.paid).toBe(3);
		expect(customer.requests(BALANCE)).toHaveLength(4);
	});

	it('stands in the output of renewals and top-ups of every kind', async () => {
		const customer = new Customer(bed());
		const results = [
			await customer.renewByNumber(customer.tunnel(DAY), WEEK_ALWAYS),
			await customer.renewByNumber(customer.tunnel(DAY), { ...WEEK, renewalOf: 'prepaid' }),
			await customer.renewByNumber(customer.perIp(5), {
				renewalOf: 'perIp',
				balanceBelow: 100,
				dpsIpCount: 3000,
			}),
			await customer.renewByNumber(customer.overseas(5), { renewalOf: 'traffic' }),
		];
		for (const { error } of results) expect(error).toBeUndefined();
		expect(results.flatMap(records).map(reportOf)).toEqual(paidBy(customer));
		expect(customer.paid).toBe(4);
	});

	it('is told of an order whose answer was lost', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'cut', when: 'after', path: CREATE, times: 1 });
		const [record] = records(await customer.buy());
		expect(record).toMatchObject({ created: true, verified: true, ...paidBy(customer)[0] });
	});

	it('is not told where nothing was bought', async () => {
		const customer = new Customer(bed());
		const settings = { id: uniqueName('node') };
		const click = async (fields = {}) =>
			records(await customer.buy(fields, { settings, executionId: uniqueName('execution') }))[0];
		const [first, second] = [await click(), await click()];
		expect([first.created, second.created]).toEqual([true, false]);
		expect(reportOf(second)).toEqual(NO_REPORT);
		const enough = await click({ createWhen: 'fewerThan', fewerThan: 1, prepayTimeNumber: 2 });
		expect(enough).toMatchObject({ created: false });
		expect(reportOf(enough)).toEqual(NO_REPORT);
		expect(customer.requests(BALANCE)).toHaveLength(2);
	});

	it('is not asked for without purchases, or where it is switched off', async () => {
		const customer = new Customer(bed());
		const due = customer.tunnel(DAY);
		await customer.renewByNumber(customer.tunnel(30 * DAY), { ...WEEK, renewalOf: 'prepaid' });
		await customer.buy({ options: { dryRun: true, reportCost: false } });
		const bought = await customer.buy({ options: { reportCost: false } });
		expect(reportOf(records(bought)[0])).toEqual(NO_REPORT);
		const renewed = await customer.renew(due, { ...WEEK_ALWAYS, options: { reportCost: true } });
		expect(records(renewed)[0].renewed).toBe(true);
		expect(reportOf(records(renewed)[0])).toEqual(NO_REPORT);
		expect(customer.requests(BALANCE)).toEqual([]);
	});

	it('is told of each where several executions buy at once: they do so one after the other', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'delay', ms: 5000, when: 'before', path: CREATE });
		const buy = async () => await customer.buy({}, elsewhere());
		const results = await Promise.all([buy(), buy(), buy()]);
		const shown = results.flatMap(records).map(reportOf);
		const byBalance = (a: IDataObject, b: IDataObject) =>
			Number(b.balanceBefore) - Number(a.balanceBefore);
		expect(shown.sort(byBalance)).toEqual(paidBy(customer));
		expect(results.flatMap(({ hints }) => hints)).toEqual([]);
	});

	it('is not told, but explained, while an earlier purchase is unclear', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'cut', when: 'before', path: CREATE, times: 1 });
		expect(textOf(await customer.buy())).toContain('The order may have been placed');
		const { items, hints } = await customer.buy({ prepayTimeNumber: 2 });
		expect(customer.paid).toBe(1);
		expect(reportOf(items[0].json)).toEqual({ ...paidBy(customer)[0], cost: undefined });
		expect(hints.map(({ message }) => message)).toEqual([MAY_SHOW_ANOTHER]);
	});

	it('is not told where somebody topped up the account', async () => {
		const customer = new Customer(bed());
		const running = customer.buy();
		await customer.asked(CREATE);
		customer.account.balanceInFen += 5000_00;
		const [record] = records(await running);
		expect(record).toMatchObject({ created: true });
		expect(record.cost).toBeUndefined();
	});

	it('is not told, but explained, where the balance does not show it', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'cache', path: BALANCE, times: 2 });
		const result = await customer.buy({}, { items: [{}, {}, {}] });
		expect(customer.paid).toBe(3);
		const costs = records(result).map(({ cost }) => cost);
		// The others could include what the first one cost
		expect(costs).toEqual([undefined, undefined, undefined]);
		expect(result.hints.map(({ message }) => message).join(' ')).toContain(
			'because the balance was not lower afterwards',
		);
	});

	it.each([
		['a refusal', { kind: 'code', code: -109 }],
		['a cut connection', { kind: 'cut' }],
		['silence', { kind: 'delay', ms: 25_000, when: 'before' }],
		['no number', { kind: 'raw', body: '{"code":0,"msg":"","data":{"balance":"much"}}' }],
	] as const)('is missing where the balance is %s, and nothing else', async (_how, fault) => {
		bed().sandbox.faults.add({ ...fault, path: BALANCE });
		const customer = new Customer(bed());
		const begin = performance.now();
		const result = await customer.buy({}, { items: [{}, {}, {}, {}] });
		expect(result.error).toBeUndefined();
		expect(customer.paid).toBe(4);
		for (const record of records(result)) {
			expect(record).toMatchObject({ created: true });
			expect(reportOf(record)).toEqual(NO_REPORT);
		}
		expect(result.hints.map(({ message }) => message).join(' ')).toContain(
			'because the account balance could not be read',
		);
		expect(performance.now() - begin).toBeLessThan(22_000);
	});
});
