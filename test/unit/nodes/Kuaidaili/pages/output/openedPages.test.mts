import type { IExecuteFunctions } from 'n8n-workflow';

import { OpenedPages } from '../../../../../../nodes/Kuaidaili/pages/output/openedPages.ts';

/** n8n's records of a node, which fail as often as they are to, and what was asked of them. */
function records({ failures = 0, workflow = '1' } = {}) {
	const texts = new Set<string>();
	const asked: string[] = [];
	let left = failures;
	const helpers = {
		async checkProcessedAndRecord(items: string[]) {
			asked.push(...items);
			left -= 1;
			if (left >= 0) throw new Error('The database does not answer');
			const fresh = items.filter((item) => !texts.has(item));
			for (const item of fresh) texts.add(item);
			return await Promise.resolve({
				...{ new: fresh, processed: items.filter((item) => !fresh.includes(item)) },
			});
		},
		async removeProcessed(items: string[]) {
			for (const item of items) texts.delete(item);
			await Promise.resolve();
		},
	};
	const context = {
		helpers,
		getNode: () => ({ id: 'node', name: 'Kuaidaili' }),
		getWorkflow: () => ({ id: workflow }),
	} as unknown as IExecuteFunctions;
	return { texts, asked, execution: () => new OpenedPages(context) };
}

it('what leads to pages that are still to be opened is told apart from what does not, until it does not', async () => {
	const { texts, execution } = records();
	const first = execution();
	expect(await first.openedBefore(['a', 'b', 'c'])).toEqual(new Map());
	first.note('a', true);
	first.note('b');
	await first.record();
	const second = execution();
	expect(await second.openedBefore(['a', 'b', 'c'])).toEqual(
		new Map([
			['a', true],
			['b', false],
		]),
	);
	second.note('a');
	await second.record();
	expect([...texts].sort()).toEqual(['page:a', 'page:b']);
	expect(await execution().openedBefore(['a'])).toEqual(new Map([['a', false]]));
});

it('nothing is asked for no page, nor recorded again', async () => {
	const { asked, execution } = records();
	const [first, second] = [execution(), execution()];
	first.note('a');
	await first.record();
	expect(asked).toEqual(['page:a']);
	await second.openedBefore(['a']);
	second.note('a');
	asked.length = 0;
	await second.record();
	await second.openedBefore([]);
	expect(asked).toEqual([]);
	expect(second.hints).toEqual([]);
});

it('links that were left out are counted', () => {
	const pages = records().execution();
	pages.skipped = 1200;
	expect(pages.hints).toEqual(['Left out, because earlier executions opened them: 1,200.']);
});

it.each([
	[
		'that cannot be read',
		'1',
		/^'Skip Opened Pages' did nothing, because n8n's records of this node/,
	],
	['of a workflow that is not saved', '', /because n8n keeps no records of a workflow that/],
])(
	'records %s are not asked for a second time, which a hint says',
	async (_what, workflow, hint) => {
		// The question and its repetition
		const { asked, execution } = records({ failures: 2, workflow });
		const pages = execution();
		await pages.openedBefore(['a']);
		const { length } = asked;
		expect(await pages.openedBefore(['b'])).toEqual(new Map());
		expect(asked).toHaveLength(length);
		expect(pages.hints).toEqual([expect.stringMatching(hint)]);
	},
);

it('records that cannot be written are told of', async () => {
	const pages = records({ failures: 2 }).execution();
	pages.note('a');
	await pages.record();
	expect(pages.hints).toHaveLength(1);
});
