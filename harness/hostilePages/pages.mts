import type { ReaderName } from './readers.mts';

export const SIZE = 2_000_000;

export function repeated(part: string, size = SIZE): string {
	return part.repeat(size / part.length);
}

/** Parts that a text repeats: each is what some pattern waits for the end of. */
export const PARTS: readonly string[] = [
	...[
		' ',
		'\n',
		'a',
		'1',
		'中',
		'<',
		'&',
		'&amp;',
		'"',
		'\\',
		'`',
		'*',
		'_a',
		'~~',
		'[',
		'](',
		'|',
	],
	...[
		'#',
		'1. ',
		';',
		',',
		'://',
		'http://a/',
		'%e4',
		'{"a":',
		'=?utf-8?q?',
		'charset=',
		'<a ',
		'<a>',
	],
	...['<!--', ']]>', '<p>', '<b><i></b>', '<td>', '<li>', '<br>', '\u00ad', ' a', 'a\n'],
	...['<meta a>', '<div>', '<script ', '<script>', '<loc>', 'allow:/', '<tr><td colspan=1000>'],
];

/** A page that was made to hurt, and its reader. */
export interface HostilePage {
	readonly name: string;
	readonly reader: ReaderName;
	readonly text: () => string;
}

function page(reader: ReaderName, name: string, text: () => string): HostilePage {
	// In one piece, as a page comes: V8 would put the parts together while it is read
	return { name: `${reader}: ${name}`, reader, text: () => Buffer.from(text()).toString() };
}

const MARKDOWN = 'Markdown of HTML';

function rowsOf(count: number, row: (index: number) => string): string {
	return Array.from({ length: count }, (_row, index) => row(index)).join('');
}

/** Different names, each with a blank behind it. */
function shortNames(count: number): string {
	return rowsOf(count, (index) => `${index.toString(36)} `);
}

/** Pages whose shape is the attack, rather than what they repeat. */
export const HOSTILE_PAGES: readonly HostilePage[] = [
	page(MARKDOWN, 'blanks before the last letter', () => `<pre>a${repeated(' ')}b</pre>`),
	page(
		MARKDOWN,
		'code of empty lines in quotes',
		() => `<blockquote><pre>a${repeated('\n')}b</pre>`,
	),
	page(MARKDOWN, 'code of backticks', () => `<pre>${repeated('` ')}</pre>`),
	page(MARKDOWN, 'code in a line', () => `<p><code>${repeated('` ')}</code>`),
	page(MARKDOWN, 'a cell', () => `<table><tr><th>a<th>b<tr><td>c<td>${repeated('| ')}`),
	page(
		MARKDOWN,
		'a cell in each of 60,000 rows',
		() => `<table>${'<tr><td>a<td>b'.repeat(60_000)}`,
	),
	page(
		...([MARKDOWN, 'cells that span all rows'] as const),
		() => `<table><tr>${'<th rowspan=65534>x'.repeat(1000)}${'<tr><td>y'.repeat(90_000)}`,
	),
	page(MARKDOWN, 'rows without cells', () => `<table><tr><td>a<td>b${'<tr>'.repeat(190_000)}`),
	page(MARKDOWN, 'nested quotes', () => repeated('<blockquote>a')),
	page(MARKDOWN, 'nested lists', () => repeated('<ol><li>a')),
	page(MARKDOWN, 'formatting without an end', () => repeated('<b><i><u>a')),
	page(MARKDOWN, 'lines of a paragraph', () => `<p>a${'<br>b'.repeat(190_000)}`),
	page(MARKDOWN, 'links', () => repeated('<a href="/a_(b)?c=d">e</a> ')),
	page(MARKDOWN, 'pictures of a picture', () => `<picture>${'<img src=a.png>'.repeat(120_000)}`),
	page(
		...([MARKDOWN, 'sources of a picture for each of its pictures'] as const),
		() =>
			`<picture>${`<source srcset="${'blank.gif 1x, '.repeat(1400)}">`.repeat(49)}${'<img src=a.png>'.repeat(60_000)}`,
	),
	page(MARKDOWN, 'text in tables of tables', () => repeated('<table><tr><td>a')),
	page('main content', 'paragraphs of a body', () => '<p>Some text, of a page.'.repeat(90_000)),
	page(...(['main content', 'names of classes'] as const), () =>
		`<div class="nav-item${' a'.repeat(100)}">a, b</div>`.repeat(9000),
	),
	page('columns', 'a drawing of 10 MB', () => `<svg>${repeated('<g/>', 9_900_000)}`),
	page('columns', 'elements', () => '<i>a</i>'.repeat(190_000)),
	page(
		'all matches',
		'nested elements',
		() => `${'<div>'.repeat(400)}${'<i>a</i>'.repeat(20_000)}`,
	),
	page('columns', 'elements with attributes', () => '<i a b=c>d</i>'.repeat(190_000)),
	page('positions', 'rows of a table', () => `<table>${'<tr><td>a<td>b'.repeat(60_000)}`),
	page('rows', 'rows in rows', () => `${'<div>'.repeat(400)}${'<i>a</i>'.repeat(20_000)}`),
	page('rows of a table', 'cells that span all columns', () =>
		'<tr><td colspan=1000>x'.repeat(90_000),
	),
	page('rows of a table', 'nothing but header cells', () =>
		rowsOf(200, () => `<tr>${'<th>x'.repeat(900)}`),
	),
	page('rows of JSON', 'names as far as a name is long', () => {
		const name = 'a'.repeat(200);
		return `[{${rowsOf(9000, (index) => `"${name}${index}":1,`)}"b":1}]`;
	}),
	page('rows of XML', 'entries without an end', () => repeated('<item><a>b</a>')),
	page('wall', 'nothing but accents', () => '\u0301\u0316'.repeat(45_000)),
	page('wall', 'letters of full width', () => 'ａ'.repeat(60_000)),
	page('structured data', 'commas', () => `[${repeated(',', 4_900_000)}`),
	page(
		'structured data',
		'signs that JSON lacks in a text',
		() => `["${repeated('\u0001', 4_900_000)}"]`,
	),
	page('structured data', 'nothing but objects', () => `[${repeated('{},', 4_900_000)}{}]`),
	page(
		...(['structured data', 'entities that each are about the next one'] as const),
		() => `${'{"@type":"Product","mainEntity":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
	),
	page('structured data', 'products that name each other', () => {
		const product = '{"@type":"Product","@id":"a","name":"b","offers":{"@id":"a"}},';
		return `{"@graph":[${repeated(product, 4_900_000)}{}]}`;
	}),
	page('links', 'addresses', () => rowsOf(60_000, (index) => `<a href="/page/${index}">a</a>`)),
	page(
		'links',
		'a long base',
		() =>
			`<base href="https://site.example/${repeated('a')}/">${rowsOf(3000, (index) => `<a href=${index}>a</a>`)}`,
	),
	page(
		'rows of a table',
		'a long cell in each column',
		() => `<tr><td colspan=1000>${repeated('a')}`,
	),
	page(
		'rows of a table',
		'a cell of empty elements in each column',
		() => `<tr><td colspan=1000>${'<i></i>'.repeat(180_000)}`,
	),
	page('Markdown of XML', 'elements of an entry', () => '<a></a>'.repeat(190_000)),
	page(
		'Markdown of XML',
		'entries in the content of each other',
		() => `${'<entry><content>'.repeat(120)}${repeated('a ')}`,
	),
	page(
		'Markdown of XML',
		'HTML in an entry',
		() => `<description><![CDATA[${repeated('<p>a</p>')}`,
	),
	page('plain JSON', 'long integers', () => `[${repeated('1234567890123456789,')}1]`),
	page('plain JSON', 'records with long integers, of 10 MB', () => {
		const record = { id: 1, name: 'some words', prices: [1.5, 2], text: 'words of it '.repeat(9) };
		const text = JSON.stringify(record).replace('1,', '1234567890123456789,');
		return `[${repeated(`${text},`, 9_900_000)}1]`;
	}),
	page('answer of the service', 'XML of 320 kB', () => `<a ${repeated(' a', 310_000)}>`),
	page('answer of the service', 'XML of 10 MB', () => `<a>${repeated('<td></td>', 9_900_000)}</a>`),
	page(
		'hint of a page for scripts',
		'elements in a script of 10 MB',
		() => `<script>${repeated('<div>', 9_900_000)}`,
	),
	page('hint of a page for scripts', 'elements of 10 MB', () => repeated('<div>', 10_000_000)),
	page(MARKDOWN, 'comments of three characters', () => `<p>x${repeated('<!>', 4_900_000)}`),
	page('columns', 'attributes of an element', () => `<p ${shortNames(900_000)}>x`),
	page('rows of XML', 'instructions of an item', () => `<item><a>${repeated('<?a?>', 4_900_000)}`),
	page('rows of XML', 'CDATA of an item', () => `<item><a>${repeated('<![CDATA[]]>', 4_900_000)}`),
	page('rows of XML', 'attributes of an item', () => `<item ${shortNames(700_000)}/>`),
	page('rows of XML', 'columns of an item', () => `<item>${rowsOf(190_000, (i) => `<a${i}/>`)}`),
	page('encoding', 'what is no tag of 10 MB', () => repeated('<', 10_000_000)),
	page('encoding', 'tags of 10 MB', () => repeated('<a>', 10_000_000)),
	page(
		'encoding',
		'ends of tags in a script of 10 MB',
		() => `<script>${repeated('</', 9_900_000)}`,
	),
	page('encoding', 'meta tags of 10 MB', () => repeated('<meta a=b c="d">', 10_000_000)),
	page('robots.txt', 'agents for as many rules', () =>
		[...'useragent:\n'.repeat(23_000), ...'allow:/\n'.repeat(32_000)].join(''),
	),
	page(
		'robots.txt',
		'wildcards',
		() => `user-agent:*\n${`disallow:${'/*a'.repeat(2000)}\n`.repeat(80)}`,
	),
	page('sitemap', '50,000 entries', () =>
		rowsOf(50_000, (index) => `<url><loc>https://site.example/page/${index}</loc></url>`),
	),
	page('packed sitemap', 'blocks of nothing', () => `<urlset>${repeated(' ', 3_000_000)}`),
];
