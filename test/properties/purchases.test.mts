import fc from 'fast-check';

import { n8nLogger } from '../engine/support/n8nLogger.mts';
import { useWorkbench } from '../engine/support/workbench.mts';
import { LONGEST_PROPERTY_MS, named, tryOut } from './cases.mts';
import { play, stories, storyInWords } from './purchaseStories.mts';

const { bed } = useWorkbench({ rateLimits: false, withRecords: true });

it(
	'Whatever happens to purchases, none is paid twice, none is left out that could be made, and none is claimed that was not',
	async () => {
		for (const level of ['info', 'warn'] as const) jest.spyOn(n8nLogger, level).mockReturnValue();
		const { engine } = bed();
		const workers = [engine.anotherProcess(), engine.anotherProcess()] as const;
		const property = fc.asyncProperty(named(stories, storyInWords), async (story) => {
			expect(await play(bed(), workers, story)).toEqual([]);
		});
		await tryOut('purchaseStories', property);
	},
	LONGEST_PROPERTY_MS,
);
