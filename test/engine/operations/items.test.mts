import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';

import { shareOf } from '../../fullMatrices.mts';
import { CASES, pathOf, type Way } from '../../operations/index.mts';
import { parametersOf, worldOf } from '../../operations/outcome.mts';
import type { RunResult, RunSettings } from '../support/engine.mts';
import { refusalMessage, succeeded } from '../support/results.mts';
import type { Extraction } from '../support/testBed.mts';
import { useWorkbench } from '../support/workbench.mts';

/** The input items that the output items are linked to. */
function links(items: readonly INodeExecutionData[]) {
	return items.map(({ pairedItem }) => pairedItem);
}

function linkedTo(...inputItems: number[]) {
	return inputItems.map((item) => ({ item }));
}

const { bed } = useWorkbench();

describe('several input items', () => {
	it('are worked through in their order, each with its own values', async () => {
		const { items, error, hints } = await bed().extract({
			num: '={{ $json.n }}',
			filters: { carrier: '={{ $json.carrier }}' },
			items: [
				{ n: 2, carrier: 1 },
				{ n: 1, carrier: 2 },
				{ n: 3, carrier: 3 },
			],
		});
		expect(error).toBeUndefined();
		expect(hints).toEqual([]);
		expect(bed().extractions.map(({ parameters }) => parameters.num)).toEqual(['2', '1', '3']);
		expect(links(items)).toEqual(linkedTo(0, 0, 1, 2, 2, 2));
		expect(items.map((item) => bed().proxyOf(item).carrier)).toEqual([1, 1, 2, 3, 3, 3]);
	});

	it('may each have another kind of output, with the plan from an expression too', async () => {
		const { items, error } = await bed().extract({
			plan: '={{ $json.plan }}',
			num: 2,
			output: '={{ $json.output }}',
			items: [
				{ plan: 'svip', output: 'allInOne' },
				{ plan: 'svip', output: 'eachProxy' },
			],
		});
		expect(error).toBeUndefined();
		expect(bed().extractions.map(({ host }) => host)).toEqual(['svip', 'svip']);
		expect(links(items)).toEqual(linkedTo(0, 1, 1));
	});
});

describe('when nothing matches', () => {
	const NOTHING = '火星';
	const UNUSED_PORT = '1';
	const nothingHint = "No proxies match. Relax or remove some of the 'Filters'.";

	it.each(['text', 'json', 'xml'])(
		'there are no items and a hint, in the format %s',
		async (format) => {
			const { items, errorItems, error, status, hints } = await bed().extract({
				filters: { area: NOTHING },
				options: { format },
			});
			expect(bed().extractions.map(({ code }) => code)).toEqual([3]);
			expect(status).toBe('success');
			expect(error).toBeUndefined();
			expect(items).toEqual([]);
			expect(errorItems).toEqual([]);
			expect(hints).toEqual([{ message: nothingHint, location: 'outputPane' }]);
		},
	);

	it('the hint names the items that it is about, and the others have their output', async () => {
		const { items, hints } = await bed().extract({
			filters: { port: '={{ $json.port }}' },
			items: [{ port: UNUSED_PORT }, { port: '' }, { port: UNUSED_PORT }],
		});
		expect(links(items)).toEqual(linkedTo(1));
		expect(hints.map(({ message }) => message)).toEqual([`Items 0, 2: ${nothingHint}`]);
	});

	it('different hints of several items stand side by side', async () => {
		const { hints } = await bed().extract({
			num: '={{ $json.n }}',
			filters: { port: '={{ $json.port }}' },
			items: [
				{ n: 400, port: '' },
				{ n: 1, port: UNUSED_PORT },
				{ n: 2, port: '' },
				{ n: 400, port: '' },
			],
		});
		expect(hints.map(({ message }) => message)).toEqual([
			'Items 0, 3: Only 300 of 400 proxies were found: no more match right now.',
			`Item 1: ${nothingHint}`,
		]);
	});
});

/*
 * What holds for every operation that gives a list. Malformed answers are a matter of the properties.
 */

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

/** Each list tries a third of what one function reads for all. */
const SHARES = 3;

const LIMITS: ReadonlyArray<[fields: IDataObject, count: number]> = [
	[{}, 50],
	[{ limit: 3 }, 3],
	[{ limit: 100_000 }, MANY],
	[{ returnAll: true }, MANY],
	[{ returnAll: '={{ true }}', limit: '={{ -1 }}' }, MANY],
	[{ returnAll: '={{ false }}', limit: '={{ "2" }}' }, 2],
	[{ returnAll: '={{ false }}' }, 50],
];

const NO_LIMITS: ReadonlyArray<[limit: string, shown: string]> = [
	...['0', '-1', '1.5', '100001', '"many"', 'true'].map((value): [string, string] => [
		value,
		value,
	]),
	['""', 'empty'],
];

describe.each(LISTS.map((way, row) => ({ ...way, row })))('$name', ({ row, ...way }) => {
	it.each(shareOf(LIMITS, SHARES, row))(
		'with %j has the first %d records',
		async (fields, count) => {
			const all = succeeded(await list(way, manyOf(way), { returnAll: true }));
			expect(all).toHaveLength(MANY);
			expect(succeeded(await list(way, manyOf(way), fields))).toEqual(all.slice(0, count));
		},
	);

	it.each(shareOf(NO_LIMITS, SHARES, row))(
		'refuses the limit %s, and asks nothing',
		async (limit, shown) => {
			const { error } = await list(way, [], { limit: `={{ ${limit} }}` });
			expect(error?.message).toBe(refusalMessage('Limit', shown));
			expect(error?.description).toBe('Allowed: a whole number, 1 to 100,000.');
			expect(bed().sandbox.log.count()).toBe(0);
		},
	);

	it('gives nothing, and says so, where there is nothing', async () => {
		const run = await list(way, [], {});
		expect(succeeded(run)).toEqual([]);
		expect(run.hints).toHaveLength(1);
	});
});

describe('an item whose value cannot be used, between two good ones', () => {
	const extraction: Extraction = {
		num: '={{ $json.n }}',
		items: [{ n: 2 }, { n: 'many' }, { n: 3 }],
	};
	const text = expect.stringMatching(
		/^'Number of Proxies' can't be "many" \[item 1\]\. Allowed: a whole number.* 100,000\.$/,
	);

	it('stops the run with an error that names it', async () => {
		const { items, error, status } = await bed().extract(extraction);
		expect(status).toBe('error');
		expect(items).toEqual([]);
		expect(`${error?.message}. ${error?.description}`).toEqual(text);
		expect(error?.context).toMatchObject({ itemIndex: 1 });
		expect(bed().extractions).toEqual([]);
	});

	it.each<[name: string, settings: Partial<INode>]>([
		['the setting "continue"', { onError: 'continueRegularOutput' }],
		['the setting of older versions', { continueOnFail: true }],
	])('becomes an error item in its place, with %s', async (_name, node) => {
		const { items, errorItems, error, status } = await bed().extract({
			...extraction,
			settings: node,
		});
		expect(status).toBe('success');
		expect(error).toBeUndefined();
		expect(links(items)).toEqual(linkedTo(0, 0, 1, 2, 2, 2));
		expect(Object.keys(items[2].json)).toEqual(['error']);
		expect(items[2].json.error).toEqual(text);
		for (const item of items.toSpliced(2, 1)) bed().proxyOf(item);
		expect(errorItems).toEqual([]);
	});

	it('goes to the error output alone, with the setting "continue (using error output)"', async () => {
		const { items, errorItems, error, status } = await bed().extract({
			...extraction,
			settings: { onError: 'continueErrorOutput' },
		});
		expect(status).toBe('success');
		expect(error).toBeUndefined();
		expect(links(items)).toEqual(linkedTo(0, 0, 2, 2, 2));
		for (const item of items) bed().proxyOf(item);
		// n8n itself adds what the input item had
		expect(errorItems).toEqual([{ json: { n: 'many', error: text }, pairedItem: { item: 1 } }]);
	});
});

describe('an item that the service refuses, before good ones', () => {
	const extraction: Extraction = {
		num: 2,
		items: [{}, {}, {}],
	};
	const text = expect.stringMatching(
		/^Kuaidaili did not accept one of the values \[item 0\]\. Check the values.* 参数错误 \(code -3\)\.$/,
	);

	const refuseFirst = () => {
		const fault = { kind: 'code', code: -3, msg: '参数错误', path: '/api/getproxy' } as const;
		bed().sandbox.faults.add({ ...fault, times: 1 });
	};

	it('stops the run with an error that names it', async () => {
		refuseFirst();
		const { items, error } = await bed().extract(extraction);
		expect(items).toEqual([]);
		expect(`${error?.message}. ${error?.description}`).toEqual(text);
		expect(error).toMatchObject({ name: 'NodeApiError', httpCode: '-3' });
		expect(bed().extractions.map(({ code }) => code)).toEqual([-3]);
	});

	it('becomes an error item in its place', async () => {
		refuseFirst();
		const settings = { onError: 'continueRegularOutput' } as const;
		const { items } = await bed().extract({ ...extraction, settings });
		expect(links(items)).toEqual(linkedTo(0, 1, 1, 2, 2));
		expect(Object.keys(items[0].json)).toEqual(['error']);
		expect(items[0].json.error).toEqual(text);
		expect(bed().extractions.map(({ code }) => code)).toEqual([-3, 0, 0]);
	});
});

describe('an expression that fails for one item', () => {
	it('becomes an error item that names the item, and the others run', async () => {
		const { items } = await bed().extract({
			num: '={{ $json.bad ? $("No such node").item.json.n : 1 }}',
			items: [{ bad: false }, { bad: true }, { bad: false }],
			settings: { onError: 'continueRegularOutput' },
		});
		expect(links(items)).toEqual(linkedTo(0, 1, 2));
		expect(items[1].json.error).toMatch(/\[item 1\]/);
		bed().proxyOf(items[2]);
	});
});

describe('a credential that cannot be used', () => {
	it('becomes an error item for each input item when the run continues', async () => {
		const { items } = await bed().extract({
			credential: { secretId: '' },
			items: [{}, {}],
			settings: { onError: 'continueRegularOutput' },
		});
		expect(items.map(({ json }) => json)).toEqual(
			[0, 1].map((index) => ({
				error: expect.stringMatching(
					RegExp(
						`^The credential cannot be used \\[item ${index}\\]\\. 'Secret ID' in the credential`,
					),
				),
			})),
		);
		expect(bed().extractions).toEqual([]);
	});
});
