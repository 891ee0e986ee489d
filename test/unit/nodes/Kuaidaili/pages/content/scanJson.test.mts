import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { inspect } from 'node:util';

import {
	parseInRuns,
	parsePageJson,
} from '../../../../../../nodes/Kuaidaili/pages/content/scanJson.ts';

/** The value of JSON that is parsed in runs, and how many there were. */
function parsed(text: string, runLength: number): { value: unknown; runs: number } {
	const work = parseInRuns(text, runLength);
	let [step, runs] = [work.next(), 1];
	for (; step.done !== true; runs += 1) step = work.next();
	return { value: step.value, runs };
}

/** The value with the order of its names and what it inherits, or the name of an error. */
function shown(parse: () => unknown): string {
	try {
		return inspect(parse(), { depth: 99, maxArrayLength: Infinity, maxStringLength: Infinity });
	} catch (error) {
		return error instanceof Error ? error.name : 'no error';
	}
}

/** Names that an object orders, inherits, or repeats, and that look like something else in JSON. */
const name = fc.constantFrom(
	'a',
	'b',
	'',
	'__proto__',
	'constructor',
	'1',
	'0',
	'"',
	'\\',
	',',
	'[',
);

/** A value in JSON with any white space between its parts, and names that come more than once. */
const { json } = fc.letrec<{ json: string }>((tie) => {
	const space = fc.constantFrom('', ' ', '\n\t', '\r');
	const member = fc
		.tuple(name, space, space, tie('json'))
		.map(([key, before, behind, value]) => `${JSON.stringify(key)}${before}:${behind}${value}`);
	const partOf = (members: fc.Arbitrary<string>, opening: string, closing: string) =>
		fc
			.tuple(space, fc.array(fc.tuple(space, members, space), { maxLength: 5 }))
			.map(
				([blank, all]) => `${opening}${blank}${all.map((each) => each.join('')).join()}${closing}`,
			);
	return {
		json: fc.oneof(
			{ maxDepth: 5 },
			fc.constantFrom('1', '-0.5e3', 'null', 'true', '"a, b"', '"]"', '"\\"{"', '"\\ud800"'),
			partOf(tie('json'), '[', ']'),
			partOf(member, '{', '}'),
		),
	};
});

const runLength = fc.integer({ min: 1, max: 30 });

describe('JSON in runs is as JSON.parse has it', () => {
	it('where it is whole', () => {
		fc.assert(
			fc.property(json, runLength, (text, length) => {
				expect(shown(() => parsed(text, length).value)).toBe(shown(() => JSON.parse(text)));
			}),
			{ numRuns: 2000 },
		);
	});

	it('where a character is missing or too many', () => {
		const change = fc.constantFrom('', ...']}[{,:"1\\ \u00a0');
		fc.assert(
			fc.property(json, runLength, fc.nat(), change, (whole, length, place, added) => {
				const at = place % (whole.length + 1);
				const text = `${whole.slice(0, at)}${added}${whole.slice(added === '' ? at + 1 : at)}`;
				expect(shown(() => parsed(text, length).value)).toBe(shown(() => JSON.parse(text)));
			}),
			{ numRuns: 5000 },
		);
	});

	it.each(['', '1,2', '[1,2],[3]'])('%j', (text) => {
		expect(shown(() => parsed(text, 1).value)).toBe(shown(() => JSON.parse(text)));
	});
});

it('a run is no longer than to the next comma', () => {
	const text = JSON.stringify({ data: { items: Array.from({ length: 100 }, () => 'an item') } });
	expect(parsed(text, 50)).toEqual({ value: JSON.parse(text), runs: expect.any(Number) });
	expect(parsed(text, 50).runs).toBeGreaterThan(15);
});

it('a large page keeps the digits of its integers', async () => {
	const record = '{"id":1234567890123456789,"text":"words of a record"}';
	const text = `{"data":[${`${record},`.repeat(30_000)}${record}],"id":12345678901234567890}`;
	const last = { id: '1234567890123456789', text: 'words of a record' };
	const { data, id } = Object(await parsePageJson(text, async () => undefined));
	expect([data.length, data.at(-1), id]).toEqual([30_001, last, '12345678901234567890']);
	await expect(parsePageJson(text, async () => undefined, 30_000)).rejects.toThrow('too many');
});

it.each<[string, unknown]>([
	[
		'{"a":"1234567890123456789,","b":1234567890123456789}',
		{ a: '1234567890123456789,', b: '1234567890123456789' },
	],
	[
		'["\\"1234567890123456789,\\\\",1234567890123456789]',
		['"1234567890123456789,\\', '1234567890123456789'],
	],
	[
		'[-1234567890123456789 , 12345678901234567890]',
		['-1234567890123456789', '12345678901234567890'],
	],
	['[1234567890.123456789,1234567890123456789e2]', [1234567890.123456789, 1234567890123456789e2]],
	['[9007199254740991,9007199254740993]', [9007199254740991, '9007199254740993']],
	[`[${'[],'.repeat(600)}{}]`, [...Array.from({ length: 600 }, () => []), {}]],
])('%s keeps the digits of its integers, and only those', async (text, value) => {
	expect(await parsePageJson(text, async () => undefined)).toEqual(value);
});

it.each([
	['{"1234567890123456789":1 1234567890123456789:2}', Infinity, /JSON/],
	['[1234567890123456789 1]', Infinity, /JSON/],
	['[[],{}]', 2, /too many/],
	[`${'['.repeat(501)}${']'.repeat(501)}`, Infinity, /too deeply/],
])('%s is refused', async (text, most, message) => {
	await expect(parsePageJson(text, async () => undefined, most)).rejects.toThrow(message);
});

it('as many parts as are allowed, and as many levels, are not', async () => {
	expect(await parsePageJson('[[],{}]', async () => undefined, 3)).toEqual([[], {}]);
	const deep = `${'['.repeat(500)}${']'.repeat(500)}`;
	expect(JSON.stringify(await parsePageJson(deep, async () => undefined))).toBe(deep);
});
