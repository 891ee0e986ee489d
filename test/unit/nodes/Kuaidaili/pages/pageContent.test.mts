import {
	PageContent,
	type ResponseFormat,
} from '../../../../../nodes/Kuaidaili/pages/pageContent.ts';

interface Given {
	readonly type?: string;
	readonly body?: string | Buffer;
	readonly status?: number;
	readonly disposition?: string;
	readonly encoding?: string;
	readonly url?: string;
	readonly method?: 'GET' | 'HEAD';
}

function content(given: Given): PageContent {
	const { type, body = '', status = 200, disposition, encoding } = given;
	const { url = 'http://site.example/files/list.html?x=1', method = 'GET' } = given;
	const headers = {
		'content-type': type,
		'content-disposition': disposition,
		'content-encoding': encoding,
	};
	const answer = { status, headers, body: Buffer.from(body), reach: 'page' } as const;
	return new PageContent(answer, method, url);
}

function formatted(format: ResponseFormat, given: Given) {
	return content(given).format(format);
}

const PNG = Buffer.from('89504e470d0a1a0a0000000d', 'hex');

describe('what a page is found out by its type', () => {
	it.each<[string, string, unknown]>([
		['application/json', '{"a": [1]}', { a: [1] }],
		['application/vnd.api+json; charset=utf-8', '"x"', 'x'],
		['text/json', '12', 12],
		['text/html', '<p>x</p>', '<p>x</p>'],
		['text/html', '{"a":1}', '{"a":1}'],
		['application/xhtml+xml', '<p/>', '<p/>'],
		['application/rss+xml', '<rss/>', '<rss/>'],
		['application/javascript', 'f()', 'f()'],
		['', 'plain', 'plain'],
		['text/plain', '', ''],
	])('%s', async (type, body, value) => {
		expect(await formatted('autodetect', { type, body })).toEqual({ kind: 'value', value });
	});

	it('JSON that is none stays text', async () => {
		const given = { type: 'application/json', body: '<html>captcha</html>' };
		expect(await formatted('autodetect', given)).toEqual({
			kind: 'value',
			value: '<html>captcha</html>',
		});
	});

	it('everything else is a file', async () => {
		expect(await formatted('autodetect', { type: 'image/png', body: PNG })).toMatchObject({
			kind: 'file',
			type: 'image/png',
			bytes: PNG,
		});
		expect(await formatted('autodetect', { type: '', body: PNG })).toMatchObject({
			kind: 'file',
			type: 'application/octet-stream',
		});
	});
});

describe('what a page is to be', () => {
	it('text, whatever its type', async () => {
		const given = { type: 'application/json', body: '{"a":1}' };
		expect(await formatted('text', given)).toEqual({ kind: 'value', value: '{"a":1}' });
	});

	it('JSON, whatever its type', async () => {
		const given = { type: 'text/html', body: '\uFEFF{"id":12345678901234567890}' };
		expect(await formatted('json', given)).toEqual({
			kind: 'value',
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
			kind: 'value',
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
		['as its address ends', { url: 'http://site.example/a/%E5%9B%BE.png?x=1' }, '图.png'],
		['page, where nothing tells', { url: 'http://site.example/' }, 'page'],
		[
			'nothing that leads out of a folder',
			{ disposition: 'attachment; filename="../../etc/passwd"' },
			'.._.._etc_passwd',
		],
		['as it stands where it cannot be read', { url: 'http://site.example/%E5' }, '%E5'],
	])('%s', async (_what, given, name) => {
		expect(await formatted('file', given)).toMatchObject({ kind: 'file', name });
	});
});

it('what has no body has none', () => {
	expect(content({ method: 'HEAD' }).hasReadableBody).toBe(false);
	expect(content({ status: 204 }).hasReadableBody).toBe(false);
	expect(content({ status: 200 }).hasReadableBody).toBe(true);
});

describe('JSON that n8n could not save', () => {
	const body = '['.repeat(5000) + ']'.repeat(5000);
	const given = { type: 'application/json', body };

	it('is text where that is found out', async () => {
		expect(await formatted('autodetect', given)).toEqual({ kind: 'value', value: body });
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
		['of HEAD', { encoding: 'zstd', method: 'HEAD' }],
		['of 204', { encoding: 'zstd', status: 204 }],
		['of 304', { encoding: 'zstd', status: 304 }],
		['that is empty', { encoding: 'zstd' }],
	])('is not compressed: one %s', (_what, given) => {
		expect(content(given).compression).toBeUndefined();
	});
});
