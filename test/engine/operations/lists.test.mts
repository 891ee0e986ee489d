import type { IDataObject } from 'n8n-workflow';

import { CASES, pathOf, type Way } from '../../operations/index.mts';
import { parametersOf, worldOf } from '../../operations/outcome.mts';
import type { RunResult, RunSettings } from '../support/engine.mts';
import { records } from '../support/owner.mts';
import { useTestBed } from '../support/testBed.mts';
import { refusalMessage } from '../support/refusalMessage.mts';

/*
 * What holds for every operation that gives a list. Malformed answers are a matter of the properties.
 */

const bed = useTestBed();

function entriesOf(way: Way): readonly unknown[] | undefined {
	const data = way.theCase.answers?.[pathOf(way)]?.data;
	return Array.isArray(data) ? data : undefined;
}

const LISTS = CASES.filter(
	(way) => way.operation.labels.includes('Limit') && entriesOf(way) !== undefined,
);

const MANY = 120;

/** The entries of the case's own answer, again and again; each order has a number of its own. */
function manyOf(way: Way): unknown[] {
	const entries = entriesOf(way) ?? [];
	return Array.from({ length: MANY }, (_none, index) => {
		const entry = entries[index % entries.length];
		const isOrder = typeof entry === 'object' && entry !== null && 'orderid' in entry;
		return isOrder ? { ...entry, orderid: String(10 ** 15 + index) } : entry;
	});
}

async function list(
	way: Way,
	data: readonly unknown[],
	fields: IDataObject,
	settings: Partial<RunSettings> = {},
): Promise<RunResult> {
	const path = pathOf(way);
	bed().sandbox.faults.clear();
	bed().sandbox.faults.add({ kind: 'raw', body: JSON.stringify({ code: 0, msg: '', data }), path });
	const world = worldOf(way, bed().sandbox);
	const { returnAll: _all, limit: _limit, ...others } = parametersOf(way, world);
	return await bed().engine.run({
		credentialId: bed().addCredential(world.keys, { keyType: way.by }),
		...settings,
		parameters: { ...others, ...fields } as IDataObject,
	});
}

describe.each(LISTS)('$name', (way) => {
	it.each<[fields: IDataObject, count: number]>([
		[{}, 50],
		[{ limit: 3 }, 3],
		[{ limit: 100_000 }, MANY],
		[{ returnAll: true }, MANY],
		[{ returnAll: '={{ true }}', limit: '={{ -1 }}' }, MANY],
		[{ returnAll: '={{ false }}', limit: '={{ "2" }}' }, 2],
		[{ returnAll: '={{ false }}' }, 50],
	])('with %j has the first %d records', async (fields, count) => {
		const all = records(await list(way, manyOf(way), { returnAll: true }));
		expect(all).toHaveLength(MANY);
		expect(records(await list(way, manyOf(way), fields))).toEqual(all.slice(0, count));
	});

	it.each([
		...['0', '-1', '1.5', '100001', '"many"', 'true'].map((value) => [value, value]),
		['""', 'empty'],
	])('refuses the limit %s, and asks nothing', async (limit, shown) => {
		for (const options of [{}, { skipLocalChecks: true }]) {
			// It is the node's own field
			const { error } = await list(way, [], { limit: `={{ ${limit} }}`, options });
			expect(error?.message).toBe(refusalMessage('Limit', shown));
			expect(error?.description).toBe('Allowed: a whole number, 1 to 100,000.');
		}
		expect(bed().sandbox.log.count()).toBe(0);
	});

	it('gives nothing, and says so, where there is nothing', async () => {
		const run = await list(way, [], {});
		expect(records(run)).toEqual([]);
		expect(run.hints).toHaveLength(1);
	});
});
