import { DAY } from '../../durations.mts';
import { many } from '../../many.mts';
import { uniqueName } from '../../uniqueName.mts';
import { API } from '../support/api.mts';
import { Customer, FEWER, typed, WEEK } from '../support/customer.mts';
import { hintsOf, records } from '../support/results.mts';
import { RETRY, scheduled } from '../support/runSettings.mts';
import { useWorkbench } from '../support/workbench.mts';

/* A dry run goes the same way as a purchase, and buys nothing. */

const { bed, customer } = useWorkbench({ rateLimits: false });

describe('Dry Run', () => {
	const DRY = { options: { dryRun: true, maxOrdersPerRun: 2 } };

	it('counts what earlier items would buy', async () => {
		const due = { orderid: customer.tunnel(DAY).orderId };
		const orderid = typed('={{ $json.orderid }}');
		const twice = { items: [due, due] };
		const fields = { orderid, ...WEEK };
		const dry = records(await customer.renewAll({ ...fields, ...DRY }, twice));
		expect(dry).toMatchObject([{ wouldRenew: true }, { ...due, wouldRenew: false }]);
		expect(dry[1].reason).toContain('Item 0 of this execution renewed the order');
		expect(dry[1]).not.toHaveProperty('renewed');
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

	it("says the same when 'Retry On Fail' repeats it", async () => {
		const orders = [customer.tunnel(DAY), customer.tunnel(DAY)];
		const { secretId } = orders[1].keys;
		const path = API.getorderexpiretime;
		customer.sandbox.faults.add({ kind: 'code', code: -999, path, secretId, times: 1 });
		const dry = await customer.renewEach(orders, { ...WEEK, ...DRY }, { settings: RETRY });
		expect(records(dry)).toMatchObject([{ wouldRenew: true }, { wouldRenew: true }]);
		expect(customer.requests(path).filter((one) => one.code === -999)).toHaveLength(1);
	});

	it('says that a manual run would not buy the same again', async () => {
		const settings = { id: uniqueName('node') };
		await customer.buy({}, { settings, executionId: uniqueName('execution') });
		const dry = await customer.buy(DRY, { settings, executionId: uniqueName('execution') });
		expect(records(dry)[0]).toMatchObject({ wouldCreate: false });
		expect(records(dry)[0].reason).toContain('This node bought it');
	});
});

it("Create's dry run says where prices are, and the balance, where no cost is expected", async () => {
	const customer = new Customer(bed(), { balanceInFen: 737_50 });
	const options = { dryRun: true, maxOrdersPerRun: 20 };
	const twenty = await customer.buy({ options }, { items: Array.from({ length: 20 }, () => ({})) });
	expect(hintsOf(twenty)).toMatch(/^20 would be ordered\.\n/);
	expect(hintsOf(twenty)).toContain('<a href="https://www.kuaidaili.com/pricing/"');
	expect(hintsOf(twenty)).toContain('The account balance is 737.5 yuan.');
	const one = await customer.buy({ options: { dryRun: true, expectedCost: 12 } });
	expect(hintsOf(one)).toMatch(
		/^1 Tunnel Proxy order would be placed, probably for 12 yuan, until \d{4}-\d\d-\d\d\.$/,
	);
	expect(customer.paid).toBe(0);
});

it("Create's dry run shows every value, the end, the balance and the probable cost", async () => {
	const customer = new Customer(bed(), { balanceInFen: 100_00 });
	const options = { dryRun: true, expectedCost: 12 };
	const [record] = records(await customer.buy({ options }, scheduled()));
	expect(record).toMatchObject({
		wouldCreate: true,
		product: 'TPS',
		parameters: {
			product: 'TPS',
			pay_type: 'PRE_PAY',
			'prepay.time_type': 'DAY',
			'prepay.time_number': '1',
		},
		balance: 100,
		probableCost: 12,
	});
	expect(record).not.toHaveProperty('created');
	expect(record.reason).toContain("'Dry Run' is on");
	expect(Object.keys(record.parameters as object)).toContain('tps.max_rps');
	expect(Math.abs(Date.parse(String(record.wouldEndAt)) - Date.now() - DAY)).toBeLessThan(60_000);
	expect(customer.requests(API.createorder)).toEqual([]);
});

it('A dry run counts what it would renew and for how much, and what a limit would hold back', async () => {
	const orders = many(3, () => customer.tunnel(DAY));
	const late = customer.tunnel(20 * DAY);
	const options = { dryRun: true, expectedCost: 40, maxOrdersPerRun: 2 };
	const result = await customer.renewEach([...orders, late], { ...WEEK, options }, scheduled());
	expect(hintsOf(result)).toContain(
		'2 would be renewed (probably 80 yuan), 1 not due, 1 held back by a limit.',
	);
	expect(customer.paid).toBe(0);
});
