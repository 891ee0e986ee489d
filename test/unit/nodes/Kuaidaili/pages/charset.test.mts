import { decodeText } from '../../../../../nodes/Kuaidaili/pages/charset.ts';

/** "中文网页的内容，今天的新闻和价格", as the encodings of China write it. */
const TEXT = '中文网页的内容，今天的新闻和价格';
const IN_GBK = Buffer.from(
	'd6d0cec4cdf8d2b3b5c4c4dac8dda3acbdf1ccecb5c4d0c2cec5bacdbcdbb8f1',
	'hex',
);
/** "繁體中文的網頁內容，今天的新聞與價格" */
const TRADITIONAL = '繁體中文的網頁內容，今天的新聞與價格';
const IN_BIG5 = Buffer.from(
	'c163c5e9a4a4a4e5aababaf4adb6a4baae65a141a4b5a4d1aabab773bb44bb50bbf9aee6',
	'hex',
);

const HTML = 'text/html';

function inGbk(before: string, after = ''): Buffer {
	return Buffer.concat([Buffer.from(before), IN_GBK, Buffer.from(after)]);
}

const META = '<html><head><meta http-equiv="Content-Type" content="text/html; charset=gb2312">';
const XML = '<?xml version="1.0" encoding="GB18030"?><a>';
const LATIN_1 = 'text/html; charset=iso-8859-1';
const latin1 = (text: string) => Buffer.from(text, 'latin1');

it.each<[by: string, bytes: Buffer, contentType: string, text: string]>([
	['its header', IN_GBK, 'text/html; charset=GBK', TEXT],
	['its header, quoted', IN_GBK, 'text/html;charset="gb2312"', TEXT],
	['its header, as UTF-8', Buffer.from(TEXT), 'text/html; charset=utf-8', TEXT],
	['its old meta tag', inGbk(META), HTML, `${META}${TEXT}`],
	['its meta tag', inGbk("<meta charset='gbk'>"), HTML, `<meta charset='gbk'>${TEXT}`],
	['the declaration of XML', inGbk(XML), 'text/xml', `${XML}${TEXT}`],
	[
		'its byte order mark, whatever the header says',
		Buffer.from(`\uFEFF${TEXT}`),
		'text/html; charset=gbk',
		TEXT,
	],
	['its byte order mark of UTF-16', Buffer.from(`\uFEFF${TEXT}`, 'utf16le'), '', TEXT],
	['nothing, as GB18030', inGbk('<p>', '</p>'), HTML, `<p>${TEXT}</p>`],
	['nothing, as UTF-8', Buffer.from(TEXT), '', TEXT],
	['its header, as Big5', IN_BIG5, 'text/html; charset=big5', TRADITIONAL],
	['its header, as Latin-1', latin1('Gr\xf6\xdfe M\xfcnchen'), LATIN_1, 'Größe München'],
	[
		'its header, with characters that only GB18030 has',
		Buffer.concat([IN_GBK, Buffer.from('8139ee39', 'hex')]),
		'text/html; charset=gb2312',
		`${TEXT}㐀`,
	],
	['its header, as UTF-16', Buffer.from(TEXT, 'utf16le'), 'text/html; charset=utf-16le', TEXT],
	[
		'itself, where the header is wrong',
		inGbk('<meta charset="gbk">'),
		'text/html; charset=utf-8',
		`<meta charset="gbk">${TEXT}`,
	],
	['UTF-8, where the header says nonsense', Buffer.from(TEXT), 'text/html; charset=gbk1', TEXT],
	['GB18030, where the header says nonsense', IN_GBK, 'text/html; charset=gbk1', TEXT],
	['UTF-8, where a server says Latin-1 of everything', Buffer.from(TEXT), LATIN_1, TEXT],
	[
		'its meta tag, where a server says Latin-1 of everything',
		inGbk('<meta charset="gbk">'),
		LATIN_1,
		`<meta charset="gbk">${TEXT}`,
	],
	['nothing, where there is nothing', Buffer.alloc(0), '', ''],
	['its header, where there is nothing', Buffer.alloc(0), 'text/html; charset=gbk', ''],
])('the encoding of a page is known by %s', (_by, bytes, contentType, text) => {
	expect(decodeText(bytes, contentType)).toBe(text);
});

it('a page that is cut within a character is read up to there', () => {
	const cut = Buffer.from(TEXT).subarray(0, -1);
	expect(decodeText(cut, 'text/html; charset=utf-8')).toMatch(/^中文网页的内容.*价�$/);
	expect(decodeText(IN_GBK.subarray(0, -1), 'text/html; charset=gbk')).toMatch(/^中文网页.*价�$/);
});

describe('a page with a broken character', () => {
	/** A teaser that ends within its last character. */
	const CUT = Buffer.concat([Buffer.from(`<p>${TEXT}`).subarray(0, -1), Buffer.from('...</p>')]);
	const CUT_TEXT = `<p>${TEXT.slice(0, -1)}\uFFFD...</p>`;
	const FRENCH = 'Les élèves étaient déjà arrivés à la forêt; né';
	const FRENCH_CUT = Buffer.concat([Buffer.from(FRENCH).subarray(0, -1), Buffer.from('x')]);

	it.each([HTML, 'text/html; charset=utf-8', 'text/html; charset=ISO-8859-1'])(
		'in UTF-8 loses only that: %s',
		(type) => {
			expect(decodeText(CUT, type)).toBe(CUT_TEXT);
			expect(decodeText(FRENCH_CUT, type)).toBe(`${FRENCH.slice(0, -1)}\uFFFDx`);
		},
	);

	it('in UTF-8 loses only that, wherever it is cut', () => {
		const page = Buffer.from(TEXT.repeat(20));
		for (let end = page.length - 9; end < page.length; end += 1) {
			const whole = Math.floor(end / 3);
			const text = TEXT.repeat(20).slice(0, whole);
			const broken = end % 3 === 0 ? '' : '\uFFFD';
			expect(decodeText(page.subarray(0, end), HTML)).toBe(text + broken);
		}
	});

	it('in each of its teasers is in UTF-8 nevertheless', () => {
		const page = Buffer.concat(Array.from({ length: 500 }, () => CUT));
		expect(decodeText(page, HTML)).toBe(CUT_TEXT.repeat(500));
	});

	it.each([HTML, 'text/html; charset=gbk', 'text/html; charset=utf-8'])(
		'in GBK loses only that: %s',
		(type) => {
			const page = Buffer.concat([IN_GBK, Buffer.from([0xff]), IN_GBK]);
			expect(decodeText(page, type)).toBe(`${TEXT}\uFFFD${TEXT}`);
		},
	);

	it('in the encoding of its header is not taken for GBK', () => {
		const korean = Buffer.from('c7d1b1b9beee20b4babdba20b1e2bbe7', 'hex');
		const brokenHereOnly = Buffer.from('a2f1', 'hex');
		const page = Buffer.concat([korean, brokenHereOnly, korean]);
		expect(decodeText(page, 'text/html; charset=euc-kr')).toBe(
			'한국어 뉴스 기사\uFFFD한국어 뉴스 기사',
		);
	});

	it('in UTF-16 is read by its byte order mark', () => {
		const page = Buffer.from('\uFEFFA text', 'utf16le');
		expect(decodeText(page.subarray(0, -1), HTML)).toBe('A tex\uFFFD');
	});

	it('is read quickly, however large it is', () => {
		const page = Buffer.concat(Array.from({ length: 300_000 }, () => CUT));
		const begin = performance.now();
		expect(decodeText(page, HTML)).toHaveLength(300_000 * CUT_TEXT.length);
		expect(performance.now() - begin).toBeLessThan(3000);
	});
});

it.each(['utf-16', 'unicode'])('a page in UTF-8 may say that it is in %s', (label) => {
	const page = `<meta charset="${label}">${TEXT}`;
	expect(decodeText(Buffer.from(page), HTML)).toBe(page);
});
