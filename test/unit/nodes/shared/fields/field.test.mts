import {
	isSet,
	parameterName,
	readField,
	readRequiredField,
	serviceField,
	toProperty,
	type Field,
} from '../../../../../nodes/shared/fields/field.ts';
import { InvalidFieldError } from '../../../../../nodes/shared/fields/invalidFieldError.ts';
import { choice, flag, wholeNumber } from '../../../../../nodes/shared/fields/valueKinds.ts';

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
])("the service's %s is %s in n8n", (serviceName, name) => {
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

	it('becomes a property of the editor', () => {
		expect(toProperty(number)).toEqual({
			displayName: 'Number of Proxies',
			name: 'num',
			type: 'number',
			default: 5,
			typeOptions: { minValue: 1, maxValue: 10 },
			description: 'How many',
		});
		expect(toProperty(number)).not.toHaveProperty('placeholder');
		expect(toProperty({ ...number, placeholder: 'e.g. 5' }).placeholder).toBe('e.g. 5');
	});

	it('is read as the text to send', () => {
		expect(readField(number, 7)).toBe('7');
		expect(readField(number, '')).toBeUndefined();
	});

	it('is refused with its label, the value and what is allowed', () => {
		const read = () => readField(number, 11);
		expect(read).toThrow(InvalidFieldError);
		expect(read).toThrow("'Number of Proxies' is 11, which cannot be used");
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
		expect(() => readRequiredField(number, undefined, { check })).toThrow(
			'is undefined, which cannot',
		);
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
