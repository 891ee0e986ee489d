import { isIPv4 } from 'node:net';
import type { Order } from '../accounts/order.mts';
import { whitelistLimit } from '../accounts/whitelists.mts';
import type { Call } from '../http/call.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { OwnCodes } from '../answers/answer.mts';
import { orderEndpoint, type Service } from './endpoint.mts';

// -1 and -7 are both documented for a list that is not there, -5 of addwhiteip and what setipwhitelist
// says beyond -3 are not explained. Here -5 is a list that gets too long, and -4 a malformed address in
// either of them.
export const WHITELIST_CODES = new OwnCodes({
	[-1]: '缺少参数',
	[-3]: '订单类型错误',
	[-4]: 'IP格式错误',
	[-5]: 'IP白名单数量超过限制',
	[-7]: 'iplist不能为空',
});

interface WhitelistEndpointSettings {
	path: string;
	callsPerSecond: number;
	answer: Parameters<typeof orderEndpoint>[0]['answer'];
}

/** An endpoint about the client addresses of an order; open proxies and top-ups have no such list. */
export function whitelistEndpoint({ path, callsPerSecond, answer }: WhitelistEndpointSettings) {
	return orderEndpoint({
		path,
		hosts: ['base'],
		rules: () => [perSecond(callsPerSecond)],
		message: (code) => WHITELIST_CODES.message(code),
		answer: (use) => {
			if (!('login' in use.order)) throw WHITELIST_CODES.refusal(-3);
			return answer(use);
		},
	});
}

/** Left out, a list is the caller's address. An address that comes twice is there once. */
export function addressesToAllow({ parameters, clientAddress }: Call): string[] {
	const text = parameters.get('iplist');
	const addresses = text === undefined ? [clientAddress] : text.split(',');
	// The documentation writes of IPs and shows no IPv6. Blanks are not mentioned.
	const malformed = addresses.find((address) => !isIPv4(address));
	if (malformed !== undefined) throw WHITELIST_CODES.refusal(-4, malformed);
	return [...new Set(addresses)];
}

/** Puts a list in place of the old one unless it is too long. */
export function replaceWhitelist(
	order: Order,
	addresses: readonly string[],
	{ whitelists }: Service,
): void {
	if (addresses.length > whitelistLimit(order)) throw WHITELIST_CODES.refusal(-5);
	whitelists.replace(order, addresses);
}
