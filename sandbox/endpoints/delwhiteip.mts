import { success } from '../answers/answer.mts';
import { replaceWhitelist, WHITELIST_CODES, whitelistEndpoint } from './whitelist.mts';

export const delWhiteIp = whitelistEndpoint({
	path: '/api/delwhiteip',
	callsPerSecond: 1,
	answer: ({ call, order, service }) => {
		// Of the two codes for a list that is not there, -7 is taken for the one that is empty.
		const text = call.parameters.get('iplist');
		if (text === undefined) throw WHITELIST_CODES.refusal(-1);
		if (text === '') throw WHITELIST_CODES.refusal(-7);
		// There is no code for an address that is malformed or not in the list: it changes nothing.
		const deleted = text.split(',');
		const left = service.whitelists.of(order).filter((address) => !deleted.includes(address));
		replaceWhitelist(order, left, service);
		return success('', `${text} deleted from ip whitelist`);
	},
});
