import { serviceField } from '../../../../../nodes/shared/fields/field.ts';
import { InvalidFieldError } from '../../../../../nodes/shared/fields/invalidFieldError.ts';
import {
	readVariants,
	variantProperties,
	type Conditions,
	type FieldVariant,
} from '../../../../../nodes/shared/fields/fieldVariants.ts';
import { amount, choice, oneOrZero } from '../../../../../nodes/shared/fields/valueKinds.ts';

function variant(
	serviceName: string,
	when: Conditions,
	kind: FieldVariant['kind'],
	required = true,
): FieldVariant {
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

const VARIANTS: readonly FieldVariant[] = [
	variant('kind', {}, kinds),
	variant('a.count', { kind: ['A'] }, amount({ min: 1, max: 9 })),
	variant('b.count', { kind: ['B'] }, amount({ min: 10, max: 90 })),
	variant('is_more', {}, oneOrZero, false),
	variant('more', { isMore: [true], kind: ['A', 'B'] }, amount({ min: 1 })),
	variant('level', { aCount: [1, 2] }, amount({ min: 1 }), false),
];

function read(values: Record<string, unknown>, check = true, given?: ReadonlyMap<string, string>) {
	return readVariants(VARIANTS, (name) => values[name], check, given);
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

	it('has nothing of a field that is not there, whatever is left over in it', () => {
		const values = { kind: 'A', aCount: 5, bCount: {}, more: NaN, level: 'garbage' };
		expect(read(values)).toEqual({ kind: 'A', 'a.count': '5' });
	});

	it('may depend on what is not sent itself', () => {
		const variants = [variant('count', { secretly: ['yes'] }, amount({ min: 1 }))];
		const valueOf = () => 5;
		expect(readVariants(variants, valueOf, true, new Map([['secretly', 'yes']]))).toEqual({
			count: '5',
		});
		expect(readVariants(variants, valueOf, true, new Map([['secretly', 'no']]))).toEqual({});
		expect(readVariants(variants, valueOf, true)).toEqual({});
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

it('shows each field in the editor under its conditions', () => {
	const properties = variantProperties(VARIANTS);
	expect(properties.map(({ name, displayOptions }) => [name, displayOptions?.show])).toEqual([
		['kind', undefined],
		['aCount', { kind: ['A'] }],
		['bCount', { kind: ['B'] }],
		['isMore', undefined],
		['more', { isMore: [true], kind: ['A', 'B'] }],
		['level', { aCount: [1, 2] }],
	]);
});
