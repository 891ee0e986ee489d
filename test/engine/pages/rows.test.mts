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

	it('of JSON is a part of a list, by paths', async () => {
		const fields = rowsBy('data.items', { name: 'title', selector: 'name' }, { selector: 'price' });
		const { items } = await me.open([me.page('/shop/products.json')], fields);
		expect(items.map(({ json }) => json.price)).toEqual(
			Array.from({ length: 12 }, (_, index) => Number(priceOf(index + 1)) || null),
		);
		expect(items[0].json).toMatchObject({ title: 'Lamp 1', row: 1 });
	});

	it('of a feed is an element with its own name', async () => {
		const fields = rowsBy(
			'item',
			{ selector: 'title' },
			{ selector: 'price' },
			{ selector: 'link' },
		);
		const { items } = await me.open([me.page('/shop/products.xml')], fields);
		expect(items).toHaveLength(12);
		expect(items[1].json).toMatchObject({
			title: 'Rope 2',
			price: null,
			link: me.page('/shop/item/2'),
			row: 2,
		});
	});

	it('comes from a crawl as well', async () => {
		const { items, error } = await me.open([me.page('/shop/products')], {
			...rowsBy('.product', NAME, PRICE),
			operation: 'crawl',
			follow: { links: '*/shop/products?page=*' },
			maxDepth: 5,
		});
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.price)).toEqual(
			Array.from({ length: 36 }, (_, index) => priceOf(index + 1)),
		);
		expect(items[12].json).toMatchObject({
			url: me.page('/shop/products?page=2'),
			depth: 1,
			foundOn: me.page('/shop/products'),
			row: 1,
		});
	});
});

describe('a hint names a selector that fits one row only', () => {
	it.each([
		['body > ul > li:nth-child(3)', PRICE, "'Row Selector' picks one row of each page."],
		[
			'.product',
			{ name: 'price', selector: 'body > ul > li:nth-child(3) > b' },
			"'price' is in 2 of 24 rows. If more have it, leave out of its selector what picks one, such as :nth-child(3).",
		],
	])('as a browser copied it: %s with %j', async (rowSelector, price, hint) => {
		const pages = [1, 2].map((page) => me.page(`/shop/products?page=${page}`));
		const run = await me.open(pages, rowsBy(rowSelector, NAME, price));
		expect(hintsOf(run)).toContain(hint);
	});

	it('not where most rows have what it picks', async () => {
		const cell = { name: 'name', selector: 'td:nth-child(1)' };
		const run = await me.open([me.page('/shop/prices')], rowsBy('tbody tr', cell));
		expect(run.items).toHaveLength(12);
		expect(hintsOf(run)).not.toContain('nth-child');
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

it('JSON that comes as HTML has rows', async () => {
	const body = '{"data":[{"price":1},{"price":2}]}';
	bed().sandbox.pages.faults.add({ kind: 'html', body, path: '/article' });
	const { items } = await me.open([me.page('/article')], rowsBy('data', { selector: 'price' }));
	expect(items.map(({ json }) => json.price)).toEqual([1, 2]);
});

it.each([
	['<tr><td rowspan=2>Lamps<td>A<td>1<tr><td>B<td>2', 'Lamps'],
	['<tr><th rowspan=2>Lamps<td>A<td>1<tr><td>B<td>2', 'Lamps'],
	['<tr><td>Lamps<td>A<td>1<tr><td rowspan=1>Ropes<td>B<td>2', 'Ropes'],
])('a cell that spans rows has its value in each: %s', async (rows, kind) => {
	const head = '<tr><th rowspan=2>Kind<th colspan=2>Goods<tr><th>Name<th>Price';
	const body = `<table>${head}${rows}</table>`;
	bed().sandbox.pages.faults.add({ kind: 'html', body, path: '/article' });
	const { items } = await me.open([me.page('/article')], rowsBy('tr'));
	expect(items[1].json).toMatchObject({ Kind: kind, 'Goods Price': '2' });
});

it('a page that is too large to be read whole is told', async () => {
	const row = '<p class="product"><b>x</b></p>';
	const body = `${row}<p>${'x '.repeat(2_500_000)}</p>${row}`;
	bed().sandbox.pages.faults.add({ kind: 'html', body, path: '/article' });
	const run = await me.open([me.page('/article')], rowsBy('.product', { selector: 'b' }));
	expect(run.items).toHaveLength(1);
	expect(hintsOf(run)).toContain(
		`1 page too large to be read whole, such as the first 5,000,000 of the 5,000,069 characters of ${me.page('/article')}.`,
	);
});

it('the item of a page that failed opens it again', async () => {
	const before = {
		url: me.page('/shop/products'),
		name: null,
		pageStatus: 'blocked',
	};
	const { items } = await me.open([before], {
		...rowsBy('.product', NAME),
		url: '={{ $json.url }}',
	});
	expect(items[0].json).toMatchObject({ name: 'Lamp 1', pageStatus: 'opened' });
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

it('numbers of JSON stay, and texts of it are read, too', async () => {
	const number = { name: 'price', selector: 'price', take: 'number' };
	const { items } = await me.open(
		[me.page('/shop/products.json')],
		rowsBy('data.items', number, { ...number, name: 'named', selector: 'name' }),
	);
	expect(items[0].json).toMatchObject({ price: 1.5, named: 1 });
	expect(items[1].json.price).toBeNull();
});

it('a page that blocks is no empty list', async () => {
	const { items } = await me.open(
		['/shop/products', '/captcha'].map((path) => me.page(path)),
		{
			...rowsBy('.product', NAME),
			retryIf: { contains: 'captcha' },
			maxAttempts: 2,
		},
	);
	expect(items).toHaveLength(13);
	expect(items[12].json).toMatchObject({ name: null, pageStatus: 'blocked' });
	expect(items[12].json).not.toHaveProperty('row');
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

it.each(['li[', '//li', 'li::text'])(
	'the row selector %s is refused before a proxy is used',
	async (rowSelector) => {
		const { error } = await me.open([me.page('/shop/products')], rowsBy(rowSelector, NAME));
		expect(error?.message).toContain('Row Selector');
		expect(me.extracted).toBe(0);
	},
);

it('columns whose lists have different lengths are told, with what to do', async () => {
	const lists = [NAME, PRICE].map((column) => ({ ...column, all: true }));
	const run = await me.open([me.page('/shop/products')], rowsBy('', ...lists));
	expect(hintsOf(run)).toContain(
		`Lists of different lengths: 12 of 'name', 9 of 'price' on ${me.page('/shop/products')}.`,
	);
	expect(hintsOf(run)).toContain("fill in 'Row Selector'");
});

it.each([
	['text', {}],
	['fields', { fields: { values: [NAME] } }],
])(
	'a page that only JavaScript fills says so, and what there is instead (%s)',
	async (responseFormat, more) => {
		const run = await me.open([me.page('/shop/app'), me.page('/shop/products')], {
			responseFormat,
			...more,
		});
		expect(run.error).toBeUndefined();
		const hint = hintsOf(run);
		expect(hint).toContain('1 page with almost no text, because only JavaScript fills it');
		expect(hint).toContain("JSON in script#__NEXT_DATA__, which 'Fields' can pick");
		expect(hint).toContain(`a feed at ${me.page('/shop/products.xml')}`);
		expect(hint).toContain('docs/browsers.md');
	},
);

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
