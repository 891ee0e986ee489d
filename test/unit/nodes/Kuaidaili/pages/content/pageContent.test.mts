import { newCookies } from '../../../../../../nodes/shared/bundled/cookieJar.ts';
import { decodeText } from '../../../../../../nodes/Kuaidaili/pages/content/encoding.ts';
import { PageContent } from '../../../../../../nodes/Kuaidaili/pages/content/pageContent.ts';
import type { PageRequest } from '../../../../../../nodes/Kuaidaili/pages/request/pageRequest.ts';
import { getDomain } from '../../../../../../scripts/publicSuffixes.mjs';
import { connectionError, open, pageRequest, type Reaction } from '../run/fakePages.mts';
import { expectInProportion } from '../../../../support/growth.mts';

interface Given {
	readonly type?: string;
	readonly body?: string | Buffer;
	readonly status?: number;
	readonly disposition?: string;
	readonly encoding?: string;
	readonly url?: string;
}

function content(given: Given): PageContent {
	const { type, body = '', status = 200, disposition, encoding } = given;
	const { url = 'http://site.example/files/list.html?x=1' } = given;
	const headers = {
		'content-type': type,
		'content-disposition': disposition,
		'content-encoding': encoding,
	};
	const bytes = Buffer.from(body);
	return new PageContent(
		{ kind: 'answer', status, statusText: '', headers, body: bytes, source: 'page' },
		url,
	);
}

function formatted(format: Parameters<PageContent['format']>[0], given: Given) {
	return content(given).format(format);
}

const HTML = 'text/html';

const PNG = Buffer.from('89504e470d0a1a0a0000000d', 'hex');

describe('what a page is found out by its type', () => {
	it.each<[string, string, unknown]>([
		['application/json', '{"a": [1]}', { a: [1] }],
		['application/x-amz-json-1.1', '12', 12],
		['application/json+oembed', '12', 12],
		['application/json-seq', '\x1e1\n', '\x1e1\n'],
		['text/html', '<p>x</p>', '<p>x</p>'],
		['text/html', '{"a":1}', '{"a":1}'],
		['', 'plain', 'plain'],
		['text/plain', '', ''],
		['application/json', 'cb({"a":1});', 'cb({"a":1});'],
	])('%s', async (type, body, value) => {
		expect(await formatted('autodetect', { type, body })).toEqual({ value });
	});

	it.each([
		'cb({"a":1});',
		'/**/ jQuery1.x({"a":1})',
		'typeof cb === \'function\' && cb({"a":1});',
	])('JSON in a call, where JSON is asked for: %s', async (body) => {
		const given = { type: 'application/javascript', body };
		expect(await formatted('json', given)).toEqual({ value: { a: 1 } });
	});

	it('XHTML, where any element may be closed at once', async () => {
		const body = `<html><head><title>T</title><script src="/a.js" /></head><body><a id='x'/><br/><p class="b">words</p></body></html>`;
		expect(await formatted('markdown', { type: 'application/xhtml+xml', body })).toMatchObject({
			value: '# T\n\nwords',
		});
	});

	it('JSON that is none stays text', async () => {
		const given = { type: 'application/json', body: '<html>captcha</html>' };
		expect(await formatted('autodetect', given)).toEqual({
			value: '<html>captcha</html>',
		});
	});

	it('everything else is a file', async () => {
		expect(await formatted('autodetect', { type: 'image/png', body: PNG })).toMatchObject({
			file: { type: 'image/png', bytes: PNG },
		});
		expect(await formatted('autodetect', { type: '', body: PNG })).toMatchObject({
			file: { type: 'application/octet-stream' },
		});
	});
});

describe('a file is no text', () => {
	it.each<[string, Buffer, string | undefined]>([
		['image/png', PNG, 'image/png'],
		['', Buffer.from('PK\x03\x04'), 'application/octet-stream'],
		['application/octet-stream', Buffer.from('words'), undefined],
		['application/pdf', Buffer.from(''), undefined],
	])('%s %#', async (type, body, fileType) => {
		const given = { type, body };
		expect(content(given).fileType).toBe(fileType);
		if (fileType === undefined) return;
		expect(content(given).isMarkup).toBe(false);
		expect(await formatted('text', given)).toEqual({ value: '' });
		expect(await formatted('markdown', given)).toEqual({ value: '' });
	});

	it.each<[string, string, unknown]>([
		['text/html', '<!doctype html>\0<h1>T\0itle</h1>', '# Title'],
		['', '\0<html><body><p>Wor\0ds', 'Words'],
		['application/xhtml+xml', '<html\0><body><p>Words</p></body></html>', 'Words'],
		['application/xml', '<rss><channel><title>F\0</title><item/></channel></rss>', '# F'],
		['text/plain; charset=gbk', 'wo\0rds', 'words'],
		['text/csv', 'a,b\0\n1,2', 'a,b\n1,2'],
	])('but one with NULs is, without them: %s', async (type, body, text) => {
		expect(await formatted('markdown', { type, body })).toMatchObject({ value: text });
	});

	it('but JSON with NULs is, without them', async () => {
		const given = { type: 'application/json', body: '{"a":\0"b\0"}\0' };
		expect(await formatted('autodetect', given)).toEqual({ value: { a: 'b' } });
	});

	it('and is not decoded to look for a title', async () => {
		const decoding = jest.spyOn(TextDecoder.prototype, 'decode');
		const body = Buffer.from('<title>x</title>');
		expect(await content({ type: 'application/octet-stream', body }).title()).toBe('');
		expect(decoding).not.toHaveBeenCalled();
		expect(await content({ type: 'text/html', body }).title()).toBe('x');
		expect(decoding).toHaveBeenCalled();
		decoding.mockRestore();
	});
});

describe('a title', () => {
	it.each([
		['<script>"</title>"</script><title>Real</title>', 'Real'],
		['<!-- <title>No</title> --><title>Real</title>', 'Real'],
		['<svg><title>Icon</title></svg><title>Real</title>', 'Real'],
		['<template><title>No</title></template><title>Real</title>', 'Real'],
		['<title>A &amp; B <c></title>', 'A & B <c>'],
	])('%s is %s', async (body, title) => {
		expect(await content({ type: 'text/html', body }).title()).toBe(title);
	});
});

describe('what a page is to be', () => {
	it('text, whatever its type', async () => {
		const given = { type: 'application/json', body: '{"a":1}' };
		expect(await formatted('text', given)).toEqual({ value: '{"a":1}' });
	});

	it('text without what is not wanted of a page', async () => {
		const menu = '<nav>Menu</nav>';
		const body = `<html><head></head><body>${menu}<p>words</p><p class="ad">Buy</p></body></html>`;
		const text = async (type: string, ...wanted: [string[], boolean]) =>
			(await content({ type, body }).format('text', ...wanted)).value;
		expect(await text(HTML, [], false)).toBe(body);
		expect(await text(HTML, ['.ad'], false)).toBe(body.replace('<p class="ad">Buy</p>', ''));
		expect(await text(HTML, [], true)).toBe(body.replace(menu, ''));
		expect(await text('application/json', ['.ad'], true)).toBe(body);
	});

	it.each([
		['text/plain', 'words', true],
		['text/html', '<p>words', false],
		['application/json', '{}', false],
	])('plain text, which %s with %s may be: %s', (type, body, isPlainText) => {
		expect(content({ type, body }).isPlainText).toBe(isPlainText);
	});

	it('JSON, whatever its type', async () => {
		const given = { type: 'text/html', body: '\uFEFF{"id":12345678901234567890}' };
		expect(await formatted('json', given)).toEqual({
			value: { id: '12345678901234567890' },
		});
	});

	it('JSON, which it is not', async () => {
		await expect(formatted('json', { body: '<html>' })).rejects.toThrow(SyntaxError);
		await expect(formatted('json', { body: '' })).rejects.toThrow(SyntaxError);
	});

	it('Markdown, of HTML only', async () => {
		const html = '<html><body><p>a &amp; b</p></body></html>';
		expect(await formatted('markdown', { type: 'text/html', body: html })).toEqual({
			value: 'a & b',
		});
		expect(await formatted('markdown', { type: '', body: html })).toMatchObject({ value: 'a & b' });
		expect(
			await formatted('markdown', { type: 'text/plain', body: 'a < b and c > d' }),
		).toMatchObject({
			value: 'a < b and c > d',
		});
	});
});

const ROOT = '<div id="root"></div><script src="/a.js"></script>';
const MANY = `<!-- ${'x'.repeat(60_000)} -->`;

it.each<[string, Given, string | undefined, string | undefined]>([
	['of scripts', { type: 'text/html', body: ROOT }, 'no data that', 'no data that'],
	[
		'of scripts, which is large',
		{ type: 'text/html', body: ROOT + MANY },
		undefined,
		'no data that',
	],
	['without scripts', { type: 'text/html', body: '<div id="root"></div>' }, undefined, undefined],
	[
		'with words',
		{ type: 'text/html', body: `${ROOT}${'<p>words of it</p>'.repeat(30)}` },
		undefined,
		undefined,
	],
	['that is no HTML', { type: 'application/json', body: `"${ROOT}"` }, undefined, undefined],
])('tells what a page %s offers, before and after it was read', async (_what, given, ...offers) => {
	const page = content(given);
	const before = await page.scriptedOffer();
	await page.html;
	expect([before, await page.scriptedOffer()].map((offer) => offer?.slice(0, 12))).toEqual(offers);
});

it('tells how much of a page was read, where that is not all', async () => {
	const attributes = Array.from({ length: 1_200 }, (_none, n) => `a${n}=""`).join(' ');
	for (const [rest, isPart] of [
		['', false],
		[`<c ${attributes}/>${' '.repeat(40_000)}`, true],
	] as const) {
		const page = content({ type: 'application/xml', body: `<r><b/>${rest}</r>` });
		expect(page.partRead).toBeUndefined();
		const { length } = await page.html;
		expect(page.partRead !== undefined).toBe(isPart);
		if (isPart) expect(page.partRead).toMatchObject({ length, readLength: expect.any(Number) });
	}
});

it('a page that was read has its own title, not that of a picture before it', async () => {
	const page = content({ type: 'text/html', body: '<svg><title>x</title></svg><title>y</title>' });
	await page.html;
	expect(await page.title()).toBe('y');
});

describe('a file is called', () => {
	it.each<[string, Given, string]>([
		['as the server says', { disposition: 'attachment; filename="a b.pdf"' }, 'a b.pdf'],
		[
			'as the server says in Chinese',
			{ disposition: "attachment; filename=x.pdf; filename*=UTF-8''%E6%8A%A5%E5%91%8A.pdf" },
			'报告.pdf',
		],
		[
			'as the server says in Chinese, as most do',
			{ disposition: `attachment; filename="${Buffer.from('报告.pdf').toString('latin1')}"` },
			'报告.pdf',
		],
		['as the server says in GBK', { disposition: 'attachment; filename=\xd6\xd0.pdf' }, '中.pdf'],
		['as the server says in Latin-1', { disposition: 'filename=r\xe9sum\xe9.pdf' }, 'résumé.pdf'],
		[
			'as the server says in percent encoding',
			{ disposition: 'attachment; filename=%E6%8A%A5%E5%91%8A.pdf' },
			'报告.pdf',
		],
		[
			'as the server says, whatever the case and language',
			{ disposition: "attachment; FILENAME*=Utf-8'zh'%E6%8A%A5%E5%91%8A.pdf" },
			'报告.pdf',
		],
		[
			'as the server says in words of mail',
			{ disposition: 'attachment; filename="=?UTF-8?B?5oql5ZGK?= =?utf-8?Q?=2Epdf?="' },
			'报告.pdf',
		],
		[
			'as the server says in words of mail in GBK',
			{ disposition: 'attachment; filename==?gb2312?B?1tA=?=.pdf' },
			'中.pdf',
		],
		[
			'as the server says without quotes',
			{ disposition: 'attachment; filename=annual report.pdf; size=3' },
			'annual report.pdf',
		],
		[
			'by no other parameter',
			{ disposition: 'attachment; x-filename=a.txt; filename=b.txt; filename=c.txt' },
			'b.txt',
		],
		[
			'as the server says in GBK and percent encoding',
			{ disposition: "attachment; filename*=gbk''%D6%D0.pdf; filename=x.pdf" },
			'中.pdf',
		],
		[
			'as the server says with signs',
			{ disposition: 'inline; filename="a\\"b;c.pdf"' },
			'a_b;c.pdf',
		],
		['as its address ends', { url: 'http://site.example/a/%E5%9B%BE.png?x=1' }, '图.png'],
		['page, where nothing tells', { url: 'http://site.example/' }, 'page'],
		[
			'nothing that leads out of a folder',
			{ disposition: 'attachment; filename="../../etc/passwd"' },
			'.._.._etc_passwd',
		],
		['page, where it is a folder', { disposition: 'attachment; filename=".."' }, 'page'],
		['without its character set', { disposition: 'attachment; filename*=%E6%8A%A5.pdf' }, '报.pdf'],
		[
			'with quotes that are encoded',
			{ disposition: 'attachment; filename*=UTF-8%27%27%E6%8A%A5.pdf' },
			'报.pdf',
		],
		[
			'by words of mail that divide a character',
			{ disposition: 'attachment; filename="=?UTF-8?B?5oo=?= =?UTF-8?B?pS5wZGY=?="' },
			'报.pdf',
		],
		['as far as its quote is open', { disposition: 'attachment; filename="x.pdf' }, 'x.pdf'],
		[
			'as it is read, not as it looks',
			{ disposition: `attachment; filename="a${Buffer.from('\u202e').toString('latin1')}fdp.exe"` },
			'afdp.exe',
		],
		['as it stands where it cannot be read', { url: 'http://site.example/%E5' }, '%E5'],
	])('%s', async (_what, given, name) => {
		expect(await formatted('file', given)).toMatchObject({ file: { name } });
	});
});

it('what has no body has none', () => {
	for (const status of [204, 205, 304]) {
		expect(content({ status }).hasReadableBody).toBe(false);
	}
	for (const status of [200, 206, 305]) {
		expect(content({ status }).hasReadableBody).toBe(true);
	}
});

describe('JSON that n8n could not save', () => {
	const body = '['.repeat(5000) + ']'.repeat(5000);
	const given = { type: 'application/json', body };

	it('is text where that is found out', async () => {
		expect(await formatted('autodetect', given)).toEqual({ value: body });
	});

	it('is refused where JSON was asked for', async () => {
		await expect(formatted('json', given)).rejects.toThrow('nested too deeply');
	});
});

describe('a page', () => {
	it.each(['zstd', 'ZSTD', 'gzip, gzip', 'br, utf-8', 'x-gzip, identity', 'dcz'])(
		'is still compressed: %s',
		(encoding) => {
			const { compression, hasReadableBody } = content({ encoding, body: 'x' });
			expect([compression, hasReadableBody]).toEqual([encoding, false]);
		},
	);

	it.each<[string, Given]>([
		...['identity', '', 'utf-8', 'none', 'aws-chunked'].map((encoding): [string, Given] => [
			`whose encoding is "${encoding}"`,
			{ encoding, body: 'text' },
		]),
		['of 204', { encoding: 'zstd', status: 204 }],
		['of 304', { encoding: 'zstd', status: 304 }],
		['that is empty', { encoding: 'zstd' }],
	])('is not compressed: one %s', (_what, given) => {
		expect(content(given).compression).toBeUndefined();
	});
});

/** "中文网页的内容，今天的新闻和价格", as the encodings of China write it. */
const TEXT = '中文网页的内容，今天的新闻和价格';
const IN_GBK = Buffer.from(
	'd6d0cec4cdf8d2b3b5c4c4dac8dda3acbdf1ccecb5c4d0c2cec5bacdbcdbb8f1',
	'hex',
);
const LATIN_1 = 'text/html; charset=iso-8859-1';
const latin1 = (text: string) => Buffer.from(text, 'latin1');

it.each<[by: string, bytes: Buffer, contentType: string, text: string]>([
	['its header, quoted', IN_GBK, 'text/html;charset="gb2312"', TEXT],
	['its byte order mark of UTF-16', Buffer.from(`\uFEFF${TEXT}`, 'utf16le'), '', TEXT],
	['its header, as Latin-1', latin1('Gr\xf6\xdfe M\xfcnchen'), LATIN_1, 'Größe München'],
	[
		'its header, with characters that only GB18030 has',
		Buffer.concat([IN_GBK, Buffer.from('8139ee39', 'hex')]),
		'text/html; charset=gb2312',
		`${TEXT}㐀`,
	],
	['its header, as UTF-16', Buffer.from(TEXT, 'utf16le'), 'text/html; charset=utf-16le', TEXT],
	['GB18030, where the header says nonsense', IN_GBK, 'text/html; charset=gbk1', TEXT],
	['UTF-8, where a server says Latin-1 of everything', Buffer.from(TEXT), LATIN_1, TEXT],
	[
		'its meta tag, where a server says Latin-1 of everything',
		Buffer.concat([Buffer.from('<meta charset="gbk">'), IN_GBK]),
		LATIN_1,
		`<meta charset="gbk">${TEXT}`,
	],
])('the encoding of a page is known by %s', (_by, bytes, contentType, text) => {
	expect(decodeText(bytes, contentType)).toBe(text);
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

	it('is read in proportion to its size', async () => {
		await expectInProportion(75_000, (count) => {
			const page = Buffer.concat(Array.from({ length: count }, () => CUT));
			expect(decodeText(page, HTML)).toHaveLength(count * CUT_TEXT.length);
		});
	});
});

describe('cookies', () => {
	it.each([
		['www.example.com', 'example.com'],
		['a.b.example.com.cn', 'example.com.cn'],
		['www.EXAMPLE.co.uk.', 'example.co.uk'],
		['t.co', 't.co'],
		['com.cn', null],
		['localhost', null],
		['10.0.0.1', null],
		['::1', null],
	])('%s belongs to %s', (host, domain) => {
		expect(getDomain(host)).toBe(domain);
	});

	it.each([
		['sid=1; Domain=shop.com.cn', 'https://m.shop.com.cn/', 'sid=1'],
		['sid=1; Domain=com.cn', 'https://other.com.cn/', ''],
		['sid=1; Domain=cn', 'https://other.com.cn/', ''],
		['sid=1; Domain=other.com.cn', 'https://other.com.cn/', ''],
		['sid=1', 'https://m.shop.com.cn/', ''],
		['sid=1; Domain=shop.com.cn; Path=/a', 'https://m.shop.com.cn/b', ''],
		['sid=1; Domain=shop.com.cn; Secure', 'http://m.shop.com.cn/', ''],
	])('%s of a shop leaves to %s as "%s"', (setCookie, url, header) => {
		const cookies = newCookies();
		cookies.add(setCookie, 'https://www.shop.com.cn/');
		const sent = cookies.cookiesFor(url).map((cookie) => cookie.cookieString());
		expect(sent.join('; ')).toBe(header);
	});

	it('an address has cookies of its own', () => {
		const cookies = newCookies();
		cookies.add('sid=1; Path=/', 'http://127.0.0.1:8000/login');
		expect(String(cookies.cookiesFor('http://127.0.0.1:8000/')[0])).toMatch(/^sid=1;/);
	});
});

const HTTPS = 'https://site.example/page';
const POST = { method: 'POST', body: 'a=b' } as const;

/** What a page that fails after its only attempt says. */
async function descriptionOf(changes: Partial<PageRequest>, reaction: ReturnType<Reaction>) {
	const page = { url: HTTPS, maxAttempts: 1, attemptTimeoutMs: 50, ...changes };
	return (await open(page, () => reaction)).text;
}

const BROKEN = connectionError('ECONNRESET');
const BLOCKED = { status: 403, encrypted: true };
const NO_STATUSES = { retryIf: { ...pageRequest().retryIf, statuses: new Set<number>() } };

describe("a page that fails advises to raise 'Max Attempts'", () => {
	it.each<[string, Partial<PageRequest>, ReturnType<Reaction>]>([
		['when the connection broke', {}, BROKEN],
		['when the time was over', {}, 'silence'],
		['when the site blocked the proxy', {}, BLOCKED],
		['when what was to be sent reached nobody', POST, connectionError('ECONNREFUSED')],
	])('%s', async (_what, changes, reaction) => {
		expect(await descriptionOf(changes, reaction)).toContain("Raise 'Max Attempts'");
	});

	it.each<[string, Partial<PageRequest>, ReturnType<Reaction>]>([
		['what was sent may have arrived before the connection broke', POST, BROKEN],
		['what was sent may have arrived before the time was over', POST, 'silence'],
		['what was sent was refused', POST, BLOCKED],
		['the status of a block is not listed', NO_STATUSES, BLOCKED],
		['the page is too large', { maxBytes: 1 }, { body: 'xx' }],
		['the page is not there', {}, { status: 404, encrypted: true }],
		['no other proxy would help', {}, { status: 449, encrypted: false }],
	])('but not when %s', async (_what, changes, reaction) => {
		expect(await descriptionOf(changes, reaction)).not.toContain("'Max Attempts'");
	});
});

describe("a page that fails advises to list its status in 'Retry If'", () => {
	it.each([403, 418])('when %s is not there', async (status) => {
		const description = await descriptionOf(NO_STATUSES, { status, encrypted: true });
		expect(description).toContain("add the status to 'Retry If', 'Status Codes'");
	});

	it('but not when what was sent must not be sent again', async () => {
		const description = await descriptionOf(POST, { status: 418, encrypted: true });
		expect(description).toMatch(
			/so it was not sent again\. Check whether it did before you send it again\.$/,
		);
	});
});

it.each(['Z_DATA_ERROR', 'Z_BUF_ERROR', 'ERR__ERROR_FORMAT_RESERVED', 'ZSTD_error_prefix_unknown'])(
	'a page that cannot be unpacked says so: %s',
	async (code) => {
		const broken = connectionError(code);
		expect(await descriptionOf({}, broken)).toMatch(
			/could not be read \(\w+\)\. Raise 'Max Attempts'.*'Accept-Encoding' with the value 'identity'/,
		);
		expect(await descriptionOf(POST, broken)).toContain('was not sent again.');
	},
);
