import { SET_IP_WHITELIST } from '../../../shared/service/endpoints/order';
import { changeOperation } from './changeOperation';

export const whitelistReplace = changeOperation({
	option: {
		name: 'Replace',
		value: 'replace',
		action: 'Replace whitelist',
		description: "Replace an order's whitelist with these IP addresses",
	},
	endpoint: SET_IP_WHITELIST,
	whichAddresses: 'Which addresses the list will contain. All others are removed.',
	replaces: true,
	isDone: (current, addresses) =>
		current.size === addresses.length && addresses.every((address) => current.has(address)),
});
