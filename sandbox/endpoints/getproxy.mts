import { isExpired, type OpenProxyOrder, type Order } from '../accounts/order.mts';
import { extracted, extractionLayout } from '../answers/answer.mts';
import type { Call, HostName } from '../http/call.mts';
import {
	entryOf,
	PLANS,
	OPEN_PROXY_CODES,
	readOpenProxyRequest,
} from '../extraction/openRequest.mts';
import type { RateRule } from '../limits/rateLimits.mts';
import { orderEndpoint } from './endpoint.mts';

const DEDUP_RULE: RateRule = { name: 'dedup', intervalMs: 5000, code: -21 };

// Where an SVIP order is asked for on the base host is not documented, and there is no code that
// forbids it. It is served there, with the limits of its plan but at the pace of a VIP order, which
// is the fastest that is documented for that host.
function planRule(order: OpenProxyOrder, host: HostName): RateRule {
	const plan = order.plan === 'SVIP' && host !== 'svip' ? 'VIP' : order.plan;
	return { intervalMs: PLANS[plan].intervalMs, code: -22 };
}

function rules({ call, order }: { call: Call; order: Order }): RateRule[] {
	// What is not an open-proxy order gets a code of its own, however often it asks.
	if (order.product !== 'OPS') return [];
	const plan = planRule(order, call.host);
	return call.parameters.get('dedup') === '1' ? [DEDUP_RULE, plan] : [plan];
}

function openProxyOrder(order: Order): OpenProxyOrder {
	switch (order.product) {
		case 'OPS':
			return order;
		case 'KPS':
			throw OPEN_PROXY_CODES.refusal(-5);
		case 'DPS':
			throw OPEN_PROXY_CODES.refusal(-6);
		case 'TPS':
		case 'TPS_PRO':
			throw OPEN_PROXY_CODES.refusal(-7);
		case 'FPS':
		case 'SFPS':
		case 'TOP_UP':
			// They have no code of their own.
			throw OPEN_PROXY_CODES.refusal(-2);
	}
}

// More codes are listed for orders out of use, without saying which applies when.
function checkState(order: OpenProxyOrder, now: Date): void {
	if (isExpired(order, now)) throw OPEN_PROXY_CODES.refusal(2);
	if (order.status !== 'VALID') throw OPEN_PROXY_CODES.refusal(-12);
}

export const getProxy = orderEndpoint({
	path: '/api/getproxy',
	hosts: ['base', 'svip'],
	rules,
	layout: extractionLayout,
	codes: OPEN_PROXY_CODES,
	servesUnusableOrders: true,
	answer: async ({ call, order, service }) => {
		const openProxy = openProxyOrder(order);
		if (call.host === 'svip' && openProxy.plan !== 'SVIP') throw OPEN_PROXY_CODES.refusal(-33);
		checkState(openProxy, service.clock.now());
		const request = readOpenProxyRequest(call.parameters, openProxy.plan);
		const proxies = await service.supply.take(openProxy, request);
		service.extractions.record(order, { count: proxies.length }, call);
		return extracted(proxies.map((proxy) => entryOf(proxy, request.fields)));
	},
});
