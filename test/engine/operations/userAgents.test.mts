import { until } from '../../virtualTime.mts';
import { API } from '../support/api.mts';
import { Customer } from '../support/customer.mts';
import { useWorkbench } from '../support/workbench.mts';

const { bed } = useWorkbench({ rateLimits: false });
const GET_MANY = { resource: 'userAgent', operation: 'getAll', num: 8 };

it('keeps what came before a call failed, and says that it failed', async () => {
	void until(() => bed().sandbox.log.count(API.getua) > 0).then(() =>
		bed().sandbox.faults.add({ kind: 'code', code: -999, msg: '', path: API.getua }),
	);
	const { error, hints, items } = await new Customer(bed()).run(GET_MANY);
	expect(error).toBeUndefined();
	expect(items.length).toBeGreaterThan(0);
	expect(items.length).toBeLessThan(8);
	expect(hints[0]?.message).toMatch(
		/^Only \d of 8 user agents were found\. A call failed then\..*-999/,
	);
});

it('fails where the first call fails', async () => {
	bed().sandbox.faults.add({ kind: 'code', code: -999, msg: '', path: API.getua });
	const { error } = await new Customer(bed()).run(GET_MANY);
	expect(error?.message).toContain('-999');
});
