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

	it('are no more than were asked for', async () => {
		const list = await openList('/shop?items=60', { maxNextPages: 2 });
		expect(numbersOf(list)).toHaveLength(3);
		expect(hintsOf(list)).toContain(
			"The list ended after 3 pages, because of 'Max Next Pages' in 'Options'.",
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

	it('ends where a page is not there', async () => {
		const missing = await openList('/shop/item/[24-]', { nextPage: undefined });
		expect(numbersOf(missing)).toEqual([1, 2].map((page) => [page, 'opened']));
		expect(hintsOf(missing)).toContain(
			'after 2 pages, where there is no further one (status 404).',
		);
	});

	it('is refused by a crawl, before a proxy is used', async () => {
		const { error } = await me.open([me.page('/shop?page=[1-]')], { operation: 'crawl' });
		expect(error?.description).toContain("works with the operation 'Open' only");
		expect(me.extracted).toBe(0);
	});
});
