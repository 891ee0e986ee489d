import type { IDataObject } from 'n8n-workflow';

import { toolCalls } from '../support/toolCalls.mts';
import { detailsOf, type PageOpener, usePages } from './pageOpener.mts';

const { bed, me } = usePages();

const picking = (...values: IDataObject[]): IDataObject => ({
	responseFormat: 'fields',
	fields: { values },
});

const TITLE = { name: 'title', selector: 'h1' };

/** What surrounds the main content of an article. */
const AROUND = /Articles|Printed on recycled paper/;

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

it.each(['markdown', 'text'])(
	'main content, or what selectors leave of a page, as %s',
	async (format) => {
		const articleWith = async (options: IDataObject) => {
			const { items } = await me.open([me.page('/article')], { responseFormat: format, options });
			return { data: items[0].json.data, details: detailsOf(items[0]) };
		};
		const whole = await articleWith({});
		expect(whole.data).toMatch(AROUND);
		expect(whole.details).not.toHaveProperty('mainContent');
		const main = await articleWith({ mainContent: true });
		expect(main.data).toContain('The harbor of the small town');
		expect(main.data).toContain('8:30');
		expect(main.data).not.toMatch(AROUND);
		expect(main.details).toHaveProperty('mainContent', expect.closeTo(0.95, 1));
		const rest = await articleWith({ leaveOut: 'main > table\n\nnav, main p', includeLinks: true });
		expect(rest.data).toMatch(/Bread/);
		expect(rest.data).toMatch(/Printed on recycled paper/);
		expect(rest.data).not.toMatch(/Articles|8:30|harbor of the small town/);
		// Links are of the whole page
		expect(rest.details.links).toHaveLength(2);
	},
);

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

const asTool = { settings: { type: 'kuaidailiTool' } };

/** What the model gets of one page. */
async function dataOf(me: PageOpener, url: string, fields: IDataObject = {}) {
	const { items, error } = await me.open([url], fields, asTool);
	expect(error).toBeUndefined();
	expect(items).toHaveLength(1);
	return String(items[0].json.data);
}

describe('what a model gets', () => {
	it('is Markdown of the main content of a page of HTML, without headers', async () => {
		const { items } = await me.open([me.page('/article')], {}, asTool);
		expect(items[0].json.data).toContain('# The harbor');
		expect(items[0].json.data).not.toMatch(AROUND);
		const whole = { options: { mainContent: false } };
		expect(await dataOf(me, me.page('/article'), whole)).toMatch(AROUND);
		expect(items[0].json.data).not.toMatch(/<|window\.tracked/);
		expect(Object.keys(items[0].json)).toEqual(['url', 'data', 'pageStatus']);
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
		['/picture', /^The page is a file, which cannot be read here: picture, image\/png, \d+ bytes/],
	])('of %s is text that says so', async (path, text) => {
		expect(await dataOf(me, me.page(path), { maxAttempts: 1 })).toMatch(text);
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
