import type { IDataObject } from 'n8n-workflow';

import { toolCalls } from '../support/toolCalls.mts';
import { detailsOf, type PageOpener, usePages } from './pageOpener.mts';

const { bed, me } = usePages();

const picking = (...values: IDataObject[]): IDataObject => ({
	responseFormat: 'fields',
	fields: { values },
});

const TITLE = { name: 'title', selector: 'h1' };

describe('picked columns', () => {
	it('stand beside those of the input and the address, with null for what a page lacks', async () => {
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
		const { pageDetails, pageStatus, ...columns } = items[0].json;
		expect(columns).toEqual({
			url: me.page('/article/7'),
			id: 7,
			title: 'Article 7',
			home: me.page('/'),
			goods: ['Salt &amp; pepper', 'Bread'],
			price: null,
			prices: [],
		});
		expect(pageStatus).toBe('opened');
		expect(pageDetails).toMatchObject({ statusCode: 200, title: 'Article 7' });
	});

	it('have the address that was asked for also where it comes from another field', async () => {
		const { items } = await me.open([{ link: me.page('/redirect/1') }], {
			...picking(TITLE),
			url: '={{ $json.link }}',
		});
		expect(items[0].json).toMatchObject({ url: me.page('/redirect/1'), title: 'The harbor' });
		expect(detailsOf(items[0]).url).toBe(me.page('/article'));
	});

	it("leave an address as the input has it, so that a table's row is found by it", async () => {
		const typed = `${me.page('/article')}?q=海`;
		const { items } = await me.open([typed], picking(TITLE));
		expect(items[0].json.url).toBe(typed);
	});

	it('are empty where the page could not be opened', async () => {
		const { items } = await me.open([me.page('/article'), me.page('/status/404')], {
			...picking(TITLE, { name: 'all', selector: 'li', all: true }),
		});
		expect(items[1].json).toMatchObject({ url: me.page('/status/404'), title: null, all: [] });
		expect(items[1].json).not.toHaveProperty('data');
		expect(detailsOf(items[1]).error).toContain('status 404');
		// And may be filled when it is opened again
		const again = await me.open([{ ...items[1].json, url: me.page('/article') }], picking(TITLE));
		expect(again.items[0].json).toMatchObject({ title: 'The harbor' });
	});

	it.each([
		['h1', 'h1'],
		['.product > .price', 'price'],
		['#main > li:nth-child(2) > .item-name:first-child', 'item_name'],
		['.product-price', 'product_price'],
		['.card__price--now', 'card__price__now'],
		['meta[name="description"]', 'meta'],
	])('are named after their selector %s where they have no name: %s', async (selector, name) => {
		const { items } = await me.open([me.page('/article')], picking({ selector }));
		expect(items[0].json).toHaveProperty([name]);
	});

	it.each([
		[{ selector: 'h1' }, undefined],
		[{ name: 'id', selector: 'h1' }, "does not take 'id': it has id, createdAt, and updatedAt of"],
		[{ name: 'id', selector: 'h1' }, "type another 'Name' in 'Fields', such as item_id, or rename"],
		[{ name: '价格', selector: 'h1' }, "does not take '价格'"],
		[{ name: 'Price (net)', selector: 'h1' }, 'such as Price_net, or'],
	])('say which names a data table does not take: %j', async (column, hint) => {
		const { hints } = await me.open([me.page('/article')], picking(column));
		const told = hints.map(({ message }) => message).join(' ');
		if (hint === undefined) expect(told).not.toContain('data table');
		else expect(told).toContain(hint);
	});

	it('of JSON fail, and say what helps', async () => {
		const { error } = await me.open([me.page('/json')], picking(TITLE));
		expect(error?.message).toContain('The page is not HTML');
		expect(error?.description).toContain("Set 'Response Format' to 'JSON'");
	});

	it('that match many times without Row Selector say so', async () => {
		const column = (selector: string) => picking({ name: 'x', selector });
		const many = await me.open([me.page('/shop/products')], column('.product h3'));
		expect(many.items[0].json.x).toBe('Lamp 1');
		expect(many.hints.map(({ message }) => message).join(' ')).toContain(
			`12 elements match ".product h3" on ${me.page('/shop/products')}; the first was taken. For an item of each, fill in 'Row Selector'.`,
		);
		const one = await me.open([me.page('/shop/products')], column('h1'));
		expect(one.hints.map(({ message }) => message).join(' ')).not.toContain('elements match');
	});

	it('of a file are empty, with the reason and its type', async () => {
		const pages = [me.page('/picture'), me.page('/article')];
		const { items, hints } = await me.open(pages, picking(TITLE));
		expect(items[0].json).toMatchObject({ title: null, pageStatus: 'not as wanted' });
		expect(detailsOf(items[0]).error).toContain('a file of type image/png, which has no text');
		expect(hints[0].message).toContain('Opened 1 of 2 pages. Not opened: 1 not as wanted.');
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
		['no selector', [{ name: 'title' }], "'Selector' of 'title' is empty", 'a CSS selector'],
		[
			'no attribute',
			[{ ...TITLE, take: 'attribute' }],
			"'Attribute' of 'title' is empty",
			'the name of an attribute',
		],
		[
			'a broken selector',
			[{ name: 'title', selector: 'a[href' }],
			`'Selector' of 'title' can't be "a[href"`,
			"Attribute selector didn't terminate",
		],
		[
			'XPath',
			[{ name: 'title', selector: '//h1' }],
			`'Selector' of 'title' can't be "//h1"`,
			'XPath',
		],
		['a name twice', [TITLE, TITLE], `'Name' can't be "title"`, 'Two of'],
		['a name of n8n', [{ ...TITLE, name: 'error' }], `'Name' can't be "error"`, "not 'error'"],
		['a name of the input', [{ ...TITLE, name: 'id' }], `'Name' can't be "id"`, 'already'],
	])('with %s are refused before any request', async (_what, values, message, advice) => {
		const { error } = await me.open([{ url: me.page('/article'), id: 7 }], picking(...values));
		expect(error?.message).toContain(message);
		expect(error?.description).toContain(advice);
		expect(me.extracted).toBe(0);
		expect(me.visits).toEqual([]);
	});

	it('never take the place of what was picked from another page before', async () => {
		const list = await me.open([me.page('/article')], picking(TITLE));
		const { error } = await me.open([list.items[0].json], picking(TITLE));
		expect(error?.message).toContain(`'Name' can't be "title"`);
	});
});

it('a crawl picks columns from each of its pages', async () => {
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

describe('Simplify', () => {
	const SIMPLE = { options: { simplify: true, includeLinks: true } };

	it('gives flat texts of each page, which a table takes as they are', async () => {
		const { items } = await me.open([me.page('/article'), me.page('/status/404')], {
			...picking(TITLE),
			...SIMPLE,
		});
		expect(items.map(({ json }) => json)).toEqual([
			{
				url: me.page('/article'),
				title: 'The harbor',
				pageStatus: 'opened',
				pageLinks: [me.page('/'), me.page('/article')].join('\n'),
			},
			{
				url: me.page('/status/404'),
				title: null,
				pageStatus: 'status 404',
				pageLinks: '',
			},
		]);
	});

	it('names what was opened and is not as wanted, and what was not tried', async () => {
		const { items } = await me.open([me.page('/json'), me.page('/article'), 'no address'], {
			...{ responseFormat: 'json', ...SIMPLE },
		});
		expect(items.map(({ json }) => json.pageStatus)).toEqual([
			...['opened', 'not as wanted', 'not tried: not an address'],
		]);
	});

	it('replaces what it said of a page that is opened again', async () => {
		me.sandbox.pages.faults.add({ path: '/article', kind: 'status', status: 404, times: 1 });
		const first = await me.open([me.page('/article'), me.page('/article/1')], SIMPLE);
		expect(first.items[0].json).toMatchObject({ pageStatus: 'status 404', data: '' });
		const again = await me.open([first.items[0].json], { options: { simplify: false } });
		expect(Object.keys(again.items[0].json)).toEqual([
			...['url', 'data', 'pageStatus', 'pageDetails'],
		]);
		const { items } = await me.open([again.items[0].json], SIMPLE);
		expect(items[0].json).toMatchObject({ pageStatus: 'opened' });
		expect(items[0].json).not.toHaveProperty('pageDetails');
	});

	it.each(['pageStatus', 'pageDetails'])("refuses an input's own %s", async (name) => {
		const { error } = await me.open([{ url: me.page('/article'), [name]: 'mine' }], SIMPLE);
		expect(error?.message).toContain(`The item already has a field '${name}'`);
		expect(me.extracted).toBe(0);
	});
});

it('every item has the address that was asked for, with one fixed address too', async () => {
	const { items } = await me.open([{ id: 1 }], { url: me.page('/article') });
	expect(items[0].json).toMatchObject({ id: 1, url: me.page('/article') });
});

const asTool = { settings: { type: 'kuaidailiTool' } };

/** What the model gets of one page. */
async function dataOf(me: PageOpener, url: string, fields: IDataObject = {}) {
	const { items, error } = await me.open([url], fields, asTool);
	expect(error).toBeUndefined();
	expect(items).toHaveLength(1);
	return String(items[0].json.data);
}

describe('what a model gets', () => {
	it('is Markdown of a page of HTML, without headers', async () => {
		const { items } = await me.open([me.page('/article')], {}, asTool);
		expect(items[0].json.data).toContain('# The harbor');
		expect(items[0].json.data).not.toMatch(/<|window\.tracked/);
		expect(Object.keys(items[0].json)).toEqual(['url', 'data', 'pageStatus']);
	});

	it('is what was chosen instead', async () => {
		expect(await dataOf(me, me.page('/article'), { responseFormat: 'text' })).toContain('<h1>');
	});

	it.each(['autodetect', 'text', 'markdown'])('has an end with %s', async (responseFormat) => {
		const text = await dataOf(me, me.page('/bytes/50000'), { responseFormat });
		expect(text.slice(-100)).toMatch(
			/\[The page goes on\. This is the beginning, 1[89],\d{3} characters of 50,000\.\]$/,
		);
		expect(text.length).toBeLessThan(20_000);
	});

	it.each([
		[
			'JSON',
			'/echo',
			{ method: 'POST', bodyType: 'json', body: `{"text": "${'x'.repeat(50_000)}"}` },
		],
		[
			'a column',
			'/article',
			{
				responseFormat: 'fields',
				fields: { values: [{ name: 'data', selector: 'html', take: 'html' }] },
			},
		],
	])('has an end of %s, too', async (_what, path, fields: IDataObject) => {
		const url = path === '/echo' ? me.page(path) : me.page('/shop?items=2000&each=2000');
		const text = await dataOf(me, url, fields);
		expect(text.slice(-100)).toMatch(/\[The page goes on\. .* characters of [\d,]+\.\]$/);
		expect(text.length).toBeLessThan(20_200);
	});

	it('has the beginning of its links where they are many', async () => {
		const fields = { options: { includeLinks: true } };
		const url = me.page('/shop?items=2000&each=2000');
		const { items } = await me.open([url], fields, asTool);
		expect(String(items[0].json.pageLinks).split('\n').length).toBeGreaterThan(20);
		expect(items[0].json.pageLinks).toMatch(/\[The page goes on\. .* characters of [\d,]+\.\]$/);
		expect(items[0].json.data).toContain('# Items, page 1');
		expect(JSON.stringify(items[0].json).length).toBeLessThan(20_100);
	});

	it('has an end for several addresses together, each with an equal part', async () => {
		const urls = ['/bytes/50000', '/article', '/bytes/30000'].map((path) => me.page(path));
		const { items } = await me.open([{ url: urls }], {}, asTool);
		expect(items).toHaveLength(3);
		const [long, short, other] = items.map(({ json }) => String(json.data));
		expect(short).toContain('The harbor');
		expect(short).not.toContain('The page goes on');
		for (const text of [long, other]) {
			expect(text.length).toBeGreaterThan(6000);
			expect(text).toMatch(/\[The page goes on\. .* of [35]0,000\.\]$/);
		}
		expect(items.map(({ json }) => json.url)).toEqual(urls);
		expect(JSON.stringify(items.map(({ json }) => json)).length).toBeLessThan(20_100);
	});

	it('has an end whatever is long of it: an address, a title, a reason', async () => {
		const long = 'x'.repeat(10_000);
		const columns = picking({ name: 'one', selector: 'h1' }, { name: 'two', selector: 'title' });
		const urls = [`${me.page('/article')}?${long}`, `the page ${long.repeat(10)}`];
		const { items } = await me.open([{ url: urls }], columns, asTool);
		expect(items).toHaveLength(2);
		expect(items[0].json).toMatchObject({ one: 'The harbor', pageStatus: 'opened' });
		expect(JSON.stringify(items.map(({ json }) => json)).length).toBeLessThan(20_100);
	});

	it('is of 20 addresses in a call, and names the others', async () => {
		const urls = Array.from({ length: 25 }, (_, page) => me.page(`/article/${page}`));
		const { items } = await me.open([{ url: urls }], {}, asTool);
		expect(items).toHaveLength(21);
		expect(items[20].json).toEqual({
			note: `One call opens at most 20 pages. Not opened, ask for them in further calls: ${urls.slice(20).join(' ')}`,
		});
		expect(me.visits).toHaveLength(20);
	});

	it('is of 20 pages of a crawl, and names the others', async () => {
		const { items, error } = await me.open(
			[me.page('/shop?items=60&each=60')],
			{ operation: 'crawl', responseFormat: 'text' },
			asTool,
		);
		expect(error).toBeUndefined();
		expect(items).toHaveLength(21);
		for (const { json } of items.slice(0, 20)) expect(json.pageStatus).toBe('opened');
		expect(items[20].json.note).toContain('at most 20 pages');
		expect(items[20].json.note).toContain(`${me.page('/shop/item/20?items=60&each=60')} `);
		expect(JSON.stringify(items.map(({ json }) => json)).length).toBeLessThan(20_100);
	});

	it.each([
		[
			'/status/404',
			/^The page was not opened\. The page answered with status 404\. Do not ask for it again\.$/,
		],
		[
			'/status/403',
			/^The page was not opened\. The site refused to show the page\. Asking again right away rarely helps/,
		],
		['/reset', /^The page was not opened\. The page could not be reached/],
		['/picture', /^The page is a file, which cannot be read here: picture, image\/png, \d+ bytes/],
		['/empty', /^The page is empty\.$/],
	])('of %s is text that says so', async (path, text) => {
		expect(await dataOf(me, me.page(path), { maxAttempts: 1 })).toMatch(text);
	});

	it('is text as well where the page that should be JSON is none', async () => {
		const text = await dataOf(me, me.page('/article'), { responseFormat: 'json' });
		expect(text).toMatch(/^The page was not opened\. The page is not JSON/);
	});
});

it.each(['open', 'crawl'])(
	"%s says where to click while nobody fills in 'URL'",
	async (operation) => {
		const outputs: string[] = [];
		await bed().engine.run({
			credentialId: me.credentialId,
			parameters: { resource: 'page', operation, product: 'DPS' },
			agent: toolCalls(1, outputs, 'oneByOne'),
		});
		expect(outputs.join()).toMatch(/The model can't fill in 'URL' of this tool yet/);
		expect(outputs.join()).toMatch(/click the ✨ button .*Let the model define this parameter/);
		expect(me.extracted).toBe(0);
	},
);

it('an agent is told that a page was blocked, and gets no words of the wall', async () => {
	me.sandbox.pages.faults.add({ kind: 'captcha' });
	const data = await dataOf(me, me.page('/article'));
	expect(data).toMatch(
		/^The page was not opened\. The site refused to show the page in 3 attempts\./,
	);
	expect(data).not.toContain('验证');
});

it('an agent reads a page, and learns why another one was not opened', async () => {
	const outputs: string[] = [];
	for (const path of ['/article', '/status/404']) {
		await bed().engine.run({
			credentialId: me.credentialId,
			parameters: { resource: 'page', operation: 'open', product: 'DPS', url: me.page(path) },
			agent: toolCalls(1, outputs, 'oneByOne'),
		});
	}
	expect(outputs[0]).toContain('The harbor of the small town');
	expect(outputs[1]).toContain('The page answered with status 404');
});
