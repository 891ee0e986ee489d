import fc from 'fast-check';

import type { Answer } from '../operations/index.mts';
import { rightBody, type Reply } from './reply.mts';

/** A place in a JSON value: the keys on the way. */
type Path = ReadonlyArray<string | number>;

function pathsIn(value: unknown, path: Path = []): Path[] {
	if (typeof value !== 'object' || value === null) return [path];
	const inside = Array.isArray(value)
		? value.flatMap((entry, index) => pathsIn(entry, [...path, index]))
		: Object.entries(value).flatMap(([key, entry]) => pathsIn(entry, [...path, key]));
	return [path, ...inside];
}

/** Stands in the JSON where something is to be written that `JSON.stringify` would not write. */
const MARK = '@@mark@@';

/** A copy with another value at one place; undefined takes the place out. */
function changed(value: unknown, [key, ...rest]: Path, put: unknown): unknown {
	if (key === undefined) return put;
	if (Array.isArray(value)) {
		return value.flatMap((entry, index): unknown[] => {
			if (index !== key) return [entry];
			if (rest.length === 0 && put === undefined) return [];
			return [changed(entry, rest, put)];
		});
	}
	if (typeof value !== 'object' || value === null) return value;
	const entries = Object.entries(value).flatMap(([name, entry]): Array<[string, unknown]> => {
		if (name !== key) return [[name, entry]];
		if (rest.length === 0 && put === undefined) return [];
		return [[name, changed(entry, rest, put)]];
	});
	return Object.fromEntries(entries);
}

/** What is put in the place of a value, as it is written. */
const replacement: fc.Arbitrary<string> = fc.oneof(
	fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
	fc.constantFrom(
		'null',
		'true',
		'false',
		'0',
		'-1',
		'1.5',
		'""',
		'" "',
		'"0"',
		'[]',
		'{}',
		'[[]]',
		'[{}]',
		'[null]',
		'{"0":1}',
		'9007199254740993',
		'99999999999999999999999999',
		'1e400',
		'-1e400',
		'1e-400',
		'-0',
		'"NaN"',
		'"Infinity"',
		'"2032-13-45 99:99:99"',
		'"2032-02-31 10:00:00"',
		'"0000-00-00 00:00:00"',
		'"1.2.3.4:99999"',
		'"1.2.3.4:0"',
		'"1.2.3.4"',
		'":80"',
		'"1.2.3.4:80,"',
		'",,,"',
		'"1.2.3.4:80\\r\\n5.6.7.8:90"',
		'"http://1.2.3.4:80"',
		'"user:pass@1.2.3.4:80"',
		'"[::1]:80"',
		'"\\ud800"',
		'"\\u0000"',
		'"\\u202e"',
		'"参数错误"',
		'{"__proto__":{"polluted":true}}',
		'{"constructor":{"prototype":{"polluted":true}}}',
		'{"toString":1}',
		'{"toJSON":1}',
		'{"length":5}',
		'{"error":"made up"}',
		'{"json":{},"binary":{},"pairedItem":7}',
	),
	fc.constantFrom(50, 500, 5000, 50_000).map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`),
	fc.constantFrom(50, 5000).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
	fc.constantFrom(1000, 100_000).map((length) => JSON.stringify('长'.repeat(length))),
);

/** A key more, of those that mean something to JavaScript or to n8n. */
const SPECIAL_KEYS = [
	'__proto__',
	'constructor',
	'prototype',
	'toString',
	'toJSON',
	'then',
	'error',
	'json',
	'binary',
	'pairedItem',
	'length',
	'',
];

/** An answer in which single things are something else; it may still be one. */
export function changedReply(operation: Answer): fc.Arbitrary<Reply> {
	const body = rightBody({ ...operation, format: undefined });
	const value: unknown = JSON.parse(body);
	const path = fc.constantFrom(...pathsIn(value).slice(1));
	const asReply = (shown: string, text: string): Reply => {
		return { status: 200, headers: {}, cut: false, shown, body: Buffer.from(text) };
	};
	return fc.oneof(
		{
			weight: 6,
			arbitrary: fc.tuple(path, replacement).map(([at, written]) => {
				const text = JSON.stringify(changed(value, at, MARK));
				const shown = `${at.join('.')} is ${written.slice(0, 80)}`;
				// Not by a text: `$` means something in there
				return asReply(
					shown,
					text.replace(`"${MARK}"`, () => written),
				);
			}),
		},
		{
			weight: 1,
			arbitrary: path.map((at) => {
				return asReply(`without ${at.join('.')}`, JSON.stringify(changed(value, at, undefined)));
			}),
		},
		{
			weight: 2,
			arbitrary: fc
				.tuple(fc.constantFrom(...SPECIAL_KEYS), replacement, fc.nat(10))
				.map(([key, written, turn]) => {
					const openings = [...body.matchAll(/\{/g)];
					const { index = 0 } = openings[turn % openings.length];
					const more = `${JSON.stringify(key)}:${written},`;
					const shown = `with ${key || 'an empty key'} ${written.slice(0, 80)} at ${index}`;
					return asReply(shown, `${body.slice(0, index + 1)}${more}${body.slice(index + 1)}`);
				}),
		},
	);
}
