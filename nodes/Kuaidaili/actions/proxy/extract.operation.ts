import type { ItemOperation } from '../operation';
import { extractProxies } from './extract/extractProxies';
import { extractProperties, readExtractRequest } from './extract/fields';
import { toResult } from './extract/output';

export const extractOperation: ItemOperation = {
	option: {
		name: 'Extract',
		value: 'extract',
		action: 'Extract proxies',
		description: 'Get open proxies from an order, one per item or all in one item',
	},
	properties: extractProperties,
	async execute(item) {
		const valueOf = (name: string): unknown => item.parameter(name);
		const { extraction, settings, output } = readExtractRequest(valueOf, item.callOptions());
		const extracted = await extractProxies(item.extract, extraction, settings);
		return toResult(extracted, extraction, output);
	},
};
