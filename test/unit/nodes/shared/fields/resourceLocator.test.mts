import { readField, serviceField, toProperty } from '../../../../../nodes/shared/fields/field.ts';
import { InvalidFieldError } from '../../../../../nodes/shared/fields/invalidFieldError.ts';
import {
	locatorValue,
	resourceLocator,
	regionCode,
} from '../../../../../nodes/shared/fields/valueKinds.ts';

const field = serviceField({
	serviceName: 'kps.city',
	displayName: 'City',
	description: 'Where the IPs are',
	kind: resourceLocator(regionCode, {
		method: 'searchSomething',
		listPlaceholder: 'Any city',
		typedLabel: 'By Code',
		typedPlaceholder: 'e.g. 3301',
	}),
});

function locator(value: unknown, mode = 'list') {
	return { __rl: true, mode, value };
}

it('becomes a searchable list of the service, with typing beside it', () => {
	expect(toProperty(field)).toEqual({
		displayName: 'City',
		name: 'kpsCity',
		description: 'Where the IPs are',
		type: 'resourceLocator',
		default: { __rl: true, mode: 'list', value: '' },
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: 'Any city',
				typeOptions: { searchListMethod: 'searchSomething', searchable: true },
			},
			{ displayName: 'By Code', name: 'code', type: 'string', placeholder: 'e.g. 3301' },
		],
	});
});

it.each([
	['picked', locator('3301')],
	['typed', locator(' 3301 ', 'code')],
	['given as a plain text, as from an older workflow or an API', '3301'],
	['given as a number', 3301],
	['given as a number by an expression in the list field', locator(3301)],
])('sends a code that was %s', (_how, value) => {
	expect(readField(field, value)).toBe('3301');
});

it.each([
	['the list as it is at first', field.kind.property.default],
	['an empty list field', locator('')],
	['an empty typed field', locator('  ', 'code')],
	['null in the list field', locator(null)],
	['a locator without a value', { __rl: true, mode: 'list' }],
	['an empty text', ''],
	['nothing', undefined],
])('is left out for %s', (_what, value) => {
	expect(readField(field, value)).toBeUndefined();
});

it('names the code alone when it is refused, not how it was entered', () => {
	const read = () => readField(field, locator('Hangzhou', 'code'));
	expect(read).toThrow(InvalidFieldError);
	expect(read).toThrow("'City' can't be \"Hangzhou\"");
});

it('is sent unchecked with Skip Validation', () => {
	expect(readField(field, locator('330100'), { check: false })).toBe('330100');
});

describe('the entered value', () => {
	it.each([
		['of a locator is what it holds', locator('33'), '33'],
		['of a text is the text', '33', '33'],
		['of a list is the list', ['11', '31'], ['11', '31']],
		['of nothing is nothing', undefined, undefined],
	])('%s', (_what, value, expected) => {
		expect(locatorValue(value)).toEqual(expected);
	});
});
