import fc from 'fast-check';

import {
	openProxy,
	PLAN_NAMES,
} from '../../../../../nodes/Kuaidaili/proxies/products/openProxy.ts';
import { isServiceField } from '../../../../../nodes/shared/fields/field.ts';
import { InvalidFieldError } from '../../../../../nodes/shared/fields/invalidFieldError.ts';
import { anyValue, MANY_RUNS, SOME_RUNS } from '../../../support/properties.mts';
import {
	ALL_FIELDS,
	alone,
	extrasOf,
	GOOD,
	type PlanName,
	refusalOf,
	sent,
} from './givenFields.mts';

describe('format and separator', () => {
	it.each<[PlanName, object, object]>([
		['regular', {}, {}],
		['regular', { format: 'text' }, {}],
		['regular', { format: 'text', sep: '2' }, { sep: '2' }],
		['vip', {}, { format: 'json' }],
		['vip', { format: '' }, { format: 'json' }],
		['vip', { format: 'text', sep: 3 }, { format: 'text', sep: '3' }],
		['svip', { format: 'text' }, { format: 'text' }],
	])('for the plan %s and %j are %j', (plan, options, expected) => {
		expect(sent(plan, { options: { ...options } })).toEqual(expected);
	});

	it.each(['json', 'xml'])('%s is refused for a regular order', (format) => {
		expect(refusalOf('regular', { options: { format } }).fieldLabel).toBe('Format');
		expect(sent('regular', { options: { format } }, false)).toEqual({ format });
	});

	it.each([
		['regular', {}],
		['vip', {}],
		['vip', { format: 'json' }],
		['svip', { format: 'xml' }],
	] as const)('a separator is refused for the plan %s with %j', (plan, format) => {
		const { fieldLabel, description } = refusalOf(plan, { options: { ...format, sep: 3 } });
		expect(fieldLabel).toBe('Separator');
		expect(description).toMatch(/^It works only when 'Format' is Text, but 'Format' is /);
	});

	it.each(['JSON', 'yaml', 'constructor', '__proto__'])('%s is refused for all', (format) => {
		for (const plan of PLAN_NAMES) {
			expect(refusalOf(plan, { options: { format } }).fieldLabel).toBe('Format');
		}
	});

	it.each([0, 5, '5', ',', 'constructor'])('the separator %p is refused', (sep) => {
		expect(refusalOf('vip', { options: { format: 'text', sep } }).fieldLabel).toBe('Separator');
	});
});

describe('the extra values', () => {
	it.each([
		[
			['fSp', 'fLoc'],
			['region', 'responseTime'],
		],
		[['fAn'], ['anonymity']],
		[
			['fPr', 'fAn', 'fSp', 'fLoc'],
			['region', 'anonymity', 'protocol', 'responseTime'],
		],
	])('of %j are requested in the order of Kuaidaili', (names, requested) => {
		const extraFields = Object.fromEntries(names.map((name) => [name, true]));
		expect(extrasOf('vip', { extraFields })).toEqual(requested);
	});

	it('are not requested by false', () => {
		expect(extrasOf('svip', { extraFields: { fLoc: false, fAn: true } })).toEqual(['anonymity']);
	});

	it('of a regular order are requested without the check', () => {
		const given = { extraFields: { fLoc: true } };
		expect(sent('regular', given, false)).toEqual({ f_loc: '1' });
		expect(extrasOf('regular', given, false)).toEqual(['region']);
	});
});

describe('lists', () => {
	it.each<[string, unknown, string]>([
		['area', '北京', '北京'],
		['area', '北京 上海', '北京,上海'],
		['area', '北京，上海、浙江；美国', '北京,上海,浙江,美国'],
		['area', ['北京', '上海,浙江'], '北京,上海,浙江'],
		['area', '北京,北京', '北京'],
		['port', 8080, '8080'],
		['port', '1,65535', '1,65535'],
		['port', [8080, '3128'], '8080,3128'],
		['ipstart', '120', '120'],
		['ipstart', '120.', '120.'],
		['ipstart', '120.52', '120.52'],
		['ipstart', '120.52.', '120.52.'],
		['ipstart', '1.2.3.', '1.2.3.'],
		['ipstart', '1.2.3.4', '1.2.3.4'],
		['ipstart', '0.,255.255.', '0.,255.255.'],
	])('%s takes %p', (serviceName, value, text) => {
		expect(sent('regular', { filters: { [serviceName]: value } })).toEqual({ [serviceName]: text });
	});

	it.each<[string, unknown]>([
		['port', '0'],
		['port', '65536'],
		['port', '-80'],
		['port', '80-90'],
		['port', '8080,http'],
		['port', '808080'],
		['port', 80.5],
		['ipstart', '256.'],
		['ipstart', '1.256'],
		['ipstart', '1..2'],
		['ipstart', '.1'],
		['ipstart', '1.2.3.4.5'],
		['ipstart', '1000'],
		['ipstart', '120.*'],
		['ipstart', '120.0/16'],
		['ipstart', '2001:'],
		['ipstart', '120.,x'],
		['area', '北'.repeat(51)],
		['area', '北\u0007京'],
	])('%s refuses %p', (serviceName, value) => {
		const field = openProxy.filters
			.filter(isServiceField)
			.find((one) => one.serviceName === serviceName);
		const { fieldLabel, description } = refusalOf('svip', { filters: { [serviceName]: value } });
		expect(fieldLabel).toBe(field?.displayName);
		expect(description).toBe(`Allowed: ${field?.kind.allowed}.`);
	});

	it('are sent as they are without the check', () => {
		const filters = { port: '80-90', ipstart: '2001:', area: 'New_York' };
		expect(sent('regular', { filters }, false)).toEqual({
			port: '80-90',
			ipstart: '2001:',
			area: 'New_York',
		});
	});
});

describe('whatever the collections hold', () => {
	const fields = fc.record(
		Object.fromEntries(
			ALL_FIELDS.map((field) => [
				field.name,
				fc.oneof(
					anyValue,
					fc.array(anyValue, { maxLength: 3 }),
					fc.constant(GOOD[field.serviceName][0]),
				),
			]),
		),
		{ requiredKeys: [] },
	);
	const plan = fc.constantFrom(...PLAN_NAMES);

	it('only texts by the names of the service are sent, or the field is refused', () => {
		const names = new Set(ALL_FIELDS.map(({ serviceName }) => serviceName));
		fc.assert(
			fc.property(plan, fields, fc.boolean(), (planName, values, check) => {
				const given = { filters: values, extraFields: values, options: values };
				try {
					const parameters = sent(planName, given, check);
					for (const [name, text] of Object.entries(parameters)) {
						expect(names.has(name)).toBe(true);
						expect(text).toMatch(/^\S([^]*\S)?$/);
					}
				} catch (error) {
					expect(error).toBeInstanceOf(InvalidFieldError);
				}
			}),
			SOME_RUNS,
		);
	});

	it('of one field, only its text is sent, or it is refused by name', () => {
		const field = fc.constantFrom(...ALL_FIELDS);
		fc.assert(
			fc.property(plan, field, anyValue, fc.boolean(), (planName, one, value, check) => {
				try {
					const parameters = sent(planName, alone(one, value), check);
					for (const name of Object.keys(parameters)) {
						expect([one.serviceName, 'format']).toContain(name);
					}
				} catch (error) {
					expect(error).toBeInstanceOf(InvalidFieldError);
					expect(error).toHaveProperty('fieldLabel', one.displayName);
				}
			}),
			MANY_RUNS,
		);
	});
});
