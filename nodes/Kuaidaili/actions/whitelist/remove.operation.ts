import { DEL_WHITE_IP } from '../../../shared/service/endpoints/order';
import { changeOperation } from './changeOperation';

export const whitelistRemove = changeOperation({
	option: {
		name: 'Remove',
		value: 'remove',
		action: 'Remove from whitelist',
		description: "Remove IP addresses from an order's whitelist",
	},
	endpoint: DEL_WHITE_IP,
	whichAddresses: 'Which addresses to remove. All others stay.',
	isDone: (current, addresses) => !addresses.some((address) => current.has(address)),
});
