import { toProperty } from '../../../../../nodes/shared/fields/field.ts';
import { InvalidFieldError } from '../../../../../nodes/shared/fields/invalidFieldError.ts';
import { orderField, readChosenOrder } from '../../../../../nodes/shared/orders/orderField.ts';

const NUMBER = '965102959536478';

function picked(value: unknown) {
	return { __rl: true, mode: 'list', value };
}

function typed(value: unknown) {
	return { __rl: true, mode: 'code', value };
}

function refusalOf(value: unknown, check = true): InvalidFieldError {
	try {
		readChosenOrder(value, { check });
	} catch (error) {
		if (error instanceof InvalidFieldError) return error;
		throw error;
	}
	throw new Error('It was read');
}

it("has the service's name, and is filled from a list or by a number", () => {
	expect(orderField.serviceName).toBe('orderid');
	expect(toProperty(orderField)).toMatchObject({
		name: 'orderid',
		displayName: 'Order',
		type: 'resourceLocator',
		default: { __rl: true, mode: 'list', value: '' },
		modes: [
			{
				name: 'list',
				type: 'list',
				// Greets holders of either key pair; what to do with an order's stands in the description
				placeholder: 'Choose an order',
				typeOptions: { searchListMethod: 'searchOrders', searchable: true },
			},
			{ name: 'code', displayName: 'By ID', type: 'string' },
		],
	});
});

it.each([picked(NUMBER), typed(NUMBER), typed(` ${NUMBER}\n`), NUMBER, Number(NUMBER)])(
	'%j is that order',
	(value) => {
		expect(readChosenOrder(value)).toBe(NUMBER);
	},
);

it.each([picked(''), picked(undefined), picked(null), '', undefined, null])(
	'%j is the order of the credential',
	(value) => {
		expect(readChosenOrder(value)).toBeUndefined();
		expect(readChosenOrder(value, { check: false })).toBeUndefined();
	},
);

it.each(['', ' ', undefined, null])(
	'%j as a number is refused, with and without checks',
	(value) => {
		for (const check of [true, false]) {
			const { message, description } = refusalOf(typed(value), check);
			expect(message).toMatch(/^'Order' (is empty|can't be .*)$/);
			expect(description).toContain("choose 'From list'");
		}
	},
);

it('a text of 16 digits keeps them all', () => {
	expect(readChosenOrder(typed('9900000000000001'))).toBe('9900000000000001');
});

it('a number that has lost digits is refused, also without checks', () => {
	for (const check of [true, false]) {
		const { message, description } = refusalOf(typed(9900000000000001), check);
		expect(message).toBe("'Order' can't be 9900000000000000");
		expect(description).toMatch(/as text, usually 15 or 16 digits/);
	}
});

it.each(['=965', 'abc', '96510295953647x', '965 102', '-965102959536478', '9.65e14', '1234567'])(
	'%j is refused, unless checks are skipped',
	(value) => {
		expect(refusalOf(picked(value)).fieldLabel).toBe('Order');
		expect(readChosenOrder(picked(value), { check: false })).toBe(value);
	},
);

it.each([true, [], {}, [NUMBER], { orderid: NUMBER }, typed({}), typed([NUMBER]), NaN])(
	'%j is no order, with and without checks',
	(value) => {
		expect(refusalOf(value, true).fieldLabel).toBe('Order');
		expect(refusalOf(value, false).fieldLabel).toBe('Order');
	},
);
