import {
	EXTRA_FIELDS,
	FILTERS,
	formatField,
	numField,
	sepField,
	sortField,
} from '../../../../../../../nodes/Kuaidaili/actions/proxy/extract/fields.ts';
import { EXTRA_OUTPUT } from '../../../../../../../nodes/Kuaidaili/actions/proxy/extract/proxyEntry.ts';
import { isServiceField, parameterName } from '../../../../../../../nodes/shared/fields/field.ts';

const PAID = ['vip', 'svip'];
const extras = EXTRA_FIELDS.fields.filter(isServiceField);
const fields = [
	...FILTERS.fields.filter(isServiceField),
	...extras,
	sortField,
	formatField,
	sepField,
];

it('has every parameter of the service, once', () => {
	expect([numField, ...fields].map(({ serviceName }) => serviceName).sort()).toEqual(
		[
			'num quality area area_ex port port_ex carrier protocol method ipstart ipstart_ex dedup',
			'an_ha an_an an_tr sort f_loc f_an f_pr f_sp format sep',
		]
			.join(' ')
			.split(' ')
			.sort(),
	);
});

it.each(fields)('$serviceName is called after the service', ({ name, serviceName }) => {
	expect(name).toBe(parameterName(serviceName));
});

it.each([
	['quality', PAID],
	['sort', PAID],
	['format', PAID],
	['f_loc', PAID],
	['f_an', PAID],
	['f_pr', PAID],
	['f_sp', PAID],
])('%s is for the plans %j only', (serviceName, plans) => {
	expect(fields.find((field) => field.serviceName === serviceName)?.when).toEqual({ plan: plans });
});

it('everything else is for all plans', () => {
	const others = fields.filter(({ when }) => when === undefined);
	expect(others).toHaveLength(fields.length - 7);
});

it('only the stability has values for one plan', () => {
	const restricted = fields.filter(({ kind }) => kind.conditionsOfValue !== undefined);
	expect(restricted.map(({ serviceName }) => serviceName)).toEqual(['quality']);
	expect(restricted[0].kind.conditionsOfValue).toEqual(new Map([['2', { plan: ['svip'] }]]));
});

it.each([
	['quality', ['0', '1', '2'], '0'],
	['carrier', ['0', '1', '2', '3', '4', '5', '6'], '0'],
	['protocol', ['1', '2'], undefined],
	['method', ['1', '2'], undefined],
	['sort', ['0', '1', '2'], '0'],
	['format', ['json', 'text', 'xml'], 'text'],
	['sep', ['1', '2', '3', '4'], undefined],
])('%s takes the values %j of the service', (serviceName, values, neutral) => {
	const kind = fields.find((field) => field.serviceName === serviceName)?.kind;
	const options = (kind?.property.options ?? []).map((option) => Reflect.get(option, 'value'));
	expect(options.map(String).sort()).toEqual(values);
	for (const value of values) expect(kind?.accepts(value)).toBe(true);
	expect(kind?.accepts('7')).toBe(false);
	expect(kind?.neutral).toBe(neutral);
});

it('names the extra values in the order in which the service appends them', () => {
	expect(extras.map(({ serviceName }) => serviceName)).toEqual(
		EXTRA_OUTPUT.map(([flagName]) => flagName),
	);
	for (const [flagName, output] of EXTRA_OUTPUT) {
		const field = extras.find(({ serviceName }) => serviceName === flagName);
		expect(field?.description).toContain(`'${output}'`);
	}
});

it('asks for up to 100,000 proxies', () => {
	expect(numField.kind.accepts('1')).toBe(true);
	expect(numField.kind.accepts('100000')).toBe(true);
	expect(numField.kind.accepts('100001')).toBe(false);
	expect(numField.kind.accepts('0')).toBe(false);
});
