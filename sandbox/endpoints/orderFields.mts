import { statusOf, type Order } from '../accounts/order.mts';
import type { Service } from './endpoint.mts';
import { writtenOrderNumber } from './orderNumber.mts';

/** The states that are documented for the answers about orders. */
export const WRITTEN_STATES = [
	'VALID',
	'WAIT_PAY',
	'OPENING',
	'EXPIRED',
	'OWING',
	'CLOSED',
	'FORBIDDEN',
] as const;

/** As two parts of the documentation write one product. */
type OverseasStaticCode = 'SFPS' | 'FPS_STATIC';

/** What every answer about an order says of it. The code of overseas static ones differs by endpoint. */
export function orderFields(
	order: Order,
	{ clock, settings }: Service,
	overseasStatic: OverseasStaticCode,
) {
	const status = statusOf(order, clock.now());
	return {
		orderid: writtenOrderNumber(order, settings),
		pay_type: order.payType,
		product:
			order.product === 'SFPS' ? (settings.overseasStaticCode ?? overseasStatic) : order.product,
		// Only getproxy has a word for a refunded order.
		status: status === 'REFUNDED' ? ('CLOSED' as const) : status,
		...order.written,
	};
}
