import type { IExecuteFunctions } from 'n8n-workflow';

import { RunHints } from '../../../../../nodes/Kuaidaili/actions/router.ts';

/** The one method that hints need of n8n. */
function shown(hints: RunHints, itemCount: number): unknown[] {
	const all: unknown[] = [];
	const context = { addExecutionHints: (...given: unknown[]) => all.push(...given) };
	hints.show(context as unknown as IExecuteFunctions, itemCount);
	return all;
}

let hints: RunHints;

beforeEach(() => {
	hints = new RunHints();
});

it('shows nothing when there is nothing to say', () => {
	expect(shown(hints, 3)).toEqual([]);
});

it('shows a hint about the only item without its number', () => {
	hints.add('No proxy matches.', 0);
	expect(shown(hints, 1)).toEqual([{ message: 'No proxy matches.', location: 'outputPane' }]);
});

it('shows a hint once, with the items that it is about', () => {
	hints.add('No proxy matches.', 0);
	hints.add('Fewer came.', 1);
	hints.add('No proxy matches.', 2);
	expect(shown(hints, 3)).toEqual([
		{ message: 'Items 0, 2: No proxy matches.', location: 'outputPane' },
		{ message: 'Item 1: Fewer came.', location: 'outputPane' },
	]);
});

it.each([
	[10, 'Items 0, 1, 2, 3, 4, 5, 6, 7, 8, 9: Hint.'],
	[11, 'Items 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 1 more: Hint.'],
	[1000, 'Items 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 990 more: Hint.'],
])('of %d items names ten', (count, message) => {
	for (let index = 0; index < count; index++) hints.add('Hint.', index);
	expect(shown(hints, count)).toEqual([{ message, location: 'outputPane' }]);
});

it('shows a hint about the run as a whole last, as it is', () => {
	hints.addForRun('Two orders were placed.');
	hints.add('Hint.', 1);
	expect(shown(hints, 2)).toEqual([
		{ message: 'Item 1: Hint.', location: 'outputPane' },
		{ message: 'Two orders were placed.', location: 'outputPane' },
	]);
});

it('shows nothing in versions of n8n without hints', () => {
	hints.add('Hint.', 0);
	hints.addForRun('Hint.');
	expect(() => hints.show({} as unknown as IExecuteFunctions, 1)).not.toThrow();
});
