import { API } from '../support/api.mts';
import { Customer } from '../support/customer.mts';
import { useWorkbench } from '../support/workbench.mts';

const { bed } = useWorkbench({ rateLimits: false });
const GET_MANY = { resource: 'userAgent', operation: 'getAll', num: 8 };

it('asks once, and says how many came where the account gets no more', async () => {
	const { error, hints, items } = await new Customer(bed()).run(GET_MANY);
	expect(error).toBeUndefined();
	expect(items.length).toBeGreaterThan(0);
	expect(items.length).toBeLessThan(8);
	expect(hints[0]?.message).toContain(`Kuaidaili gave ${items.length} of 8 user agents`);
	expect(bed().sandbox.log.count(API.getua)).toBe(1);
});

it('fails where the call fails', async () => {
	bed().sandbox.faults.add({ kind: 'code', code: -999, msg: '', path: API.getua });
	const { error } = await new Customer(bed()).run(GET_MANY);
	expect(error?.message).toContain('-999');
});
