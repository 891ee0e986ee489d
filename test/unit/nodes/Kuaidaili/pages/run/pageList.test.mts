import type { IDataObject } from 'n8n-workflow';

import { PageContent } from '../../../../../../nodes/Kuaidaili/pages/content/pageContent.ts';
import type { PageRequest } from '../../../../../../nodes/Kuaidaili/pages/request/pageRequest.ts';
import {
	describeListEnds,
	PageList,
} from '../../../../../../nodes/Kuaidaili/pages/run/pageList.ts';
import { pageRequest } from './fakePages.mts';

const HTML = 'text/html';
const JSON_TYPE = 'application/json';
const LINK = 'a.next';

/** The address of the page that follows one at https://site.example/list/1. */
async function nextUrl(
	nextPage: string,
	type: string,
	body: string | Buffer,
	list = new PageList(),
	url = 'https://site.example/list/1',
	link?: string | string[],
): Promise<string | undefined> {
	const headers = { 'content-type': type, ...(link !== undefined && { link }) };
	const answer = {
		status: 200,
		headers,
		body: Buffer.from(body),
		kind: 'answer',
		statusText: '',
		source: 'page',
	} as const;
	const content = new PageContent(answer, url);
	const result = { url, attempts: [], content };
	const page = pageRequest({ url, nextPage, maxNextPages: 10 });
	return (await list.next(page, result))?.url;
}

describe("the header 'Link'", () => {
	const second = 'https://site.example/list?page=2';
	const headed = async (link: string | string[], type: string, body: string) =>
		await nextUrl(LINK, type, body, new PageList(), 'https://site.example/list', link);

	it.each<[string, string | string[], string | undefined]>([
		['a link named next', '<?page=2>; rel="next"', second],
		['one of several', '</>; rel="first", <?page=2>; title="x"; rel=next', second],
		['one in a header of its own', ['</>; rel=up', '<?page=2>; rel="last next"'], second],
		['no link named next', '<?page=2>; rel="nextel"; title="rel=next"', undefined],
		['an address that opens no page', '<mailto:a@b.example>; rel=next', undefined],
	])('counts where nothing is picked: %s', async (_what, link, url) => {
		expect(await headed(link, HTML, '<p>Page 1')).toBe(url);
		expect(await headed(link, JSON_TYPE, '{"rows": []}')).toBe(url);
	});

	it('does not count where the page has a link', async () => {
		const body = '<a class=next href="?page=3">';
		expect(await headed('<?page=2>; rel=next', HTML, body)).toBe(`${second.slice(0, -1)}3`);
	});
});

it.each<[string, string, string, string | Buffer, string | undefined]>([
	['a link', LINK, HTML, '<a class=next href=" 2\n">', 'https://site.example/list/2'],
	[
		'a link of the head',
		'link[rel=next]',
		HTML,
		'<link rel=next href=/2>',
		'https://site.example/2',
	],
	['a link of a map', '.n', HTML, '<map><area class=n href=/2></map>', 'https://site.example/2'],
	[
		'what is relative to a base',
		LINK,
		HTML,
		'<base href=/x/><a class=next href=2>',
		'https://site.example/x/2',
	],
	[
		'the first that leads anywhere',
		'div',
		HTML,
		'<div><a href="#">1</a><a href="javascript:a()">2</a><a href=3>3</a></div>',
		'https://site.example/list/3',
	],
	['no place of the page', LINK, HTML, '<a class=next href="#">', undefined],
	[
		'no login',
		LINK,
		HTML,
		'<a class=next href="https://u:secret@site.example/2">',
		'https://site.example/2',
	],
	[
		'a query in the encoding of the page',
		LINK,
		'text/html; charset=gbk',
		Buffer.from('<a class=next href="?q=\xd6\xd0">', 'latin1'),
		'https://site.example/list/1?q=%D6%D0',
	],
	[
		'a link of Atom',
		'link[rel=next]',
		'application/atom+xml',
		'<feed><link rel="self" href="1"/><link rel="next" href="/2"/></feed>',
		'https://site.example/2',
	],
	[
		'the text of XML',
		'next',
		'application/xml',
		'<?xml version="1.0"?><r><next>/2?a=1&amp;b=2</next></r>',
		'https://site.example/2?a=1&b=2',
	],
	[
		'a path of JSON',
		'paging.next',
		JSON_TYPE,
		'{"paging":{"next":"?page=2"}}',
		'https://site.example/list/1?page=2',
	],
	[
		'a name with a period',
		'@odata.nextLink',
		JSON_TYPE,
		'{"@odata.nextLink":"/2"}',
		'https://site.example/2',
	],
	[
		'a link of JSON',
		'links.next',
		JSON_TYPE,
		'{"links":{"next":{"href":"/2"}}}',
		'https://site.example/2',
	],
	['null', 'next', JSON_TYPE, '{"next":null}', undefined],
	['false', 'next', JSON_TYPE, '{"next":false}', undefined],
	['an empty text', 'next', JSON_TYPE, '{"next":""}', undefined],
])('the next page is that of %s', async (_what, nextPage, type, body, url) => {
	const list = new PageList();
	expect(await nextUrl(nextPage, type, body, list)).toBe(url);
	expect(list.end).toBe(url === undefined ? 'noLink' : undefined);
});

it.each([
	['itself', '1#top', '1#top'],
	['another spelling of itself', '/list/%e4', '/list/%E4'],
])('a list ends where it leads to %s', async (_what, first, second) => {
	const list = new PageList();
	const link = (href: string) => `<a class=next href="${href}">`;
	const read = new URL(first, 'https://site.example/list/1').href;
	await nextUrl(LINK, HTML, link(second), list, read);
	expect(list.end).toBe('readBefore');
});

it('a list ends where it leads to its first page by another address', async () => {
	const list = new PageList();
	const link = (page: number) => `<a class=next href="?page=${page}">`;
	await nextUrl(LINK, HTML, link(2), list, 'https://site.example/list');
	await nextUrl(LINK, HTML, link(1), list, 'https://site.example/list?page=2');
	expect([list.pageNumber, list.end]).toEqual([2, 'readBefore']);
});

it('a list ends where it leads to a page that a pager on it has called its own', async () => {
	const list = new PageList();
	const pager = '<div><a class=active href=/first>1</a><a href=/second>2</a></div>';
	expect(await nextUrl('div', HTML, pager, list)).toBe('https://site.example/second');
	const back = '<div><a rel=next href=/first>Next</a></div>';
	await nextUrl('div', HTML, back, list, 'https://site.example/second');
	expect(list.end).toBe('readBefore');
});

it('a list ends where several links may be the next one, which its first page names', async () => {
	const list = new PageList();
	const body = '<div><a href=/a>A</a><a href=/b>B</a></div>';
	expect(await nextUrl('div', HTML, body, list)).toBeUndefined();
	expect([list.end, list.unclear]).toEqual(['unclear', ['A', 'B']]);
	const longer = new PageList();
	await nextUrl('div', HTML, '<div><a href=2>2</a></div>', longer);
	await nextUrl('div', HTML, body, longer, 'https://site.example/list/2');
	expect(longer.end).toBe('noLink');
});

describe('a range without an end', () => {
	const openRange = {
		around: ['https://site.example/', ''],
		number: 1,
		step: 2,
		width: 2,
	} as const;
	const rows = { format: 'fields', rowSelector: 'li' } as const;
	const [one, two] = [{ a: 1 }, { a: 2 }];

	it.each<[string, Partial<PageRequest>, IDataObject[][], boolean[], PageList['end']]>([
		['goes on with other rows', rows, [[one], [two], [one]], [true, true, true], undefined],
		['ends with no row', rows, [[one], []], [true, false], 'noRow'],
		['ends where it begins with no row', rows, [[]], [false], 'noRow'],
		[
			'ends with rows that differ by their address and page only',
			rows,
			[[{ ...one, url: 'x', pageNumber: 1 }], [{ ...one, url: 'y', pageNumber: 2 }]],
			[true, false],
			'sameRows',
		],
		[
			'ends with rows of pages with other details and links',
			rows,
			['x', 'y'].map((url) => [{ ...one, pageLinks: url, pageDetails: { url } }]),
			[true, false],
			'sameRows',
		],
		[
			'goes on with other addresses of details',
			{
				...rows,
				fields: [{ name: 'url', selector: 'a', take: 'attribute', attribute: 'href', all: false }],
			},
			[[{ url: 'x' }], [{ url: 'y' }]],
			[true, true],
			undefined,
		],
		[
			'goes on with the same values of other columns',
			rows,
			[[{ a: 1 }], [{ b: 1 }]],
			[true, true],
			undefined,
		],
		[
			'ends with no structured data',
			{ format: 'structuredData' },
			[[one], []],
			[true, false],
			'noRow',
		],
		['goes on with the same texts', { format: 'text' }, [[one], [one]], [true, true], undefined],
	])('%s', (_what, changes, pages, taken, end) => {
		const list = new PageList();
		const request = pageRequest({ openRange, ...changes });
		expect(pages.map((records) => list.takes(request, records))).toEqual(taken);
		expect([list.end, list.pages]).toEqual([end, taken.filter(Boolean).length]);
	});

	it('leads to its next number, as often as it may', async () => {
		const list = new PageList();
		const first = pageRequest({ openRange, maxNextPages: 1, isSchemeAdded: true });
		const result = { url: first.url, attempts: [] };
		const next = await list.next(first, result);
		expect(next).toMatchObject({ url: 'https://site.example/03' });
		expect([next?.isSchemeAdded, next?.openRange?.number, list.pageNumber]).toEqual([
			undefined,
			3,
			2,
		]);
		expect(await list.next({ ...first, ...next }, result)).toBeUndefined();
		expect(list.end).toBe('maxNextPages');
	});

	it('leads nowhere behind a page that failed', async () => {
		const list = new PageList();
		const failed = { url: '', attempts: [], error: new Error('why') };
		expect(await list.next(pageRequest({ openRange, maxNextPages: 9 }), failed)).toBeUndefined();
		expect(list.end).toBeUndefined();
	});

	it.each<[string, Partial<PageRequest>, number, boolean]>([
		['its next page is gone', { openRange: { ...openRange, isFollowing: true } }, 410, true],
		['its next page fails', { openRange: { ...openRange, isFollowing: true } }, 500, false],
		['its first page is not there', { openRange }, 404, false],
		['a page is not there', {}, 404, false],
	])('ends where %s', (_what, changes, statusCode, isEnd) => {
		const list = new PageList();
		const result = { url: '', attempts: [], statusCode };
		expect(list.endsBefore(pageRequest(changes), result)).toBe(isEnd);
		expect(list.end).toBe(isEnd ? 'missing' : undefined);
	});
});

describe('the end of lists is told', () => {
	/** A list that ended after so many pages. */
	function listOf(pages: number, end: PageList['end'], unclear: readonly string[] = []): PageList {
		return Object.assign(new PageList(), { pages, end, unclear });
	}

	it.each<[string, PageList[], string[]]>([
		['nothing of those that failed', [listOf(3, undefined)], []],
		[
			'one with a first page only',
			[listOf(1, 'noLink')],
			[
				"The list ended after 1 page, where there is no link to a next page. If there is one, check 'Next Page'.",
			],
		],
		[
			'several, each reason once',
			[listOf(3, 'noLink'), listOf(7, 'maxNextPages'), listOf(5, 'noLink')],
			[
				'2 lists ended after at most 5 pages, where there is no link to a next page.',
				"The list ended after 7 pages, because of 'Max Next Pages' in 'Options'.",
			],
		],
		[
			'links that may be the next one',
			[listOf(1, 'unclear', ['1', '2'])],
			[
				"The list ended after 1 page, where 'Next Page' picks several links, and none says that it leads to the next page. They are: 1, 2. Enter the selector of the link itself.",
			],
		],
	])('%s', (_what, lists, told) => {
		expect(describeListEnds(lists)).toEqual(told);
	});
});
