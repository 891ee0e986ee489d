import { isDeepStrictEqual } from 'node:util';

import fc from 'fast-check';

import { triesAll } from '../../fullMatrices.mts';

/**
 * For what reads the answers of the service: enough runs to meet the rare combinations. fast-check
 * prints the seed of a run that fails.
 */
export const MANY_RUNS = { numRuns: triesAll ? 20_000 : 1_000 } as const;

/** For everything else. */
export const SOME_RUNS = { numRuns: triesAll ? 4_000 : 300 } as const;

/** As `toEqual` does, for the inside of a property: it costs much less while nothing is wrong. */
export function expectSame(actual: unknown, expected: unknown): void {
	if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

/** Any text, control characters, lone surrogates and everything beyond the basic plane included. */
export const anyText = (maxLength = 60) =>
	fc.oneof(
		fc.string({ unit: 'binary', maxLength }),
		fc.string({ unit: 'grapheme', maxLength }),
		fc
			.array(fc.integer({ min: 0, max: 0xffff }), { maxLength })
			.map((units) => String.fromCharCode(...units)),
	);

/** Names that every object has without owning them. */
export const PROTOTYPE_NAMES = [
	'__proto__',
	'constructor',
	'prototype',
	'toString',
	'valueOf',
	'hasOwnProperty',
] as const;

/** What an expression or an AI tool may put where a plain value is expected. */
export const anyValue = fc.oneof(
	fc.anything({ withBigInt: true, withNullPrototype: true, withDate: true }),
	anyText(),
	fc.constantFrom(
		...PROTOTYPE_NAMES,
		'__defineGetter__',
		'NaN',
		'Infinity',
		'-0',
		'1e3',
		'0x10',
		'null',
		'undefined',
	),
	fc.constantFrom<unknown>(NaN, Infinity, -Infinity, -0, 2 ** 53, 1e21, 0.1, () => 1, Symbol('x')),
);
