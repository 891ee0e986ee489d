import { ownValue } from '../../../shared/guards';
import { orderInfo } from '../../../shared/orders/orderInfo';
import { PRODUCT_NAMES } from '../../../shared/service/products';
import type { RunQuery } from '../../../shared/service/query';
import { DescribedError } from '../../../shared/errors/callErrors';
import { durationInWords } from '../../../shared/transport/describeFailure';
import { isCode } from '../../../shared/response/parseRecords';

/** What is known about the order of a tunnel. */
export interface TunnelOrder {
	readonly orderid?: string;
	readonly product?: string;
	/** How long it keeps an IP; 0 for a new one with each request. */
	readonly periodMs?: number;
}

const SHORTEST_PERIOD_MS = 60_000;

/** Numbers of orders may come as texts or as numbers. */
function codeOf(value: unknown): string | undefined {
	return isCode(value) ? String(value) : undefined;
}

/** A number, or a text of digits as other fields of the answer have it. */
function secondsOf(value: unknown): number | undefined {
	const seconds = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
	return typeof seconds === 'number' && seconds >= 0 ? seconds : undefined;
}

/** Asks for what decides whether and how often the IP can be changed. Throws what `callService` throws. */
export async function fetchTunnelOrder(run: RunQuery): Promise<TunnelOrder> {
	const { info } = await run(orderInfo, { field_list: 'orderid,product,tunnel_period' });
	const seconds = secondsOf(ownValue(info, 'tunnel_period'));
	return {
		orderid: codeOf(ownValue(info, 'orderid')),
		product: codeOf(ownValue(info, 'product')),
		periodMs: seconds === undefined ? undefined : seconds * 1000,
	};
}

/**
 * Refuses what the service would refuse with a code that it does not document.
 *
 * @throws DescribedError
 */
export function refuseUnchangeable({ product, periodMs }: TunnelOrder): void {
	if (product !== undefined && product !== 'TPS') {
		// Only a name of our own: the service's text is untrusted
		const name = Object.hasOwn(PRODUCT_NAMES, product) ? ` (${PRODUCT_NAMES[product]})` : '';
		throw new DescribedError({
			message: `The IP of this order${name} can't be changed`,
			description:
				"Only tunnel proxies (TPS) can change their IP on request. Choose such an order in 'Order'. Nothing was changed.",
		});
	}
	if (periodMs !== undefined && periodMs < SHORTEST_PERIOD_MS) {
		const interval = periodMs === 0 ? 'with every request' : `every ${durationInWords(periodMs)}`;
		throw new DescribedError({
			message: `This tunnel changes its IP ${interval}, so it can't be changed on request`,
			description:
				'This works only for tunnels that keep an IP for at least 60 seconds. Nothing was changed.',
		});
	}
}
