import type { IDataObject } from 'n8n-workflow';

import type { RunResult } from '../support/engine.mts';
import { CONTINUE } from '../support/runSettings.mts';
import { usePages } from './pageOpener.mts';

const { me } = usePages();

const NEXT = 'a[rel=next]';
const NEXT_ITEM = 'a[href$="#price"]';

async function openList(path: string, options: IDataObject = {}, more: IDataObject = {}) {
	const fields = { options: { nextPage: NEXT, simplify: true, ...options }, ...more };
	return await me.open([me.page(path)], fields, { settings: CONTINUE });
}

function numbersOf({ items }: RunResult): unknown[] {
	return items.map(({ json }) => [json.pageNumber, json.pageStatus]);
}

function hintsOf({ hints }: RunResult): string {
	return hints.map(({ message }) => message).join(' ');
}

describe('the next pages of a list', () => {
	it('follow each other until there is no link, each an item with its number', async () => {
		const list = await openList('/shop?items=25&each=10');
		expect(numbersOf(list)).toEqual([1, 2, 3].map((page) => [page, 'opened']));
		expect(
			list.items.map(({ json }) => new URL(String(json.url)).searchParams.get('page')),
		).toEqual([null, '2', '3']);
		expect(hintsOf(list)).toContain(
			'The list ended after 3 pages, where there is no link to a next page.',
		);
		expect(list.items.map(({ pairedItem }) => pairedItem)).toEqual(Array(3).fill({ item: 0 }));
	});

	it('are missing with a hint where a selector finds no link on the first page', async () => {
		const list = await openList('/shop?items=25&each=10', { nextPage: '.weiter' });
		expect(numbersOf(list)).toEqual([[1, 'opened']]);
		expect(hintsOf(list)).toContain(
			"The list ended after 1 page, where there is no link to a next page. If there is one, check 'Next Page'.",
		);
	});

	it('are found by what holds their link', async () => {
		expect(numbersOf(await openList('/shop?items=15', { nextPage: 'body' }))[1]).toEqual([
			2,
			'opened',
		]);
	});

	it('are the right ones of a pager with numbers, and each row comes once', async () => {
		const list = await openList(
			'/shop?items=36&each=12&pager=numbers',
			{ nextPage: 'ul.pagination' },
			{
				responseFormat: 'fields',
				rowSelector: '.items li',
				fields: { values: [{ name: 'item', selector: 'a' }] },
			},
		);
		expect(list.items.map(({ json }) => json.item)).toEqual(
			Array.from({ length: 36 }, (_, index) => `Item ${index + 1}`),
		);
		expect(list.items.map(({ json }) => json.pageNumber)).toEqual(
			[1, 2, 3].flatMap((page) => Array(12).fill(page)),
		);
		expect(hintsOf(list)).toContain(
			'The list ended after 3 pages, where there is no link to a next page.',
		);
	});

	it('count the start as read under the address that leads back to it', async () => {
		const list = await openList('/shop?items=30&pager=numbers', {
			nextPage: '.pagination li:nth-child(-n+3) a',
		});
		expect(numbersOf(list)).toEqual([1, 2].map((page) => [page, 'opened']));
		expect(hintsOf(list)).toContain(
			'The list ended after 2 pages, where the link leads to a page that was read before.',
		);
	});

	it('end where several links are none of the next page, which a hint names', async () => {
		const list = await openList('/shop?items=3', { nextPage: '.items' });
		expect(numbersOf(list)).toEqual([[1, 'opened']]);
		expect(hintsOf(list)).toContain(
			'They are: Item 1, Item 2, Item 3. Enter the selector of the link itself.',
		);
	});

	it('are no more than were asked for', async () => {
		const list = await openList('/shop?items=60', { maxNextPages: 2 });
		expect(numbersOf(list)).toHaveLength(3);
		expect(hintsOf(list)).toContain("The list ended after 3 pages, because of 'Max Next Pages'.");
	});

	it('end where they lead back', async () => {
		const list = await openList('/shop/item/3', { nextPage: 'a[href^="/shop/old"]' });
		expect(numbersOf(list)).toHaveLength(2);
		expect(hintsOf(list)).toContain(
			'The list ended after 2 pages, where the link leads to a page that was read before.',
		);
	});

	it('end with one that fails, behind those before', async () => {
		me.sandbox.pages.faults.add({ path: '/shop/item/2', kind: 'status', status: 404 });
		const list = await openList('/shop/item/1', { nextPage: NEXT_ITEM });
		expect(numbersOf(list)).toEqual([
			[1, 'opened'],
			[2, 'status 404'],
		]);
	});

	it('stand behind each other where several lists are read at the same time', async () => {
		const url = [me.page('/shop?items=25&ms=300'), me.page('/shop?items=15')];
		const fields = { options: { nextPage: NEXT } };
		const { items } = await me.open([{ url }], fields);
		const shown = items.map(({ json }) => [
			json.pageNumber,
			new URL(String(json.url)).searchParams.get('items'),
		]);
		expect(shown).toEqual([
			...[1, 2, 3].map((page) => [page, '25']),
			...[1, 2].map((page) => [page, '15']),
		]);
	});

	it('belong to the session of their list', async () => {
		const list = await openList('/shop?items=25', {}, { sessionKey: 'a' });
		expect(numbersOf(list)).toHaveLength(3);
		expect(new Set(me.proxied.map(({ proxy }) => proxy)).size).toBe(1);
	});

	it('of JSON are found by the path of their address, absolute or not', async () => {
		const json = { responseFormat: 'json' };
		for (const path of ['/shop/products.json', '/shop/products.json?origin=none']) {
			const list = await openList(path, { nextPage: 'next' }, json);
			expect(numbersOf(list)).toEqual([1, 2, 3].map((page) => [page, 'opened']));
			expect(hintsOf(list)).toContain(
				'The list ended after 3 pages, where there is no link to a next page.',
			);
		}
		const astray = await openList('/shop/products.json', { nextPage: 'products.next' }, json);
		expect(numbersOf(astray)).toEqual([[1, 'opened']]);
	});

	it('take no field of the input', async () => {
		const items = [{ url: me.page('/shop'), pageNumber: 7 }];
		const { error } = await me.open(items, { options: { nextPage: NEXT } });
		expect(error?.message).toBe("The item already has a field 'pageNumber'");
		expect(me.extracted).toBe(0);
		const range = { options: { simplify: true }, url: me.page('/shop?page=[1-]') };
		expect((await me.open(items, range)).error?.message).toContain("a field 'pageNumber'");
		expect(me.extracted).toBe(0);
		const alone = await me.open(items, { options: { simplify: true } });
		expect(alone.items[0].json).toMatchObject({ pageNumber: 7, pageStatus: 'opened' });
	});

	it('take the number of the page that is opened again', async () => {
		const again = [{ url: me.page('/shop'), pageNumber: 7, pageStatus: 'blocked' }];
		const { items } = await me.open(again, { options: { nextPage: NEXT, maxNextPages: 1 } });
		expect(items.map(({ json }) => json.pageNumber)).toEqual([1, 2]);
	});
});

it('an address that only lacks its scheme is opened over http, and a hint says so', async () => {
	const { port } = new URL(me.sites.http);
	const address = `shop.localhost:${port}/article`;
	const fields = { options: { simplify: true } };
	const { items, hints } = await me.open([address, me.page('/article')], fields);
	expect(items[0].json).toMatchObject({ url: address, pageStatus: 'opened' });
	expect(hints.map(({ message }) => message).join(' ')).toContain(
		`'http://' was put in front of 1 address without it, such as ${address}.`,
	);
});

it('a range of addresses is an item each, and one that is too large uses no proxy', async () => {
	const { items } = await me.open([me.page('/article/[08-10]')]);
	expect(items.map(({ json }) => String(json.url).slice(-2))).toEqual(['08', '09', '10']);
	const { error } = await me.open([me.page('/article/[1-2000]')]);
	expect(error?.message).toMatch(/^'URL' can't be "\[1-2000\]"/);
	expect(me.extracted).toBe(3);
});

describe('a range without an end', () => {
	const ROWS = {
		responseFormat: 'fields',
		rowSelector: '.items li',
		fields: { values: [{ name: 'item', selector: 'a' }] },
	};

	it('goes on until a page has no row, each with its number', async () => {
		const list = await openList('/shop?items=36&each=12&page=[1-]', { nextPage: undefined }, ROWS);
		expect(list.items.map(({ json }) => json.item)).toEqual(
			Array.from({ length: 36 }, (_, index) => `Item ${index + 1}`),
		);
		expect(list.items.at(-1)?.json).toMatchObject({
			pageNumber: 3,
			url: me.page('/shop?items=36&each=12&page=3'),
		});
		expect(hintsOf(list)).toContain(
			'Opened 3 of 3 pages, and 1 without an item, such as robots.txt.',
		);
		expect(hintsOf(list)).toContain('The list ended after 3 pages, where the next one has no row.');
		expect(hintsOf(list)).not.toContain('without a row');
		const nothing = await openList(
			'/shop?items=36&each=12&page=[9-]',
			{ nextPage: undefined },
			ROWS,
		);
		expect(nothing.items).toEqual([]);
		expect(hintsOf(nothing)).toContain('Opened 1 of 1 page.');
		expect(hintsOf(nothing)).toContain('1 page without a row');
	});

	it('goes on through an API until its list is empty', async () => {
		const rows = { responseFormat: 'fields', rowSelector: 'data.items' };
		const url = '/shop/products.json?page=[1-]';
		const list = await openList(url, { nextPage: undefined }, rows);
		expect(list.items.map(({ json }) => json.pageNumber)).toEqual(
			[1, 2, 3].flatMap((page) => Array(12).fill(page)),
		);
		expect(hintsOf(list)).toContain('The list ended after 3 pages, where the next one has no row.');
	});

	it('ends where a page has the rows of the page before, or is not there', async () => {
		const same = await openList('/shop?items=5&x=[01-]', { nextPage: undefined }, ROWS);
		expect(same.items.map(({ json }) => [json.row, json.url])).toEqual(
			[1, 2, 3, 4, 5].map((row) => [row, me.page('/shop?items=5&x=01')]),
		);
		expect(hintsOf(same)).toContain('after 1 page, where the next one has the same rows.');
		const missing = await openList('/shop/item/[24-]', { nextPage: undefined });
		expect(numbersOf(missing)).toEqual([1, 2].map((page) => [page, 'opened']));
		expect(hintsOf(missing)).toContain(
			'after 2 pages, where there is no further one (status 404).',
		);
	});

	it('opens no more pages than were asked for, in steps', async () => {
		const options = { nextPage: undefined, maxNextPages: 1 };
		const list = await openList('/shop/item/[0-:10]', options);
		expect(list.items.map(({ json }) => String(json.url).split('/').at(-1))).toEqual(['0', '10']);
		expect(hintsOf(list)).toContain("The list ended after 2 pages, because of 'Max Next Pages'.");
	});

	it.each<[string, IDataObject, RegExp]>([
		['with Next Page', {}, /'Next Page' doesn't go with a range without an end/],
		['with Skip Opened Pages', { nextPage: undefined, skipOpened: true }, /'Skip Opened Pages'/],
	])('is refused %s, before a proxy is used', async (_what, options, message) => {
		const { error } = await me.open([me.page('/shop?page=[1-]')], {
			options: { nextPage: NEXT, ...options },
		});
		expect(error?.message).toMatch(message);
		expect(me.extracted).toBe(0);
	});

	it('is refused by a crawl', async () => {
		const { error } = await me.open([me.page('/shop?page=[1-]')], { operation: 'crawl' });
		expect(error?.description).toContain("works with the operation 'Open' only");
	});
});
