import { BlockList, isIPv4 } from 'node:net';
import type { Order, ProxyLogin } from '../accounts/order.mts';
import { whitelistLimit } from '../accounts/whitelists.mts';
import { OwnCodes, success } from '../answers/answer.mts';
import type { Call } from '../http/call.mts';
import { orderEndpoint, type Service, requested } from './endpoint.mts';

// -1 and -7 are both documented for a list that is not there. What addwhiteip means by -5 and -6 is taken
// from setipwhitelist.
const WHITELIST_CODES = new OwnCodes({
	[-1]: '缺少参数',
	[-3]: '订单类型错误',
	[-4]: 'IP格式错误',
	[-5]: 'IP白名单数量超过限制',
	[-6]: 'IP白名单中包含内网IP',
	[-7]: 'iplist不能为空',
});

/** Addresses that no service on the internet can see: private, loopback, link-local, and shared ones. */
const NOT_PUBLIC = new BlockList();
NOT_PUBLIC.addSubnet('10.0.0.0', 8);
NOT_PUBLIC.addSubnet('172.16.0.0', 12);
NOT_PUBLIC.addSubnet('192.168.0.0', 16);
NOT_PUBLIC.addSubnet('127.0.0.0', 8);
NOT_PUBLIC.addSubnet('169.254.0.0', 16);
NOT_PUBLIC.addSubnet('100.64.0.0', 10);

interface WhitelistEndpointSettings {
	path: string;
	callsPerSecond: number;
	answer: Parameters<typeof orderEndpoint>[0]['answer'];
}

/** An endpoint about the client addresses of an order; open proxies and top-ups have no such list. */
function whitelistEndpoint({ path, callsPerSecond, answer }: WhitelistEndpointSettings) {
	return orderEndpoint({
		path,
		hosts: ['base'],
		callsPerSecond,
		codes: WHITELIST_CODES,
		answer: (use) => {
			if (!('login' in use.order)) throw WHITELIST_CODES.refusal(-3);
			return answer(use);
		},
	});
}

/** Left out, a list is the caller's address. An address that comes twice is there once. */
function addressesToAllow({ parameters, clientAddress }: Call): string[] {
	const text = parameters.get('iplist');
	const addresses = text === undefined ? [clientAddress] : text.split(',');
	// The documentation writes of IPs and shows no IPv6. Blanks are not mentioned.
	const malformed = addresses.find((address) => !isIPv4(address));
	if (malformed !== undefined) throw WHITELIST_CODES.refusal(-4, malformed);
	// Here the caller's own address is a loopback one, which stands for a public one
	const inside = addresses.find((each) => each !== clientAddress && NOT_PUBLIC.check(each));
	if (inside !== undefined) throw WHITELIST_CODES.refusal(-6, inside);
	return [...new Set(addresses)];
}

/** Puts a list in place of the old one unless it is too long. */
function replaceWhitelist(
	order: Order,
	addresses: readonly string[],
	{ whitelists }: Service,
): void {
	if (addresses.length > whitelistLimit(order)) throw WHITELIST_CODES.refusal(-5);
	whitelists.replace(order, addresses);
}

export const getIpWhitelist = whitelistEndpoint({
	path: '/api/getipwhitelist',
	callsPerSecond: 10,
	answer: ({ order, service }) => {
		// The order is not promised: a list was seen to come back in the reverse one.
		const ipwhitelist = service.whitelists.of(order).toReversed();
		return success({ count: ipwhitelist.length, ipwhitelist, limit: whitelistLimit(order) });
	},
});

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

// None is documented. -3 is what the other endpoints about clients of proxies say of open ones.
const LOGIN_CODES = new OwnCodes({
	[-1]: '参数错误',
	[-3]: '订单类型错误',
});

// Whether the service answers for a retail order is not documented: there is no pair for all its proxies.
function loginOf(order: Order): ProxyLogin {
	const isRetail = order.product === 'SFPS' && order.series === 'retail';
	if (!('login' in order) || isRetail) throw LOGIN_CODES.refusal(-3);
	return order.login;
}

export const getProxyAuthorization = orderEndpoint({
	path: '/api/getproxyauthorization',
	hosts: ['base'],
	callsPerSecond: 10,
	codes: LOGIN_CODES,
	answer: (use) => {
		const { username, password } = loginOf(use.order);
		const isPlain = requested(use, LOGIN_CODES, { missing: -1, wrong: -1 }, (own) =>
			own.flag('plaintext', false),
		);
		const credentials = Buffer.from(`${username}:${password}`).toString('base64');
		return success({ type: 'Basic', credentials, ...(isPlain ? { username, password } : {}) });
	},
});
