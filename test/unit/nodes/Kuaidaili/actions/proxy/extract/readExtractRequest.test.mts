import fc from 'fast-check';

import { readExtractRequest } from '../../../../../../../nodes/Kuaidaili/actions/proxy/extract/fields.ts';
import {
	numField,
	openProxy,
	PLAN_NAMES,
} from '../../../../../../../nodes/Kuaidaili/actions/proxy/extract/products/openProxy.ts';
import {
	isServiceField,
	type ServiceField,
} from '../../../../../../../nodes/shared/fields/field.ts';
import { InvalidFieldError } from '../../../../../../../nodes/shared/fields/invalidFieldError.ts';
import { anyValue, MANY_RUNS, SOME_RUNS } from '../../../../../support/properties.mts';

interface Given {
	filters?: Record<string, unknown>;
	extraFields?: Record<string, unknown>;
	options?: Record<string, unknown>;
}

type PlanName = (typeof PLAN_NAMES)[number];

function read(plan: unknown, given: Given, check = true) {
	const { options = {}, ...fields } = given;
	const values: Record<string, unknown> = {
		plan,
		num: 7,
		product: 'OPS',
		output: 'eachProxy',
		...fields,
	};
	return readExtractRequest((name) => values[name], { options, check });
}

function sent(plan: PlanName, given: Given, check = true) {
	return read(plan, given, check).extraction.parameters;
}

function extrasOf(plan: PlanName, given: Given, check = true) {
	return read(plan, given, check).settings.extras;
}

function refusalOf(plan: PlanName, given: Given, check = true): InvalidFieldError {
	try {
		read(plan, given, check);
	} catch (error) {
		if (error instanceof InvalidFieldError) return error;
		throw error;
	}
	throw new Error('Nothing was refused');
}

/** One field in the collection that it belongs to; the separator with what it needs. */
function alone({ name, serviceName }: ServiceField, value: unknown): Given {
	if (openProxy.filters.some((field) => field.name === name)) return { filters: { [name]: value } };
	if (openProxy.extras.some((field) => field.name === name)) {
		return { extraFields: { [name]: value } };
	}
	const format = serviceName === 'sep' ? { format: 'text' } : {};
	return { options: { ...format, [name]: value } };
}

/** What is sent although nothing was set. */
const PRESET: Readonly<Record<PlanName, object>> = {
	regular: {},
	vip: { format: 'json' },
	svip: { format: 'json' },
};

const ALL_FIELDS = [...openProxy.filters, ...openProxy.extras, ...openProxy.options].filter(
	isServiceField,
);

/** What is sent beside one field. */
function beside({ serviceName }: ServiceField, plan: PlanName): object {
	if (serviceName !== 'sep') return PRESET[plan];
	return plan === 'regular' ? {} : { format: 'text' };
}

/** A value for each field that is good and that changes something, and the text that is sent for it. */
const GOOD: Readonly<Record<string, [value: unknown, text: string]>> = {
	an_an: [true, '1'],
	an_ha: [true, '1'],
	an_tr: [true, '1'],
	area: ['北京，上海', '北京,上海'],
	area_ex: [['台湾', '香港'], '台湾,香港'],
	carrier: [2, '2'],
	ipstart: ['120.52., 113.', '120.52.,113.'],
	ipstart_ex: [['120.52.'], '120.52.'],
	method: [2, '2'],
	port: ['8080、3128', '8080,3128'],
	port_ex: [[80, 8080], '80,8080'],
	protocol: [1, '1'],
	dedup: [true, '1'],
	quality: [1, '1'],
	f_loc: [true, '1'],
	f_an: [true, '1'],
	f_pr: [true, '1'],
	f_sp: [true, '1'],
	sort: [1, '1'],
	format: ['xml', 'xml'],
	sep: [4, '4'],
};

it('has a good value for every field', () => {
	expect(Object.keys(GOOD).sort()).toEqual(ALL_FIELDS.map((field) => field.serviceName).sort());
});

describe.each(PLAN_NAMES)('with the plan %s', (plan) => {
	it('sends only the format when nothing is set', () => {
		expect(sent(plan, {})).toEqual(PRESET[plan]);
		expect(extrasOf(plan, {})).toEqual([]);
	});

	it.each(ALL_FIELDS)('$serviceName is sent, or refused for the plan', (field) => {
		const [value, text] = GOOD[field.serviceName];
		const given = alone(field, value);
		const conditions = field.kind.conditionsOfValue?.get(text) ?? field.when;
		if (conditions?.plan?.includes(plan) === false) {
			const { message, description } = refusalOf(plan, given);
			expect(message).toContain(`'${field.displayName}'`);
			expect(description).toMatch(
				/^It works with 'Plan' VIP or SVIP only, and 'Plan' is Regular\./,
			);
		} else {
			expect(sent(plan, given)).toEqual({ ...beside(field, plan), [field.serviceName]: text });
		}
	});

	it.each(ALL_FIELDS)('$serviceName is sent as it is without the check', (field) => {
		const [value, text] = GOOD[field.serviceName];
		expect(sent(plan, alone(field, value), false)).toEqual({
			...beside(field, plan),
			[field.serviceName]: text,
		});
	});

	it.each(ALL_FIELDS)('$serviceName is left out when it is empty', (field) => {
		for (const value of [undefined, null, '', ' ']) {
			expect(sent(plan, alone(field, value))).toEqual(beside(field, plan));
		}
	});

	it.each(ALL_FIELDS)('$serviceName is refused for what it cannot be', (field) => {
		for (const value of [{}, { a: 1 }, NaN, Infinity, [{}], [NaN]]) {
			for (const check of [true, false]) {
				expect(refusalOf(plan, alone(field, value), check).fieldLabel).toBe(field.displayName);
			}
		}
	});

	it('the neutral values do no harm', () => {
		const neutral: Given = {
			filters: { quality: 0, carrier: 0, anHa: false, dedup: false },
			extraFields: { fLoc: false, fAn: 'false', fPr: 0, fSp: '' },
			options: { sort: 0 },
		};
		expect(sent(plan, neutral)).toEqual({
			carrier: '0',
			...(plan === 'regular' ? {} : { quality: '0', sort: '0', format: 'json' }),
		});
		expect(extrasOf(plan, neutral)).toEqual([]);
	});

	it('foreign names are not looked at', () => {
		const foreign = { numb: 5, secret_id: 'x', signature: 'y', constructor: 'z', an_ha: true };
		const given = { filters: foreign, extraFields: foreign, options: foreign };
		expect(sent(plan, given)).toEqual(PRESET[plan]);
	});

	it('nothing is taken from a prototype', () => {
		const filters: Record<string, unknown> = Object.create({ area: '北京' });
		expect(sent(plan, { filters })).toEqual(PRESET[plan]);
	});
});

it.each(['ent', '', 'constructor', undefined, {}])('the plan %j is refused', (plan) => {
	for (const check of [true, false]) {
		expect(() => read(plan, {}, check)).toThrow(InvalidFieldError);
	}
});

it.each([0, -1, '', 'many', 0.5, NaN, {}])(
	'the number %j is refused in any case: it decides how many calls there are',
	(num) => {
		const values: Record<string, unknown> = {
			plan: 'vip',
			num,
			product: 'OPS',
			output: 'eachProxy',
		};
		for (const check of [true, false]) {
			const reading = () => readExtractRequest((name) => values[name], { options: {}, check });
			expect(reading).toThrow(expect.objectContaining({ fieldLabel: numField.displayName }));
		}
	},
);

describe('how it is extracted', () => {
	it.each<[PlanName, Given, object]>([
		['regular', {}, { cap: 500, intervalMs: 5000, isUsedUp: false }],
		['vip', {}, { cap: 1000, intervalMs: 1000, isUsedUp: false }],
		['svip', {}, { cap: 2000, intervalMs: 200, isUsedUp: false }],
		['svip', { filters: { dedup: true } }, { cap: 2000, intervalMs: 5000, isUsedUp: true }],
	])('with the plan %s and %j', (plan, given, extraction) => {
		expect(read(plan, given).extraction).toMatchObject({ ...extraction, total: 7 });
	});

	it.each([
		[0, undefined],
		[1, expect.stringContaining("'Sort'")],
		[2, expect.stringContaining("'Sort'")],
	])('sorted by %d, repeats are explained', (sort, repeatsBecause) => {
		expect(read('vip', { options: { sort } }).extraction).toMatchObject({ repeatsBecause });
	});
});

describe('the highest stability', () => {
	it('is for SVIP only', () => {
		expect(sent('svip', { filters: { quality: 2 } })).toEqual({ quality: '2', format: 'json' });
		for (const plan of ['regular', 'vip'] as const) {
			const { message, description } = refusalOf(plan, { filters: { quality: '2' } });
			expect(message).toBe('\'Stability\' is "2", which cannot be used');
			expect(description).toMatch(/^It works with 'Plan' SVIP only, and 'Plan' is /);
		}
	});

	it('is sent as it is without the check', () => {
		expect(sent('regular', { filters: { quality: 2 } }, false)).toEqual({ quality: '2' });
		expect(sent('vip', { filters: { quality: 9 } }, false)).toEqual({
			quality: '9',
			format: 'json',
		});
	});
});

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
		expect(description).toMatch(/^It works with 'Format' Text only, and 'Format' is /);
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
	])('of %j are requested in the order of the service', (names, requested) => {
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
