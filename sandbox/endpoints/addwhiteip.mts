import { success } from '../answers/answer.mts';
import { addressesToAllow, replaceWhitelist, whitelistEndpoint } from './whitelist.mts';

export const addWhiteIp = whitelistEndpoint({
	path: '/api/addwhiteip',
	callsPerSecond: 1,
	answer: ({ call, order, service }) => {
		// What an empty list adds is not documented. Here it is a malformed address.
		const added = addressesToAllow(call);
		const all = new Set([...service.whitelists.of(order), ...added]);
		replaceWhitelist(order, [...all], service);
		return success('', `${added.join(',')} add to ip whitelist`);
	},
});
