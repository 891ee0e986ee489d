import {
	isCouponField,
	ORDER_FIELDS,
} from '../../../../../nodes/Kuaidaili/actions/order/create/fields.ts';
import { sentOptions } from '../../../../../nodes/Kuaidaili/purchase/options.ts';
import { InvalidFieldError } from '../../../../../nodes/shared/fields/field.ts';
import { FieldReader } from '../../../../../nodes/shared/fields/reader.ts';
import { describedOperation, shownFields, type Values } from '../../../../operations/described.mts';
import { completed, ORDER_CASES } from '../../../../operations/orderCases.mts';

const { menus, properties } = describedOperation({ resource: 'order', operation: 'create' });
const OPTIONS = sentOptions([isCouponField]);

/** The fields that the editor shows, with its presets. */
function asTyped(fields: Values): Values {
	const shown = shownFields(properties, { ...menus, ...fields });
	return Object.fromEntries(shown.map(({ property, value }) => [property.name, value]));
}

/** What is sent, or the error that keeps it from being sent. */
function read(values: Values, options: unknown): unknown {
	try {
		const reader = new FieldReader().read(ORDER_FIELDS, (name) => values[name]);
		return reader.readCollection(OPTIONS, options).parameters;
	} catch (error) {
		return error;
	}
}

describe.each([
	['as typed in the editor', asTyped],
	// Expressions pass every limit of the editor by, and the display rules as well
	['from expressions', completed],
])('an order %s', (_way, valuesOf) => {
	it.each(ORDER_CASES)('$name: what is sent, or which field is wrong ($wrong)', (theCase) => {
		const { options = {}, ...fields } = theCase.fields;
		const outcome = read(valuesOf(fields), options);
		if (theCase.wrong === undefined) {
			expect(outcome).toEqual(theCase.sent);
			return;
		}
		if (!(outcome instanceof InvalidFieldError)) throw new Error('It was read');
		expect(outcome.message).toMatch(new RegExp(`^'${theCase.wrong}' (?:is empty|can't be )`));
		expect(outcome.description).toMatch(/^Allowed: .+\.$/);
	});
});
