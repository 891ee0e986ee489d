import {
	isList,
	isOneOf,
	isRecord,
	ownValue,
	propertyOf,
	toRecord,
} from '../../../../nodes/shared/guards.ts';

it.each([
	[{}, true],
	[Object.create(null), true],
	[new Error('x'), true],
	[[], false],
	[null, false],
	[undefined, false],
	['text', false],
	[() => {}, false],
])('a record is %p: %s', (value, expected) => {
	expect(isRecord(value)).toBe(expected);
});

it.each([
	[[], true],
	[[1], true],
	[{ length: 0 }, false],
	['text', false],
])('a list is %p: %s', (value, expected) => {
	expect(isList(value)).toBe(expected);
});

it('takes own values only', () => {
	expect(ownValue({ a: 1 }, 'a')).toBe(1);
	expect(ownValue({ a: 1 }, 'b')).toBeUndefined();
	for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
		expect(ownValue({}, name)).toBeUndefined();
	}
	expect(ownValue({ hasOwnProperty: 5 }, 'hasOwnProperty')).toBe(5);
});

it.each([
	['a', true],
	['A', false],
	['', false],
	[undefined, false],
	[['a'], false],
])('%p is one of the choices: %s', (value, expected) => {
	expect(isOneOf(value, ['a', 'b'])).toBe(expected);
});

it('takes a property of anything', () => {
	expect(propertyOf(new Error('text'), 'message')).toBe('text');
	expect(propertyOf({ a: 1 }, 'a')).toBe(1);
	for (const value of [undefined, null, 'text', 5]) {
		expect(propertyOf(value, 'length')).toBeUndefined();
	}
});

it('an item keeps the names of the service, but for the one that n8n takes for a failure', () => {
	expect(toRecord({ orderid: '1', error: 'x' })).toEqual({ orderid: '1', service_error: 'x' });
});
