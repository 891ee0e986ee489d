import { success } from '../answers/answer.mts';
import {
	addressesToAllow,
	replaceWhitelist,
	WHITELIST_CODES,
	whitelistEndpoint,
} from './whitelist.mts';

export const setIpWhitelist = whitelistEndpoint({
	path: '/api/setipwhitelist',
	callsPerSecond: 1,
	answer: ({ call, order, service }) => {
		const { settings, whitelists } = service;
		if (settings.whitelistWhileChanging === 'refuse' && whitelists.isChanging(order)) {
			throw WHITELIST_CODES.refusal(-1);
		}
		// Empty is not left out: it clears the list.
		const addresses = call.parameters.get('iplist') === '' ? [] : addressesToAllow(call);
		replaceWhitelist(order, addresses, service);
		return success('', `ip whitelist updated to ${addresses.join(',')}`);
	},
});
