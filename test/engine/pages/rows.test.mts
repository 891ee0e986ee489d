import type { IDataObject } from 'n8n-workflow';

import { readExample } from '../../../demo/examples.mts';
import { at, readList } from '../../../harness/outsideData.mts';
import { toDataObject } from '../../../nodes/shared/guards.ts';
import { toolCalls } from '../support/toolCalls.mts';
import { detailsOf, type PageOpener, usePages } from './pageOpener.mts';

const { bed, me } = usePages();

const NAME = { name: 'name', selector: 'h3' };
const PRICE = { name: 'price', selector: '.price' };
const LINK = { name: 'link', selector: 'a', take: 'attribute', attribute: 'href' };

function rowsBy(rowSelector: string, ...values: IDataObject[]): IDataObject {
	return { responseFormat: 'fields', rowSelector, fields: { values }, options: { simplify: true } };
}

const hintsOf = (run: Awaited<ReturnType<PageOpener['open']>>) =>
	run.hints.map(({ message }) => message).join('\n');

/** Every fifth product has no price: 2, 7, 12, and so on. */
const priceOf = (number: number) => (number % 5 === 2 ? null : `${number}.50`);

describe('each row of a page', () => {
	it('is an item with what the input has, linked to it, and nothing moves where a price is missing', async () => {
		const pages = [1, 2, 3].map((page) => ({ url: me.page(`/shop/products?page=${page}`), page }));
		const run = await me.open(pages, rowsBy('.product', NAME, PRICE, LINK));
		expect(run.error).toBeUndefined();
		expect(run.items).toHaveLength(36);
		expect(Object.keys(run.items[0].json)).toEqual([
			...['url', 'page', 'name', 'price', 'link', 'row', 'pageStatus'],
		]);
		for (const [index, { json, pairedItem }] of run.items.entries()) {
			const page = Math.floor(index / 12) + 1;
			expect(json).toMatchObject({
				...pages[page - 1],
				row: (index % 12) + 1,
				name: expect.stringMatching(new RegExp(` ${index + 1}$`)),
				price: priceOf(index + 1),
				link: me.page(`/shop/item/${index + 1}`),
				pageStatus: 'opened',
			});
			expect(pairedItem).toEqual({ item: page - 1 });
		}
		expect(hintsOf(run)).toContain('Opened 3 of 3 pages.');
		expect(hintsOf(run)).not.toMatch(/Row Selector|found on no page/);
	});

	it('of a table has the names of its header cells', async () => {
		const { items } = await me.open([me.page('/shop/prices')], rowsBy('tr'));
		expect(items).toHaveLength(12);
		expect(items[1].json).toMatchObject({ Name: 'Rope 2', Price: null, Place: 'shelf 1', row: 2 });
		expect(items[11].json).toMatchObject({ Name: 'Clock 12', Place: 'shelf 6', row: 12 });
	});
});

it('a page without a row gives no item, and is counted', async () => {
	const run = await me.open(
		['/shop/products', '/article', '/empty'].map((path) => me.page(path)),
		rowsBy('.product', NAME),
	);
	expect(run.error).toBeUndefined();
	expect(run.items).toHaveLength(12);
	expect(hintsOf(run)).toContain(`2 pages without a row, such as ${me.page('/article')}.`);
});

it('numbers are read as the people of the page write them, by one rule for a column', async () => {
	const prices = ['1.299', '24,50', '999 €', 'on request'];
	const rows = prices.map((price) => `<li><b>${price}</b></li>`).join('');
	bed().sandbox.pages.faults.add({ kind: 'html', body: `<ul>${rows}</ul>`, path: '/article' });
	const number = { name: 'price', selector: 'b', take: 'number' };
	const { items } = await me.open([me.page('/article')], rowsBy('li', number));
	expect(items.map(({ json }) => json.price)).toEqual([1299, 24.5, 999, null]);
	const whole = { ...number, name: 'all', all: true };
	const page = { responseFormat: 'fields', fields: { values: [number, whole] } };
	const alone = await me.open([me.page('/article')], page);
	expect(alone.items[0].json).toMatchObject({ price: 1299, all: [1299, 24.5, 999, null] });
	expect(hintsOf(alone)).toContain("'price' has numbers such as 1.299 or 1,299");
	expect(hintsOf(alone)).not.toContain("'all' has numbers");
});

it('a path that leads to no list says what came', async () => {
	const run = await me.open(
		['/shop/products.json', '/json', '/picture'].map((path) => me.page(path)),
		{ ...rowsBy('data.items', NAME), options: { simplify: false } },
	);
	const { items } = run;
	expect(items).toHaveLength(14);
	const [other, picture] = items.slice(12).map(({ json }) => json);
	const [why, whyNot] = items.slice(12).map((item) => detailsOf(item).error);
	expect(other).toMatchObject({ name: null, pageStatus: 'not as wanted' });
	expect(why).toContain("'Row Selector' leads to no list: data.items");
	expect(why).toContain('There is nothing. The page is an object with title, boats.');
	expect(hintsOf(run)).toContain(`2 pages with 'not as wanted', such as: ${why}`);
	expect(picture).toMatchObject({ name: null, pageStatus: 'not as wanted' });
	expect(whyNot).toContain('a file of type image/png, which has no text');
});

it('an agent is told of a page that only JavaScript fills', async () => {
	const outputs: string[] = [];
	await bed().engine.run({
		credentialId: me.credentialId,
		parameters: {
			...{ resource: 'page', operation: 'open', product: 'DPS' },
			url: me.page('/shop/app'),
		},
		agent: toolCalls(1, outputs, 'oneByOne'),
	});
	const [output] = outputs;
	expect(output).toContain('only JavaScript fills it');
	expect(output).toContain(`a feed at ${me.page('/shop/products.xml')}`);
});

it('an agent gets as many rows as it can take, and how many are left out', async () => {
	const outputs: string[] = [];
	await bed().engine.run({
		credentialId: me.credentialId,
		parameters: {
			...{ resource: 'page', operation: 'open', product: 'DPS' },
			...rowsBy('.product', NAME, PRICE, LINK),
			url: me.page('/shop/products?count=500'),
		},
		agent: toolCalls(1, outputs, 'oneByOne'),
	});
	const [output] = outputs;
	expect(output.length).toBeLessThan(22_000);
	expect(output).toContain('Lamp 1');
	const rows = output.match(/"row":/g)?.length ?? 0;
	expect(rows).toBeGreaterThan(50);
	expect(output).toContain(`${500 - rows} more rows left out`);
});

it.each([
	['scrape-pages-through-private-proxies', 'Open', 36, ['name', 'price']],
	['crawl-a-list', 'Crawl', 25, ['title', 'price']],
] as const)('the example %s makes rows', async (example, name, count, columns) => {
	const nodes = readList(await readExample(example), 'nodes');
	const node = nodes.find((one) => at(one, 'name') === name);
	const { url, orderid: _orderid, ...parameters } = toDataObject(at(node, 'parameters'));
	const here = String(url).replace('https://example.com', me.page(''));
	const { items, error } = await me.open([{}], {
		...parameters,
		options: { ...toDataObject(parameters.options), simplify: true },
		url: here,
	});
	expect(error).toBeUndefined();
	expect(items).toHaveLength(count);
	for (const { json } of items) {
		const [text, price] = columns.map((column) => json[column]);
		const number = Number(/\d+$/.exec(String(text))?.[0]);
		const isWithoutPrice = example !== 'crawl-a-list' && number % 5 === 2;
		expect(price).toBe(isWithoutPrice ? null : `${number}.50`);
	}
});
