import { API } from '../support/api.mts';
import { Customer } from '../support/customer.mts';
import { useWorkbench } from '../support/workbench.mts';

const { bed } = useWorkbench({ rateLimits: false });

it.each([
	['{{ $today }}', /^\d{4}-\d\d-\d\d$/],
	['{{ $now }}', /^\d{4}-\d\d-\d\d$/],
	['{{ $today.set({ year: 2025, month: 3, day: 31 }) }}', /^2025-03-31$/],
	['{{ $now.set({ year: 2025, month: 3, day: 31 }).toISO() }}', /^2025-03-31$/],
])('%s in a field for a day is that day', async (expression, day) => {
	const customer = new Customer(bed(), { kind: 'fps' });
	const { error } = await bed().engine.run({
		credentialId: customer.credentialId,
		parameters: { resource: 'order', operation: 'getTraffic', startTime: `=${expression}` },
	});
	expect(error).toBeUndefined();
	expect(bed().sandbox.log.last(API.getfpsflow)?.parameters.start_time).toMatch(day);
});
