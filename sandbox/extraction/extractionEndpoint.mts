import type { ProxyOrder } from '../accounts/order.mts';
import { extracted, extractionLayout } from '../answers/answer.mts';
import type { HostName } from '../http/call.mts';
import { orderEndpoint, type Endpoint, type Use } from '../endpoints/endpoint.mts';
import { perSecond, type RateRule } from '../limits/rateLimits.mts';
import { OwnParameters } from '../orders/ownParameters.mts';
import { ACCOUNT_KEY, checkedOrder, type OrderOf, EXTRACTION_CODES } from './checkOrder.mts';

type ProductCode = ProxyOrder['product'];

/** The entries of an answer, and what else its JSON form has. */
export interface Extracted {
	entries: readonly string[];
	further?: Readonly<Record<string, number>>;
	/** How many were taken from what the order has left; none by default. */
	usedUp?: number;
}

interface ExtractionSettings<P extends ProductCode, R> {
	path: string;
	host: HostName;
	product: P;
	/** Beside ten calls a second. */
	further?: (use: Use) => readonly RateRule[];
	/** Refuses what is wrong about the order or the caller and has nothing to do with the parameters. */
	check?: (use: Use & { order: OrderOf<P> }) => void;
	/** Everything but `format` and `sep`. */
	read: (own: OwnParameters, use: Use & { order: OrderOf<P> }) => R;
	extract: (use: Use & { order: OrderOf<P>; request: R }) => Extracted | Promise<Extracted>;
}

/** An endpoint that hands out the proxies of one product, in text, JSON or XML. */
export function extractionEndpoint<P extends ProductCode, R>(
	settings: ExtractionSettings<P, R>,
): Endpoint {
	return orderEndpoint({
		path: settings.path,
		hosts: [settings.host],
		rules: (use) => [perSecond(10), ...(settings.further?.(use) ?? [])],
		layout: extractionLayout,
		message: (code) => EXTRACTION_CODES.message(code),
		wrongKey: ACCOUNT_KEY,
		servesUnusableOrders: true,
		answer: async ({ call, order, service }) => {
			const checked = checkedOrder(order, settings.product, call, service);
			const use = { call, order: checked, service };
			settings.check?.(use);
			const request = readRequest(use, settings);

			const { entries, further, usedUp } = await settings.extract({ ...use, request });
			service.extractions.record(order, { count: entries.length, usedUp }, call);
			return extracted(entries, further);
		},
	});
}

function readRequest<P extends ProductCode, R>(
	use: Use & { order: OrderOf<P> },
	settings: ExtractionSettings<P, R>,
): R {
	const { call, service } = use;
	// As with open proxies: what is missing is an invalid request, so that it can be told from a wrong value.
	const own = new OwnParameters(call.parameters, {
		missing: (name) => EXTRACTION_CODES.refusal(-1, name),
		wrong: (name) => EXTRACTION_CODES.refusal(-3, name),
	});
	own.choice('format', ['text', 'json', 'xml'], 'text');
	own.choice('sep', [1, 2, 3, 4], 1);
	const request = settings.read(own, use);
	if (service.settings.inapplicableParameters === 'refuse') own.nothingElse();
	return request;
}

// No maximum is documented. More than this would only show how much one machine can listen to.
const MOST_PER_CALL = 10_000;

/** How many proxies are wanted. */
export function readCount(own: OwnParameters): number {
	return own.number('num', { least: 1, most: MOST_PER_CALL, step: 1 });
}

/** Whether HTTP or SOCKS is wanted: addresses of most products serve both. */
export function readProtocol(own: OwnParameters): 'http' | 'socks' {
	return own.choice('pt', [1, 2], 1) === 1 ? 'http' : 'socks';
}
