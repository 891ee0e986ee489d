import { openProxy } from '../../../../../../nodes/Kuaidaili/proxies/products/openProxy.ts';
import { isServiceField, parameterName } from '../../../../../../nodes/shared/fields/field.ts';

const PAID = ['vip', 'svip'];
const { extras } = openProxy;
const fields = [...openProxy.filters, ...extras, ...openProxy.options].filter(isServiceField);

it('has every parameter of the service, once', () => {
	expect(['num', ...fields.map(({ serviceName }) => serviceName)].sort()).toEqual(
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
	['f_loc', PAID],
	['f_an', PAID],
	['f_pr', PAID],
	['f_sp', PAID],
])('%s is for the plans %j only', (serviceName, plans) => {
	expect(fields.find((field) => field.serviceName === serviceName)?.when).toEqual({ plan: plans });
});

it('everything else is for all plans', () => {
	const others = fields.filter(({ when }) => when === undefined || !('plan' in when));
	expect(others).toHaveLength(fields.length - 6);
});

it('the separator is there only for an answer as text', () => {
	expect(fields.find(({ serviceName }) => serviceName === 'sep')?.when).toEqual({
		format: ['text'],
	});
});

it('only stability and format have values for some plans', () => {
	const restricted = fields.filter(({ kind }) => kind.conditionsOfValue !== undefined);
	const conditions = restricted.map(({ serviceName, kind }) => [
		serviceName,
		Object.fromEntries(kind.conditionsOfValue ?? []),
	]);
	expect(Object.fromEntries(conditions)).toEqual({
		quality: { 2: { plan: ['svip'] } },
		format: { json: { plan: PAID }, xml: { plan: PAID } },
	});
});

it.each([
	['quality', ['0', '1', '2'], '0'],
	['carrier', ['0', '1', '2', '3', '4', '5', '6'], '0'],
	['protocol', ['1', '2'], undefined],
	['method', ['1', '2'], undefined],
	['sort', ['0', '1', '2'], '0'],
	['format', ['json', 'text', 'xml'], 'text'],
	['sep', ['1', '2', '3', '4'], undefined],
])('%s takes the values %j of Kuaidaili', (serviceName, values, neutral) => {
	const kind = fields.find((field) => field.serviceName === serviceName)?.kind;
	const options = (kind?.property.options ?? []).map((option) => Reflect.get(option, 'value'));
	expect(options.map(String).sort()).toEqual(values);
	for (const value of values) expect(kind?.accepts(value)).toBe(true);
	expect(kind?.accepts('7')).toBe(false);
	expect(kind?.neutral).toBe(neutral);
});

it('names the extra values in the order in which the service appends them', () => {
	expect(extras.map(({ serviceName, output }) => [serviceName, output])).toEqual([
		['f_loc', 'region'],
		['f_an', 'anonymity'],
		['f_pr', 'protocol'],
		['f_sp', 'responseTime'],
	]);
	for (const { description, output } of extras) expect(description).toContain(`'${output}'`);
});

it('asks for up to 100,000 proxies', () => {
	const num = openProxy.fields.find(({ name }) => name === 'num');
	const accepted = ['0', '1', '100000', '100001'].filter((text) => num?.kind.accepts(text));
	expect(accepted).toEqual(['1', '100000']);
});
