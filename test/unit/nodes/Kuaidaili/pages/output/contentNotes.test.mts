import type { IDataObject } from 'n8n-workflow';

import { PageContent } from '../../../../../../nodes/Kuaidaili/pages/content/pageContent.ts';
import { ContentNotes } from '../../../../../../nodes/Kuaidaili/pages/output/contentNotes.ts';
import type {
	PageField,
	PageRequest,
} from '../../../../../../nodes/Kuaidaili/pages/request/pageRequest.ts';
import type { PageResult } from '../../../../../../nodes/Kuaidaili/pages/run/pageResult.ts';
import { pageRequest } from '../run/fakePages.mts';

interface Noted {
	readonly body?: string;
	readonly type?: string;
	/** What came out of it. */
	readonly records?: readonly IDataObject[];
	readonly asksToLogIn?: true;
	/** How many characters of how many were read. */
	readonly part?: readonly [readLength: number, length: number];
}

const row = { a: 1 };

function resultOf({ body = '<p>x', type = 'text/html', asksToLogIn, part }: Noted, at: number) {
	const url = `http://site.example/${at + 1}`;
	const content = new PageContent(
		{
			...{ kind: 'answer', status: 200, statusText: '', source: 'page' },
			headers: { 'content-type': type },
			body: Buffer.from(body),
		},
		url,
	);
	if (part !== undefined) {
		const [readLength, length] = part;
		Object.defineProperty(content, 'partRead', { value: { readLength, length } });
	}
	return { url, attempts: [], content, asksToLogIn } satisfies PageResult;
}

/** The hints after the pages /1, /2, and so on. */
async function hintsOf(changes: Partial<PageRequest>, pages: readonly Noted[]): Promise<string[]> {
	const notes = new ContentNotes();
	for (const [at, page] of pages.entries()) {
		await notes.note(pageRequest(changes), resultOf(page, at), { records: page.records ?? [row] });
	}
	return notes.hints;
}

function column(name: string, selector: string, all = false): PageField {
	return { name, selector, take: 'text', attribute: '', all };
}

const FIELDS = { format: 'fields' } as const;
const THIRD = 'li:nth-child(3)';
const ONE_ROW =
	"'Row Selector' picks one row of each page. If there are more, leave out of it what picks one, such as :nth-child(3).";
const inRows = (...rows: IDataObject[]): Noted => ({ records: rows });
const list = (count: number) => Array.from({ length: count }, (_none, at) => at);
const ofMatches = (count: number): Noted => ({ body: '<li>x'.repeat(count) });
const without = (pages: string, last: number) =>
	`${pages} without a row, such as http://site.example/${last}. If they have some, check 'Row Selector'; if they block you, say in 'Retry If' how they look.`;
const isIn = (found: number, rows: number) =>
	`'x' is in ${found} of ${rows} rows. If more have it, leave out of its selector what picks one, such as :nth-child(3).`;
const APP = { body: '<div id="root"></div><script src="/main.js"></script>' };
const empty = (...names: string[]) =>
	`${names.join(', ')} found on no page. Check the selector in 'Fields'.`;
const many = (count: number, selector: string, page: number) =>
	`${count} elements match "${selector}" on http://site.example/${page}; the first was taken. For an item of each, fill in 'Row Selector'.`;
const uneven = (lengths: string, page: number) =>
	`Lists of different lengths: ${lengths} on http://site.example/${page}. Their values do not belong together by their place. For an item of each row, fill in 'Row Selector'.`;

const ofOne = { ...FIELDS, rowSelector: THIRD };
const inPart = { ...FIELDS, rowSelector: 'li', fields: [column('x', `b${THIRD}`)] };
const open = { around: ['', ''], number: 1, step: 1, width: 0 } as const;
const both = { ...FIELDS, fields: [column('x', 'i'), column('y', 'b')] };
const lists = { ...FIELDS, fields: [column('x', 'i', true), column('y', 'b', true)] };
const items = { ...FIELDS, fields: [column('x', 'li')] };

describe('the hints of a run', () => {
	it.each<[string, Partial<PageRequest>, readonly Noted[], string[]]>([
		['one row of each page', ofOne, [inRows(row), inRows(row)], [ONE_ROW]],
		['no row by a selector of one', ofOne, [inRows()], [without('1 page', 1)]],
		['one row of JSON', ofOne, [{ ...inRows(row), type: 'application/json', body: '[]' }], []],
		['one of three rows', inPart, [inRows({ x: 1 }, { x: null }, {})], [isIn(1, 3)]],
		[
			'two of six rows on two pages',
			inPart,
			[inRows({ x: 1 }, {}, {}), inRows({ x: 2 }, {}, {})],
			[isIn(2, 6)],
		],
		['no row with a column', inPart, [inRows({}, {}, {})], [empty("'x' was")]],
		[
			'a range without an end that ends',
			{ ...inPart, openRange: { ...open, isFollowing: true } },
			[inRows()],
			[],
		],
		['one that has not begun', { ...inPart, openRange: open }, [inRows()], [without('1 page', 1)]],
		[
			'columns that no page has',
			both,
			[inRows({ x: null }), inRows({ y: [] })],
			[empty("'x'", "'y' were")],
		],
		[
			'pages that look like a list',
			items,
			[ofMatches(2), ofMatches(3), ofMatches(4)],
			[many(3, 'li', 2)],
		],
		[
			'the third page that looks like one',
			items,
			[ofMatches(1), ofMatches(1), ofMatches(9)],
			[many(9, 'li', 3)],
		],
		[
			'pages that look like one behind the first three',
			items,
			[...Array<Noted>(3).fill(ofMatches(1)), ofMatches(9)],
			[],
		],
		[
			'matches that are all taken',
			{ ...FIELDS, fields: [column('a', 'li', true)] },
			[ofMatches(3)],
			[],
		],
		['matches of JSON', items, [{ ...ofMatches(3), type: 'application/json', body: '[1]' }], []],
		['matches in each row', { ...items, rowSelector: 'ul' }, [ofMatches(3)], []],
		[
			'lists of different lengths',
			lists,
			[
				inRows({ x: list(2), y: list(2) }),
				inRows({ x: list(3), y: list(1) }),
				inRows({ x: list(4), y: [] }),
			],
			[uneven("3 of 'x', 1 of 'y'", 2)],
		],
		['lists in rows', { ...lists, rowSelector: 'li' }, [inRows({ x: list(3), y: list(1) })], []],
		['a list beside a text', lists, [inRows({ x: list(3), y: 'text' })], []],
		[
			'pages without structured data',
			{ format: 'structuredData' },
			[inRows(), inRows(row), inRows()],
			[
				"2 pages without structured data of what they are about, such as http://site.example/3. Choose another 'Response Format' for them.",
			],
		],
		[
			'pages without structured data of a type',
			{ format: 'structuredData', rowSelector: 'Offer' },
			[inRows(), inRows(row)],
			[
				"1 page without structured data of the type in 'Row Selector', such as http://site.example/1. Leave it empty for what each page is about, or choose another 'Response Format'.",
			],
		],
		[
			'pages that want a password again',
			{},
			[{}, { asksToLogIn: true }, { asksToLogIn: true }],
			[
				"2 pages of a session with a field for a password although it has logged in, such as http://site.example/2. Check what 'Body' sends, and whether the site wants a hidden field of its form, too.",
			],
		],
		[
			'pages that are too large',
			{},
			[{}, { part: [10, 2000] }, { part: [10, 30] }],
			[
				'2 pages too large to be read whole, such as the first 10 of the 2,000 characters of http://site.example/2. What stands behind that is missing.',
			],
		],
	])('%s', async (_what, changes, pages, hints) => {
		const all = pages.map((page) => ({ ...page, records: page.records ?? [{ x: 1, y: 1, a: 1 }] }));
		expect(await hintsOf(changes, all)).toEqual(hints);
	});

	it.each<[PageRequest['format'], readonly Noted[], RegExp[]]>([
		['text', [{}, APP], [/^1 page with almost no text, .*fills it: http:\S+\/2 has no data/]],
		['markdown', [APP, APP], [/^2 pages with almost no text, .*fills them: http:\S+\/1 has no/]],
		['file', [APP], []],
		['json', [APP], []],
	])('of pages as %s that only scripts fill', async (format, pages, hints) => {
		expect(await hintsOf({ format }, pages)).toEqual(
			hints.map((hint) => expect.stringMatching(hint)),
		);
	});
});
