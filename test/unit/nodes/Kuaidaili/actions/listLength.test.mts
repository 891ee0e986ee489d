import {
	listLengthProperties,
	readListLength,
} from '../../../../../nodes/Kuaidaili/actions/callOperation.ts';
import { InvalidFieldError } from '../../../../../nodes/shared/fields/invalidFieldError.ts';

function lengthOf(fields: Readonly<Record<string, unknown>>): number {
	return readListLength((name) => fields[name]);
}

it('offers 50 at first, and hides the limit where all are wanted', () => {
	expect(listLengthProperties).toMatchObject([
		{ name: 'returnAll', type: 'boolean', default: false },
		{
			name: 'limit',
			type: 'number',
			default: 50,
			typeOptions: { minValue: 1, maxValue: 100_000 },
			displayOptions: { show: { returnAll: [false] } },
		},
	]);
});

it.each([
	[1, 1],
	[50, 50],
	['7', 7],
	[' 7 ', 7],
	[100_000, 100_000],
])('is, with the limit %p, %d', (limit, length) => {
	expect(lengthOf({ returnAll: false, limit })).toBe(length);
});

it.each([true, 'true', 1, '1'])(
	'is endless with Return All %p, whatever the limit',
	(returnAll) => {
		expect(lengthOf({ returnAll, limit: -5 })).toBe(Infinity);
		expect(lengthOf({ returnAll })).toBe(Infinity);
	},
);

it.each([false, 'false', 0, '0', '', null])('is the limit with Return All %p', (returnAll) => {
	expect(lengthOf({ returnAll, limit: 3 })).toBe(3);
});

it.each([0, -1, 1.5, 100_001, NaN, Infinity, '', null, undefined, 'all', '1e3', true, [1], {}])(
	'refuses the limit %p',
	(limit) => {
		const read = () => lengthOf({ returnAll: false, limit });
		expect(read).toThrow(InvalidFieldError);
		expect(read).toThrow(/^'Limit' (?:is empty|can't be)/);
	},
);

it("refuses a 'Return All' that is neither yes nor no", () => {
	expect(() => lengthOf({ returnAll: 'some', limit: 3 })).toThrow(/^'Return All' can't be "some"/);
});
