import fc from 'fast-check';

import { tellCrossing } from '../../../../../nodes/KuaidailiTrigger/events/crossing.ts';
import type { News } from '../../../../../nodes/KuaidailiTrigger/events/event.ts';
import { expectSame, SOME_RUNS } from '../../../support/properties.mts';
import { deepFreeze } from '../../../support/frozen.mts';

type Memory = News['memory'] | undefined;

const LINE = 100;

/** One look with nothing beside it. */
function look(value: number, memory: Memory, changes: { subject?: string[]; line?: number } = {}) {
	const watched = { subject: ['id'], value, line: LINE, ...changes };
	const stored = deepFreeze(memory);
	return tellCrossing(watched, { before: stored, stored }, { value });
}

it.each([
	[99, true],
	[99.99, true],
	[-1, true],
	[100, false],
	[100.01, false],
])('takes %d for below the line: %p', (value, isTold) => {
	expect(look(value, undefined).records).toEqual(isTold ? [{ value }] : []);
});

it('tells each fall below the line once', () => {
	let memory: Memory;
	const told = [150, 90, 80, 100, 99, 120, 99, 99].map((value) => {
		const news = look(value, memory);
		memory = JSON.parse(JSON.stringify(news.memory));
		return news.records.length;
	});
	expect(told).toEqual([0, 1, 0, 0, 1, 0, 1, 0]);
});

it('tells as often as a value falls, whatever the values', () => {
	const values = fc.array(fc.integer({ min: 90, max: 110 }), { maxLength: 30 });
	fc.assert(
		fc.property(values, (all) => {
			let memory: Memory;
			const told = all.filter((value) => {
				const news = look(value, memory);
				memory = news.memory;
				return news.records.length > 0;
			});
			const falls = all.filter(
				(value, index) => value < LINE && (index === 0 || all[index - 1] >= LINE),
			);
			expectSame(told, falls);
		}),
		SOME_RUNS,
	);
});

it.each([
	['another line', { line: 95 }],
	['another subject', { subject: ['other'] }],
	['more of a subject', { subject: ['id', ''] }],
])('tells anew for %s', (_name, changes) => {
	const { memory } = look(50, undefined);
	expect(look(50, memory).records).toEqual([]);
	expect(look(50, memory, changes).records).toEqual([{ value: 50 }]);
});

it.each([
	{},
	{ isBelow: true },
	{ subject: 5, line: '100', isBelow: 'yes' },
	{ subject: ['id'], line: LINE, isBelow: true },
])('takes the memory %j for none', (memory) => {
	expect(look(50, memory).records).toEqual([{ value: 50 }]);
});

it('does not contain what is watched', () => {
	const { memory } = look(50, undefined, { subject: ['o1fjh1re9o28876h7c08'] });
	expect(JSON.stringify(memory)).not.toContain('o1fjh1re9o28876h7c08');
});

describe('looks that overlap', () => {
	const above = look(150, undefined).memory;
	const below = look(50, undefined).memory;

	function overlapped(value: number, before: Memory, stored: Memory) {
		const watched = { subject: ['id'], value, line: LINE };
		const { records, memory } = tellCrossing(watched, { before, stored }, { value });
		return { told: records.length, isBelow: memory.isBelow };
	}

	it('tell once what both have seen', () => {
		expect(overlapped(50, above, below)).toEqual({ told: 0, isBelow: true });
		expect(overlapped(50, undefined, below)).toEqual({ told: 0, isBelow: true });
	});

	it('do not take back what was told meanwhile, because of an older value', () => {
		expect(overlapped(150, above, below)).toEqual({ told: 0, isBelow: true });
		expect(overlapped(150, undefined, below)).toEqual({ told: 0, isBelow: true });
	});

	it('see that the value is above again', () => {
		expect(overlapped(150, below, below)).toEqual({ told: 0, isBelow: false });
		expect(overlapped(150, below, above)).toEqual({ told: 0, isBelow: false });
		expect(overlapped(50, below, above)).toEqual({ told: 1, isBelow: true });
	});
});
