import { isExpired, type Order, type ProxyOrder } from '../accounts/order.mts';
import { commonMessage, commonRefusal } from '../answers/commonCodes.mts';
import type { Call } from '../calls/call.mts';
import type { Service, WrongKey } from '../endpoints/endpoint.mts';
import { EXTRACTION_CODES } from './codes.mts';

/** Both codes were seen for the key of an account: one with a signature, the common one with a token. */
export const ACCOUNT_KEY: WrongKey = {
	code: -102,
	msg: commonMessage(-102) ?? '',
	byDefault: ({ parameters }) => parameters.get('sign_type') === 'hmacsha1',
};

export type OrderOf<P extends ProxyOrder['product']> = Extract<ProxyOrder, { product: P }>;

function isOf<P extends ProxyOrder['product']>(order: Order, product: P): order is OrderOf<P> {
	return order.product === product;
}

/**
 * The order, if it is one of this product and may hand out proxies to this caller. The sequence of the
 * checks is not documented.
 */
export function checkedOrder<P extends ProxyOrder['product']>(
	order: Order,
	product: P,
	call: Call,
	service: Service,
): OrderOf<P> {
	if (!isOf(order, product)) throw EXTRACTION_CODES.refusal(-5);
	const { clock, callers, settings } = service;
	const now = clock.now();
	checkState(order, now, settings.expiredOrderCode);
	if (!order.account.realNameVerified) throw EXTRACTION_CODES.refusal(4);
	const ageInSeconds = (now.getTime() - order.createdAt.getTime()) / 1000;
	// Switched off, the clock may go back behind the beginning of an order.
	const { newOrdersWaitSeconds } = settings;
	if (newOrdersWaitSeconds > 0 && ageInSeconds < newOrdersWaitSeconds) {
		throw EXTRACTION_CODES.refusal(-2);
	}
	const cap = order.callersPerMinute;
	if (cap !== undefined && !callers.admits(order, call.clientAddress, cap)) {
		throw EXTRACTION_CODES.refusal(-51);
	}
	return order;
}

function checkState(order: Order, now: Date, expiredCode: 2 | -13 | -15 | -102): void {
	switch (order.status) {
		case 'WAIT_PAY':
			throw EXTRACTION_CODES.refusal(-11);
		case 'FORBIDDEN':
			throw EXTRACTION_CODES.refusal(-14);
		case 'REFUNDED':
			throw EXTRACTION_CODES.refusal(-16);
		case 'OPENING':
		case 'OWING':
		case 'CLOSED':
			throw EXTRACTION_CODES.refusal(-12);
		case 'VALID':
		case 'EXPIRED':
			if (!isExpired(order, now)) return;
			if (expiredCode === -102) throw commonRefusal(-102);
			throw EXTRACTION_CODES.refusal(expiredCode);
	}
}

/** The calling address is on the order's whitelist, or nobody has set one. Only getdps looks. */
export function checkWhitelist(order: ProxyOrder, call: Call, service: Service): void {
	if (!service.settings.onlyWhitelistedCallers) return;
	const listed = service.whitelists.of(order);
	if (listed.length > 0 && !listed.includes(call.clientAddress)) {
		throw EXTRACTION_CODES.refusal(-6);
	}
}
