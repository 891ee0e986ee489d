import fc from 'fast-check';
import {
	amount,
	choice,
	flag,
	isNotAccepted,
	list,
	oneOrZero,
	orderNumber,
	rangeInWords,
	regionCode,
	regionCodes,
	wholeNumber,
} from '../../../../../nodes/shared/fields/valueKinds.ts';
import { formatNumber } from '../../../../../nodes/shared/wording.ts';
import { SOME_RUNS, anyValue } from '../../../support/properties.mts';
import { EMPTY, NO_TEXT, outcome } from './kindOutcome.mts';

describe('a whole number', () => {
	const kind = wholeNumber(1, 1000, 10);

	it.each(EMPTY)('is left out for %p', (value) => {
		expect(outcome(kind, value)).toBeUndefined();
	});

	it.each([...NO_TEXT, true, false, [], [5], ['5']])('has no text for %p', (value) => {
		expect(outcome(kind, value)).toBe('no text');
	});

	it.each([
		[1, '1'],
		[1000, '1000'],
		['500', '500'],
		[' 500 ', '500'],
		['0500', 'refused 0500'],
		[1e2, '100'],
		[0, 'refused 0'],
		[-0, 'refused 0'],
		[1001, 'refused 1001'],
		[-5, 'refused -5'],
		[5.5, 'refused 5.5'],
		['5.0', 'refused 5.0'],
		['+5', 'refused +5'],
		['1e2', 'refused 1e2'],
		['0x10', 'refused 0x10'],
		['5 000', 'refused 5 000'],
		['1,000', 'refused 1,000'],
		['٥', 'refused ٥'],
		['５', 'refused ５'],
		[1e21, 'refused 1e+21'],
		['9'.repeat(400), `refused ${'9'.repeat(400)}`],
		['constructor', 'refused constructor'],
		['__proto__', 'refused __proto__'],
		['NaN', 'refused NaN'],
		['Infinity', 'refused Infinity'],
	])('is, for %p, %s', (value, expected) => {
		expect(outcome(kind, value)).toBe(expected);
	});

	it('accepts exactly the numbers of its range', () => {
		fc.assert(
			fc.property(fc.integer({ min: -2000, max: 2000 }), (number) => {
				const expected = number >= 1 && number <= 1000 ? String(number) : `refused ${number}`;
				expect(outcome(kind, number)).toBe(expected);
				expect(outcome(kind, String(number))).toBe(expected);
			}),
			SOME_RUNS,
		);
	});

	it('says what is allowed, and limits the editor to it', () => {
		const large = wholeNumber(1, 100_000, 10);
		expect(large.allowed).toBe('a whole number, 1 to 100,000');
		expect(large.property).toEqual({
			type: 'number',
			default: 10,
			typeOptions: { minValue: 1, maxValue: 100_000 },
		});
	});
});

describe('an amount', () => {
	it.each([
		[{ min: 1000, max: 17_000, step: 1000 }, '1,000 to 17,000 in steps of 1,000'],
		[{ min: 1, max: 10 }, '1 to 10'],
		[{ min: 3, max: 3 }, '3 only'],
		[{ min: 1 }, '1 or more'],
	])('of %j is, in words, %s', (range, words) => {
		expect(rangeInWords(range)).toBe(words);
		expect(amount(range).allowed).toBe(`a whole number, ${words}`);
	});

	it.each([
		[1000, '1000'],
		['17000', '17000'],
		[16_000, '16000'],
		[999, 'refused 999'],
		[1500, 'refused 1500'],
		[18_000, 'refused 18000'],
		[0, 'refused 0'],
		[-1000, 'refused -1000'],
	])('in steps is, for %p, %s', (value, expected) => {
		expect(outcome(amount({ min: 1000, max: 17_000, step: 1000 }), value)).toBe(expected);
	});

	it('without a maximum has none in the editor either', () => {
		const kind = amount({ min: 5 });
		expect(kind.property).toEqual({ type: 'number', default: 5, typeOptions: { minValue: 5 } });
		expect(outcome(kind, 999_999_999)).toBe('999999999');
		expect(outcome(kind, 4)).toBe('refused 4');
		expect(amount({ min: 5, max: 80 }, 7).property.default).toBe(7);
	});

	it('accepts exactly the steps of its range', () => {
		const kind = amount({ min: 100, max: 500, step: 100 });
		fc.assert(
			fc.property(fc.integer({ min: -100, max: 700 }), (number) => {
				const isStep = number >= 100 && number <= 500 && number % 100 === 0;
				expect(outcome(kind, number)).toBe(isStep ? String(number) : `refused ${number}`);
			}),
			SOME_RUNS,
		);
	});
});

describe('a switch that is sent as 1 or 0', () => {
	it.each(EMPTY)('is left out for %p', (value) => {
		expect(outcome(oneOrZero, value)).toBeUndefined();
	});

	it.each([
		[true, '1'],
		['TRUE ', '1'],
		[1, '1'],
		['1', '1'],
		[false, '0'],
		[' False', '0'],
		[0, '0'],
		['0', '0'],
		['yes', 'no text'],
		[2, 'no text'],
		[[], 'no text'],
		[{}, 'no text'],
		['constructor', 'no text'],
	])('is, for %p, %s', (value, expected) => {
		expect(outcome(oneOrZero, value)).toBe(expected);
	});
});

describe('a region code', () => {
	it.each([
		['33', '33'],
		['330', '330'],
		[3301, '3301'],
		[' 3301 ', '3301'],
		['3', 'refused 3'],
		['33011', 'refused 33011'],
		['杭州', 'refused 杭州'],
		['33,44', 'refused 33,44'],
		[33.5, 'refused 33.5'],
		[true, 'no text'],
		['', undefined],
	])('is, for %p, %s', (value, expected) => {
		expect(outcome(regionCode, value)).toBe(expected);
	});
});

describe('region codes', () => {
	it.each([
		['33', '33'],
		[33, '33'],
		['11,31,4403', '11,31,4403'],
		['11，31、4403', '11,31,4403'],
		['11; 31；4403\n330', '11,31,4403,330'],
		[' 11 , 31 ,, ', '11,31'],
		[['11', 31, ' 4403 '], '11,31,4403'],
		[['11,31', '4403'], '11,31,4403'],
		['11,31,11', '11,31'],
		[[], undefined],
		['，', undefined],
		['3', 'refused 3'],
		['33011', 'refused 33011'],
		['11,杭州', 'refused 11,杭州'],
		[['11', 3], 'refused 11,3'],
		['11,-31', 'refused 11,-31'],
		['１１', 'refused １１'],
		[33.5, 'refused 33.5'],
		['11/31', 'refused 11/31'],
		[['11', true], 'no text'],
		[[['11']], 'no text'],
		[{ 0: '11' }, 'no text'],
		[true, 'no text'],
	])('are, for %p, %s', (value, expected) => {
		expect(outcome(regionCodes, value)).toBe(expected);
	});
});

describe('a flag', () => {
	it.each([...EMPTY, false, 'false', ' FALSE ', 0, '0', -0])('is left out for %p', (value) => {
		expect(outcome(flag, value)).toBeUndefined();
	});

	it.each([true, 'true', ' True ', 1, '1'])('is sent as 1 for %p', (value) => {
		expect(outcome(flag, value)).toBe('1');
	});

	it.each([
		...NO_TEXT,
		'yes',
		'on',
		2,
		-1,
		0.5,
		[],
		[true],
		['1'],
		'01',
		'constructor',
		'__proto__',
	])('has no text for %p', (value) => {
		expect(outcome(flag, value)).toBe('no text');
	});
});

it('writes large numbers with commas', () => {
	expect([500, 2000, 100_000].map(formatNumber)).toEqual(['500', '2,000', '100,000']);
});

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
