import {
	CallError,
	CancelledError,
	DescribedError,
	InvalidResponseError,
} from '../../../shared/errors/callErrors';
import { excerptOfData } from '../../../shared/errors/cleanText';
import { isList, isRecord } from '../../../shared/guards';
import { fetchOrderFacts, otherProduct, type OrderFacts } from '../../../shared/queries/orderFacts';
import type { Endpoint } from '../../../shared/service/endpoint';
import {
	CHECK_DPS_VALID,
	CHECK_OPS_VALID,
	GET_DPS_VALID_TIME,
} from '../../../shared/service/endpoints/extraction';
import { productName } from '../../../shared/service/products';
import type { Query, RunQuery } from '../../../shared/service/query';
import { explainUndocumented } from '../../../shared/transport/describeFailure';

/** By `host:port`, as it was sent. A proxy that the service said nothing about is not there. */
type States<T> = ReadonlyMap<string, T>;

/** Takes `proxy`, addresses with commas between them, and says something of each. */
function statesQuery<T>(
	endpoint: Endpoint,
	isState: (value: unknown) => value is T,
	problem: string,
): Query<States<T>> {
	return {
		endpoint,
		parse({ data }, secrets) {
			// An empty map may be written as an empty list
			if (isList(data) && data.length === 0) return new Map();
			const states = new Map<string, T>();
			const entries = Object.entries(isRecord(data) ? data : {});
			for (const [address, state] of entries) {
				if (isState(state)) states.set(address, state);
			}
			// What it is null for stays unknown; with anything else, it is the answer to another question
			const isAnswer = entries.every(([, state]) => state === null || isState(state));
			if (isRecord(data) && isAnswer) return states;
			throw new InvalidResponseError(problem, excerptOfData(data, secrets));
		},
	};
}

function isBoolean(value: unknown): value is boolean {
	return typeof value === 'boolean';
}

function isDuration(value: unknown): value is number {
	return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

const NO_STATES = 'does not say which proxies work';

const privateProxyStates = statesQuery(CHECK_DPS_VALID, isBoolean, NO_STATES);
const openProxyStates = statesQuery(CHECK_OPS_VALID, isBoolean, NO_STATES);

const privateProxyLifetimes = statesQuery(
	GET_DPS_VALID_TIME,
	isDuration,
	'does not say how long the proxies live on',
);

/** What the service said about the proxies of one call. */
export interface Checked {
	readonly valid: States<boolean>;
	readonly secondsLeft: States<number>;
	/** Why the remaining lifetimes are unknown, although this order has them. */
	readonly failure?: CallError;
}

/** Checks proxies of one order, as many as one call takes. */
export type CheckAddresses = (addresses: readonly string[]) => Promise<Checked>;

function parametersFor(addresses: readonly string[]) {
	return { proxy: addresses.join(',') };
}

/** How open proxies are checked. Their remaining lifetime is unknown. */
export function openProxyCheck(run: RunQuery): CheckAddresses {
	return async (addresses) => {
		const valid = await explainUndocumented(
			run(openProxyStates, parametersFor(addresses)),
			"Check that 'Order' is an open proxy order.",
		);
		return { valid, secondsLeft: new Map() };
	};
}

/** @throws DescribedError */
function refuseOtherProduct(order: OrderFacts): void {
	const other = otherProduct(order, 'DPS');
	if (other === undefined) return;
	throw new DescribedError({
		message: `The proxies of this order (${productName(other)}) can't be checked as private proxies`,
		description:
			"Choose a private proxy order in 'Order'. For an open proxy order, change 'Product'. Kuaidaili checks no other proxies.",
	});
}

const PER_IP_NOTE =
	"Kuaidaili can't check the proxies of professional pay-per-IP orders (one lifetime in minutes, such as 7 minutes), and this is a pay-per-IP order. Use 'secondsLeft' from 'Proxy: Extract' instead.";

/**
 * How private proxies are checked, which depends on how the order is paid.
 *
 * @throws DescribedError for an order of another product, and what `callService` throws
 */
export async function privateProxyCheck(run: RunQuery): Promise<CheckAddresses> {
	const order = await fetchOrderFacts(run);
	refuseOtherProduct(order);
	const { payType } = order;
	const note =
		payType === 'PRE_PAY_IP' ? PER_IP_NOTE : "Check that 'Order' is a private proxy order.";
	return async (addresses) => {
		const parameters = parametersFor(addresses);
		const valid = await explainUndocumented(run(privateProxyStates, parameters), note);
		// For pay-per-IP orders, only the extraction says it
		if (payType !== 'PRE_PAY') return { valid, secondsLeft: new Map() };
		return await run(privateProxyLifetimes, parameters).then(
			(secondsLeft): Checked => ({ valid, secondsLeft }),
			(error: unknown): Checked => {
				if (error instanceof CancelledError || !(error instanceof CallError)) throw error;
				return { valid, secondsLeft: new Map(), failure: error };
			},
		);
	};
}
