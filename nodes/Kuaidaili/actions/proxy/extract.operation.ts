import type { RunOperation } from '../operation';
import { runItems } from '../runItems';
import { extractProperties } from './extract/fields';
import { ExtractRun } from './extract/extractRun';

export const extractOperation: RunOperation = {
	option: {
		name: 'Extract',
		value: 'extract',
		action: 'Extract proxies',
		description:
			'Get proxies from an order of any product: one per item, all in one item, or one for each input item',
	},
	properties: extractProperties,
	async executeAll(context) {
		const run = new ExtractRun(context);
		return await runItems(context, async (itemIndex) => await run.execute(itemIndex));
	},
};
