import { ADD_WHITE_IP } from '../../../shared/service/endpoints/order';
import { changeOperation } from './changeOperation';

export const whitelistAdd = changeOperation({
	option: {
		name: 'Add',
		value: 'add',
		action: 'Add to whitelist',
		description: "Allow more IP addresses to use an order's proxies without a login",
	},
	endpoint: ADD_WHITE_IP,
	whichAddresses: 'Which addresses to add. Addresses already on the list stay.',
	isDone: (current, addresses) => addresses.every((address) => current.has(address)),
});
