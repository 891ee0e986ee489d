import { whitelistLimit } from '../accounts/whitelists.mts';
import { success } from '../answers/answer.mts';
import { whitelistEndpoint } from './whitelist.mts';

export const getIpWhitelist = whitelistEndpoint({
	path: '/api/getipwhitelist',
	callsPerSecond: 10,
	answer: ({ order, service }) => {
		// The order is not promised: a list was seen to come back in the reverse one.
		const ipwhitelist = service.whitelists.of(order).toReversed();
		return success({ count: ipwhitelist.length, ipwhitelist, limit: whitelistLimit(order) });
	},
});
