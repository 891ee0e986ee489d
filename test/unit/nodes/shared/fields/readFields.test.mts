import type { Conditions } from '../../../../../nodes/shared/fields/conditions.ts';
import {
	serviceField,
	type Field,
	type ServiceField,
	FieldReader,
	readFields,
} from '../../../../../nodes/shared/fields/field.ts';
import { InvalidFieldError } from '../../../../../nodes/shared/fields/invalidFieldError.ts';
import { amount, choice, flag, oneOrZero } from '../../../../../nodes/shared/fields/valueKinds.ts';

function variant(
	serviceName: string,
	when: Conditions,
	kind: ServiceField['kind'],
	required = true,
): ServiceField {
	return {
		...serviceField({ serviceName, displayName: serviceName, description: '', kind }),
		when,
		required,
	};
}

const kinds = choice([
	{ name: 'A', value: 'A' },
	{ name: 'B', value: 'B' },
]);

const FIELDS: readonly ServiceField[] = [
	variant('kind', {}, kinds),
	variant('a.count', { kind: ['A'] }, amount({ min: 1, max: 9 })),
	variant('b.count', { kind: ['B'] }, amount({ min: 10, max: 90 })),
	variant('is_more', {}, oneOrZero, false),
	variant('more', { isMore: [true], kind: ['A', 'B'] }, amount({ min: 1 })),
	variant('level', { aCount: [1, 2] }, amount({ min: 1 }), false),
];

function read(values: Record<string, unknown>, check = true, given?: ReadonlyMap<string, string>) {
	return readFields(FIELDS, (name) => values[name], { check, given });
}

describe('what is sent', () => {
	it.each([
		[
			{ kind: 'A', aCount: 5 },
			{ kind: 'A', 'a.count': '5' },
		],
		[
			{ kind: 'B', bCount: 50 },
			{ kind: 'B', 'b.count': '50' },
		],
		[
			{ kind: 'A', aCount: 5, isMore: true, more: 7 },
			{ kind: 'A', 'a.count': '5', is_more: '1', more: '7' },
		],
		[
			{ kind: 'A', aCount: 5, isMore: false, more: 7 },
			{ kind: 'A', 'a.count': '5', is_more: '0' },
		],
		[
			{ kind: 'A', aCount: 2, level: 3 },
			{ kind: 'A', 'a.count': '2', level: '3' },
		],
		[
			{ kind: 'A', aCount: 2 },
			{ kind: 'A', 'a.count': '2' },
		],
	])('for %j is %j', (values, parameters) => {
		expect(read(values)).toStrictEqual(parameters);
	});

	it('may depend on what is not sent itself', () => {
		const variants = [variant('count', { secretly: ['yes'] }, amount({ min: 1 }))];
		const valueOf = () => 5;
		const given = (text: string) => ({ given: new Map([['secretly', text]]) });
		expect(readFields(variants, valueOf, given('yes'))).toEqual({ count: '5' });
		expect(readFields(variants, valueOf, given('no'))).toEqual({});
		expect(readFields(variants, valueOf)).toEqual({});
	});
});

describe('what is refused', () => {
	it.each<[Record<string, unknown>, string]>([
		[{ aCount: 5 }, 'kind'],
		[{ kind: 'C' }, 'kind'],
		[{ kind: 'A' }, 'a.count'],
		[{ kind: 'A', aCount: 10 }, 'a.count'],
		[{ kind: 'B', bCount: 9 }, 'b.count'],
		[{ kind: 'A', aCount: 5, isMore: true }, 'more'],
		[{ kind: 'A', aCount: 2, level: 0 }, 'level'],
		[{ kind: 'constructor' }, 'kind'],
	])('is in %j the field %s', (values, label) => {
		let thrown: unknown;
		try {
			read(values);
		} catch (error) {
			thrown = error;
		}
		expect(thrown).toBeInstanceOf(InvalidFieldError);
		expect(thrown).toHaveProperty('fieldLabel', label);
	});

	it('is sent as it is without the check, if it is there at all', () => {
		expect(read({ kind: 'A', aCount: 10 }, false)).toEqual({ kind: 'A', 'a.count': '10' });
		expect(read({ kind: 'C' }, false)).toEqual({ kind: 'C' });
		expect(() => read({ kind: 'A' }, false)).toThrow(InvalidFieldError);
	});
});

describe("a field of the node's own", () => {
	const own: Field = {
		name: 'own',
		displayName: 'Own',
		description: '',
		kind: amount({ min: 1, max: 9 }),
	};

	it('is read, and not sent', () => {
		const reader = new FieldReader().read([own], () => 5);
		expect(reader.text('own')).toBe('5');
		expect(reader.parameters).toEqual({});
	});

	it('is checked in any case: the service has no say in it', () => {
		expect(() => new FieldReader({ check: false }).read([own], () => 10)).toThrow(
			InvalidFieldError,
		);
	});
});

describe('what was added to a collection', () => {
	const level = variant('level', {}, kinds);
	const members = [
		variant('plain', {}, amount({ min: 1, max: 9 })),
		variant('only_a', { level: ['A'] }, flag),
		variant(
			'size',
			{},
			choice(
				[
					{ name: 'Any', value: 0 },
					{ name: 'Large', value: 1, when: { level: ['A'] } },
				],
				{ neutral: '0' },
			),
		),
		variant('any_of_a', { level: ['A'] }, choice([{ name: 'Any', value: 0 }], { neutral: '0' })),
	];
	const collection = { displayName: 'Filters', fields: members };

	function readMembers(chosen: string, value: unknown, check = true) {
		return new FieldReader({ check }).read([level], () => chosen).readCollection(collection, value)
			.parameters;
	}

	it('is sent where it may be there', () => {
		expect(readMembers('A', { plain: 5, onlyA: true, size: 1, anyOfA: 0 })).toEqual({
			level: 'A',
			plain: '5',
			only_a: '1',
			size: '1',
			any_of_a: '0',
		});
		expect(readMembers('B', undefined)).toEqual({ level: 'B' });
	});

	it.each([
		['a field', { onlyA: true }, 'only_a'],
		['a value', { size: 1 }, 'size'],
	])('is refused where Kuaidaili would not understand %s', (_what, value, label) => {
		let thrown: unknown;
		try {
			readMembers('B', value);
		} catch (error) {
			thrown = error;
		}
		expect(thrown).toBeInstanceOf(InvalidFieldError);
		expect(thrown).toMatchObject({
			fieldLabel: label,
			description:
				"It works only when 'level' is A, but 'level' is B. Remove it, or change 'level'.",
		});
	});

	it('is sent in spite of that without the check', () => {
		expect(readMembers('B', { onlyA: true, size: 1 }, false)).toEqual({
			level: 'B',
			only_a: '1',
			size: '1',
		});
	});

	it('is left out where it changes nothing and the service does not know it', () => {
		expect(readMembers('B', { onlyA: false, size: 0, anyOfA: 0 })).toEqual({
			level: 'B',
			size: '0',
		});
	});

	it.each([['text'], [5], [[]]])('is refused when it is %j', (value) => {
		expect(() => readMembers('A', value)).toThrow(InvalidFieldError);
	});
});

it('a field is read after those that its conditions name, wherever they stand', () => {
	const values: Record<string, unknown> = { kind: 'A', aCount: 5, level: 1 };
	const fields = [...FIELDS].reverse();
	expect(readFields(fields, (name) => values[name])).toEqual({ kind: 'A', 'a.count': '5' });
	expect(readFields(fields, (name) => ({ ...values, aCount: 2 })[name])).toEqual({
		kind: 'A',
		'a.count': '2',
		level: '1',
	});
});
