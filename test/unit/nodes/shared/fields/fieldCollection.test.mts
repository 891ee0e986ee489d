import { readCollection } from '../../../../../nodes/shared/fields/field.ts';
import { InvalidFieldError } from '../../../../../nodes/shared/fields/invalidFieldError.ts';

it.each([undefined, null, '', {}])('reads %j as empty', (value) => {
	expect(readCollection(value, 'Filters')).toEqual({});
});

it('reads an object', () => {
	expect(readCollection({ area: '北京' }, 'Filters')).toEqual({ area: '北京' });
});

it.each(['text', '{}', 5, 0, true, false, [], [{}]])('refuses %j by the label', (value) => {
	expect(() => readCollection(value, 'Filters')).toThrow(InvalidFieldError);
	expect(() => readCollection(value, 'Filters')).toThrow("'Filters' is ");
	expect(() => readCollection(value, 'Filters')).toThrow(
		expect.objectContaining({ description: 'Allowed: an object with the fields of this section.' }),
	);
});
