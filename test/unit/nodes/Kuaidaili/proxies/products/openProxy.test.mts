import { readExtractRequest } from '../../../../../../nodes/Kuaidaili/actions/proxy/extract/fields.ts';
import {
	openProxy,
	PLAN_NAMES,
} from '../../../../../../nodes/Kuaidaili/proxies/products/openProxy.ts';
import {
	parameterName,
	type ServiceField,
	InvalidFieldError,
} from '../../../../../../nodes/shared/fields/field.ts';

interface Given {
	filters?: Record<string, unknown>;
	extraFields?: Record<string, unknown>;
	options?: Record<string, unknown>;
}

type PlanName = (typeof PLAN_NAMES)[number];

function read(plan: unknown, fields: Given, num: unknown = 7) {
	const { options, ...inside } = fields;
	const values = {
		plan,
		num,
		product: 'OPS',
		output: 'eachProxy',
		options: { ...inside, ...options },
	};
	return readExtractRequest((name) => Reflect.get(values, name));
}

function sent(plan: PlanName, given: Given) {
	return read(plan, given).parameters;
}

function refusalOf(plan: PlanName, given: Given): InvalidFieldError {
	try {
		read(plan, given);
	} catch (error) {
		if (error instanceof InvalidFieldError) return error;
		throw error;
	}
	throw new Error('Nothing was refused');
}

/** One field in the collection that it belongs to; the separator with what it needs. */
function alone({ name, serviceName }: ServiceField, value: unknown): Given {
	if (openProxy.filters.some((field) => field.name === name)) return { filters: { [name]: value } };
	if (openProxy.extras.some((field) => field.name === name))
		return { extraFields: { [name]: value } };
	const format = serviceName === 'sep' ? { format: 'text' } : {};
	return { options: { ...format, [name]: value } };
}

const FIELDS = [...openProxy.filters, ...openProxy.extras, ...openProxy.options].filter(
	(field): field is ServiceField => field.serviceName !== undefined,
);

/** Every parameter of the service with a value that is good and changes something, and the text that is sent for it. */
const GOOD: Readonly<Record<string, [value: unknown, text: string]>> = {
	an_an: [true, '1'],
	an_ha: [true, '1'],
	an_tr: [true, '1'],
	area: ['北京，上海', '北京,上海'],
	area_ex: [['台湾', '香港'], '台湾,香港'],
	carrier: [2, '2'],
	dedup: [true, '1'],
	f_an: [true, '1'],
	f_loc: [true, '1'],
	f_pr: [true, '1'],
	f_sp: [true, '1'],
	format: ['xml', 'xml'],
	ipstart: ['120.52., 113.', '120.52.,113.'],
	ipstart_ex: [['120.52.'], '120.52.'],
	method: [2, '2'],
	port: ['8080、3128', '8080,3128'],
	port_ex: [[80, 8080], '80,8080'],
	protocol: [1, '1'],
	quality: [1, '1'],
	sep: [4, '4'],
	sort: [1, '1'],
};

const NOT_FOR_REGULAR = new Set(['quality', 'sort', 'format', 'f_loc', 'f_an', 'f_pr', 'f_sp']);

/** What is sent although nothing was set. */
const PRESET: Readonly<Record<PlanName, object>> = {
	regular: {},
	vip: { format: 'json' },
	svip: { format: 'json' },
};

it('has every parameter of the service, called after it', () => {
	expect(FIELDS.map(({ serviceName }) => serviceName).sort()).toEqual(Object.keys(GOOD));
	for (const { name, serviceName } of FIELDS) expect(name).toBe(parameterName(serviceName));
});

it.each([
	['quality', '0 1 2', '0'],
	['carrier', '0 1 2 3 4 5 6', '0'],
	['protocol', '1 2', undefined],
	['method', '1 2', undefined],
	['sort', '0 1 2', '0'],
	['format', 'json text xml', 'text'],
	['sep', '1 2 3 4', undefined],
])('%s takes the values %s of Kuaidaili', (serviceName, values, neutral) => {
	const kind = FIELDS.find((field) => field.serviceName === serviceName)?.kind;
	const options = kind?.property.options?.map((option) => String(Reflect.get(option, 'value')));
	expect(options?.sort().join(' ')).toBe(values);
	expect([kind?.accepts('7'), kind?.neutral]).toEqual([false, neutral]);
});

describe.each(PLAN_NAMES)('with the plan %s', (plan) => {
	/** What is sent beside one field. */
	const beside = ({ serviceName }: ServiceField): object =>
		serviceName === 'sep' && plan !== 'regular' ? { format: 'text' } : PRESET[plan];

	it.each(FIELDS)('$serviceName is sent, or refused for the plan', (field) => {
		const [value, text] = GOOD[field.serviceName];
		const given = alone(field, value);
		const whole = { ...beside(field), [field.serviceName]: text };
		if (plan !== 'regular' || !NOT_FOR_REGULAR.has(field.serviceName)) {
			expect(sent(plan, given)).toEqual(whole);
			return;
		}
		const { message, description } = refusalOf(plan, given);
		expect(message).toContain(`'${field.displayName}'`);
		expect(description).toMatch(
			/^It works only when 'Plan' is VIP or SVIP, but 'Plan' is Regular\./,
		);
	});

	it('the neutral values do no harm', () => {
		const neutral: Given = {
			filters: { quality: 0, carrier: 0, anHa: false, dedup: false },
			extraFields: { fLoc: false, fAn: 'false', fPr: 0, fSp: '' },
			options: { sort: 0 },
		};
		expect(read(plan, neutral)).toMatchObject({ extras: [] });
		expect(sent(plan, neutral)).toEqual({
			carrier: '0',
			...(plan === 'regular' ? {} : { quality: '0', sort: '0', format: 'json' }),
		});
	});
});

it.each(['ent', '', 'constructor', undefined, {}])('the plan %j is refused', (plan) => {
	expect(() => read(plan, {})).toThrow(InvalidFieldError);
});

it.each([0, -1, '', 'many', 0.5, NaN, {}, 100_001])(
	'the number %j is refused: it decides how many calls there are',
	(num) => {
		const refusal = expect.objectContaining({ fieldLabel: 'Number of Proxies' });
		expect(() => read('vip', {}, num)).toThrow(refusal);
		expect(read('vip', {}, 100_000)).toMatchObject({ total: 100_000 });
	},
);

describe('how it is extracted', () => {
	it.each<[PlanName, Given, object]>([
		['regular', {}, { cap: 500, intervalMs: 5000, usesQuota: false }],
		['vip', {}, { cap: 1000, intervalMs: 1000, usesQuota: false }],
		['svip', {}, { cap: 2000, intervalMs: 200, usesQuota: false }],
		['svip', { filters: { dedup: true } }, { cap: 2000, intervalMs: 5000, usesQuota: true }],
		['vip', { options: { sort: 0 } }, { repeatsBecause: undefined }],
		['vip', { options: { sort: 1 } }, { repeatsBecause: expect.stringContaining("'Sort'") }],
		['vip', { options: { sort: 2 } }, { repeatsBecause: expect.stringContaining("'Sort'") }],
	])('with the plan %s and %j', (plan, given, extraction) => {
		expect(read(plan, given)).toMatchObject({ ...extraction, total: 7 });
	});
});

describe('the highest stability', () => {
	it('is for SVIP only', () => {
		expect(sent('svip', { filters: { quality: 2 } })).toEqual({ quality: '2', format: 'json' });
		for (const plan of ['regular', 'vip'] as const) {
			const { message, description } = refusalOf(plan, { filters: { quality: '2' } });
			expect(message).toBe("'Stability' can't be \"2\"");
			expect(description).toMatch(/^It works only when 'Plan' is SVIP, but 'Plan' is /);
		}
	});
});

describe('format and separator', () => {
	it.each<[PlanName, Record<string, unknown>, object]>([
		['regular', {}, {}],
		['regular', { format: 'text' }, {}],
		['regular', { format: 'text', sep: '2' }, { sep: '2' }],
		['vip', {}, { format: 'json' }],
		['vip', { format: '' }, { format: 'json' }],
		['vip', { format: 'text', sep: 3 }, { format: 'text', sep: '3' }],
		['svip', { format: 'text' }, { format: 'text' }],
	])('for the plan %s and %j are %j', (plan, options, expected) => {
		expect(sent(plan, { options })).toEqual(expected);
	});

	it.each<[PlanName, Record<string, unknown>, label: string]>([
		...(['JSON', 'yaml', 'constructor', '__proto__'] as const).flatMap((format) =>
			PLAN_NAMES.map((plan): [PlanName, Record<string, unknown>, string] => [
				plan,
				{ format },
				'Format',
			]),
		),
		['regular', { format: 'json' }, 'Format'],
		['vip', { format: 'text', sep: 0 }, 'Separator'],
		['vip', { format: 'text', sep: 5 }, 'Separator'],
		['vip', { format: 'text', sep: ',' }, 'Separator'],
	])('for the plan %s and %j are refused: %s', (plan, options, label) => {
		expect(refusalOf(plan, { options }).fieldLabel).toBe(label);
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
});

it.each<[PlanName, Record<string, unknown>, string[]]>([
	['vip', { fSp: true, fLoc: true }, ['region', 'responseTime']],
	['svip', { fLoc: false, fAn: true }, ['anonymity']],
	[
		'vip',
		{ fPr: true, fAn: true, fSp: true, fLoc: true },
		['region', 'anonymity', 'protocol', 'responseTime'],
	],
])('extra values come in the order of Kuaidaili: %s, %j', (plan, extraFields, extras) => {
	expect(read(plan, { extraFields }).extras).toEqual(extras);
});

describe('lists', () => {
	it.each<[string, unknown, string]>([
		['area', '北京 上海', '北京,上海'],
		['area', '北京，上海、浙江；美国', '北京,上海,浙江,美国'],
		['area', ['北京', '上海,浙江'], '北京,上海,浙江'],
		['area', '北京,北京', '北京'],
		['port', 8080, '8080'],
		['port', '1,65535', '1,65535'],
		['port', [8080, '3128'], '8080,3128'],
		['ipstart', '120', '120'],
		['ipstart', '120.52.', '120.52.'],
		['ipstart', '1.2.3.4', '1.2.3.4'],
		['ipstart', '0.,255.255.', '0.,255.255.'],
	])('%s takes %p', (serviceName, value, text) => {
		expect(sent('regular', { filters: { [serviceName]: value } })).toEqual({ [serviceName]: text });
	});

	it.each<[string, unknown]>([
		...['0', '65536', '-80', '80-90', '8080,http', '808080', 80.5].map(
			(value): [string, unknown] => ['port', value],
		),
		...['256.', '1.256', '1..2', '.1', '1.2.3.4.5', '1000', '120.*', '120.0/16', '2001:'].map(
			(value): [string, unknown] => ['ipstart', value],
		),
		['ipstart', '120.,x'],
		['area', '北'.repeat(51)],
		['area', '北\u0007京'],
	])('%s refuses %p', (serviceName, value) => {
		const field = FIELDS.find((one) => one.serviceName === serviceName);
		const { fieldLabel, description } = refusalOf('svip', { filters: { [serviceName]: value } });
		expect(fieldLabel).toBe(field?.displayName);
		expect(description).toBe(`Allowed: ${field?.kind.allowed}.`);
	});

	it.each(['area', 'areaEx'])('are refused where an expression found no place: %s', (name) => {
		for (const value of [undefined, null, '', ' ']) {
			expect(refusalOf('vip', { filters: { [name]: value } }).fieldLabel).toMatch(/^Areas/);
		}
	});
});
