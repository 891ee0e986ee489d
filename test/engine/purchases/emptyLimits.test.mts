import { DAY } from '../../durations.mts';
import { Customer, textOf, WEEK } from '../support/customer.mts';
import { useTestBed } from '../support/testBed.mts';

const bed = useTestBed();

const EMPTY = ['={{ undefined }}', '={{ null }}', "={{ '' }}", '={{ $json.missing }}', ''];

const LIMITS = [
	['maxOrdersPerRun', 'Max Orders per Run'],
	['minimumBalance', 'Minimum Balance to Keep'],
	['maxCostPerRun', 'Max Cost per Run'],
] as const;

describe.each(LIMITS)('a limit without a value: %s', (name, label) => {
	it.each(EMPTY)('%s is an error, before anything is sent', async (value) => {
		const customer = new Customer(bed());
		const options = { [name]: value };
		const created = await customer.buy({ options });
		const renewed = await customer.renewByNumber(customer.tunnel(DAY), { ...WEEK, options });
		for (const result of [created, renewed]) expect(textOf(result)).toContain(`'${label}' is `);
		expect(customer.calls).toEqual([]);
	});
});

it.each(EMPTY)(
	'Use Coupon of %s is an error, and nothing is bought at the full price',
	async (value) => {
		const customer = new Customer(bed());
		for (const skipLocalChecks of [false, true]) {
			const result = await customer.buy({ options: { isCoupon: value, skipLocalChecks } });
			expect(textOf(result)).toContain("'Use Coupon' is ");
		}
		expect(customer.calls).toEqual([]);
	},
);

it.each(EMPTY)('Max Extractions per Run of %s extracts nothing', async (value) => {
	const customer = new Customer(bed());
	const result = await bed().engine.run({
		credentialId: bed().addCredential(customer.perIp(1000).keys),
		parameters: {
			resource: 'proxy',
			operation: 'extract',
			product: 'DPS',
			num: 1,
			options: { maxExtractionsPerRun: value },
		},
	});
	expect(textOf(result)).toContain('Max Extractions per ');
	expect(customer.calls).toEqual([]);
});
