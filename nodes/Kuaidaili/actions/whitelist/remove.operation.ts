import { DEL_WHITE_IP } from '../../../shared/service/endpoints/whitelist';
import { changeOperation } from './changeOperation';

export const removeOperation = changeOperation({
	option: {
		name: 'Remove',
		value: 'remove',
		action: 'Remove IPs from whitelist',
		description: 'Take client addresses off the whitelist of an order; the others stay',
	},
	endpoint: DEL_WHITE_IP,
	whichAddresses: 'Which addresses to remove; the others stay',
	isDone: (current, addresses) => !addresses.some((address) => current.has(address)),
});
