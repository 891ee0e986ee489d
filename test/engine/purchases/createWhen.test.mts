import { uniqueName } from '../../uniqueName.mts';
import { DAY } from '../../durations.mts';
import { CREATE, Customer, elsewhere, LIST, records, WEEK } from '../support/customer.mts';
import { CONTINUE } from '../support/nodeSettings.mts';
import { sleep } from '../support/sleep.mts';
import { useTestBed } from '../support/testBed.mts';

/* Purchases that are made only where something is missing, or not at all. */

const bed = useTestBed();

const FEWER = { createWhen: 'fewerThan', fewerThan: 1 };

describe('Only If Fewer Active Orders Than', () => {
	it('orders once, however often the workflow runs', async () => {
		const customer = new Customer(bed());
		const [first, second] = [await customer.buy(FEWER), await customer.buy(FEWER)];
		const [{ orderId }] = customer.payments;
		expect(records(first)[0]).toMatchObject({ orderid: orderId, created: true });
		expect(records(second)[0]).toMatchObject({ orderid: orderId, created: false });
		expect(records(second)[0].reason).toContain('has 1 active order of this kind');
		expect(customer.paid).toBe(1);
	});

	it('orders once for all items of a run', async () => {
		const customer = new Customer(bed());
		const fields = { ...FEWER, fewerThan: 2, options: { maxOrdersPerRun: 3 } };
		const result = await customer.buy(fields, { items: [{}, {}, {}] });
		expect(records(result).map(({ created }) => created)).toEqual([true, true, false]);
		expect(customer.paid).toBe(2);
	});

	it('counts orders of its own that the list does not show yet, in the run and in later ones', async () => {
		const customer = new Customer(bed());
		const listed = customer.tunnel(30 * DAY).orderId;
		customer.sandbox.faults.add({ kind: 'cache', path: LIST });
		const fields = { ...FEWER, fewerThan: 2, options: { maxOrdersPerRun: 3 } };
		const [first, second] = records(await customer.buy(fields, { items: [{}, {}] }));
		const [{ orderId }] = customer.payments;
		expect(first).toMatchObject({ orderid: orderId, created: true });
		expect(second).toMatchObject({ orderid: listed, created: false });
		expect(second.reason).toMatch(
			/^The account has 2 active orders of this kind, not fewer than 2, /,
		);
		const later = async (more = {}) =>
			records(await customer.buy({ ...fields, ...more }, elsewhere()));
		expect(await later()).toMatchObject([{ created: false }]);
		expect(await later({ options: { dryRun: true } })).toMatchObject([{ wouldCreate: false }]);
		expect(customer.paid).toBe(1);

		const three = { fewerThan: 3, options: { dryRun: true, maxOrdersPerRun: 3 } };
		const dry = await customer.buy({ ...fields, ...three }, { items: [{}, {}] });
		expect(records(dry).map(({ wouldCreate }) => wouldCreate)).toEqual([true, false]);
		expect(await later({ fewerThan: 3 })).toMatchObject([{ created: true }]);
		expect(customer.paid).toBe(2);
	});

	it('names its own order where the list shows none, for 10 minutes', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'cache', path: LIST });
		const buy = async () => records(await customer.buy(FEWER, elsewhere()))[0];
		const { orderid } = await buy();
		expect(await buy()).toMatchObject({ orderid, created: false, product: 'TPS' });
		await sleep(601_000);
		expect(await buy()).toMatchObject({ created: true });
		expect(customer.paid).toBe(2);
	});

	it('counts no order of another product or pay type, nor one that has ended', async () => {
		const customer = new Customer(bed());
		customer.perIp(5);
		customer.tunnel(-DAY, { status: 'EXPIRED' });
		expect(records(await customer.buy(FEWER))[0].created).toBe(true);
		expect(customer.paid).toBe(1);
	});

	it('orders nothing more after an unclear order of the kind, whatever its duration', async () => {
		const customer = new Customer(bed());
		customer.sandbox.faults.add({ kind: 'cut', when: 'after', path: CREATE, times: 1 });
		const body = JSON.stringify({ code: 0, msg: '', data: [] });
		customer.sandbox.faults.add({ kind: 'raw', path: LIST, body });
		const fields = { ...FEWER, prepayTimeNumber: '={{ $json.days }}' };
		const items = [{ days: 1 }, { days: 2 }];
		const result = await customer.buy(fields, { items, settings: CONTINUE });
		for (const { error } of records(result)) {
			expect(error).toContain('The order may have been placed');
		}
		expect(customer.requests(CREATE)).toHaveLength(1);
	});
});

it('an order without a product is refused before anything is sent', async () => {
	const customer = new Customer(bed());
	const result = await bed().engine.run({
		credentialId: bed().addCredential(customer.account.keys, { keyType: 'account' }),
		parameters: { resource: 'order', operation: 'create' },
	});
	expect(result.error?.message).toContain("'Product' is empty");
	expect(customer.calls).toEqual([]);
});

describe('Dry Run', () => {
	const DRY = { options: { dryRun: true, maxOrdersPerRun: 2 } };

	it('counts what earlier items would buy', async () => {
		const customer = new Customer(bed());
		const due = { orderid: customer.tunnel(DAY).orderId };
		const orderid = { __rl: true, mode: 'code', value: '={{ $json.orderid }}' };
		const twice = { items: [due, due] };
		const fields = { orderid, ...WEEK };
		const dry = records(await customer.renewAll({ ...fields, ...DRY }, twice));
		expect(dry).toMatchObject([{ wouldRenew: true }, { ...due, wouldRenew: false }]);
		expect(dry[1].reason).toContain('Item 0 of this execution renewed the order');
		const real = records(await customer.renewAll(fields, twice));
		expect(real.map(({ renewed }) => renewed)).toEqual(dry.map(({ wouldRenew }) => wouldRenew));

		const other = new Customer(bed());
		const missing = { ...FEWER, fewerThan: 2 };
		const three = { items: [{}, {}, {}] };
		const options = { dryRun: true, maxOrdersPerRun: 3 };
		const orders = records(await other.buy({ ...missing, options }, three));
		expect(orders.map(({ wouldCreate }) => wouldCreate)).toEqual([true, true, false]);
		expect(other.paid).toBe(0);
	});

	it('says that a manual run would not buy the same again', async () => {
		const customer = new Customer(bed());
		const settings = { id: uniqueName('node') };
		await customer.buy({}, { settings, executionId: uniqueName('execution') });
		const dry = await customer.buy(DRY, { settings, executionId: uniqueName('execution') });
		expect(records(dry)[0]).toMatchObject({ wouldCreate: false });
		expect(records(dry)[0].reason).toContain('This node bought it');
	});
});
