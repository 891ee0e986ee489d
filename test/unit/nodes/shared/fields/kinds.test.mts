import fc from 'fast-check';
import {
	region,
	number,
	choice,
	toggle,
	list,
	rangeInWords,
	textKind,
} from '../../../../../nodes/shared/fields/kinds.ts';
import { orderNumber } from '../../../../../nodes/shared/orders/orderField.ts';
import { regionCodes } from '../../../../../nodes/Kuaidaili/actions/privateProxyResource/getAll.operation.ts';
import { NoTextError, type ValueKind } from '../../../../../nodes/shared/fields/field.ts';
import { SOME_RUNS, anyValue } from '../../../support/properties.mts';
import { EMPTY, NO_TEXT, outcome } from './kindOutcome.mts';

interface Row {
	kind: ValueKind;
	/** What is sent for which values. */
	sent: Readonly<Record<string, readonly unknown[]>>;
	refused: readonly unknown[];
	/** Beside what is empty for every kind. */
	empty?: readonly unknown[];
	/** Beside what has no text for any kind. */
	noText: readonly unknown[];
}

const CHOICE = choice(
	[
		{ name: 'All', value: 0 },
		{ name: 'Telecom', value: 2 },
		{ name: 'JSON', value: 'json' },
	],
	{ neutral: '0' },
);
const LETTERS = list('letters', (entry) => /^[a-z北京上海]{1,5}$/.test(entry));

const NAMES_OF_OBJECTS = ['constructor', '__proto__'];

const ROWS: Readonly<Record<string, Row>> = {
	'a whole number': {
		kind: number({ min: 1, max: 1000, preset: 10 }),
		sent: { 1: [1], 1000: [1000], 500: ['500', ' 500 '], 100: [1e2] },
		refused: [
			...[0, 1001, -5, 5.5, 1e21, '0500', '5.0', '+5', '1e2', '0x10', '5 000', '1,000', '٥', '５'],
			...['9'.repeat(400), 'NaN', 'Infinity', ...NAMES_OF_OBJECTS],
		],
		noText: [true, false, [], [5], ['5']],
	},
	'an amount in steps': {
		kind: number({ min: 1000, max: 17_000, step: 1000 }),
		sent: { 1000: [1000], 16000: [16_000], 17000: ['17000'] },
		refused: [999, 1500, 18_000, 0, -1000],
		noText: [true, []],
	},
	'an amount of money': {
		kind: number({ min: 0.01, max: 1000, decimals: 2, preset: 10, costsMoney: true }),
		sent: { 5: [5, ' 5 '], 5.5: [5.5], 5.55: [5.55, '5.55'], 0.01: [0.01], '0.10': ['0.10'] },
		refused: [0, 0.005, 5.555, -1, 1000.01, 1e-7, '05.5', '.5', '5.', '5,5', '1e2', 'NaN'],
		noText: [true, []],
	},
	'a switch that is sent as 1 or 0': {
		kind: toggle(),
		sent: { 1: [true, 'TRUE ', 1, '1'], 0: [false, ' False', 0, '0'] },
		refused: [],
		noText: ['yes', 2, [], ...NAMES_OF_OBJECTS],
	},
	'a region code': {
		kind: region,
		sent: { 33: ['33'], 330: ['330'], 3301: [3301, ' 3301 '] },
		refused: ['3', '33011', '33,44', 33.5],
		noText: [true],
	},
	'region codes': {
		kind: regionCodes,
		sent: {
			33: ['33', 33],
			'11,31,4403': [
				...['11,31,4403', '11，31、4403', '11; 31；4403', '11,31,11,4403', ' 11 , 31 ,, 4403'],
				...[
					['11', 31, ' 4403 '],
					['11,31', '4403'],
				],
			],
		},
		refused: ['3', '33011', '11,杭州', '11,-31', '１１', 33.5, '11/31'],
		empty: [[], '，'],
		noText: [['11', true], [['11']], { 0: '11' }, true],
	},
	'a flag': {
		kind: toggle({ preset: true, sendsOff: false }),
		sent: { 1: [true, 'true', ' True ', 1, '1'] },
		refused: [],
		empty: [false, 'false', ' FALSE ', 0, '0', -0],
		noText: ['yes', 'on', 2, -1, 0.5, [], [true], ['1'], '01', ...NAMES_OF_OBJECTS],
	},
	'a choice': {
		kind: CHOICE,
		sent: { 0: [0, '0'], 2: [2, ' 2 '], json: ['json'] },
		refused: [1, 2.5, 'JSON', 'Telecom', '0,2', 'length', ...NAMES_OF_OBJECTS],
		noText: [true, false, [], [2], ['json']],
	},
	'a list': {
		kind: LETTERS,
		sent: {
			a: ['a', ['a', 'a']],
			'a,b': ['a,b', 'a,b,a', ['a', 'b'], ['a', '', null, undefined, 'b']],
			'北京,上海': ['北京，上海', '北京、上海'],
			'a,b,c': ['a;b；c', 'a b\tc', 'a\nb\u3000c', ' a , b ,, c , ', ['a,b', ' c ']],
		},
		refused: ['a,toolong', 5, ...NAMES_OF_OBJECTS],
		empty: [[], [''], [null, undefined, ' '], ',', '，、;；', ' , , '],
		noText: [true, false, [true], [['a']], [{ a: 1 }], ['a', NaN], ['a', 12n]],
	},
	'the number of an order': {
		kind: orderNumber,
		sent: {
			'965102959536478': ['965102959536478', ' 965102959536478\n', 965102959536478],
			'9900000000000001': ['9900000000000001'],
			'0099141692192336': ['0099141692192336'],
			'9007199254740991': [2 ** 53 - 1],
			'12345678': ['12345678'],
			'123456789012345678901234': ['123456789012345678901234'],
		},
		refused: [
			...['1234567', '1234567890123456789012345', 0, -965102959536478, '9.65e14'],
			...['９６５１０２９５９５３６４７８', '965102959536478,965102959536479'],
		],
		noText: [
			...[true, false, [], ['965102959536478']],
			// They may have lost digits
			...[2 ** 53, 9_900_000_000_000_001, -(2 ** 53), 1e21, 1.5, 965102959536478.5],
		],
	},
};

describe.each(Object.entries(ROWS))('%s', (_name, { kind, sent, refused, empty = [], noText }) => {
	const texts = Object.entries(sent).flatMap(([text, values]) =>
		values.map((value) => [value, text] as const),
	);

	it.each(texts)('is, for %p, %s', (value, text) => {
		expect(outcome(kind, value)).toBe(text);
	});

	if (refused.length > 0) {
		it.each(refused)('refuses %p', (value) => {
			expect(outcome(kind, value)).toBe(`refused ${String(value)}`);
		});
	}

	it.each([...EMPTY, ...empty])('is left out for %p', (value) => {
		expect(outcome(kind, value)).toBeUndefined();
	});

	it.each([...NO_TEXT, ...noText])('has no text for %p', (value) => {
		expect(outcome(kind, value)).toBe('no text');
	});
});

describe('a whole number', () => {
	it('says what is allowed, and limits the editor to it', () => {
		const large = number({ min: 1, max: 100_000, preset: 10 });
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
		expect(number(range).allowed).toBe(`a whole number, ${words}`);
	});

	it('without a maximum has none in the editor either', () => {
		const kind = number({ min: 5 });
		expect(kind.property).toEqual({ type: 'number', default: 5, typeOptions: { minValue: 5 } });
		expect(outcome(kind, 999_999_999)).toBe('999999999');
		expect(outcome(kind, 4)).toBe('refused 4');
		expect(number({ min: 5, max: 80, preset: 7 }).property.default).toBe(7);
	});
});

describe('a choice', () => {
	it('says each value once, also where its name ends with it', () => {
		const options = [
			{ name: 'Dedicated Proxy (KPS)', value: 'KPS' },
			{ name: 'Telecom', value: 2 },
		];
		expect(choice(options).allowed).toBe('KPS (Dedicated Proxy), 2 (Telecom)');
	});

	it('says what is allowed, has a neutral value, and begins with its first', () => {
		expect(CHOICE.allowed).toBe('0 (All), 2 (Telecom), json (JSON)');
		expect(CHOICE.neutral).toBe('0');
		expect(CHOICE.property).toMatchObject({ type: 'options', default: 0 });
		expect(CHOICE.property.options).toHaveLength(3);
		const options = [
			{ name: 'A', value: 1 },
			{ name: 'B', value: 2 },
		];
		expect(choice(options).neutral).toBeUndefined();
		expect(choice(options, { preset: 2 }).property.default).toBe(2);
	});
});

describe('the number of an order', () => {
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
		for (const kind of [
			textKind('anything', () => true),
			orderNumber,
			list('anything', () => true),
		]) {
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

/** The text of a value; undefined where it has none. */
function textOrNone(kind: ValueKind, value: unknown): string | undefined {
	try {
		return kind.toText(value);
	} catch (error) {
		if (error instanceof NoTextError) return undefined;
		throw error;
	}
}

it('no kind throws, or sends anything but a trimmed text, whatever the value is', () => {
	const kinds = [
		number({ min: 1, max: 10, preset: 1 }),
		choice([{ name: 'A', value: 1 }]),
		toggle({ preset: true, sendsOff: false }),
		toggle(),
		region,
		regionCodes,
		orderNumber,
		number({ min: 1 }),
		list('anything', () => true),
	];
	fc.assert(
		fc.property(fc.oneof(anyValue, fc.array(anyValue)), (value) => {
			for (const kind of kinds) {
				const text = textOrNone(kind, value);
				if (text === undefined) continue;
				expect(text).not.toBe('');
				expect(text).toBe(text.trim());
				expect(typeof kind.accepts(text)).toBe('boolean');
			}
		}),
		SOME_RUNS,
	);
});
