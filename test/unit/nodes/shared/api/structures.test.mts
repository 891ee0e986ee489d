import { InvalidResponseError } from '../../../../../nodes/shared/api/errors.ts';
import { isCode, type UnknownRecord } from '../../../../../nodes/shared/guards.ts';
import { parseBody } from '../../../../../nodes/shared/api/answer.ts';
import { parseRecords } from '../../../../../nodes/shared/api/call.ts';
import { envelope, reasonFor, xml, XML_ANSWER } from './bodies.mts';

describe('XML', () => {
	it('may write every Chinese character of 2,000 proxies as a number', () => {
		const region = '浙江省杭州市电信';
		const numbers = Array.from(region, (character) => `&#${character.codePointAt(0)};`).join('');
		const entries = `<proxy>1.2.3.4:80,${numbers}</proxy>`.repeat(2_000);
		const answer = parseBody(xml(`<data><proxy_list>${entries}</proxy_list></data>`));
		const proxies = Array.from({ length: 2_000 }, () => `1.2.3.4:80,${region}`);
		expect(answer).toMatchObject({ code: 0, data: { proxy_list: { proxy: proxies } } });
	});

	it('is read; all values are texts', () => {
		expect(parseBody(XML_ANSWER)).toEqual(
			envelope(0, '', {
				count: '2',
				proxy_list: { proxy: ['113.120.61.166:22989', '122.4.44.132:21808'] },
			}),
		);
	});

	it.each([
		['no proxy', '<data><count>0</count><proxy_list></proxy_list></data>', ''],
		[
			'one proxy',
			'<data><count>1</count><proxy_list><proxy>1.2.3.4:0080</proxy></proxy_list></data>',
			{ proxy: '1.2.3.4:0080' },
		],
		[
			'CDATA',
			'<data><proxy_list><proxy><![CDATA[1.2.3.4:80,<北&amp;京>]]></proxy></proxy_list></data>',
			{ proxy: '1.2.3.4:80,<北&amp;京>' },
		],
		[
			'entities',
			'<data><proxy_list><proxy>1.2.3.4:80,&lt;a&gt; &amp;amp; &quot;b&quot; &apos;c&apos;</proxy></proxy_list></data>',
			{ proxy: '1.2.3.4:80,<a> &amp; "b" \'c\'' },
		],
		[
			'attributes',
			'<data x="1"><proxy_list n="1"><proxy id="7">1.2.3.4:80</proxy></proxy_list></data>',
			{ proxy: '1.2.3.4:80' },
		],
		[
			'a comment',
			'<data><!-- none --><proxy_list><proxy>1.2.3.4:80</proxy></proxy_list></data>',
			{ proxy: '1.2.3.4:80' },
		],
		[
			'values that look like numbers',
			'<data><proxy_list><proxy>007</proxy><proxy>1e3</proxy><proxy>0x10</proxy></proxy_list></data>',
			{ proxy: ['007', '1e3', '0x10'] },
		],
	])('with %s is read', (_name, data, expected) => {
		expect(parseBody(xml(data))).toMatchObject({
			code: 0,
			msg: 'm',
			data: { proxy_list: expected },
		});
	});

	it.each([
		'<?xml version="1.0"?>',
		"<?xml version='1.0' encoding='UTF-8'?>\r\n",
		'\uFEFF',
		'<!-- x -->',
	])('may have %j before it', (before) => {
		expect(parseBody(before + xml('<data/>'))).toEqual(envelope(0, 'm', ''));
	});

	it('that speaks of a web page is none', () => {
		const body = '<result><code>-4</code><msg><![CDATA[<html>]]></msg><data/></result>';
		expect(parseBody(body)).toEqual(envelope(-4, '<html>', ''));
	});

	it('with a refusal keeps the code and the message', () => {
		const body = '<result><code>-3</code><msg>参数错误</msg><data></data></result>';
		expect(parseBody(body)).toEqual(envelope(-3, '参数错误', ''));
	});

	it.each([
		'<result/>',
		'<result></result>',
		'<result><msg>ok</msg></result>',
		'<result><code></code></result>',
		'<result><code/></result>',
		'<result><code>zero</code></result>',
		'<result><code>0.5</code></result>',
		'<result><code>0x0</code></result>',
		'<result><code>1e3</code></result>',
		'<result><code>+0</code></result>',
		'<result><code>12345678901</code></result>',
		'<result><code>0</code><code>0</code></result>',
		'<result><code><value>0</value></code></result>',
		'<result code="0"></result>',
		'<Result><code>0</code></Result>',
		'<answer><result><code>0</code></result></answer>',
		'<code>0</code>',
	])('without a code is no answer: %s', (body) => {
		expect(reasonFor(body)).toBe('has no code');
	});

	it.each([
		'<result><code>0</code>',
		'<result><code>0</result>',
		'<result><code>0</code></result',
		'<result><code>0</code></result><result><code>0</code></result>',
		'<result><code>0</code></result>rest',
		'<result><__proto__><code>0</code></__proto__></result>',
		'<',
		'<>',
		'</result>',
		'<?xml version="1.0"?>',
	])('that is not well-formed is no answer: %s', (body) => {
		expect(reasonFor(body)).toMatch(/^(is not valid XML|has no code)$/);
	});

	it.each([
		'<!DOCTYPE html><html><head><meta charset="utf-8"><title>502 Bad Gateway</title></head></html>',
		'<!doctype\nHTML PUBLIC "x"><HTML></HTML>',
		'<html><body>502<br></body></html>',
		'\uFEFF\n<HTML lang="en"><code>0</code></HTML>',
		'<html><result><code>0</code></result></html>',
		'<html',
	])('that is a web page is called one: %s', (body) => {
		expect(reasonFor(body)).toBe('is a web page');
	});

	it('does not grow by entities in entities', () => {
		const entities = Array.from({ length: 12 }, (_, index) => {
			const inside = index === 0 ? 'x'.repeat(10) : `&e${index - 1};`.repeat(10);
			return `<!ENTITY e${index} "${inside}">`;
		}).join('');
		const body = `<!DOCTYPE result [${entities}]>${xml('<data>&e11;</data>')}`;
		const answer = reasonFor(body) === undefined ? parseBody(body) : undefined;
		expect(JSON.stringify(answer ?? '').length).toBeLessThan(100_000);
	});
});

describe('records', () => {
	type Named = UnknownRecord & { readonly name: string };

	const isNamed = (record: UnknownRecord): record is Named => typeof record.name === 'string';

	function read(data: unknown, secrets: readonly string[] = []): Named[] {
		const answer = { code: 0, msg: '', answeredAt: 0, data };
		return parseRecords(answer, isNamed, secrets);
	}

	function failure(data: unknown, secrets?: readonly string[]): InvalidResponseError {
		try {
			read(data, secrets);
		} catch (error) {
			if (error instanceof InvalidResponseError) return error;
			throw error;
		}
		throw new Error('It was read');
	}

	it('gives the records as they are, in their order', () => {
		const data = [{ name: 'b', more: [1] }, { name: 'a' }];
		expect(read(data)).toEqual(data);
		expect(read(data)[0]).toBe(data[0]);
	});

	it('gives none for an empty list', () => {
		expect(read([])).toEqual([]);
	});

	it.each([
		undefined,
		null,
		'',
		'no available kps found',
		0,
		false,
		{},
		{ name: 'a' },
		{ length: 0 },
	])('does not take %p for a list', (data) => {
		expect(failure(data).reason).toBe('contains no list');
	});

	it.each([[[null]], [['a']], [[1]], [[[]]], [[{}]], [[{ name: 1 }]], [[{ name: 'a' }, {}]]])(
		'does not take %j for records, even if others among them are',
		(data) => {
			expect(failure(data).reason).toBe('contains an entry with missing fields');
		},
	);

	it('shows what is wrong, and only that', () => {
		expect(failure([{ name: 'fine' }, { name: 7 }]).excerpt).toBe('{"name":7}');
		expect(failure({ some: 'thing' }).excerpt).toBe('{"some":"thing"}');
		expect(failure(undefined).excerpt).toBe('');
	});

	it('shows 200 characters at most, and no secret', () => {
		const { excerpt } = failure(
			[{ text: `the-secret-key ${'x'.repeat(1000)}` }],
			['the-secret-key'],
		);
		expect(excerpt).not.toContain('the-secret-key');
		expect(excerpt).toContain('xxx');
		expect(Array.from(excerpt).length).toBeLessThanOrEqual(201);
	});

	it.each(['3301', 'US', ' ', 0, -1, 3301])('takes %p for a code', (value) => {
		expect(isCode(value)).toBe(true);
	});

	it.each(['', undefined, null, true, 1.5, NaN, Infinity, 2 ** 53, {}, ['3301'], 33n])(
		'takes %p for no code',
		(value) => {
			expect(isCode(value)).toBe(false);
		},
	);
});
