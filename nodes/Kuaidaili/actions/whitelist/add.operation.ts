import { ADD_WHITE_IP } from '../../../shared/service/endpoints/whitelist';
import { changeOperation } from './changeOperation';

export const addOperation = changeOperation({
	option: {
		name: 'Add',
		value: 'add',
		action: 'Add IPs to whitelist',
		description: 'Let more client addresses use the proxies of an order without login',
	},
	endpoint: ADD_WHITE_IP,
	whichAddresses: 'Which addresses to add; those on the list already stay',
	isDone: (current, addresses) => addresses.every((address) => current.has(address)),
});
