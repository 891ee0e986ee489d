import {
	compileSelector,
	parseXmlPage,
} from '../../../../../../nodes/Kuaidaili/pages/content/html.ts';
import {
	countMatches,
	emptyValues,
	linksOf,
	pickFields,
} from '../../../../../../nodes/Kuaidaili/pages/content/pickedFields.ts';
import type { PageField } from '../../../../../../nodes/Kuaidaili/pages/request/pageRequest.ts';
import { expectInProportion } from '../../../../support/growth.mts';
import { LIST, pageOf, pause } from './pages.mts';

function column(selector: string, more: Partial<PageField> = {}): PageField {
	return { name: 'x', selector, take: 'text', attribute: '', all: false, ...more };
}

async function picked(html: string, field: PageField) {
	return (await pickFields(await pageOf(html), [field])).x;
}

it.each<[string, PageField, string | string[] | null]>([
	['a text with white space collapsed', column('.name'), '手机甲 128G'],
	['all texts', column('.price', { all: true }), ['价格：1999.00', '价格：899']],
	[
		'an address with its site and the base',
		column('.name', { take: 'attribute', attribute: 'href' }),
		'https://shop.example/mall/p/1.html',
	],
	[
		'a picture of another site',
		column('img', { take: 'attribute', attribute: 'data-src' }),
		'//img.example/1.jpg',
	],
	['the text of what is to be a number', column('.price', { take: 'number' }), '价格：1999.00'],
	['HTML', column('.price', { take: 'html' }), '价格：<i>1999</i>.00'],
	['a code in a script', column('head script'), 'track("<p>")'],
	['nothing', column('.sold-out'), null],
	['nothing of a list', column('.sold-out', { all: true }), []],
	['no attribute', column('h1', { take: 'attribute', attribute: 'href' }), null],
	['what has a child', column('li:has(img) .name'), '手机甲 128G'],
	['what has a place', column('#goods li:nth-child(2) > .name'), '手机乙'],
	[
		'what has a text',
		column('a:contains("下一页")', { take: 'attribute', attribute: 'href' }),
		'https://shop.example/mall/?page=3',
	],
])('picks %s', async (_what, field, value) => {
	expect(await picked(LIST, field)).toEqual(value);
});

it.each<[string, string, PageField, string]>([
	['in what it is about', '<b content="12.90"></b>', column('b', { take: 'number' }), '12.90'],
	['in a field', '<b value="7"></b>', column('b', { take: 'number' }), '7'],
	['in its text', '<b content="12.90">13</b>', column('b', { take: 'number' }), '13'],
	[
		'of a link in a drawing',
		'<svg><a xlink:href="/x"></a></svg>',
		column('a', { take: 'attribute', attribute: 'HREF' }),
		'https://shop.example/x',
	],
	[
		'by no base that cannot be read',
		'<base href="http://"><a href="p"></a>',
		column('a', { take: 'attribute', attribute: 'href' }),
		'https://shop.example/list/p',
	],
])('picks a value %s', async (_what, html, field, value) => {
	expect(await picked(html, field)).toBe(value);
});

describe('the tree is that of a browser', () => {
	it.each<[string, string, string, string | string[] | null]>([
		[
			'elements around the options of a select',
			'<select id=s><div class=a><option>Red</div><div class=b><p>new<option>Blue</option></div></select>',
			'#s > .b > option',
			['Blue'],
		],
		[
			'elements in the options of a select',
			'<select><optgroup label=x><option>S <del>20</del> <b>15</b><optgroup label=y><option>M</select><b>no</b>',
			'select optgroup:first-child b',
			['15'],
		],
		[
			'a select with a button of its own, in a table',
			'<table id=t><tr><td><select><button><b>all</b></button><option>1</option></select><td>next<tr><td>2</table>',
			'#t > tbody > tr > td > select > button > b, #t > tbody > tr:first-child > td:nth-child(2)',
			['all', 'next'],
		],
		[
			'a paragraph that the blocks of a select do not end',
			'<p id=p>Size <select><div><p>in</p><option>S</div></select> <i>here</i>',
			'#p > select + i',
			['here'],
		],
		[
			'a select that an end tag around it does not end',
			'<div id=d><select><option>S</div><option>M</select><i>here</i></div>',
			'#d > select > option:nth-child(2), #d > i',
			['M', 'here'],
		],
		[
			'a select that another one, or an input, ends',
			'<div><select><div><option>S<select><i>here</i><select><option>M<input></div>',
			'div > i, div > input + select, div > select + input',
			['here', ''],
		],
		[
			'rows in a body that the page lacks',
			'<table id=t><tr><td>1<td>2<tr><td>a<td>3</table>',
			'#t > tbody > tr:nth-child(2) > td:nth-child(2)',
			['3'],
		],
		[
			'a head and a body that the page lacks',
			'<title>t</title><div><p>a</div><div><p>b</div>',
			'html > body:nth-child(2) > div:nth-child(2) > p',
			['b'],
		],
		['a column group', '<table><col><tr><td>1</table>', 'table > colgroup > col', ['']],
		[
			'what stands in a table before it',
			'<div id=d><table><b>bold</b><tr><td>1</table></div>',
			'#d > b:first-child + table td',
			['1'],
		],
		[
			'what stands in a table before it',
			'<div id=d><table><b>bold</b><tr><td>1</table></div>',
			'#d > b:first-child',
			['bold'],
		],
		[
			'what stands in a table behind what is before it',
			'<div id=d><i>x</i><table><b>bold</b><tr><td>1</table></div>',
			'#d > i + b',
			['bold'],
		],
		['an open head', '<head><title>t</title><h1>x</h1>', 'body > h1', ['x']],
		['elements that overlap', '<b>1<p>2</b>3</p>', 'p > b', ['2']],
		['a template', '<p>a</p><template><p>b</p></template>', 'p', ['a']],
		['a shadow root', '<x-y><template shadowrootmode=open><p>b</p></template></x-y>', 'p', ['b']],
		['a block called search', '<div id=x>1<search>2</search>3</div>', '#x', ['1 2 3']],
		['nothing of frames', '<p>a<iframe><b>b</b></iframe><noembed>c</noembed></p>', 'p', ['a']],
		['the name of a link', '<a aria-label=Next href=x><svg></svg></a>', 'a', ['Next']],
		['markup for readers without scripts', '<p>a<noscript><i>b</i></noscript>', 'i', ['b']],
		['a script with an end tag in it', '<script><!--<script></script>--></script><p>a', 'p', ['a']],
		['names of pictures', '<svg viewbox=1><lineargradient></svg>', 'linearGradient', ['']],
	])('with %s', async (_what, html, selector, values) => {
		expect(await picked(html, column(selector, { all: true }))).toEqual(values);
	});

	it.each(['<p>', '<p title="', '<!--'])(
		'in time in proportion to what comes without an end: %s',
		async (start) => {
			await expectInProportion(1_000_000, async (size) => await pageOf(start + 'a'.repeat(size)));
		},
	);

	it('with the attributes of a picture, whatever their case', async () => {
		const field = column('svg', { take: 'attribute', attribute: 'viewBox' });
		expect(await picked('<svg viewbox="0 0 1 1">', field)).toBe('0 0 1 1');
	});

	it('without links of templates', async () => {
		const links = await linksOf(await pageOf('<template><a href=/a>a</a></template><a href=/b>b'));
		expect(links.map(({ url }) => url)).toEqual(['https://shop.example/b']);
	});
});

describe('XML is XML', () => {
	const feed = `<?xml version="1.0"?><rss><channel><title>Feed</title><link>/</link>
<item><title/><link>https://a.example/1</link><pubDate>Mon</pubDate><image>/a.png</image></item>
<item><title><![CDATA[A & B <i>]]></title><link>https://a.example/2</link><template><p>x</p></template>
<description>&lt;p&gt;Words &#20013;</description></item></channel></rss>`;

	it.each<[string, string[]]>([
		['item > title', ['', 'A & B <i>']],
		['item > link', ['https://a.example/1', 'https://a.example/2']],
		['item > pubDate', ['Mon']],
		['item > image', ['/a.png']],
		['description', ['<p>Words 中']],
		['template p', ['x']],
		['item:nth-child(3) > *', ['', 'https://a.example/1', 'Mon', '/a.png']],
	])('%s', async (selector, values) => {
		const page = await parseXmlPage(feed, 'https://a.example/feed', pause);
		expect(page.title).toBe('Feed');
		expect(await pickFields(page, [column(selector, { all: true })])).toEqual({ x: values });
	});
});

it.each([
	'dc:creator',
	'item > dc|creator',
	'item dc\\:creator',
	'a, x:y-z, dc:creator:first-child',
])('the name with a prefix in %s is that of an element', async (selector) => {
	const xml =
		'<rss xmlns:dc="x"><item><creator>No</creator><dc:creator>Ann</dc:creator></item></rss>';
	const page = await parseXmlPage(xml, 'https://a.example/', pause);
	const creators = selector.startsWith('a,') ? [] : ['Ann'];
	expect(await pickFields(page, [column(selector, { all: true })])).toEqual({ x: creators });
});

it('a colon in an attribute or in quotes is no prefix', async () => {
	const html = '<p title="a:b" lang=x>1</p><p title="c">2</p>';
	expect(await picked(html, column('p[title="a:b"]:not([title=a|b])'))).toBe('1');
});

it.each(['p:frist-child', 'div|p', 'li:odd-one'])('%s is a mistake', (selector) => {
	expect(() => compileSelector(selector)).toThrow();
});

it('keeps apart what stands on lines of its own', async () => {
	const html = '<div><p>One</p><p>Two<br>lines</p><table><tr><td>1<td>2</table><b>a</b>b</div>';
	expect(await picked(html, column('div'))).toBe('One Two lines 1 2 ab');
});

it('picks several columns, of no page too', async () => {
	const fields = [column('h1'), { ...column('.name', { all: true }), name: '__proto__' }];
	const values = await pickFields(await pageOf(LIST), fields);
	expect(Object.entries(values)).toEqual([
		['x', '手机'],
		['__proto__', ['手机甲 128G', '手机乙', '手机丙']],
	]);
	expect(Object.entries(emptyValues(fields))).toEqual([
		['x', null],
		['__proto__', []],
	]);
});

it('gives up a selector that would take hours on a page, and not one of many rows', async () => {
	const nested = '<div>'.repeat(120) + '<p><a href="/x">x</a>';
	const selector = 'section div div div div div p';
	const tooLong = /^The selector "section .* p" takes too long on this page$/;
	await expect(picked(nested, column(selector))).rejects.toThrow(tooLong);
	await expect(linksOf(await pageOf(nested), selector)).rejects.toThrow(tooLong);
	const rows = '<tr><td>1</td></tr>'.repeat(3000);
	const all = column('tr:nth-child(odd) td', { all: true });
	expect(await picked(`<table>${rows}</table>`, all)).toHaveLength(1500);
});

it.each(['.a[', '//div', 'a:eq(0)', 'a::text'])('%s is no selector', (selector) => {
	expect(() => compileSelector(selector)).toThrow();
});

describe('links', () => {
	it('come once each, in the order of the page, absolute and with their texts', async () => {
		expect(await linksOf(await pageOf(LIST))).toEqual([
			{ url: 'https://shop.example/', text: '首页' },
			{ url: 'https://shop.example/mall/help', text: '帮助' },
			{ url: 'https://shop.example/mall/p/1.html', text: '手机甲' },
			{ url: 'https://shop.example/mall/p/2.html', text: '手机乙' },
			{ url: 'https://shop.example/mall/?page=3', text: '下一页' },
		]);
	});

	it.each(['http://', 'https://[', 'http://a b/', 'https://a:x/'])(
		'leave out what only looks like an address: %s',
		async (href) => {
			expect(await linksOf(await pageOf(`<a href="${href}">Author</a>`))).toEqual([]);
		},
	);

	it('are left out where crawlers are not to follow them, for those that obey', async () => {
		const links = '<a href="/1" rel="nofollow">a</a><a href="/2" rel="next">b</a>';
		const others =
			'<meta name="description" content="none"><p name="robots" content="none"><meta name="robots" content="index">';
		const urls = async (html: string, obeys?: boolean) =>
			(await linksOf(await pageOf(html), undefined, obeys)).map(({ text }) => text).join('');
		expect(await urls(links)).toBe('ab');
		expect(await urls(others + links, true)).toBe('b');
		const robots = '<meta name="Robots" content="noindex, nofollow">';
		expect(await urls(robots + links, true)).toBe('');
		expect(await urls(robots + links)).toBe('ab');
	});

	it.each(['#goods', '#goods a', '.item, h1'])('are picked by %s', async (selector) => {
		const links = await linksOf(await pageOf(LIST), selector);
		expect(links.map(({ url }) => url)).toEqual([
			'https://shop.example/mall/p/1.html',
			'https://shop.example/mall/p/2.html',
		]);
	});
});

it.each([
	['li', 3],
	['li, a', 1000],
	['b', 0],
])('counts what %s picks: %d', async (selector, count) => {
	const page = await pageOf(`<li><li><li>${'<a></a>'.repeat(1010)}`);
	expect(await countMatches(page, selector)).toBe(count);
});

it('counts elements of XML by the capitals of their names', async () => {
	const page = await parseXmlPage('<r><A>1</A><a>2</a><A>3</A></r>', 'https://a.example/', pause);
	const second = [column('A:nth-of-type(2)', { all: true })];
	expect(await pickFields(page, second)).toEqual({ x: ['3'] });
});

it('picks at most 5 million characters in all lists of a page', async () => {
	const nested = `${'<div>'.repeat(400)}${'word '.repeat(20_000)}`;
	const texts = await picked(nested, column('div', { all: true, take: 'html' }));
	const characters = [...(texts ?? [])].reduce((sum, { length }) => sum + length, 0);
	expect(texts?.length).toBeGreaterThan(40);
	expect(characters).toBeLessThanOrEqual(5_000_000);
});

it('gives up a selector that looks at more than 30 million nodes', async () => {
	const behind = column('b ~ i');
	expect(await picked('<b></b><i>a</i>'.repeat(7000), behind)).toBe('a');
	const page = await pageOf('<i></i>'.repeat(9000));
	const all = { ...behind, all: true };
	await expect(pickFields(page, [all])).rejects.toThrow('takes too long');
	expect(await countMatches(page, 'b ~ i')).toBe(0);
});

describe('positions', () => {
	it.each([
		['tr:nth-child(odd)', 10_000],
		['tr:nth-last-child(-n+10)', 10],
		['tr:nth-of-type(3n+2) td:nth-child(1)', 6_667],
		['tr:nth-last-of-type(2)', 1],
	])('of 20,000 rows are counted once for %s', async (selector, count) => {
		const table = `<table>${'<tr><td>1'.repeat(20_000)}</table>`;
		expect(await picked(table, column(selector, { all: true }))).toHaveLength(count);
	});

	it('are those of the standard', async () => {
		const rules = [
			'1',
			' 3 ',
			'odd',
			'EVEN',
			'n',
			'-n+3',
			'2n',
			'2n + 1',
			'+3n-1',
			'-2n+5',
			'0',
			'0n+2',
		];
		const html =
			'<div><b>1</b>x<i>2</i><b>3</b><!-- --><b>4</b><i>5<i>6</i><b>7</b></i><p>8</p></div>';
		const page = await pageOf(html);
		const numbers = async (selector: string) =>
			Object.values(await pickFields(page, [column(selector, { all: true })])).flat();
		for (const kind of ['nth-child', 'nth-last-child']) {
			for (const rule of rules) {
				// In that way, the library counts
				const known = await numbers(`div :${kind}(${rule} of *)`);
				expect([kind, rule, await numbers(`div :${kind}(${rule})`)]).toEqual([kind, rule, known]);
			}
		}
		expect(await numbers('div > b:nth-of-type(2)')).toEqual(['3']);
		expect(await numbers('div > :nth-last-of-type(2)')).toEqual(['2', '3']);
	});

	it.each(['a:nth-child(x)', 'a:nth-child()', 'a:nth-of-type(2n+)', 'a:nth-child(n2)'])(
		'%s is no selector',
		(selector) => {
			expect(() => compileSelector(selector)).toThrow();
		},
	);
});

it('picks the HTML of an element of any size as it is', async () => {
	const items = '<li class="a &amp; &quot;b&quot;" hidden>1 &lt; 2<br></li>'.repeat(700);
	const inside = `<ul id="x">${items}</ul><svg viewBox="0 0 1 1"><path d="M0"></path></svg><!--c-->`;
	const texts = await picked(`<main>${inside}</main>`, column('main', { take: 'html' }));
	expect(texts).toBe(inside.replace('<path d="M0"></path>', '<path d="M0"/>'));
});

it.each([
	['<svg><g>', '</g></svg>', '<linearGradient gradientUnits="é"/><title>a &amp; é<br></title>'],
	[
		'<svg><g>',
		'</g></svg>',
		'<foreignObject><p title="é">é<br></p><svg><g/></svg></foreignObject>',
	],
	['<svg><foreignObject><p>', '</p></foreignObject></svg>', '<b title="é"></b><br>'],
	['<math><mtext>', '</mtext></math>', '<i>é</i><svg><g id=""/></svg>'],
])(
	'picks the HTML of a drawing %s of any size as that of a small one',
	async (start, end, part) => {
		const render = async (content: string) =>
			await picked(`<main>${start}${content}${end}</main>`, column('main', { take: 'html' }));
		const small = String(await render(part)).slice(start.length, -end.length);
		expect(await render(part.repeat(600))).toBe(`${start}${small.repeat(600)}${end}`);
	},
);
