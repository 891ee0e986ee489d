import fc from 'fast-check';

import {
	areaName,
	areaNames,
	region,
	number,
	choice,
	toggle,
} from '../../../../../nodes/shared/fields/kinds.ts';
import {
	type Conditions,
	type Field,
	parameterName,
	serviceField,
	type ServiceField,
	InvalidFieldError,
} from '../../../../../nodes/shared/fields/field.ts';
import {
	FieldReader,
	readCollection,
	readField,
	readRequiredField,
} from '../../../../../nodes/shared/fields/reader.ts';
import { anyValue, SOME_RUNS } from '../../../support/properties.mts';

function readFields(
	fields: readonly Field[],
	valueOf: (name: string) => unknown,
	given?: ReadonlyMap<string, string>,
): Record<string, string> {
	return new FieldReader(given).read(fields, valueOf).parameters;
}

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

const count: Field = {
	name: 'num',
	displayName: 'Number of Proxies',
	description: 'How many',
	kind: number({ min: 1, max: 10, preset: 5 }),
};

describe('a field', () => {
	it('of the service gets its name from the service', () => {
		const field = serviceField({ ...count, serviceName: 'kps.ip_count' });
		expect(field).toEqual({ ...count, name: 'kpsIpCount', serviceName: 'kps.ip_count' });
	});

	it('is refused with its label, the value and what is allowed', () => {
		const read = () => readField(count, 11);
		expect(read).toThrow(InvalidFieldError);
		expect(read).toThrow("'Number of Proxies' can't be 11");
		expect(read).toThrow(
			expect.objectContaining({ description: 'Allowed: a whole number, 1 to 10.' }),
		);
	});

	it('that has to be there is refused when it is not', () => {
		expect(readRequiredField(count, 7)).toBe('7');
		expect(() => readRequiredField(count, '')).toThrow(InvalidFieldError);
		expect(() => readRequiredField(count, undefined)).toThrow('is empty');
	});

	it.each<[Field['kind'], unknown, boolean]>([
		[count.kind, 5, true],
		[count.kind, 11, true],
		[count.kind, '', false],
		[count.kind, undefined, false],
		[toggle({ preset: true, sendsOff: false }), true, true],
		[toggle({ preset: true, sendsOff: false }), false, false],
		[choice([{ name: 'All', value: 0 }], { neutral: '0' }), 0, false],
		[choice([{ name: 'All', value: 0 }], { neutral: '0' }), ' 0 ', false],
		[choice([{ name: 'All', value: 0 }], { neutral: '0' }), 1, true],
	])(
		'(%#) that does not belong where it is, with the value %p, is refused: %s',
		(kind, value, isRefused) => {
			const field: Field = { ...count, kind, when: { other: ['a'] } };
			const collection = { displayName: 'Options', fields: [field] };
			const read = () => new FieldReader().readCollection(collection, { [count.name]: value });
			if (isRefused) expect(read).toThrow(InvalidFieldError);
			else expect(read().parameters).toEqual({});
		},
	);
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
	[Symbol('x'), 'Symbol(x)'],
	['x'.repeat(58), `"${'x'.repeat(58)}"`],
	['x'.repeat(59), `"${'x'.repeat(59)}…`],
	['x'.repeat(100), `"${'x'.repeat(59)}…`],
	['𠀀'.repeat(100), `"${'𠀀'.repeat(59)}…`],
	['https://me:secret@example.com/', '"https://***@example.com/"'],
	['t12926732052681:secret@tps1.kdlapi.com:15818', '"***@tps1.kdlapi.com:15818"'],
	['tps1.kdlapi.com:15818:me:secret', '"tps1.kdlapi.com:15818 ***"'],
	['113.120.61.166:229890 me:secret', '"113.120.61.166:229890 ***"'],
	['113.120.61.166 22989 d1520963487 secret', '"113.120.61.166 22989 ***"'],
	[['d1520963487:secret'], '["***"]'],
	['u3x92sd8gh4kq0zb77mw', '"***"'],
	['https://example.com:8080/a/d15209634870', '"https://example.com:8080/a/d15209634870"'],
	['965102959536478', '"965102959536478"'],
	['list/t20261127_1234567.html', '"list/t20261127_1234567.html"'],
	['me:secret:1.2.3.4:80', '"***:1.2.3.4:80"'],
	['2026-03-31T00:00:00.000-05:00', '"2026-03-31T00:00:00.000-05:00"'],
	['2026-03-31T23:59:59.999+05:30', '"2026-03-31T23:59:59.999+05:30"'],
	['[::1]:80:me:secret', '"[::1]:80 ***"'],
	['http://t15209634870:a/b@1.2.3.4:80', '"http://***"'],
	[{ username: 'me', password: 'secret' }, '{"username":"me","password":"***"}'],
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

const common = { name: 'area', displayName: 'Areas', description: '' };
const worldwide: Field = {
	...common,
	kind: areaNames('countries, provinces, or cities'),
};
const inChina: Field = {
	...common,
	kind: areaNames('provinces or cities in China', { withCodes: true }),
};
const single: Field = { ...common, kind: areaName };

describe('names of areas', () => {
	it.each([
		['Beijing', '北京'],
		['beijing, SHANGHAI', '北京,上海'],
		['Beijing Shanghai', '北京,上海'],
		['Hangzhou，南京、Suqian', '杭州,南京,宿迁'],
		['Hong Kong, Inner Mongolia', '香港,内蒙古'],
		['innermongolia', '内蒙古'],
		['Shanxi,Shaanxi', '山西,陕西'],
		["Xi'an;Xian", '西安'],
		['Urumqi Ürümqi', '乌鲁木齐'],
		['Jilin', '吉林'],
		['Yanbian', '延边'],
		['北京 上海', '北京,上海'],
		[['Beijing', '天津'], '北京,天津'],
	])('%j are sent as %s, in China and worldwide', (typed, sent) => {
		expect(readField(worldwide, typed)).toBe(sent);
		expect(readField(inChina, typed)).toBe(sent);
	});

	it('codes are sent as they are', () => {
		expect(readField(inChina, '32,440100')).toBe('32,440100');
	});

	it.each([
		['Suzhou', "'Suzhou' may be 苏州 or 宿州. Enter one of these."],
		['Beijing, Fuzhou', "'Fuzhou' may be 福州 or 抚州. Enter one of these."],
		['New York', "'New York' isn't an English name this node knows. Enter the name in Chinese."],
		[
			'Bejin',
			"'Bejin' isn't an English name this node knows. Did you mean Beijing? Enter the name in Chinese.",
		],
		['北京Shi', "'北京Shi' isn't an English name this node knows. Enter the name in Chinese."],
	])('%j is refused, with an example and what is wrong', (typed, advice) => {
		for (const field of [worldwide, inChina]) {
			expect(() => readField(field, typed)).toThrow(
				expect.objectContaining({
					message: expect.stringContaining("'Areas' can't be "),
					description: expect.stringMatching(/^Allowed: names of .* such as Beijing,Shanghai\./),
				}),
			);
			expect(() => readField(field, typed)).toThrow(
				expect.objectContaining({ description: expect.stringContaining(advice) }),
			);
		}
	});

	it.each(['-1', '99', '3', '330', '3301001', '北', '北京1', '🙂'])('%j is refused', (typed) => {
		for (const field of [worldwide, inChina]) {
			expect(() => readField(field, typed)).toThrow(/can't be/);
		}
	});

	it('a code is refused where only names are known, and a country where only regions of China are', () => {
		expect(() => readField(worldwide, '11')).toThrow(/can't be/);
		expect(() => readField(inChina, 'Japan')).toThrow(/can't be/);
	});
});

describe('one name', () => {
	it.each([
		['Guangzhou', '广州'],
		[' 广州市 ', '广州市'],
		['Inner Mongolia', '内蒙古'],
	])('%j is sent as %s', (typed, sent) => {
		expect(readField(single, typed)).toBe(sent);
	});

	it.each(['Suzhou', 'Atlantis', 'Guangzhou,Shenzhen', '3301'])('%s is refused', (typed) => {
		expect(() => readField(single, typed)).toThrow(/can't be/);
	});
});

describe('a region', () => {
	const field: Field = { ...common, kind: region };

	it.each([
		['3301', '3301'],
		[33, '33'],
		['Hangzhou', '3301'],
		[' hang zhou ', '3301'],
		['杭州', '3301'],
		['杭州市', '3301'],
		['浙江省', '33'],
		['Beijing', '11'],
		['北京市', '11'],
		['吉林省', '22'],
		['吉林市', '2202'],
	])('%j is sent as %s', (typed, sent) => {
		expect(readField(field, typed)).toBe(sent);
	});

	it.each([
		[
			'Suzhou',
			"'Suzhou' may be 3205 (Suzhou, 苏州) or 3413 (Suzhou, 宿州). Enter one of these codes.",
		],
		['吉林', "'吉林' may be 22 (Jilin, 吉林) or 2202 (Jilin, 吉林). Enter one of these codes."],
		[
			'Atlantis',
			"'Atlantis' isn't a name this node knows. 'City: Get Many' lists the cities with their codes.",
		],
		[
			'Hangzou',
			"'Hangzou' isn't a name this node knows. Did you mean Hangzhou? 'City: Get Many' lists the cities with their codes.",
		],
	])('%s is refused, and the list is named', (typed, advice) => {
		const refusal = expect.objectContaining({ description: expect.stringContaining(advice) });
		expect(() => readField(field, typed)).toThrow(refusal);
	});

	it.each(['33017', '3', '杭州,上海', 'constructor'])('%s is refused', (typed) => {
		expect(() => readField(field, typed)).toThrow(/can't be/);
	});
});

it.each([
	['areas', areaNames('provinces or cities in China')],
	['one area', areaName],
	['a region', region],
])('names of %s are quoted in one short line', (_what, kind) => {
	const field: Field = { name: 'area', displayName: 'Area', description: '', kind };
	const refused = () => readField(field, 'x'.repeat(2000));
	const quoted = expect.stringContaining(`'${'x'.repeat(60)}…' isn't `);
	expect(refused).toThrow(expect.objectContaining({ description: quoted }));
});

function variant(
	serviceName: string,
	when: Conditions,
	kind: ServiceField['kind'],
	required = true,
): ServiceField {
	return {
		...serviceField({ serviceName, displayName: serviceName, description: '', kind }),
		when,
		required,
	};
}

const kinds = choice([
	{ name: 'A', value: 'A' },
	{ name: 'B', value: 'B' },
]);

const FIELDS: readonly ServiceField[] = [
	variant('kind', {}, kinds),
	variant('a.count', { kind: ['A'] }, number({ min: 1, max: 9 })),
	variant('b.count', { kind: ['B'] }, number({ min: 10, max: 90 })),
	variant('is_more', {}, toggle(), false),
	variant('more', { isMore: [true], kind: ['A', 'B'] }, number({ min: 1 })),
	variant('level', { aCount: [1, 2] }, number({ min: 1 }), false),
];

function read(values: Record<string, unknown>, given?: ReadonlyMap<string, string>) {
	return readFields(FIELDS, (name) => values[name], given);
}

describe('what is sent', () => {
	it.each([
		[
			{ kind: 'A', aCount: 5 },
			{ kind: 'A', 'a.count': '5' },
		],
		[
			{ kind: 'B', bCount: 50 },
			{ kind: 'B', 'b.count': '50' },
		],
		[
			{ kind: 'A', aCount: 5, isMore: true, more: 7 },
			{ kind: 'A', 'a.count': '5', is_more: '1', more: '7' },
		],
		[
			{ kind: 'A', aCount: 5, isMore: false, more: 7 },
			{ kind: 'A', 'a.count': '5', is_more: '0' },
		],
		[
			{ kind: 'A', aCount: 2, level: 3 },
			{ kind: 'A', 'a.count': '2', level: '3' },
		],
		[
			{ kind: 'A', aCount: 2 },
			{ kind: 'A', 'a.count': '2' },
		],
	])('for %j is %j', (values, parameters) => {
		expect(read(values)).toStrictEqual(parameters);
	});

	it('may depend on what is not sent itself', () => {
		const variants = [variant('count', { secretly: ['yes'] }, number({ min: 1 }))];
		const valueOf = () => 5;
		const given = (text: string) => new Map([['secretly', text]]);
		expect(readFields(variants, valueOf, given('yes'))).toEqual({ count: '5' });
		expect(readFields(variants, valueOf, given('no'))).toEqual({});
		expect(readFields(variants, valueOf)).toEqual({});
	});
});

describe('what is refused', () => {
	it.each<[Record<string, unknown>, string]>([
		[{ aCount: 5 }, 'kind'],
		[{ kind: 'C' }, 'kind'],
		[{ kind: 'A' }, 'a.count'],
		[{ kind: 'A', aCount: 10 }, 'a.count'],
		[{ kind: 'B', bCount: 9 }, 'b.count'],
		[{ kind: 'A', aCount: 5, isMore: true }, 'more'],
		[{ kind: 'A', aCount: 2, level: 0 }, 'level'],
		[{ kind: 'constructor' }, 'kind'],
	])('is in %j the field %s', (values, label) => {
		let thrown: unknown;
		try {
			read(values);
		} catch (error) {
			thrown = error;
		}
		expect(thrown).toBeInstanceOf(InvalidFieldError);
		expect(thrown).toHaveProperty('fieldLabel', label);
	});
});

describe("a field of the node's own", () => {
	const own: Field = {
		name: 'own',
		displayName: 'Own',
		description: '',
		kind: number({ min: 1, max: 9 }),
	};

	it('is read, and not sent', () => {
		const reader = new FieldReader().read([own], () => 5);
		expect(reader.textOf('own')).toBe('5');
		expect(reader.parameters).toEqual({});
	});
});

describe('what was added to a collection', () => {
	const level = variant('level', {}, kinds);
	const members = [
		variant('plain', {}, number({ min: 1, max: 9 })),
		variant('only_a', { level: ['A'] }, toggle({ preset: true, sendsOff: false })),
		variant(
			'size',
			{},
			choice(
				[
					{ name: 'Any', value: 0 },
					{ name: 'Large', value: 1, when: { level: ['A'] } },
				],
				{ neutral: '0' },
			),
		),
		variant('any_of_a', { level: ['A'] }, choice([{ name: 'Any', value: 0 }], { neutral: '0' })),
	];
	const collection = { displayName: 'Filters', fields: members };

	function readMembers(chosen: string, value: unknown) {
		return new FieldReader().read([level], () => chosen).readCollection(collection, value)
			.parameters;
	}

	it('is sent where it may be there', () => {
		expect(readMembers('A', { plain: 5, onlyA: true, size: 1, anyOfA: 0 })).toEqual({
			level: 'A',
			plain: '5',
			only_a: '1',
			size: '1',
			any_of_a: '0',
		});
		expect(readMembers('B', undefined)).toEqual({ level: 'B' });
	});

	it.each([
		['a field', { onlyA: true }, 'only_a'],
		['a value', { size: 1 }, 'size'],
	])('is refused where Kuaidaili would not understand %s', (_what, value, label) => {
		let thrown: unknown;
		try {
			readMembers('B', value);
		} catch (error) {
			thrown = error;
		}
		expect(thrown).toBeInstanceOf(InvalidFieldError);
		expect(thrown).toMatchObject({
			fieldLabel: label,
			description:
				"It works only when 'level' is A, but 'level' is B. Remove it, or change 'level'.",
		});
	});

	it('is left out where it changes nothing and the service does not know it', () => {
		expect(readMembers('B', { onlyA: false, size: 0, anyOfA: 0 })).toEqual({
			level: 'B',
			size: '0',
		});
	});

	it.each([['text'], [5], [[]]])('is refused when it is %j', (value) => {
		expect(() => readMembers('A', value)).toThrow(InvalidFieldError);
	});
});

it('a field is read after those that its conditions name, wherever they stand', () => {
	const values: Record<string, unknown> = { kind: 'A', aCount: 5, level: 1 };
	const fields = [...FIELDS].reverse();
	expect(readFields(fields, (name) => values[name])).toEqual({ kind: 'A', 'a.count': '5' });
	expect(readFields(fields, (name) => ({ ...values, aCount: 2 })[name])).toEqual({
		kind: 'A',
		'a.count': '2',
		level: '1',
	});
});
