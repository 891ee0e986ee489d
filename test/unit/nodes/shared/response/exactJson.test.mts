import fc from 'fast-check';

import { parseExactJson } from '../../../../../nodes/shared/response/parseBody.ts';
import { expectSame, MANY_RUNS, SOME_RUNS } from '../../../support/properties.mts';

const digits = fc
	.tuple(fc.constantFrom('', '-'), fc.constantFrom(...'123456789'), fc.stringMatching(/^\d{0,29}$/))
	.map((parts) => parts.join(''));

/** A text that could confuse a reader of JSON which looks for digits and quotes. */
const trickyText = fc.oneof(
	fc.string({ unit: 'binary' }),
	fc.string({ unit: fc.constantFrom('"', '\\', '1', '12345678901234567890', ':', ',', '/', 'e') }),
);

interface Integer {
	readonly integer: string;
}

function isInteger(value: unknown): value is Integer {
	return typeof value === 'object' && value !== null && Object.hasOwn(value, 'integer');
}

const leaf = fc.oneof(
	digits.map((integer): unknown => ({ integer })),
	trickyText,
	fc.constantFrom<unknown>(null, true, false, 0, 1.5, -2e-7, 1e300),
);

const { nested } = fc.letrec((tie) => ({
	nested: fc.oneof(
		{ maxDepth: 4, withCrossShrink: true },
		leaf,
		fc.array(tie('nested'), { maxLength: 4 }),
		fc.dictionary(
			trickyText.filter((name) => name !== 'integer' && name !== '__proto__'),
			tie('nested'),
			{ maxKeys: 4 },
		),
	),
}));

function written(value: unknown): string {
	if (isInteger(value)) return value.integer;
	if (Array.isArray(value)) return `[ ${value.map(written).join(' ,')}]`;
	if (typeof value === 'object' && value !== null) {
		const pairs = Object.entries(value).map(
			([name, one]) => `${JSON.stringify(name)}: ${written(one)}`,
		);
		return `{${pairs.join(',\n')} }`;
	}
	return JSON.stringify(value);
}

/** What should be read: integers as numbers where that is exact, else as texts. */
function expected(value: unknown): unknown {
	if (isInteger(value)) {
		return Number.isSafeInteger(Number(value.integer)) ? Number(value.integer) : value.integer;
	}
	if (Array.isArray(value)) return value.map(expected);
	if (typeof value === 'object' && value !== null) {
		return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, expected(one)]));
	}
	return value;
}

it('keeps every digit of every integer, anywhere, and every text as it is', () => {
	fc.assert(
		fc.property(nested, (value) => {
			expectSame(parseExactJson(written(value)), expected(value));
		}),
		MANY_RUNS,
	);
});

it.each([
	['9007199254740991', 9007199254740991],
	['-9007199254740991', -9007199254740991],
	['9007199254740992', '9007199254740992'],
	['9007199254740993', '9007199254740993'],
	['-9007199254740993', '-9007199254740993'],
	['965102959536478', 965102959536478],
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
	'"12345678901234567890"',
	'"\\"12345678901234567890"',
	'"a\\\\"',
	'"id: 12345678901234567890, \\"x\\": 12345678901234567890"',
	'"\\u0022 12345678901234567890"',
])('leaves the text %s alone', (text) => {
	const json = `{"a":${text},"b":12345678901234567890}`;
	expect(parseExactJson(json)).toEqual({ a: JSON.parse(text), b: '12345678901234567890' });
});

it('keeps digits in names', () => {
	const json = '{"12345678901234567890":12345678901234567890}';
	expect(parseExactJson(json)).toEqual({ '12345678901234567890': '12345678901234567890' });
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

it('refuses what JSON.parse refuses, and nothing else', () => {
	const almostJson = fc
		.tuple(nested.map(written), fc.nat(), fc.constantFrom('', '"', '1', '}', ',', '-', '\\'))
		.map(([text, at, put]) => {
			const position = at % (text.length + 1);
			return text.slice(0, position) + put + text.slice(position + 1);
		});
	const accepts = (parse: (text: string) => unknown, text: string) => {
		try {
			parse(text);
			return true;
		} catch {
			return false;
		}
	};
	fc.assert(
		fc.property(almostJson, (text) => {
			expect(accepts(parseExactJson, text)).toBe(accepts(JSON.parse, text));
		}),
		SOME_RUNS,
	);
});

it('a very long string beside a large integer is read', () => {
	const text = 'a"12345678901234567890\\\n'.repeat(500_000);
	expect(parseExactJson(`{"id":12345678901234567890,"text":${JSON.stringify(text)}}`)).toEqual({
		id: '12345678901234567890',
		text,
	});
});
