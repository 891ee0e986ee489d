import fc from 'fast-check';

import {
	amount,
	flag,
	oneOrZero,
	rangeInWords,
	regionCode,
	regionCodes,
	wholeNumber,
} from '../../../../../nodes/shared/fields/valueKinds.ts';
import { SOME_RUNS } from '../../../support/properties.mts';
import { formatNumber } from '../../../../../nodes/shared/wording.ts';
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

	it('is documented as 1 and 0 only', () => {
		expect(oneOrZero.accepts('2')).toBe(false);
		expect(oneOrZero.property).toEqual({ type: 'boolean', default: false });
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

	it('say what is allowed', () => {
		expect(regionCodes.allowed).toBe(
			'region codes of 2 to 4 digits, separated by commas, such as 11,31,4403',
		);
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

	it('is documented as 1 only', () => {
		expect(flag.accepts('1')).toBe(true);
		expect(flag.accepts('0')).toBe(false);
		expect(flag.allowed).toBe('true or false');
		expect(flag.property).toEqual({ type: 'boolean', default: true });
	});
});

it('writes large numbers with commas', () => {
	expect([500, 2000, 100_000].map(formatNumber)).toEqual(['500', '2,000', '100,000']);
});
