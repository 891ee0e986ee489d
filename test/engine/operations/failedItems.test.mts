import type { INode } from 'n8n-workflow';

import { useTestBed, type Extraction } from '../support/testBed.mts';
import { linkedTo, links } from './itemLinks.mts';

const bed = useTestBed();

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

describe('an item that the service refuses, between two good ones', () => {
	const extraction: Extraction = {
		num: 2,
		filters: { port: '={{ $json.port }}' },
		options: { skipLocalChecks: true },
		items: [{ port: '' }, { port: 'x' }, { port: '' }],
	};
	const text = expect.stringMatching(
		/^Kuaidaili did not accept one of the values \[item 1\]\. Check the values.* 参数错误 \(code -3\)\.$/,
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

describe('Retry On Fail', () => {
	const retry: Partial<INode> = { retryOnFail: true, maxTries: 2, waitBetweenTries: 10 };

	it('runs the node again after an error, and the output is that of the second try', async () => {
		bed().sandbox.faults.add({ kind: 'status', status: 501, times: 1 });
		const { items, error, status } = await bed().extract({ num: 3, settings: retry });
		expect(error).toBeUndefined();
		expect(status).toBe('success');
		expect(items).toHaveLength(3);
		expect(bed().extractions.map((each) => each.status)).toEqual([501, 200]);
	});

	it('runs it again too when the first item became an error item', async () => {
		bed().sandbox.faults.add({ kind: 'status', status: 501, times: 1 });
		const { items } = await bed().extract({
			num: 3,
			settings: { ...retry, onError: 'continueRegularOutput' },
		});
		expect(links(items)).toEqual(linkedTo(0, 0, 0));
		for (const item of items) bed().proxyOf(item);
	});

	it('ends with the error when the last try fails as well', async () => {
		bed().sandbox.faults.add({ kind: 'status', status: 501, times: 2 });
		const { error, status } = await bed().extract({ settings: retry });
		expect(status).toBe('error');
		expect(error?.message).toBe('Kuaidaili is unavailable right now (HTTP status 501)');
		expect(bed().extractions).toHaveLength(2);
	});
});
