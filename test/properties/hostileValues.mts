import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { anyText, PROTOTYPE_NAMES } from '../unit/support/properties.mts';

/** A value of a field, as it stands in a workflow. */
export interface HostileValue {
	/** What stands in the field: the value itself, or an expression that gives it. */
	readonly parameter: unknown;
	/** What comes in, for the expression to read from. */
	readonly item: IDataObject;
	/** For messages about the case. */
	readonly shown: string;
}

const LONG = 20_000;

/** Texts that mean something to a program on the way: to a parser, a query, a log, a template. */
const HOSTILE_TEXTS = [
	'',
	' ',
	'\u0000',
	'5\u0000',
	'\r\nX-Injected: yes',
	'1\n2',
	'\u202e5\u202c',
	'\u200b5\u200b',
	'\u2028',
	'\ufeff',
	'\ud800',
	'5\udfff',
	'𠀀',
	'é'.normalize('NFD'),
	'%00',
	'%0d%0a',
	'%31',
	'%',
	'%E4%BA',
	'5&num=2000',
	'5&product=KPS',
	'1#2',
	'a=b',
	'a+b',
	'?',
	'../../etc/passwd',
	"'; DROP TABLE orders; --",
	'${7*7}',
	'{{ 7*7 }}',
	'<script>',
	...PROTOTYPE_NAMES,
	'undefined',
	'null',
	'NaN',
	'Infinity',
	'-Infinity',
	'-0',
	'-1',
	'+1',
	'01',
	'1.0',
	'1e3',
	'0x10',
	'1_000',
	'1,000',
	'１',
	'٣',
	'五',
	'yes',
	'TRUE',
	'x'.repeat(LONG),
	'5'.repeat(LONG),
	'1,'.repeat(LONG),
	'5 '.repeat(300),
];

/** What fits one field or another, so that a case also gets past the first check. */
const FITTING = [
	...['DAY', 'WEEK', 'MONTH', 'YEAR', 'month', 'TPS', 'DPS', 'KPS', 'OPS', 'PRE_PAY', 'POST_PAY'],
	...['PRE_PAY_IP', 'M_1_5', 'M_3_5', 'H_2_4', 'STA', 'DYN', 'VIP', 'vip', 'svip', 'regular'],
	...['json', 'xml', 'text', 'eachProxy', 'allInOne', 'always', 'expiring', 'days', 'hours'],
	...['prepaid', 'perIp', 'traffic', 'VALID', 'ALL', 'EXPIRED', '11', '3301', '11,31', '北京'],
	...['8080', '120.52.', 'true', 'false', '1', '0', ' 2 ', '3,4', 'status,expire_time'],
	...['965102959536478', '99991231'],
];

const FITTING_NUMBERS = [0, 1, 2, 3, 4, 5, 9, 10, 15, 50, 100, 300, 500, 1000, 2500, 100_000];

const HOSTILE_NUMBERS = [
	-1,
	-0,
	0.1,
	1.5,
	2.0000000000000004,
	1e21,
	1e-7,
	2 ** 31,
	2 ** 53,
	2 ** 53 + 2,
	Number.MAX_VALUE,
	Number.MIN_VALUE,
	965102959536478,
];

const PROTOTYPE_KEYS = [
	'{"__proto__":{"polluted":true}}',
	'{"__proto__":null}',
	'{"constructor":{"prototype":{"polluted":true}}}',
	'{"toString":1,"valueOf":2}',
	'{"hasOwnProperty":false}',
	'{"toJSON":"x"}',
	'{"length":3}',
	'{"__proto__":{"includeSecrets":true,"timeout":1,"num":5}}',
];

/** Picked or typed, but not as the editor would say it. */
const LOCATORS: readonly unknown[] = [
	{ __rl: true },
	{ __rl: true, mode: 'list' },
	{ __rl: true, mode: 'list', value: null },
	{ __rl: true, mode: 'code' },
	{ __rl: true, mode: 'code', value: '' },
	{ __rl: true, mode: 'code', value: { __rl: true, mode: 'code', value: '3301' } },
	{ __rl: true, mode: 'code', value: ['3301'] },
	{ __rl: true, mode: 'code', value: 3301 },
	{ __rl: true, mode: 'nothing', value: '3301' },
	{ __rl: true, mode: ['code'], value: '3301' },
	{ __rl: 'true', mode: 'code', value: '3301' },
	{ __rl: false, value: '3301' },
	{ mode: 'code', value: '3301' },
	{ value: '3301' },
	{ __rl: true, mode: 'code', value: '3301', cachedResultName: 'x' },
];

/** Deeper than anybody writes by hand. */
function nested(depth: number): unknown {
	let value: unknown = 1;
	for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { value };
	return value;
}

/** What JSON can say, and so the data of an item. */
const jsonValue: fc.Arbitrary<unknown> = fc.oneof(
	{ weight: 4, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
	{ weight: 3, arbitrary: anyText(30) },
	{ weight: 4, arbitrary: fc.constantFrom<unknown>(...FITTING, ...FITTING_NUMBERS) },
	{ weight: 2, arbitrary: fc.constantFrom(...HOSTILE_NUMBERS) },
	{ weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }) },
	{ weight: 1, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [{}], [null]) },
	{ weight: 2, arbitrary: fc.constantFrom(...LOCATORS) },
	{
		weight: 2,
		arbitrary: fc.constantFrom(...PROTOTYPE_KEYS).map((text): unknown => JSON.parse(text)),
	},
	{
		weight: 2,
		arbitrary: fc.array(fc.constantFrom<unknown>(...FITTING, ...FITTING_NUMBERS, {}, null)),
	},
	{ weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
	{ weight: 1, arbitrary: fc.nat(200).map(nested) },
);

/** What only an expression can give; n8n hands it to the node as it is. */
const EXPRESSIONS = [
	'undefined',
	'null',
	'NaN',
	'Infinity',
	'-Infinity',
	'-0',
	'BigInt(5)',
	'BigInt("9007199254740993")',
	'new Date(0)',
	'new Date(NaN)',
	'DateTime.now()',
	'DateTime.fromISO("no date")',
	'$now',
	'$today',
	'Duration.fromMillis(5)',
	'Interval.after(DateTime.now(), 5)',
	'/5/',
	'[1, , 3]',
	'[undefined, 5]',
	'[NaN]',
	'[BigInt(5)]',
	'[[5]]',
	'["5"]',
	'({ toString: "5" })',
	'({ toJSON: 5 })',
	'({ length: 1, 0: "5" })',
	'new Map([["num", 5]])',
	'new Set([5])',
	'Object.create(null)',
	'$json',
	'$input',
	'$input.item',
	'$input.all()',
	'$node',
	'$workflow',
	'$execution',
	'Symbol("x")',
	'() => 5',
	'Promise.resolve(5)',
	'new Error("x")',
	'new String("5")',
	'new Number(5)',
	'new Boolean(false)',
	'new Uint8Array([5])',
	'"5".repeat(100000)',
];

function short(value: unknown): string {
	const text = JSON.stringify(value) ?? String(value);
	return text.length > 100 ? `${text.slice(0, 100)}… (${text.length})` : text;
}

/** As it stands in the field. One that begins like an expression would be another case. */
const asTyped: fc.Arbitrary<HostileValue> = jsonValue.map((value) => ({
	parameter: typeof value === 'string' ? value.replace(/^=+/, '') : value,
	item: {},
	shown: `typed ${short(value)}`,
}));

const fromItem: fc.Arbitrary<HostileValue> = jsonValue.map((value) => ({
	parameter: '={{ $json.value }}',
	item: { value } as IDataObject,
	shown: `from the item ${short(value)}`,
}));

const fromExpression: fc.Arbitrary<HostileValue> = fc
	.constantFrom(...EXPRESSIONS)
	.map((expression) => ({
		parameter: `={{ ${expression} }}`,
		item: { a: 1, __rl: true },
		shown: `from ${expression}`,
	}));

/** What a person, an expression or an AI agent may put into a field. */
export const hostileValue: fc.Arbitrary<HostileValue> = fc.oneof(
	{ weight: 3, arbitrary: asTyped },
	{ weight: 5, arbitrary: fromItem },
	{ weight: 3, arbitrary: fromExpression },
);

/** The same where nothing comes in that an expression could read. */
export const hostileParameter: fc.Arbitrary<HostileValue> = fc.oneof(asTyped, fromExpression);
