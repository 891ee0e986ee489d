import fc from 'fast-check';

import {
	amount,
	choice,
	flag,
	isNotAccepted,
	list,
	oneOrZero,
	orderNumber,
	regionCode,
	regionCodes,
	wholeNumber,
} from '../../../../../nodes/shared/fields/valueKinds.ts';
import { anyValue, SOME_RUNS } from '../../../support/properties.mts';
import { EMPTY, NO_TEXT, outcome } from './kindOutcome.mts';

describe('a choice', () => {
	const kind = choice(
		[
			{ name: 'All', value: 0 },
			{ name: 'Telecom', value: 2 },
			{ name: 'JSON', value: 'json' },
		],
		{ neutral: '0' },
	);

	it('says each value once, also where its name ends with it', () => {
		const options = [
			{ name: 'Dedicated Proxy (KPS)', value: 'KPS' },
			{ name: 'Telecom', value: 2 },
		];
		expect(choice(options).allowed).toBe('KPS (Dedicated Proxy), 2 (Telecom)');
	});

	it.each(EMPTY)('is left out for %p', (value) => {
		expect(outcome(kind, value)).toBeUndefined();
	});

	it.each([...NO_TEXT, true, false, [], [2], ['json']])('has no text for %p', (value) => {
		expect(outcome(kind, value)).toBe('no text');
	});

	it.each([
		[0, '0'],
		['0', '0'],
		[2, '2'],
		[' 2 ', '2'],
		['json', 'json'],
		[1, 'refused 1'],
		[2.5, 'refused 2.5'],
		['JSON', 'refused JSON'],
		['Telecom', 'refused Telecom'],
		['0,2', 'refused 0,2'],
		['constructor', 'refused constructor'],
		['__proto__', 'refused __proto__'],
		['length', 'refused length'],
	])('is, for %p, %s', (value, expected) => {
		expect(outcome(kind, value)).toBe(expected);
	});

	it('says what is allowed, has a neutral value, and begins with its first', () => {
		expect(kind.allowed).toBe('0 (All), 2 (Telecom), json (JSON)');
		expect(kind.neutral).toBe('0');
		expect(kind.property).toMatchObject({ type: 'options', default: 0 });
		expect(kind.property.options).toHaveLength(3);
		const options = [
			{ name: 'A', value: 1 },
			{ name: 'B', value: 2 },
		];
		expect(choice(options).neutral).toBeUndefined();
		expect(choice(options, { preset: 2 }).property.default).toBe(2);
	});
});

describe('a list', () => {
	const kind = list('letters', (entry) => /^[a-z北京上海]{1,5}$/.test(entry));

	it.each([...EMPTY, [], [''], [null, undefined, ' '], ',', '，、;；', ' , , '])(
		'is left out for %p',
		(value) => {
			expect(outcome(kind, value)).toBeUndefined();
		},
	);

	it.each([...NO_TEXT, true, false, [true], [['a']], [{ a: 1 }], ['a', NaN], ['a', 12n]])(
		'has no text for %p',
		(value) => {
			expect(outcome(kind, value)).toBe('no text');
		},
	);

	it.each([
		['a', 'a'],
		['a,b', 'a,b'],
		['北京，上海', '北京,上海'],
		['北京、上海', '北京,上海'],
		['a;b；c', 'a,b,c'],
		['a b\tc\nd\u3000e', 'a,b,c,d,e'],
		[' a , b ,, c , ', 'a,b,c'],
		['a,b,a', 'a,b'],
		[['a', 'b'], 'a,b'],
		[['a,b', ' c '], 'a,b,c'],
		[['a', '', null, undefined, 'b'], 'a,b'],
		[['a', 'a'], 'a'],
		['a,toolong', 'refused a,toolong'],
		[['a', 5], 'refused a,5'],
		[5, 'refused 5'],
		['constructor', 'refused constructor'],
		['__proto__', 'refused __proto__'],
	])('is, for %p, %s', (value, expected) => {
		expect(outcome(kind, value)).toBe(expected);
	});

	it('is the same as text and as an array, whatever separates it', () => {
		const entries = fc.array(fc.constantFrom('a', 'b', 'cd', '北京', '上海'), { minLength: 1 });
		const separator = fc.constantFrom(',', '，', '、', ';', '；', ' ', '\n', ', ', '， ');
		fc.assert(
			fc.property(entries, separator, (parts, between) => {
				const expected = [...new Set(parts)].join(',');
				expect(outcome(kind, parts)).toBe(expected);
				expect(outcome(kind, parts.join(between))).toBe(expected);
			}),
			SOME_RUNS,
		);
	});

	it('is a text in the editor', () => {
		expect(kind.property).toEqual({ type: 'string', default: '' });
		expect(kind.allowed).toBe('letters');
	});
});

describe('the number of an order', () => {
	it.each(EMPTY)('is left out for %p', (value) => {
		expect(outcome(orderNumber, value)).toBeUndefined();
	});

	it.each([...NO_TEXT, true, false, [], ['965102959536478']])('has no text for %p', (value) => {
		expect(outcome(orderNumber, value)).toBe('no text');
	});

	it.each([
		['965102959536478', '965102959536478'],
		[' 965102959536478\n', '965102959536478'],
		['9900000000000001', '9900000000000001'],
		['0099141692192336', '0099141692192336'],
		[965102959536478, '965102959536478'],
		[2 ** 53 - 1, '9007199254740991'],
		['12345678', '12345678'],
		['123456789012345678901234', '123456789012345678901234'],
		['1234567', 'refused 1234567'],
		['1234567890123456789012345', 'refused 1234567890123456789012345'],
		[0, 'refused 0'],
		[-965102959536478, 'refused -965102959536478'],
		['9.65e14', 'refused 9.65e14'],
		['９６５１０２９５９５３６４７８', 'refused ９６５１０２９５９５３６４７８'],
		['965102959536478,965102959536479', 'refused 965102959536478,965102959536479'],
	])('is, for %p, %s', (value, expected) => {
		expect(outcome(orderNumber, value)).toBe(expected);
	});

	it.each([2 ** 53, 9_900_000_000_000_001, -(2 ** 53), 1e21, 1.5, 965102959536478.5])(
		'is not taken from the number %d, which may have lost digits',
		(value) => {
			expect(outcome(orderNumber, value)).toBe('no text');
		},
	);

	it('is never another number than what was entered', () => {
		fc.assert(
			fc.property(fc.bigInt({ min: 0n, max: 10n ** 25n }), (number) => {
				const asNumber = outcome(orderNumber, Number(number));
				if (/^\d+$/.test(asNumber ?? '')) expect(asNumber).toBe(String(number));
				const asText = outcome(orderNumber, String(number));
				expect([String(number), `refused ${number}`]).toContain(asText);
			}),
			SOME_RUNS,
		);
	});

	it('is a text in the editor', () => {
		expect(orderNumber.property).toEqual({ type: 'string', default: '' });
	});
});

it.each(['\ud800', '北京\udfff', '\udc00\ud800'])(
	'half a character has no text, because it could not be sent as it is signed: %j',
	(value) => {
		for (const kind of [regionCode, orderNumber, list('anything', () => true)]) {
			expect(outcome(kind, value)).toBe('no text');
			expect(
				outcome(
					list('anything', () => true),
					['北京', value],
				),
			).toBe('no text');
		}
	},
);

it('no kind throws, or sends anything but a trimmed text, whatever the value is', () => {
	const kinds = [
		wholeNumber(1, 10, 1),
		choice([{ name: 'A', value: 1 }]),
		flag,
		oneOrZero,
		regionCode,
		regionCodes,
		orderNumber,
		amount({ min: 1 }),
		list('anything', () => true),
	];
	fc.assert(
		fc.property(fc.oneof(anyValue, fc.array(anyValue)), (value) => {
			for (const kind of kinds) {
				const text = kind.toText(value);
				if (text === undefined || isNotAccepted(text)) continue;
				expect(text).not.toBe('');
				expect(text).toBe(text.trim());
				expect(typeof kind.accepts(text)).toBe('boolean');
			}
		}),
		SOME_RUNS,
	);
});
