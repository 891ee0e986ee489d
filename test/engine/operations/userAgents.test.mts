import { until } from '../../virtualTime.mts';
import { Owner } from '../support/owner.mts';
import { useTestBed } from '../support/testBed.mts';

const bed = useTestBed({ rateLimits: false });

const PATH = '/api/getua';
const GET_MANY = { resource: 'userAgent', operation: 'getAll', num: 8 };

it('keeps what came before a call failed, and says that it failed', async () => {
	void until(() => bed().sandbox.log.count(PATH) > 0).then(() =>
		bed().sandbox.faults.add({ kind: 'code', code: -999, msg: '', path: PATH }),
	);
	const { error, hints, items } = await new Owner(bed()).run(GET_MANY);
	expect(error).toBeUndefined();
	expect(items.length).toBeGreaterThan(0);
	expect(items.length).toBeLessThan(8);
	expect(hints[0]?.message).toMatch(
		/^Only \d of 8 user agents were found\. A call failed then\..*-999/,
	);
});

it('fails where the first call fails', async () => {
	bed().sandbox.faults.add({ kind: 'code', code: -999, msg: '', path: PATH });
	const { error } = await new Owner(bed()).run(GET_MANY);
	expect(error?.message).toContain('-999');
});
