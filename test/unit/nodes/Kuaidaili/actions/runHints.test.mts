import type { IExecuteFunctions } from 'n8n-workflow';

import { showHints } from '../../../../../nodes/Kuaidaili/actions/router.ts';

type HintsOfItems = Readonly<Record<string, readonly number[]>>;

function show(context: object, hints: HintsOfItems, itemCount: number, ofRun?: string[]): void {
	const itemsOfHint = Object.entries(hints).map(([hint, items]) => [hint, new Set(items)] as const);
	showHints(context as unknown as IExecuteFunctions, itemCount, new Map(itemsOfHint), ofRun);
}

function shown(...hints: [HintsOfItems, number, string[]?]): unknown[] {
	const all: unknown[] = [];
	// The one method that hints need of n8n
	const context = { addExecutionHints: (...given: unknown[]) => all.push(...given) };
	show(context, ...hints);
	return all;
}

it.each([
	[10, 'Items 0, 1, 2, 3, 4, 5, 6, 7, 8, 9: Hint.'],
	[11, 'Items 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 1 more: Hint.'],
	[1000, 'Items 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 990 more: Hint.'],
])('of %d items names ten', (count, message) => {
	const items = [...Array(count).keys()];
	expect(shown({ 'Hint.': items }, count)).toEqual([{ message, location: 'outputPane' }]);
});

it('shows a hint about the run as a whole last, as it is', () => {
	expect(shown({ 'Hint.': [1] }, 2, ['Two orders were placed.'])).toEqual([
		{ message: 'Item 1: Hint.', location: 'outputPane' },
		{ message: 'Two orders were placed.', location: 'outputPane' },
	]);
});

it('shows nothing in versions of n8n without hints', () => {
	expect(() => show({}, { 'Hint.': [0] }, 1, ['Hint.'])).not.toThrow();
});
