import { PageContent } from '../../../../../../nodes/Kuaidaili/pages/content/pageContent.ts';
import { PageList } from '../../../../../../nodes/Kuaidaili/pages/run/pageList.ts';
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
