import fc from 'fast-check';
import { parseBody, parseExactJson } from '../../../../../nodes/shared/api/answer.ts';
import { MANY_RUNS, anyText } from '../../../support/properties.mts';
import { XML_ANSWER, envelope, reasonFor } from './bodies.mts';
import { expectInProportion } from '../../../support/growth.mts';

const JSON_ANSWER = JSON.stringify({
	msg: '',
	code: 0,
	data: { count: 2, proxy_list: ['113.120.61.166:22989', '122.4.44.132:21808'] },
});

describe('JSON', () => {
	it('is read', () => {
		expect(parseBody(JSON_ANSWER)).toEqual(
			envelope(0, '', {
				count: 2,
				proxy_list: ['113.120.61.166:22989', '122.4.44.132:21808'],
			}),
		);
	});

	it.each([-3, 2, 3, -123, 1])('with code %d keeps the code and the message', (code) => {
		const body = JSON.stringify({ msg: '参数错误', code, data: '' });
		expect(parseBody(body)).toEqual(envelope(code, '参数错误', ''));
	});

	it('keeps the digits of a long order number', () => {
		const answer = parseBody('{"code":0,"data":{"orderid":9651029595364781234}}');
		expect(answer).toMatchObject({ data: { orderid: '9651029595364781234' } });
	});

	it.each(['\uFEFF', ' ', '\r\n\t', '\uFEFF \n'])('may have %j before it', (before) => {
		expect(parseBody(`${before}${JSON_ANSWER}\r\n`)).toEqual(parseBody(JSON_ANSWER));
	});

	it.each([
		['"0"'],
		['""'],
		['null'],
		['true'],
		['false'],
		['0.5'],
		['[]'],
		['[0]'],
		['{}'],
		['1e400'],
		['9007199254740993'],
		['12345678901234567890'],
	])('whose code is %s is no answer', (code) => {
		expect(reasonFor(`{"code":${code},"msg":"","data":""}`)).toBe('has no code');
	});

	it.each([
		'{}',
		'[]',
		'[0]',
		'[{"code":0}]',
		'{"msg":"success"}',
		'{"Code":0}',
		'{"result":{"code":0}}',
		'{"__proto__":{"code":0}}',
		'{"constructor":{"code":0}}',
	])('without a code of its own is no answer: %s', (body) => {
		expect(reasonFor(body)).toBe('has no code');
	});

	it('does not take data or message from a prototype', () => {
		expect(parseBody('{"code":0,"__proto__":{"msg":"x","data":"y"}}')).toEqual(
			envelope(0, '', undefined),
		);
	});

	it.each(["{'code':0}", '{code:0}', '{"code":0}}', '{"code":0}{"code":0}', '{"code":0} x', '{'])(
		'that is not valid is no answer: %s',
		(body) => {
			expect(reasonFor(body)).toBe('is not valid JSON');
		},
	);
});

describe('text', () => {
	it.each([
		'1.2.3.4:80\r\n5.6.7.8:90',
		'1.2.3.4:80',
		'a|b',
		'Bad Gateway',
		'x ERROR(-3): y',
		'0',
		'12345',
		'"text"',
	])('is the payload itself: %j', (body) => {
		expect(parseBody(`\uFEFF${body}\r\n`)).toMatchObject({ code: 0, plainText: body });
	});

	it.each([
		['ERROR(-3): 参数错误', -3, '参数错误'],
		['ERROR(-51):', -51, ''],
		['ERROR(2): order expired\r\n', 2, 'order expired'],
		[' \uFEFFERROR(3):  no proxy ', 3, 'no proxy'],
		['ERROR(-4): first line\nsecond line', -4, 'first line\nsecond line'],
		['ERROR(-4):a:b(c)', -4, 'a:b(c)'],
	])('that says %j is a refusal', (body, code, msg) => {
		expect(parseBody(body)).toEqual(envelope(code, msg, ''));
	});

	it.each(['ERROR(0): ok', 'ERROR(-0): ok', 'ERROR(000): ok'])(
		'that calls a success wrong is no answer: %s',
		(body) => {
			expect(reasonFor(body)).toBe('contradicts itself');
		},
	);
});

describe('an answer that is nested', () => {
	const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

	it('is read as deep as any answer may be', () => {
		expect(reasonFor(`{"code":0,"data":${nested(40)}}`)).toBeUndefined();
	});

	it.each([100, 5_000, 100_000])('%i levels deep is no answer', (levels) => {
		expect(reasonFor(`{"code":0,"data":${nested(levels)}}`)).toBe('is nested too deeply');
		expect(reasonFor(`{"code":0,"data":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`)).toBe(
			'is nested too deeply',
		);
		const xml = `<result><code>0</code>${'<a>'.repeat(levels)}${'</a>'.repeat(levels)}</result>`;
		expect(reasonFor(xml)).toMatch(
			/^(is nested too deeply|is not valid XML|is longer than any in XML)$/,
		);
	});
});

it.each([
	['a tag with thousands of attributes', `<result${' a'.repeat(2_000)}><code>0</code></result>`],
	[
		'more than all proxies of a call',
		`<result><code>0</code>${'<a>x</a>'.repeat(50_000)}</result>`,
	],
])('%s is no answer in XML', (_what, xml) => {
	expect(reasonFor(xml)).toBe('is longer than any in XML');
});

describe('an answer that was cut', () => {
	it.each([
		['JSON', JSON_ANSWER],
		['XML', XML_ANSWER],
		['XML without a declaration', XML_ANSWER.slice(XML_ANSWER.indexOf('<result>'))],
	])('at any position is no answer: %s', (_name, body) => {
		for (let length = 0; length < body.length; length++) {
			expect(reasonFor(body.slice(0, length))).toBeDefined();
		}
		expect(reasonFor(body)).toBeUndefined();
	});

	it('in front is no envelope', () => {
		for (const body of [JSON_ANSWER, XML_ANSWER.slice(XML_ANSWER.indexOf('<result>'))]) {
			for (let start = 1; start < body.length; start++) {
				const rest = body.slice(start);
				if (reasonFor(rest) === undefined) expect(parseBody(rest).plainText).toBeDefined();
			}
		}
	});
});

describe('whatever arrives', () => {
	const body = fc.oneof(
		anyText(),
		fc.json(),
		anyText(30).map((text) => `{"code":0,"msg":${text}}`),
		anyText(30).map((text) => `<result><code>${text}</code></result>`),
		anyText(30).map((text) => `<${text}><code>0</code></result>`),
		anyText(30).map((text) => `ERROR(${text}): x`),
		fc.tuple(fc.nat(), anyText(3)).map(([at, put]) => {
			const position = at % XML_ANSWER.length;
			return XML_ANSWER.slice(0, position) + put + XML_ANSWER.slice(position + 1);
		}),
		fc.tuple(fc.nat(), anyText(3)).map(([at, put]) => {
			const position = at % JSON_ANSWER.length;
			return JSON_ANSWER.slice(0, position) + put + JSON_ANSWER.slice(position + 1);
		}),
	);

	/** Looks for the code in another way than the reader does. */
	function saysZero(text: string): boolean {
		if (/^\s*</.test(text)) {
			return /<code\b[^>]*>(\s|<!--[^]*?-->|<!\[CDATA\[|<\?[^]*?\?>)*-?0/.test(text);
		}
		const value: unknown = JSON.parse(text.trim());
		return typeof value === 'object' && value !== null && Number(Reflect.get(value, 'code')) === 0;
	}

	it('is an answer or an unreadable one, and code 0 is never made up', () => {
		fc.assert(
			fc.property(body, (text) => {
				if (reasonFor(text) !== undefined) return;
				const answer = parseBody(text);
				if (answer.plainText !== undefined) expect(text).not.toMatch(/^\s*[{[<]/);
				else if (answer.code === 0) expect(saysZero(text)).toBe(true);
			}),
			MANY_RUNS,
		);
	});
});

it.each([
	['9007199254740991', 9007199254740991],
	['-9007199254740991', -9007199254740991],
	['9007199254740992', '9007199254740992'],
	['9007199254740993', '9007199254740993'],
	['-9007199254740993', '-9007199254740993'],
	['965102959536478', 965102959536478],
	['"12345678901234567890,"', '12345678901234567890,'],
	['"\\\\\\"1234567890123456789,"', '\\"1234567890123456789,'],
	['12345678901234567890 ', '12345678901234567890'],
	['9651029595364781', '9651029595364781'],
	['9651029595364780', '9651029595364780'],
	['123456789012345678901234567890', '123456789012345678901234567890'],
	['1234567890123456.5', 1234567890123456.5],
	['0.12345678901234567890', 0.12345678901234568],
	['1e20', 1e20],
	['12345678901234567890e2', 12345678901234567890e2],
])('reads %s', (text, value) => {
	expect(parseExactJson(text)).toBe(value);
	expect(parseExactJson(`{"a":[${text}]}`)).toEqual({ a: [value] });
});

it.each([
	'{12345678901234567890:1}',
	'{"a":012345678901234567890}',
	'{"a":12345678901234567890',
	'{"a":12345678901234567890,}',
	'12345678901234567890 12345678901234567890',
	'-',
	'',
])('refuses %s, as JSON.parse does', (text) => {
	expect(() => parseExactJson(text)).toThrow(SyntaxError);
});

it('a very long string beside a large integer is read', () => {
	const text = 'a"12345678901234567890\\\n'.repeat(500_000);
	expect(parseExactJson(`{"id":12345678901234567890,"text":${JSON.stringify(text)}}`)).toEqual({
		id: '12345678901234567890',
		text,
	});
});

it('a text with a large integer is read in proportion to its length', async () => {
	await expectInProportion(25_000, (count) => {
		const record = ',{"id":15,"name":"a \\"b\\" c","text":"some words"}';
		parseExactJson(`[1234567890123456789${record.repeat(count)}]`);
	});
});
