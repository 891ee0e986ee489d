import type { FlatParameters, RunQuery } from '../../../shared/service/query';
import { DescribedError } from '../../../shared/errors/callErrors';
import { mayBeCarriedOut } from '../../../shared/transport/retryPolicy';
import { durationInWords, explainUndocumented } from '../../../shared/transport/describeFailure';
import type { Waiter } from '../../../shared/concurrency/wait';
import { serviceField } from '../../../shared/fields/field';
import { ipv4Addresses } from '../../../shared/fields/valueKinds';
import { ownValue, type UnknownRecord } from '../../../shared/guards';
import { orderInfo } from '../../../shared/queries/orderInfo';
import { newIp } from '../../../shared/queries/tunnel';
import { isCode } from '../../../shared/response/parseRecords';
import { CHANGE_TPS_IP } from '../../../shared/service/endpoints/tunnel';
import { PRODUCT_NAMES } from '../../../shared/service/products';
import { toRecord } from '../../../shared/toRecord';
import { sharedCallOperation } from '../callOperation';
import { ChangeLimit, TooManyChangesError } from './changeLimit';

/** What is known about the order of a tunnel. */
interface TunnelOrder {
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
async function fetchTunnelOrder(run: RunQuery): Promise<TunnelOrder> {
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
function refuseUnchangeable({ product, periodMs }: TunnelOrder): void {
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

/** Users don't expect a node to wait any longer. */
const LONGEST_WAIT_MS = 90_000;

const changeLimit = new ChangeLimit(LONGEST_WAIT_MS);

const LIMITS =
	'Kuaidaili allows two changes within the time that the tunnel keeps an IP, and only if that is at least 60 seconds.';

const MAY_BE_CHANGED =
	"The IP may have been changed anyway. Check it with 'Tunnel: Get Current IP' before you change it again.";

function limitReached({ waitMs }: TooManyChangesError, periodMs: number): DescribedError {
	return new DescribedError({
		message: `The IP of this tunnel was already changed twice within ${durationInWords(periodMs)}`,
		description: `Kuaidaili allows two changes within this time. The next one is possible in ${durationInWords(waitMs)}. Nothing was changed.`,
	});
}

/**
 * Changes the IP, once and never again after an unclear answer. Where the order's period is known, it first
 * waits until another change is allowed, if that is soon.
 *
 * @throws DescribedError when it is not soon, and what `callService` throws
 */
async function changeIp(
	run: RunQuery,
	parameters: FlatParameters,
	{ orderid, periodMs }: TunnelOrder,
	waiter: Waiter,
): Promise<UnknownRecord> {
	const change = async () => await explainUndocumented(run(newIp, parameters), LIMITS);
	const isLimited = orderid !== undefined && periodMs !== undefined;
	const changed = isLimited
		? changeLimit.run({ orderid, periodMs }, change, mayBeCarriedOut, waiter)
		: change();
	return await changed.catch((error: unknown): never => {
		if (error instanceof TooManyChangesError) throw limitReached(error, periodMs ?? 0);
		if (mayBeCarriedOut(error)) error.note = MAY_BE_CHANGED;
		throw error;
	});
}

const changeipField = serviceField({
	serviceName: 'changeip',
	displayName: 'IPs to Change',
	description:
		'For tunnels with several channels: the current IPs to change, separated by commas. Leave empty for all channels.',
	placeholder: 'e.g. 123.35.67.46',
	kind: ipv4Addresses,
});

export const tunnelChangeIp = sharedCallOperation({
	option: {
		name: 'Change IP',
		value: 'changeIp',
		action: 'Change tunnel IP',
		description:
			'Switch a tunnel (TPS) to another IP right away, twice per interval at most. Only for orders that keep an IP for at least 60 seconds.',
	},
	orders: { products: ['TPS'] },
	endpoint: CHANGE_TPS_IP,
	fields: [changeipField],
	sharedBy: 'orderAndFields',
	hintWhenShared:
		'The IP was changed once for these items: each further change would have discarded the IP of the one before.',
	async fetch(run, parameters, item) {
		const order = await fetchTunnelOrder(run);
		if (item.check) refuseUnchangeable(order);
		return { changed: await changeIp(run, parameters, order, item), order };
	},
	toResult: ({ changed, order: { periodMs } }, { order }) => ({
		records: [{ ...order, ...toRecord(changed) }],
		hint:
			periodMs === undefined
				? 'Kuaidaili does not say how long this tunnel keeps an IP. It allows two changes within that time.'
				: undefined,
	}),
});
