import { SET_IP_WHITELIST } from '../../../shared/service/endpoints/whitelist';
import { changeOperation } from './changeOperation';

export const replaceOperation = changeOperation({
	option: {
		name: 'Replace',
		value: 'replace',
		action: 'Replace whitelist',
		description: 'Set the whitelist of an order to these client addresses and no others',
	},
	endpoint: SET_IP_WHITELIST,
	whichAddresses: 'Which addresses are on the list afterwards; all others are removed',
	mayClear: true,
	isDone: (current, addresses) =>
		current.size === addresses.length && addresses.every((address) => current.has(address)),
});
