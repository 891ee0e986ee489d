import { optionsCollection } from '../../parameters/callOptions';
import { orderProperty } from '../../parameters/orderAccess';
import type { Operation } from '../operation';
import { setAutoRenew } from './setAutoRenew';

export const disableOperation: Operation = {
	option: {
		name: 'Disable',
		value: 'disable',
		action: 'Disable auto-renewal of an order',
		description: 'Let the order end at its expiry',
	},
	properties: [orderProperty, optionsCollection([])],
	async execute(context, itemIndex) {
		return { records: [await setAutoRenew(context, itemIndex, () => undefined)] };
	},
};
