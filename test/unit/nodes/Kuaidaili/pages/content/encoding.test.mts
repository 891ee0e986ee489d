import {
	decodePage,
	decodeText,
	withEncodedQuery,
} from '../../../../../../nodes/Kuaidaili/pages/content/encoding.ts';
import { expectInProportion } from '../../../../support/growth.mts';

/** Bytes of a page: text in Latin-1, with others as hexadecimal numbers in angle quotes. */
function bytesOf(page: string): Buffer {
	return Buffer.from(
		page.replace(/«([\da-f ]+)»/g, (_all, hex: string) =>
			Buffer.from(hex.replaceAll(' ', ''), 'hex').toString('latin1'),
		),
		'latin1',
	);
}

// 一些, 小学, 今天的新闻和价格, 繁體中文
const SOME = '«d2bb d0a9»';
const SCHOOL = '«d0a1 d1a7»';
const NEWS = '«bdf1 ccec b5c4 d0c2 cec5 bacd bcdb b8f1»';
const TRADITIONAL = '«c163 c5e9 a4a4 a4e5»';

it.each([
	[
		'few characters as the header says',
		`{"name":"${SCHOOL}"}`,
		'application/json; charset=GBK',
		'小学',
	],
	['a code page by its number', SCHOOL, 'text/html; charset=cp936', '小学'],
	['a code page as Java calls it', SCHOOL, 'text/html; charset=MS936', '小学'],
	['a code page of Taiwan', '«a4a4»', 'text/html; charset=cp950', '中'],
	['XML in UTF-16 without a mark', '«3c00 3f00 4e2d»', 'application/xml', '<?\u2d4e'],
	['XML in UTF-16 the other way round', '«003c 003f 4e2d»', 'application/xml', '<?中'],
	['few characters as the page says', `<meta charset=gbk><h1>${SOME}</h1>`, 'text/html', '一些'],
	[
		'few characters as XML says',
		`<?xml version="1.0" encoding="GB2312"?><a>${SOME}</a>`,
		'',
		'一些',
	],
	['UTF-8 by one character', '<p>«e4b8ad»</p>', 'text/html; charset=gbk', '中'],
	['UTF-8 by the first character of three bytes', '«e0a080»', 'text/html; charset=gbk', '\u0800'],
	[
		'GBK in what would be the last character of two bytes',
		'«dfbf»',
		'text/html; charset=gbk',
		'呖',
	],
	['a single character as the header says', '«d0a1»', 'text/html; charset=gbk', '小'],
	['UTF-8 by characters of several kinds', '<p>«e4b8ad c3a9»</p>', 'text/html; charset=gbk', '中é'],
	['GBK where nothing is said', '<p>«8c57»</p>', 'text/html', '學'],
	[
		'GBK in single characters where UTF-8 is said',
		'<b>«bdf1»</b><b>«ccec»</b>',
		'text/html; charset=utf-8',
		'<b>今</b><b>天</b>',
	],
	['UTF-16 by its mark, the other way round', '«feff 4e2d»', 'text/html; charset=gbk', '中'],
	['UTF-8 by its mark, whatever follows', `«efbbbf»<p>${NEWS}`, '', '<p>\uFFFD'],
	[
		'a meta tag behind many of something else',
		`${'<meta name=a content=b>'.repeat(30)}<meta charset=big5>${TRADITIONAL}`,
		'',
		'繁體中文',
	],
	[
		'no charset of a script',
		`<script src=a.js charset=big5></script>${NEWS}`,
		'',
		'今天的新闻和价格',
	],
	[
		'the first of two meta tags',
		`<meta charset=gbk><meta charset=big5>${NEWS}`,
		'',
		'今天的新闻和价格',
	],
	[
		'UTF-8 by many characters',
		`<p>«${'d18f'.repeat(10)}»`,
		'text/html; charset=gbk',
		'я'.repeat(10),
	],
	['UTF-8 where that is said', `<p>${SOME}`, 'text/html; charset=utf-8', 'һЩ'],
	['UTF-8 where nothing is said', '<p>«c3bc»', 'text/html', 'ü'],
	['ISO-2022-JP', '<p>\x1b$BF|K\\8l\x1b(B', 'text/html; charset=iso-2022-jp', '日本語'],
	['ISO-2022-JP of a page', '<meta charset="ISO-2022-JP"><p>\x1b$BF|K\\8l\x1b(B', '', '日本語'],
	['no ISO-2022-JP without its signs', '<p>«e697a5»', 'text/html; charset=iso-2022-jp', '日'],
	[
		'a meta tag behind one in a comment',
		`<!-- <meta charset=big5> --><meta charset=gbk>${NEWS}`,
		'',
		'今天的新闻和价格',
	],
	[
		'no meta tag of a script',
		`<script>'<meta charset=big5>'</script>${NEWS}`,
		'',
		'今天的新闻和价格',
	],
	['no meta tag of an attribute', `<p title='<meta charset=big5>'>${NEWS}`, '', '今天的新闻和价格'],
	['no meta tag of a title', `<title><meta charset=big5></title>${NEWS}`, '', '今天的新闻和价格'],
	[
		'no charset of a description',
		`<meta name=description content="charset=big5">${NEWS}`,
		'',
		'今天的新闻和价格',
	],
	[
		'a meta tag far down',
		`${'<!-- x -->'.repeat(9000)}<meta charset=big5>${TRADITIONAL}`,
		'',
		'繁體中文',
	],
	[
		'a content type in any order',
		`<META content='text/html; charset=big5' HTTP-EQUIV=content-type>${TRADITIONAL}`,
		'',
		'繁體中文',
	],
	['a header without its semicolon', TRADITIONAL, 'text/html charset=big5', '繁體中文'],
	['a meta tag that says UTF-16', '<meta charset=utf-16><p>«e4b8ad»', '', '中'],
])('reads %s', (_what, page, type, text) => {
	expect(decodeText(bytesOf(page), type)).toContain(text);
});

it('tells the encoding', () => {
	expect(decodePage(bytesOf(NEWS), 'text/html; charset=gb2312').encoding).toBe('gb18030');
	expect(decodePage(Buffer.from('中文'), 'text/html; charset=gb2312').encoding).toBe('utf-8');
	expect(decodePage(Buffer.from('a&#8364;'), 'text/html; charset=gb2312').encoding).toBe('gb18030');
	expect(decodePage(Buffer.from('a<meta charset=big5>'), 'text/html; charset=utf-8').encoding).toBe(
		'utf-8',
	);
	expect(decodePage(Buffer.from('a'), 'text/html').encoding).toBe('utf-8');
});

it.each([
	['/search?q=中文&n=1#中', 'gb18030', '/search?q=%D6%D0%CE%C4&n=1#中'],
	['/目录/?a=1', 'gb18030', '/目录/?a=1'],
	['?q=中文', 'big5', '?q=%A4%A4%A4%E5'],
	['?q=日本', 'shift_jis', '?q=%93%FA%96{'],
	['?q=é', 'windows-1252', '?q=%E9'],
	['?q=я', 'windows-1251', '?q=%FF'],
	['?q=😀', 'gb18030', '?q=%26%23128512%3B'],
	['?q=中', 'utf-8', '?q=中'],
	['?q=中', undefined, '?q=中'],
])('%s in %s is %s', (address, encoding, encoded) => {
	expect(withEncodedQuery(address, encoding)).toBe(encoded);
});

it.each([
	['open tags', '<a '],
	['open quotes', '<a b="'],
	['open comments', '<!--'],
	['open scripts', '<script>'],
	['closed scripts', '<script></script>'],
	['meta tags', '<meta charset=x>'],
	['NULs', 'a\0'],
	['signs of Windows', 'a\x93'],
])('takes time in proportion to 2 MB of %s', async (_what, part) => {
	await expectInProportion(500_000, (size) => {
		const spaces = ' '.repeat(size);
		const page = Buffer.from(part.repeat(size / part.length), 'latin1');
		decodePage(page, `text/html${spaces}charset=x`);
	});
});

it('takes time in proportion to the spaces in a meta tag', async () => {
	await expectInProportion(500_000, (size) => {
		decodePage(Buffer.from(`<meta ${' '.repeat(size)}charset=gbk>`), 'text/html');
	});
});

it.each([
	['big5', [0x87, 0x40, 0x41, 0xff], '䏰A\uFFFD'],
	['big5', [0x88, 0x62, 0xa4, 0x51], 'Ê\u0304十'],
	['euc-kr', [0xbc, 0x84, 0xb0, 0xa1, 0xa2, 0xe6], '펲가€'],
	['euc-kr', [0x81, 0x41, 0x20, 0x81], '갂 \uFFFD'],
	['iso-8859-1', [0x93, 0x61, 0x94, 0x80], '“a”€'],
])('reads %s as the Encoding standard maps it', (label, bytes, text) => {
	const read = decodeText(Uint8Array.from(bytes), `text/plain; charset=${label}`);
	expect(read).toBe(text);
});

it.each([
	['big5', '嘅十═'],
	['euc-kr', '펲€'],
])('writes queries in %s so that they are read again', (encoding, text) => {
	const [, query = ''] = withEncodedQuery(`/?${text}`, encoding).split('?');
	const bytes = Buffer.from(
		query.replace(/%([\dA-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16))),
		'latin1',
	);
	expect(decodeText(bytes, `text/plain; charset=${encoding}`)).toBe(text);
});

it.each([
	['It\x92s sold out', 'It\uFFFDs sold out'],
	['Pr\xe9sent\xe9 au d\xe9jeuner', 'Pr\uFFFDsent\uFFFD au d\uFFFDjeuner'],
])('a page that says UTF-8 has no Chinese characters for single bytes: %s', (latin, text) => {
	const body = Buffer.from(latin, 'latin1');
	expect(decodeText(body, 'text/html; charset=utf-8')).toBe(text);
	const page = Buffer.concat([Buffer.from('<meta charset="utf-8">'), body]);
	expect(decodeText(page, 'text/html')).toBe(`<meta charset="utf-8">${text}`);
});

it('takes the first of two attributes', () => {
	const page = Buffer.concat([
		Buffer.from('<meta charset=gbk charset=big5>'),
		Buffer.from([0xc4, 0xe3]),
	]);
	expect(decodePage(page, 'text/html').encoding).toBe('gb18030');
});
