import fc from 'fast-check';
import {
	isSet,
	parameterName,
	readCollection,
	readField,
	readRequiredField,
	serviceField,
	type Field,
} from '../../../../../nodes/shared/fields/field.ts';
import {
	InvalidFieldError,
	MissingFieldError,
} from '../../../../../nodes/shared/fields/invalidFieldError.ts';
import { choice, flag, wholeNumber } from '../../../../../nodes/shared/fields/valueKinds.ts';
import { SOME_RUNS, anyValue } from '../../../support/properties.mts';

it.each([
	['num', 'num'],
	['pay_type', 'payType'],
	['prepay.time_type', 'prepayTimeType'],
	['prepay.is_auto_renew', 'prepayIsAutoRenew'],
	['tps.max_rps', 'tpsMaxRps'],
	['kps.ip_count', 'kpsIpCount'],
	['an_ha', 'anHa'],
	['f_loc', 'fLoc'],
	['area_ex', 'areaEx'],
	['ipstart_ex', 'ipstartEx'],
	['is_notify', 'isNotify'],
	['dps.whiteip_count', 'dpsWhiteipCount'],
	['a_1', 'a1'],
])("Kuaidaili's %s is %s in n8n", (serviceName, name) => {
	expect(parameterName(serviceName)).toBe(name);
});

const number: Field = {
	name: 'num',
	displayName: 'Number of Proxies',
	description: 'How many',
	kind: wholeNumber(1, 10, 5),
};

describe('a field', () => {
	it('of the service gets its name from the service', () => {
		const field = serviceField({ ...number, serviceName: 'kps.ip_count' });
		expect(field).toEqual({ ...number, name: 'kpsIpCount', serviceName: 'kps.ip_count' });
	});

	it('is refused with its label, the value and what is allowed', () => {
		const read = () => readField(number, 11);
		expect(read).toThrow(InvalidFieldError);
		expect(read).toThrow("'Number of Proxies' can't be 11");
		expect(read).toThrow(
			expect.objectContaining({ description: 'Allowed: a whole number, 1 to 10.' }),
		);
	});

	it('is sent as it is without the check, unless it has no text at all', () => {
		expect(readField(number, 11, { check: false })).toBe('11');
		expect(readField(number, ' many ', { check: false })).toBe('many');
		expect(() => readField(number, {}, { check: false })).toThrow(InvalidFieldError);
		expect(() => readField(number, NaN, { check: false })).toThrow(InvalidFieldError);
	});

	it.each([true, false])('that has to be there is refused when it is not (check: %s)', (check) => {
		expect(readRequiredField(number, 7, { check })).toBe('7');
		expect(() => readRequiredField(number, '', { check })).toThrow(InvalidFieldError);
		expect(() => readRequiredField(number, undefined, { check })).toThrow('is empty');
	});

	it.each<[Field['kind'], unknown, boolean]>([
		[number.kind, 5, true],
		[number.kind, 11, true],
		[number.kind, {}, true],
		[number.kind, '', false],
		[number.kind, undefined, false],
		[flag, true, true],
		[flag, false, false],
		[choice([{ name: 'All', value: 0 }], { neutral: '0' }), 0, false],
		[choice([{ name: 'All', value: 0 }], { neutral: '0' }), ' 0 ', false],
		[choice([{ name: 'All', value: 0 }], { neutral: '0' }), 1, true],
	])('(%#) with the value %p is set: %s', (kind, value, expected) => {
		expect(isSet({ ...number, kind }, value)).toBe(expected);
	});
});

it.each(['text', '{}', 5, 0, true, false, [], [{}]])('refuses %j by the label', (value) => {
	expect(() => readCollection(value, 'Filters')).toThrow(InvalidFieldError);
	expect(() => readCollection(value, 'Filters')).toThrow("'Filters' can't be ");
	expect(() => readCollection(value, 'Filters')).toThrow(
		expect.objectContaining({ description: 'Allowed: an object with the fields of this section.' }),
	);
});

const circular: Record<string, unknown> = {};
circular.self = circular;

it.each([
	[5, '5'],
	['text', '"text"'],
	[true, 'true'],
	[NaN, 'NaN'],
	[12n, '12'],
	[[1, 'a'], '[1,"a"]'],
	[{ a: 1 }, '{"a":1}'],
	['a\u202E\u0085b', '"a b"'],
	[circular, 'a value that cannot be shown'],
	[{ big: 12n }, 'a value that cannot be shown'],
	[Symbol('x'), 'Symbol(x)'],
	['x'.repeat(58), `"${'x'.repeat(58)}"`],
	['x'.repeat(59), `"${'x'.repeat(59)}…`],
	['x'.repeat(100), `"${'x'.repeat(59)}…`],
	['𠀀'.repeat(100), `"${'𠀀'.repeat(59)}…`],
])('shows the value %p as %s', (value, shown) => {
	const error = new InvalidFieldError('Ports', value, 'Allowed: ports.');
	expect(error.message).toBe(`'Ports' can't be ${shown}`);
	expect(error).toMatchObject({ name: 'InvalidFieldError', fieldLabel: 'Ports' });
	expect(error.description.startsWith('Allowed: ports.')).toBe(true);
});

it.each([
	[undefined, true],
	[null, true],
	['', false],
	[0, false],
])('says of %p that an expression found nothing: %s', (value, isTold) => {
	const { description } = new InvalidFieldError('Ports', value, 'Allowed: ports.');
	const told = ' If the field is an expression, it found nothing for this item.';
	expect(description).toBe(`Allowed: ports.${isTold ? told : ''}`);
});

it('shows any value in one short line', () => {
	fc.assert(
		fc.property(anyValue, (value) => {
			const { message } = new InvalidFieldError('F', value, '');
			expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
			expect(Array.from(message).length).toBeLessThan(100);
		}),
		SOME_RUNS,
	);
});

it('names a field that a section lacks', () => {
	const error = new MissingFieldError('Orders', 'Number of IPs', 'Add it there.');
	expect(error.message).toBe("'Number of IPs' is missing in 'Orders'");
	expect(error.description).toBe('Add it there.');
});
