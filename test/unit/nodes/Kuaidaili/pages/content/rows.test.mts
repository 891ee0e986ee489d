import { isJsonPath } from '../../../../../../nodes/Kuaidaili/pages/content/jsonPath.ts';
import assert from 'node:assert';
import fc from 'fast-check';

import { DescribedError } from '../../../../../../nodes/shared/api/errors.ts';
import { parseXmlPage } from '../../../../../../nodes/Kuaidaili/pages/content/html.ts';
import {
	readJsonRows,
	readMarkupRows,
} from '../../../../../../nodes/Kuaidaili/pages/content/rows.ts';
import type { Row } from '../../../../../../nodes/Kuaidaili/pages/content/tableRows.ts';
import type { PageField } from '../../../../../../nodes/Kuaidaili/pages/request/pageRequest.ts';
import { pageOf, pause, SHOP } from './pages.mts';

function column(name: string, selector: string, more: Partial<PageField> = {}): PageField {
	return { name, selector, take: 'text', attribute: '', all: false, ...more };
}

const TAKEN = new Set(['error', 'row', 'url']);

function recordsOf(rows: readonly Row[]) {
	return rows.map((row) => Object.fromEntries(row));
}

async function rowsIn(html: string, rowSelector: string, ...fields: PageField[]) {
	return recordsOf(await readMarkupRows(await pageOf(html), rowSelector, fields, TAKEN, pause));
}

const PRODUCTS = `<ul><li class="product" data-id="1"><a href="/p/1">A</a><b class="price">1</b><i>new</i><i>red</i></li>
<li class="product" data-id="2"><a href="/p/2">B</a></li>
<li class="product" data-id="3"><a href="/p/3">C</a><b class="price">3</b></li></ul>`;

describe('rows of HTML', () => {
	it('have null where something is missing, and nothing moves', async () => {
		const rows = await rowsIn(
			PRODUCTS,
			'.product',
			column('name', 'a'),
			column('link', 'a', { take: 'attribute', attribute: 'href' }),
			column('price', '.price'),
			column('tags', 'i', { all: true }),
		);
		expect(rows).toEqual([
			{ name: 'A', link: 'https://shop.example/p/1', price: '1', tags: ['new', 'red'] },
			{ name: 'B', link: 'https://shop.example/p/2', price: null, tags: [] },
			{ name: 'C', link: 'https://shop.example/p/3', price: '3', tags: [] },
		]);
	});

	it.each([
		['', '1'],
		[':scope', '1'],
		[' :scope ', '1'],
	])('are themselves what "%s" picks', async (selector, id) => {
		const field = column('id', selector, { take: 'attribute', attribute: 'data-id' });
		expect((await rowsIn(PRODUCTS, '.product', field))[0]).toEqual({ id });
	});

	it.each([
		[':scope > b', 'outer'],
		['> b', 'outer'],
		['p b', 'inner'],
		[':scope > p > b', 'inner'],
		// As in a browser, what holds the row counts as well
		['section b', 'inner'],
		['.row b', 'inner'],
		['b:nth-of-type(1)', 'inner'],
		['div > b', 'outer'],
		[':scope', 'first inner outer'],
		['nothing', null],
		['i', 'first'],
	])('pick "%s" within them', async (selector, value) => {
		const html =
			'<section><div class="row"><p><i>first</i> <b>inner</b></p><b>outer</b></div></section>';
		expect(await rowsIn(html, '.row', column('x', selector))).toEqual([{ x: value }]);
	});

	it('pick every element of an element in them', async () => {
		const html = '<div class="row"><p><i>1</i><b>2</b><u>3</u><s>4</s></p></div>';
		const fields = ['i', 'b', 'u', 's'].map((name) => column(name, name));
		expect(await rowsIn(html, '.row', ...fields)).toEqual([{ i: '1', b: '2', u: '3', s: '4' }]);
	});

	it('in other rows are rows of their own, and do not count for the outer ones', async () => {
		const html = `<ul><li>One <b>1</b><ul><li>Two <b>2</b></li><li>Three</li></ul> end</li><li>Four</li></ul>`;
		const rows = await rowsIn(
			html,
			'li',
			column('text', ''),
			column('b', 'b', { all: true }),
			column('list', 'ul'),
			column('html', ':scope', { take: 'html' }),
		);
		expect(rows).toEqual([
			{ text: 'One 1 end', b: ['1'], list: null, html: 'One <b>1</b><ul></ul> end' },
			{ text: 'Two 2', b: ['2'], list: null, html: 'Two <b>2</b>' },
			{ text: 'Three', b: [], list: null, html: 'Three' },
			{ text: 'Four', b: [], list: null, html: 'Four' },
		]);
		expect((await rowsIn(html, 'li')).map(({ text }) => text)).toEqual([
			'One 1 end',
			'Two 2',
			'Three',
			'Four',
		]);
	});

	it('leave the page as it was', async () => {
		const page = await pageOf('<ul><li>One<ul><li>Two</li></ul></li></ul>');
		await readMarkupRows(page, 'li', [column('x', ':scope')], TAKEN, pause);
		const again = await readMarkupRows(page, 'body', [column('x', '')], TAKEN, pause);
		expect(recordsOf(again)).toEqual([{ x: 'One Two' }]);
	});

	it('say what is wrong with a selector that cannot be read', async () => {
		await expect(rowsIn(PRODUCTS, 'li[')).rejects.toThrow(/./);
		await expect(rowsIn(PRODUCTS, 'li', column('x', 'b['))).rejects.toThrow(/./);
	});
});

const PRICES = `<table><caption>Prices</caption>
<thead><tr><th rowspan="2">Name</th><th colspan="2">Price</th><th rowspan="2">Row</th><th rowspan=2>Art. No.</th><th rowspan=2></th></tr><tr><th>EUR</th><th>USD</th></tr></thead>
<tbody><tr><td>A</td><td>1</td><td rowspan="2">2</td><td>x</td><td colspan=2>7</td></tr><tr><th>B</th><td>3</td><td>y</td></tr></tbody></table>`;

describe('rows of a table', () => {
	it('are named after its header cells', async () => {
		const expected = [
			{ Name: 'A', 'Price EUR': '1', 'Price USD': '2', Row: 'x', 'Art No': '7', column_6: '7' },
			{ Name: 'B', 'Price EUR': '3', 'Price USD': '2', Row: 'y', 'Art No': null, column_6: null },
		];
		expect(await rowsIn(PRICES, 'tr')).toEqual(expected);
		expect(await rowsIn(PRICES, 'tbody tr')).toEqual(expected);
	});

	it.each([
		[
			'without a head, after the first rows of header cells',
			'<tr><th>A<th>B<tr><td>1<td>2',
			[{ A: '1', B: '2' }],
		],
		['without header cells, by number', '<tr><td>1<td>2', [{ column_1: '1', column_2: '2' }]],
		[
			'with names that are taken or alike, by number',
			'<tr><th>url<th>A<th>A<th>error<th>A<tr><td>1<td>2<td>3<td>4<td>5',
			[{ url_2: '1', A: '2', A_2: '3', error_2: '4', A_3: '5' }],
		],
		[
			'with a cell that spans all rows',
			'<tr><th>A<th>B<tr><td rowspan=0>1<td>2<tr><td>3<tbody><tr><td>4',
			[
				{ A: '1', B: '2' },
				{ A: '1', B: '3' },
				{ A: '4', B: null },
			],
		],
	])('%s', async (_what, rows, expected) => {
		expect(await rowsIn(`<table>${rows}</table>`, 'tr')).toEqual(expected);
	});

	it('have a name behind a header cell over ten columns', async () => {
		const cells = Array.from({ length: 13 }, (_, index) => `<td>${index + 1}`).join('');
		const header = '<tr><th>A<th>B<th colspan=10>C<th>D</tr>';
		const [row] = await rowsIn(`<table>${header}<tr>${cells}</tr></table>`, 'tr');
		expect(row).toMatchObject({ A: '1', B: '2', D: '13' });
	});

	it.each([
		['beside an empty corner', '<tr><td></td><th>A<th>B</tr>'],
		['below a title', '<tr><th colspan=3>Title</tr><tr><th><th>A<th>B</tr>'],
		[
			'below a unit and a note',
			'<tr><td colspan=3>Unit</tr><tr><td>Note</tr><tr><td> <th>A<th>B</tr>',
		],
	])('have the names of header cells %s', async (_what, header) => {
		const html = `<table>${header}<tr><th>Pens<td>1<td>2</tr><tr><th>Cups<td>3<td>4</tr></table>`;
		expect(await rowsIn(html, 'tr')).toEqual([
			{ column_1: 'Pens', A: '1', B: '2' },
			{ column_1: 'Cups', A: '3', B: '4' },
		]);
	});

	it('have no names of header cells below four rows of one cell', async () => {
		const notes = '<tr><td>Note</tr>'.repeat(4);
		const [first] = await rowsIn(
			`<table>${notes}<tr><th><th>A</tr><tr><th>Pens<td>1</tr></table>`,
			'tr',
		);
		expect(first).toEqual({ column_1: 'Note', column_2: null });
	});

	it('have the values of tables without names, also in their first rows', async () => {
		const html = '<table><tr><td>Note</tr><tr><th>A<td>1</tr><tr><th>B<td>2</tr></table>';
		expect(await rowsIn(html, 'tr')).toEqual([
			{ column_1: 'Note', column_2: null },
			{ column_1: 'A', column_2: '1' },
			{ column_1: 'B', column_2: '2' },
		]);
	});

	it('in a table are rows of their own', async () => {
		const html = '<table><tr><td>1<td>2 <table><tr><td>3</table></table>';
		expect(await rowsIn(html, 'tr')).toEqual([{ column_1: '1', column_2: '2' }, { column_1: '3' }]);
	});

	it('in a later row of a table do not count for it either', async () => {
		const html = '<table><tr><th>A<tr><td>1 <table><tr><td>2</table></table>';
		expect(await rowsIn(html, 'tr')).toEqual([{ A: '1' }, { column_1: '2' }]);
	});

	interface Cell {
		readonly tag: 'td' | 'th';
		readonly colspan: number;
		readonly rowspan: number;
	}

	/** The table as html.spec.whatwg.org forms it (4.9.12.1), slot by slot, with the numbers of its cells. */
	function slotsOf(groups: ReadonlyArray<ReadonlyArray<readonly Cell[]>>) {
		const slots = new Map<string, number>();
		const grown: Array<{ cell: number; x: number; width: number }> = [];
		const rowAt: number[] = [];
		let number = 0;
		let [width, height, y] = [0, 0, 0];
		// Where two overlap, which is an error of the table, the first one stands
		const cover = (x: number, row: number, cell: number) => {
			const at = `${x},${row}`;
			slots.set(at, Math.min(cell, slots.get(at) ?? cell));
		};
		const grow = () => {
			for (const { cell, x, width: wide } of grown) {
				for (let at = x; at < x + wide; at += 1) cover(at, y, cell);
			}
		};
		for (const rows of groups) {
			for (const row of rows) {
				if (height === y) height += 1;
				let x = 0;
				grow();
				rowAt.push(y);
				for (const { colspan, rowspan } of row) {
					while (x < width && slots.has(`${x},${y}`)) x += 1;
					if (x === width) width += 1;
					if (width < x + colspan) width = x + colspan;
					const tall = rowspan === 0 ? 1 : rowspan;
					if (height < y + tall) height = y + tall;
					for (let at = x; at < x + colspan; at += 1) {
						for (let down = y; down < y + tall; down += 1) cover(at, down, number);
					}
					if (rowspan === 0) grown.push({ cell: number, x, width: colspan });
					number += 1;
					x += colspan;
				}
				y += 1;
			}
			// The standard has these two in the other order, by which a cell could leave its group
			while (y < height) {
				grow();
				y += 1;
			}
			grown.length = 0;
		}
		return { width, rows: rowAt.map((row) => (x: number) => slots.get(`${x},${row}`)) };
	}

	it('have each cell where the standard puts it', async () => {
		const span = fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 4 }));
		const cell = fc.record<Cell>({
			tag: fc.constantFrom('td', 'th'),
			colspan: span,
			rowspan: fc.oneof({ weight: 8, arbitrary: span }, fc.constant(0)),
		});
		const row = fc.array(cell, { minLength: 1, maxLength: 5 });
		const group = fc.array(row, { minLength: 1, maxLength: 5 });
		const table = fc.record({
			head: fc.array(row, { maxLength: 3 }),
			bodies: fc.array(group, { minLength: 1, maxLength: 3 }),
		});
		await fc.assert(
			fc.asyncProperty(table, async ({ head, bodies }) => {
				const groups = [...(head.length > 0 ? [head] : []), ...bodies];
				let number = 0;
				const html = groups.map((rows, index) => {
					const name = index === 0 && head.length > 0 ? 'thead' : 'tbody';
					const inner = rows.map((cells) => {
						const shown = cells.map(({ tag, colspan, rowspan }) => {
							const text = `c${number++}`;
							return `<${tag} colspan="${colspan}" rowspan="${rowspan}">${text}</${tag}>`;
						});
						return `<tr>${shown.join('')}</tr>`;
					});
					return `<${name}>${inner.join('')}</${name}>`;
				});
				const { width, rows } = slotsOf(groups);
				const all = groups.flat();
				const isBelow = (cells: readonly Cell[]) => cells.some(({ tag }) => tag === 'td');
				// Up to three rows of one cell above header cells are titles and notes
				const wide = all.findIndex(({ length }) => length > 1);
				const notes = head.length > 0 || wide > 3 || wide < 0 || isBelow(all[wide]) ? 0 : wide;
				const firstBelow = all.findIndex((cells, index) => index >= notes && isBelow(cells));
				const above = head.length > 0 ? head.length : firstBelow < 0 ? all.length : firstBelow;
				const several = rows.slice(notes, above).filter((_at, at) => all[notes + at].length > 1);
				const naming = several.length > 0 ? several : rows.slice(notes, above);
				const columns = Array.from({ length: width }, (_, x) => x);
				const names = columns.map((x) => {
					const cells = new Set(naming.map((at) => at(x)));
					const texts = [...cells].filter((at) => at !== undefined).map((at) => `c${at}`);
					return texts.join(' ') || `column_${x + 1}`;
				});
				const used = new Set<string>();
				const different = names.map((name) => {
					let free = name;
					for (let count = 2; used.has(free); count += 1) free = `${name}_${count}`;
					used.add(free);
					return free;
				});
				const expected = rows.slice(above).map((at) =>
					Object.fromEntries(
						columns.map((x) => {
							const found = at(x);
							return [different[x], found === undefined ? null : `c${found}`];
						}),
					),
				);
				expect(await rowsIn(`<table>${html.join('')}</table>`, 'tr')).toEqual(expected);
			}),
			{ numRuns: 500 },
		);
	});
});

describe('rows of XML', () => {
	const FEED = `<?xml version="1.0"?><rss><channel><title>News</title><link>https://a.example/</link>
	<item><title><![CDATA[One & <b>two</b>]]></title><link>https://a.example/1</link><enclosure url="1.mp3"/><category>x</category><category>y</category></item>
	<item><title>Three</title><pubDate>today</pubDate><link/></item></channel></rss>`;

	it('name their columns themselves', async () => {
		const page = await parseXmlPage(FEED, SHOP, pause);
		const rows = await readMarkupRows(page, 'item', [], TAKEN, pause);
		expect(recordsOf(rows)).toEqual([
			{
				title: 'One & <b>two</b>',
				link: 'https://a.example/1',
				enclosure: '1.mp3',
				category: 'x, y',
			},
			{ title: 'Three', pubDate: 'today', link: null },
		]);
	});
});

it.each<[string, string, Record<string, string | null>]>([
	['nothing', '<r><c/></r>', { text: null }],
	['what HTML would not show', '<r><c><name>A<style>b</style></name></c></r>', { name: 'Ab' }],
	[
		'attributes',
		'<r><c currency="USD" rate="1.08" xmlns:x="y"/></r>',
		{ currency: 'USD', rate: '1.08' },
	],
	['attributes and a text', '<r><c currency="USD">1.08</c></r>', { currency: 'USD', text: '1.08' }],
	['attributes and elements', '<r><c id="1"><name>A</name></c></r>', { id: '1', name: 'A' }],
	[
		'elements in elements, whose words stay apart,',
		'<r><c><price><sum>5</sum><unit>EUR</unit></price><name>A<i>b</i>c</name></c></r>',
		{ price: '5 EUR', name: 'Abc' },
	],
	[
		'no comments and instructions',
		'<r><c><name>A<!-- no --><?b no?>B</name><!--<x>no</x>--><?c no?></c></r>',
		{ name: 'AB' },
	],
	['a link of Atom', '<r><c><title>A</title><link href="/1"/></c></r>', { title: 'A', link: '/1' }],
	[
		'other links of Atom than that of the page apart',
		'<r><c><link rel="self" href="/1.xml"/><link rel="alternate" href="/1"/><link rel="related" href="/1.pdf"/></c></r>',
		{ link_self: '/1.xml', link: '/1', link_related: '/1.pdf' },
	],
	[
		'links of Atom without that of a page',
		'<r><c><link rel="self" href="/1.xml"/><link rel="edit" href="/1/edit"/></c></r>',
		{ link: '/1.xml, /1/edit' },
	],
])('rows of XML have %s as columns', async (_what, xml, row) => {
	const page = await parseXmlPage(xml, SHOP, pause);
	expect(recordsOf(await readMarkupRows(page, 'c', [], TAKEN, pause))).toEqual([row]);
});

it('XML ends at an element with more than a thousand attributes', async () => {
	const attributes = Array.from({ length: 1_200 }, (_none, n) => `a${n}="${n}"`).join(' ');
	const xml = `<r><c><name>A</name></c><c ${attributes}/>${'<c/>'.repeat(50_000)}<c>last</c></r>`;
	const page = await parseXmlPage(xml, SHOP, pause);
	const rows = recordsOf(await readMarkupRows(page, 'c', [], TAKEN, pause));
	expect(rows[0]).toEqual({ name: 'A' });
	expect(JSON.stringify(rows)).not.toContain('last');
});

describe('rows of JSON', () => {
	const DATA = {
		code: 0,
		data: {
			items: [
				{ name: 'A', price: 1, tags: ['x', 'y'], shop: { name: 'S' }, offers: [{ price: 5 }] },
				{ name: 'B', price: null, shop: {}, 'a.b': 1, url: 'u' },
				'text',
			],
			empty: [],
		},
	};

	async function flatRows(value: unknown, path: string, ...fields: PageField[]) {
		return recordsOf(await readJsonRows(value, path, fields, TAKEN, true, pause));
	}

	async function rowsOfJson(value: unknown, path: string, ...fields: PageField[]) {
		return recordsOf(await readJsonRows(value, path, fields, TAKEN, false, pause));
	}

	it('are the parts of a list', async () => {
		const fields = [
			column('name', 'name'),
			column('price', 'price'),
			column('shop', 'shop.name'),
			column('first', 'tags[0]'),
			column('tags', 'tags', { all: true }),
			column('offers', 'offers.price', { all: true }),
		];
		expect(await rowsOfJson(DATA, 'data.items', ...fields)).toEqual([
			{ name: 'A', price: 1, shop: 'S', first: 'x', tags: ['x', 'y'], offers: [5] },
			{ name: 'B', price: null, shop: null, first: null, tags: [], offers: [] },
			{ name: null, price: null, shop: null, first: null, tags: [], offers: [] },
		]);
		expect(await rowsOfJson(DATA, 'data.items', column('row', ':scope'))).toEqual(
			DATA.data.items.map((row) => ({ row })),
		);
		expect(await rowsOfJson(DATA, 'data.empty', ...fields)).toEqual([]);
		expect(await rowsOfJson([1, 2], '$', column('n', ''))).toEqual([{ n: 1 }, { n: 2 }]);
		expect(await rowsOfJson({ $: { a: [1] } }, '$.$.a', column('n', ''))).toEqual([{ n: 1 }]);
	});

	it.each<[string, string, unknown]>([
		['items[*]', 'id', { items: [{ id: 1 }, { id: 2 }] }],
		['items.*', '$.id', { items: { a: { id: 1 }, b: { id: 2 } } }],
		["$['a.b']", "['id']", { 'a.b': [{ id: 1 }, { id: 2 }] }],
		['$["a b"].c', '@x.id', { 'a b': { c: [{ '@x.id': 1 }, { '@x': { id: 2 } }] } }],
		['a.b', 'x.id', { a: 1, 'a.b': [{ 'x.id': 1 }, { x: { id: 2 } }] }],
		['a[0].list', 'id', { a: [{ list: [{ id: 1 }, { id: 2 }] }, {}] }],
	])('are found by %s', async (path, selector, value) => {
		expect(isJsonPath(path)).toBe(true);
		expect(isJsonPath(`${path}::text`)).toBe(false);
		expect(isJsonPath(`div > ${path}`)).toBe(false);
		const rows = await rowsOfJson(value, path, column('id', selector));
		expect(rows).toEqual([{ id: 1 }, { id: 2 }]);
	});

	it('are flat for a table, with objects by their names and lists as texts', async () => {
		expect(await flatRows(DATA, 'data.items')).toEqual([
			{ name: 'A', price: 1, tags: 'x\ny', shop_name: 'S', offers: '[{"price":5}]' },
			{ name: 'B', price: null, ab: 1, url_2: 'u' },
			{ value: 'text' },
		]);
		const items = [
			{ shop: null, shop_name: 'typed', tags: [], size: { box: { w: 1, h: '' } } },
			{ shop: { name: 'S', owner: { name: 'O' } }, size: null },
		];
		expect(await flatRows({ items }, 'items')).toEqual([
			{ shop_name: 'typed', tags: null, size_box_w: 1, size_box_h: null },
			{ shop_name: 'S', shop_owner_name: 'O' },
		]);
		expect(await flatRows([{ a: { b: 1 }, a_b: 2 }], '$')).toEqual([{ a_b: 1, a_b_2: 2 }]);
	});

	it('are flat where columns are picked, but for all matches', async () => {
		const fields = [
			column('shop', 'shop'),
			column('tags', 'tags'),
			column('all', 'tags', { all: true }),
		];
		expect((await flatRows(DATA, 'data.items', ...fields))[0]).toEqual({
			shop_name: 'S',
			tags: 'x\ny',
			all: ['x', 'y'],
		});
	});

	it('stay JSON where an object has too many levels or values', async () => {
		let deep: unknown = 1;
		for (let level = 0; level < 12; level += 1) deep = { a: deep };
		expect(await flatRows([{ deep }], '$')).toEqual([
			{ deep_a_a_a_a_a_a_a_a: '{"a":{"a":{"a":{"a":1}}}}' },
		]);
		const wide = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`n${index}`, 1]));
		expect(await flatRows([{ wide }], '$')).toEqual([{ wide: JSON.stringify(wide) }]);
	});

	it.each([
		[
			'code',
			"'Row Selector' leads to no list: code",
			'There is 0. The page is an object with code, data.',
		],
		[
			'data',
			"'Row Selector' leads to no list: data",
			'There is an object with items, empty. The page is',
		],
		[
			'list',
			"'Row Selector' leads to no list: list",
			'There is nothing. The page is an object with code, data. Enter the path of a list: data.items, data.empty.',
		],
		['constructor', "'Row Selector' leads to no list: constructor", 'There is nothing.'],
	])('say what there is at the path %s', async (path, message, description) => {
		const error: unknown = await rowsOfJson(DATA, path).catch((failure: unknown) => failure);
		assert(error instanceof DescribedError);
		expect(error.describe().message).toBe(message);
		expect(error.describe().description).toContain(description);
	});

	it.each<[what: string, page: unknown, description: string]>([
		['a page that is a list', [{ name: 'A' }], 'The page is a list. Enter the path of a list: $.'],
		['a page without one', { a: { b: { c: { deep: [] } } } }, 'The page is an object with a.'],
		[
			'a page whose names are too long to show',
			{ a: { ['b'.repeat(1_000_000)]: [], c: [] } },
			'The page is an object with a. Enter the path of a list: a.c.',
		],
	])('say which lists there are in %s', async (_what, page, description) => {
		const error: unknown = await rowsOfJson(page, 'items').catch((failure: unknown) => failure);
		assert(error instanceof DescribedError);
		expect(error.describe().description).toBe(`There is nothing. ${description}`);
	});
});

it('a list of JSON with more parts than n8n has memory for is refused', async () => {
	const refused = readJsonRows(Array(200_001).fill(1), '$', [], TAKEN, true, pause);
	await expect(refused).rejects.toThrow('The page has too many rows: 200,001');
});

it('lets others run after each row', async () => {
	const row = '<tr class="p"><td><a href="/1">A</a><td class="price">1<td>x<td>y</tr>';
	const html = `<table><tr><th>A<th>B<th>C<th>D</tr>${row.repeat(1000)}</table>`;
	const page = await pageOf(html);
	let pauses = 0;
	const count = async () => void (pauses += 1);
	const fields = [column('name', 'a'), column('price', ':scope > .price'), column('x', 'td + td')];
	expect(await readMarkupRows(page, '.p', fields, TAKEN, count)).toHaveLength(1000);
	expect(pauses).toBeGreaterThanOrEqual(10_000);
	pauses = 0;
	expect(await readMarkupRows(page, 'tr', [], TAKEN, count)).toHaveLength(1000);
	expect(pauses).toBeGreaterThanOrEqual(10_000);
});
