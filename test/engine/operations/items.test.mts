import type { INode, INodeExecutionData } from 'n8n-workflow';

import { useTestBed, type Extraction } from '../support/testBed.mts';

const bed = useTestBed();

/** The input items that the output items are linked to. */
function links(items: readonly INodeExecutionData[]) {
	return items.map(({ pairedItem }) => pairedItem);
}

function linkedTo(...inputItems: number[]) {
	return inputItems.map((item) => ({ item }));
}

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

describe('an item whose value cannot be used, between two good ones', () => {
	const extraction: Extraction = {
		num: '={{ $json.n }}',
		items: [{ n: 2 }, { n: 'many' }, { n: 3 }],
	};
	const text = expect.stringMatching(
		/^'Number of Proxies' is "many", which cannot be used \[item 1\]\. Allowed: a whole number.* 100,000\.$/,
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

describe('an item that the service refuses, between two good ones', () => {
	const extraction: Extraction = {
		num: 2,
		filters: { port: '={{ $json.port }}' },
		options: { skipLocalChecks: true },
		items: [{ port: '' }, { port: 'x' }, { port: '' }],
	};
	const text = expect.stringMatching(
		/^The service did not accept one of the values \[item 1\]\. Check the values.* 参数错误 \(code -3\)\.$/,
	);

	it('stops the run with an error that names it', async () => {
		const { items, error } = await bed().extract(extraction);
		expect(items).toEqual([]);
		expect(`${error?.message}. ${error?.description}`).toEqual(text);
		expect(error).toMatchObject({ name: 'NodeApiError', httpCode: '-3' });
		expect(bed().extractions.map(({ code }) => code)).toEqual([0, -3]);
	});

	it.each<[name: string, settings: Partial<INode>]>([
		['the setting "continue"', { onError: 'continueRegularOutput' }],
		['the setting of older versions', { continueOnFail: true }],
	])('becomes an error item in its place, with %s', async (_name, node) => {
		const { items } = await bed().extract({ ...extraction, settings: node });
		expect(links(items)).toEqual(linkedTo(0, 0, 1, 2, 2));
		expect(Object.keys(items[2].json)).toEqual(['error']);
		expect(items[2].json.error).toEqual(text);
		expect(bed().extractions.map(({ code }) => code)).toEqual([0, -3, 0]);
	});

	it('goes to the error output alone, with the setting "continue (using error output)"', async () => {
		const { items, errorItems } = await bed().extract({
			...extraction,
			settings: { onError: 'continueErrorOutput' },
		});
		expect(links(items)).toEqual(linkedTo(0, 0, 2, 2));
		expect(errorItems).toEqual([{ json: { port: 'x', error: text }, pairedItem: { item: 1 } }]);
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

describe('when nothing matches', () => {
	const NOTHING = '火星';
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

	it('there is no item either when all are wanted in one', async () => {
		const { items, status, hints } = await bed().extract({
			output: 'allInOne',
			filters: { area: NOTHING },
		});
		expect(status).toBe('success');
		expect(items).toEqual([]);
		expect(hints).toHaveLength(1);
	});

	it('the hint names the items that it is about, and the others have their output', async () => {
		const { items, hints } = await bed().extract({
			filters: { area: '={{ $json.area }}' },
			items: [{ area: NOTHING }, { area: '' }, { area: NOTHING }],
		});
		expect(links(items)).toEqual(linkedTo(1));
		expect(hints.map(({ message }) => message)).toEqual([`Items 0, 2: ${nothingHint}`]);
	});

	it('a hint also tells how many are missing when there are fewer than asked for', async () => {
		const { items, hints } = await bed().extract({ num: 301 });
		expect(items).toHaveLength(300);
		expect(hints.map(({ message }) => message)).toEqual([
			'Only 300 of 301 proxies were found. No more match right now.',
		]);
	});

	it('different hints of several items stand side by side', async () => {
		const { hints } = await bed().extract({
			num: '={{ $json.n }}',
			filters: { area: '={{ $json.area }}' },
			items: [
				{ n: 400, area: '' },
				{ n: 1, area: NOTHING },
				{ n: 2, area: '' },
				{ n: 400, area: '' },
			],
		});
		expect(hints.map(({ message }) => message)).toEqual([
			'Items 0, 3: Only 300 of 400 proxies were found. No more match right now.',
			`Item 1: ${nothingHint}`,
		]);
	});
});

describe('Retry On Fail', () => {
	const retry: Partial<INode> = { retryOnFail: true, maxTries: 2, waitBetweenTries: 10 };

	it('runs the node again after an error, and the output is that of the second try', async () => {
		bed().sandbox.faults.add({ kind: 'status', status: 500, times: 1 });
		const { items, error, status } = await bed().extract({ num: 3, settings: retry });
		expect(error).toBeUndefined();
		expect(status).toBe('success');
		expect(items).toHaveLength(3);
		expect(bed().extractions.map((each) => each.status)).toEqual([500, 200]);
	});

	it('runs it again too when the first item became an error item', async () => {
		bed().sandbox.faults.add({ kind: 'status', status: 500, times: 1 });
		const { items } = await bed().extract({
			num: 3,
			settings: { ...retry, onError: 'continueRegularOutput' },
		});
		expect(links(items)).toEqual(linkedTo(0, 0, 0));
		for (const item of items) bed().proxyOf(item);
	});

	it('ends with the error when the last try fails as well', async () => {
		bed().sandbox.faults.add({ kind: 'status', status: 500, times: 2 });
		const { error, status } = await bed().extract({ settings: retry });
		expect(status).toBe('error');
		expect(error?.message).toBe('The service is unavailable right now (HTTP status 500) [item 0]');
		expect(bed().extractions).toHaveLength(2);
	});
});

it.each(['__CUSTOM_API_CALL__', 'unknown'])(
	'%s as resource ends in an error that says what to use',
	async (resource) => {
		const { error } = await bed().engine.run({
			credentialId: bed().addCredential(bed().newOrder().keys),
			parameters: { resource, operation: resource },
		});
		expect(error?.message).toContain(`for '${resource}'`);
		expect(error?.description).toContain('HTTP Request node');
	},
);
