import type { IDataObject } from 'n8n-workflow';

import type { ItemOutcome } from '../../../../../../nodes/Kuaidaili/run/operation.ts';
import { fitForAgent } from '../../../../../../nodes/Kuaidaili/pages/output/agentOutput.ts';

const MOST = 20_000;

type Outcome = readonly [index: number, outcome: ItemOutcome];

function outcomeOf(...records: IDataObject[]): Outcome {
	return [0, { kind: 'result', result: { records } }];
}

function recordsOf(items: Iterable<Outcome>): IDataObject[] {
	return [...items].flatMap(([, outcome]) =>
		outcome.kind === 'result' ? outcome.result.records : [],
	);
}

const wide = (count: number, name: string, value: string): IDataObject =>
	Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, value]));

const WIDE_TABLE = { url: 'https://site.example/', ...wide(1000, 'column', 'a value') };

describe('for an agent', () => {
	it.each<[string, readonly Outcome[]]>([
		['a page of 100,000 fields', [outcomeOf(wide(100_000, 'a', 'b'))]],
		['rows of 1,000 columns', [outcomeOf(WIDE_TABLE, WIDE_TABLE)]],
		['names as long as a page', [outcomeOf(wide(3, 'a'.repeat(50_000), 'b'))]],
		[
			'20 pages of long fields',
			Array.from({ length: 20 }, () => outcomeOf(wide(9, 'a', 'b'.repeat(9000)))),
		],
		// JSON writes each of them as six characters
		[
			'a beginning of control characters',
			[outcomeOf({ data: '\u0001'.repeat(30_000) + 'a'.repeat(3_000_000) })],
		],
		['nothing but control characters', [outcomeOf({ data: '\u0001'.repeat(3_000_000) })]],
	])('%s comes out within 20,000 characters', (_name, items) => {
		const fitted = recordsOf(fitForAgent(items, [], []));
		expect(JSON.stringify(fitted).length).toBeLessThanOrEqual(MOST);
		expect(JSON.stringify(fitted).length).toBeGreaterThan(20);
	});

	it('JSON is cut like a text', () => {
		const [{ data }] = recordsOf(fitForAgent([outcomeOf({ data: ['x'.repeat(50_000)] })], [], []));
		expect(data).toMatch(/^\["x+\n\n\[The page goes on\. .* characters of 50,004\.\]$/);
	});

	it('columns that have no room are counted, and what the row belongs to stays', () => {
		const [row, { note }] = recordsOf(fitForAgent([outcomeOf(WIDE_TABLE)], [], []));
		expect(row).toMatchObject({ url: 'https://site.example/', column0: 'a value' });
		const leftOut = Object.keys(WIDE_TABLE).length - Object.keys(row).length;
		expect(leftOut).toBeGreaterThan(50);
		expect(note).toBe(`${leftOut} fields left out, because there is no room for them.`);
	});

	it.each<[string, readonly IDataObject[]]>([
		['1 more row', [{ data: 'x'.repeat(25_000) }, { data: 'y' }]],
		['1 field', [{ ['a'.repeat(9000)]: 1, ['b'.repeat(12_000)]: 1 }]],
	])('%s without room is told behind the last item', (what, records) => {
		const [, outcome] = outcomeOf(...records);
		const note = `${what} left out, because there is no room for them.`;
		const fitted = [...fitForAgent([[3, outcome]], [], [])];
		expect(fitted).toHaveLength(2);
		expect(fitted[1]).toEqual([3, outcomeOf({ note })[1]]);
	});
});
