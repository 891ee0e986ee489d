import type { IDataObject } from 'n8n-workflow';

import { detailsOf, usePages } from './pageOpener.mts';

const { opener } = usePages();

const privateProxies = () => opener('dpsPerIp', 'DPS');

const picking = (...values: IDataObject[]): IDataObject => ({
	responseFormat: 'fields',
	fields: { values },
});

const TITLE = { name: 'title', selector: 'h1' };

describe('picked columns', () => {
	it('stand beside those of the input and the address, with what a page lacks empty', async () => {
		const me = privateProxies();
		const { items, error } = await me.open(
			[{ url: me.page('/article/7'), id: 7 }],
			picking(
				TITLE,
				{ name: 'home', selector: 'nav a', take: 'attribute', attribute: 'href' },
				{ name: 'goods', selector: 'li', take: 'html', all: true },
				{ name: 'price', selector: '.price' },
				{ name: 'prices', selector: '.price', all: true },
			),
		);
		expect(error).toBeUndefined();
		const { pageDetails, ...columns } = items[0].json;
		expect(columns).toEqual({
			url: me.page('/article/7'),
			id: 7,
			title: 'Article 7',
			home: me.page('/'),
			goods: ['Salt &amp; pepper', 'Bread'],
			price: '',
			prices: [],
		});
		expect(pageDetails).toMatchObject({ statusCode: 200, title: 'Article 7' });
	});

	it('have the address that was asked for also where it comes from another field', async () => {
		const me = privateProxies();
		const { items } = await me.open([{ link: me.page('/redirect/1') }], {
			...picking(TITLE),
			url: '={{ $json.link }}',
		});
		expect(items[0].json).toMatchObject({ url: me.page('/redirect/1'), title: 'The harbor' });
		expect(detailsOf(items[0]).url).toBe(me.page('/article'));
	});

	it("leave an address as the input has it, so that a table's row is found by it", async () => {
		const me = privateProxies();
		const typed = `${me.page('/article')}?q=海`;
		const { items } = await me.open([typed], picking(TITLE));
		expect(items[0].json.url).toBe(typed);
	});

	it('are empty where the page could not be opened', async () => {
		const me = privateProxies();
		const { items } = await me.open([me.page('/article'), me.page('/status/404')], {
			...picking(TITLE, { name: 'all', selector: 'li', all: true }),
		});
		expect(items[1].json).toMatchObject({ url: me.page('/status/404'), title: '', all: [] });
		expect(items[1].json).not.toHaveProperty('data');
		expect(detailsOf(items[1]).error).toContain('status 404');
		// And may be filled when it is opened again
		const again = await me.open([{ ...items[1].json, url: me.page('/article') }], picking(TITLE));
		expect(again.items[0].json).toMatchObject({ title: 'The harbor' });
	});

	it.each([
		['h1', 'h1'],
		['.product > .price', 'price'],
		['#main > li:nth-child(2) > .item-name:first-child', 'item-name'],
		['meta[name="description"]', 'meta'],
	])('are named after their selector %s where they have no name: %s', async (selector, name) => {
		const me = privateProxies();
		const { items } = await me.open([me.page('/article')], picking({ selector }));
		expect(items[0].json).toHaveProperty([name]);
	});

	it.each([
		['/json', "Set 'Response Format' to 'JSON'"],
		['/picture', "Choose another 'Response Format'"],
	])('of %s fail, and say what helps', async (path, advice) => {
		const me = privateProxies();
		const { error } = await me.open([me.page(path)], picking(TITLE));
		expect(error?.message).toContain('The page is not HTML');
		expect(error?.description).toContain(advice);
	});

	it.each<[string, IDataObject[], string, string]>([
		['no column', [], "'Fields' is empty", 'Add what to pick'],
		['a column as the editor adds it', [{}], "'Fields' is empty", 'Add what to pick'],
		['a name that is nowhere', [{ selector: '*' }], "'Name' is empty", 'Type one'],
		['a name that is not to be had', [{ selector: '.error' }], "'Name' is empty", 'Type one'],
		[
			'a name that an expression did not find',
			[{ name: '={{ $json.nothing }}', selector: 'h1' }],
			"'Name' is empty",
			'leave it empty',
		],
		['the same selector twice', [{ selector: 'h1' }, { selector: 'a h1' }], `"h1"`, 'Two of'],
		['no selector', [{ name: 'title' }], "'Selector' is empty", 'a CSS selector'],
		[
			'no attribute',
			[{ ...TITLE, take: 'attribute' }],
			"'Attribute' is empty",
			'the name of an attribute',
		],
		[
			'a broken selector',
			[{ name: 'title', selector: 'a[href' }],
			`'Selector' can't be "a[href"`,
			"Attribute selector didn't terminate",
		],
		['XPath', [{ name: 'title', selector: '//h1' }], `'Selector' can't be "//h1"`, 'XPath'],
		['a name twice', [TITLE, TITLE], `'Name' can't be "title"`, 'Two of'],
		['a name of n8n', [{ ...TITLE, name: 'error' }], `'Name' can't be "error"`, "not 'error'"],
		['a name of the input', [{ ...TITLE, name: 'id' }], `'Name' can't be "id"`, 'already'],
	])('with %s are refused before any request', async (_what, values, message, advice) => {
		const me = privateProxies();
		const { error } = await me.open([{ url: me.page('/article'), id: 7 }], picking(...values));
		expect(error?.message).toContain(message);
		expect(error?.description).toContain(advice);
		expect(me.extracted).toBe(0);
		expect(me.visits).toEqual([]);
	});

	it('never take the place of what was picked from another page before', async () => {
		const me = privateProxies();
		const list = await me.open([me.page('/article')], picking(TITLE));
		const { error } = await me.open([list.items[0].json], picking(TITLE));
		expect(error?.message).toContain(`'Name' can't be "title"`);
	});
});

it('a crawl picks columns from each of its pages', async () => {
	const me = privateProxies();
	const fields = { operation: 'crawl', maxPages: 2, ...picking({ name: 'name', selector: 'h1' }) };
	const url = me.page('/shop?items=1');
	const { items } = await me.open([url], fields);
	expect(items[1].json).toMatchObject({
		url: me.page('/shop/item/1?items=1'),
		depth: 1,
		foundOn: url,
		name: 'Item 1',
	});
	const { error } = await me.open([url], { ...fields, ...picking({ ...TITLE, name: 'depth' }) });
	expect(error?.message).toContain(`'Name' can't be "depth"`);
});

it('the links of a page come with their addresses and texts, each once', async () => {
	const me = privateProxies();
	const options = { includeLinks: true };
	const { items } = await me.open([me.page('/article'), me.page('/json')], { options });
	expect(items.map((item) => detailsOf(item))).toMatchObject([
		{
			title: 'The harbor',
			links: [
				{ url: me.page('/'), text: 'Home' },
				{ url: me.page('/article'), text: 'Articles' },
			],
		},
		{ links: [] },
	]);
	expect(detailsOf(items[1])).not.toHaveProperty('title');
});
