import fc from 'fast-check';

import { cleanServiceText, excerpt } from '../../../../../nodes/shared/errors/cleanText.ts';
import { anyText, SOME_RUNS } from '../../../support/properties.mts';

const KEY = 'jd1gzm6ant2u7poj';
const TOKEN = 'a+b/c=d e北';

describe.each([
	['a message of Kuaidaili', cleanServiceText, 500],
	['an excerpt', excerpt, 200],
])('%s', (_name, clean, longest) => {
	it('is shown as it is when there is nothing wrong with it', () => {
		expect(clean('参数错误: num (1-500)!', [])).toBe('参数错误: num (1-500)!');
	});

	it.each([
		['line ends', 'a\r\nb\nc\rd', 'a b c d'],
		['a NUL and an escape', 'a\u0000b\u001B[31mc', 'a b [31mc'],
		['a bell, a backspace and DEL', 'a\u0007\u0008\u007Fb', 'a b'],
		['C1 controls', 'a\u0080\u009Fb', 'a b'],
		['a change of direction', 'a\u202Eb\u2066c\u200Fd', 'a b c d'],
		['invisible characters', 'a\u200Bb\uFEFFc\u00ADd', 'a b c d'],
		['separators of lines and paragraphs', 'a\u2028b\u2029c', 'a b c'],
		['many spaces', 'a \t\u00A0\u3000  b', 'a b'],
		['space around it', ' \n a \r\n', 'a'],
	])('has one space for %s', (_what, text, expected) => {
		expect(clean(text, [])).toBe(expected);
	});

	it.each([
		[
			'<!DOCTYPE html>\n<html><head><style>b { color: red }</style><title>502 Bad Gateway</title></head><body><script>if (1 < 2) run();</script><b>nginx</b>',
			'502 Bad Gateway nginx',
		],
		['<html><p>cut <a href="http://exam', 'cut'],
		['<html><script>run();</script></html>', '<html><script>run();</script></html>'],
		['a <b> is missing', 'a <b> is missing'],
	])('is what a reader sees of a page: %s', (text, expected) => {
		expect(clean(text, [])).toBe(expected);
	});

	it(`has ${longest} characters at most, and a mark that it goes on`, () => {
		expect(clean('x'.repeat(longest), [])).toBe('x'.repeat(longest));
		expect(clean('x'.repeat(longest + 1), [])).toBe(`${'x'.repeat(longest)}…`);
		expect(clean('x'.repeat(100_000), [])).toBe(`${'x'.repeat(longest)}…`);
	});

	it('is counted in characters, and none is cut in half', () => {
		expect(clean('𠀀'.repeat(longest), [])).toBe('𠀀'.repeat(longest));
		expect(clean('𠀀'.repeat(longest + 1), [])).toBe(`${'𠀀'.repeat(longest)}…`);
	});

	it('hides secrets wherever they are', () => {
		expect(clean(`${KEY} is ${KEY}${KEY}.`, [KEY])).toBe('[hidden] is [hidden][hidden].');
	});

	it('hides secrets also as they stand in a query', () => {
		const url = `https://a.example/?signature=${encodeURIComponent(TOKEN)}&x=1`;
		expect(clean(url, [KEY, TOKEN])).toBe('https://a.example/?signature=[hidden]&x=1');
		expect(clean(`was ${TOKEN}`, [KEY, TOKEN])).toBe('was [hidden]');
	});

	it.each([
		['in single quotes', "signature='abc+/='"],
		['in JSON', '{"signature": "abc+/="}'],
		['in a parameter', 'x?next=signature%3Dabc%2B%2F%3D'],
		['in a parameter of a parameter', 'signature%253dabc%252b'],
		['in escaped JSON', '{\\"signature\\":\\"abc\\"}'],
	])('hides a signature %s', (_where, text) => {
		expect(clean(text, [])).toContain('[hidden]');
		expect(clean(text, [])).not.toMatch(/abc|2b|47|equals/i);
	});

	it.each([
		['in lower-case percent', encodeURIComponent(TOKEN).toLowerCase()],
		['percent-encoded twice', encodeURIComponent(encodeURIComponent(TOKEN))],
		['as a form field', encodeURIComponent(TOKEN).replaceAll('%20', '+')],
		['in escaped JSON', TOKEN.replace('/', '\\/').replace('+', '\\u002b')],
	])('hides a secret %s', (_where, spelled) => {
		expect(clean(`it was ${spelled}!`, [KEY, TOKEN])).toBe('it was [hidden]!');
	});

	it('hides a secret that is cut where reading ends', () => {
		expect(clean(`${'\n'.repeat(3990)}${KEY}`, [KEY])).not.toContain(KEY.slice(0, 3));
	});

	it('hides a secret that is far longer than any', () => {
		const secret = '长a'.repeat(50_000);
		expect(clean(`before ${secret} after`, [secret])).not.toContain('长');
		expect(clean(`before ${'长a'.repeat(300)} after`, ['长a'.repeat(300)])).toBe(
			'before [hidden] after',
		);
	});

	it('hides a secret that the end would cut in half', () => {
		const text = 'x'.repeat(longest - 5) + KEY;
		expect(clean(text, [KEY])).not.toContain(KEY.slice(0, 3));
	});

	it('hides a secret that contains what a pattern would be made of', () => {
		expect(clean('the (.*) $& key', ['(.*) $&'])).toBe('the [hidden] key');
	});

	it('is not blanked out by secrets that are empty or too short to be keys', () => {
		expect(clean('a b c', ['', 'a', 'b c'])).toBe('a b c');
		expect(clean('12345 123456', ['12345'])).toBe('12345 123456');
		expect(clean('12345 123456', ['123456'])).toBe('12345 [hidden]');
	});

	it('is one short line without the secret, whatever the text is', () => {
		const text = fc
			.array(fc.oneof(anyText(), fc.constantFrom(KEY, encodeURIComponent(TOKEN), TOKEN)))
			.map((parts) => parts.join(''));
		fc.assert(
			fc.property(text, fc.nat(3), (untrusted, repeat) => {
				const shown = clean(untrusted.repeat(repeat), [KEY, TOKEN]);
				expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^\s|\s$|\s\s/u);
				expect(Array.from(shown).length).toBeLessThanOrEqual(longest + 1);
				expect(shown).not.toContain(KEY);
				expect(shown).not.toContain(TOKEN);
				expect(shown).not.toContain(encodeURIComponent(TOKEN));
			}),
			SOME_RUNS,
		);
	});
});
