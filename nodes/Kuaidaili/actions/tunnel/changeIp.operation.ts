import type { FlatParameters, RunQuery } from '../../../shared/service/query';
import { DescribedError } from '../../../shared/errors/callErrors';
import { mayBeCarriedOut } from '../../../shared/transport/retryPolicy';
import { durationInWords, explainUndocumented } from '../../../shared/transport/describeFailure';
import type { Waiter } from '../../../shared/concurrency/wait';
import { serviceField } from '../../../shared/fields/field';
import { ipv4Addresses } from '../../../shared/fields/valueKinds';
import { type UnknownRecord, toRecord } from '../../../shared/guards';
import { fetchOrderFacts, otherProduct, type OrderFacts } from '../../../shared/queries/orderFacts';
import { newIp } from '../../../shared/queries/order';
import { CHANGE_TPS_IP } from '../../../shared/service/endpoints/order';
import { productName } from '../../../shared/service/products';
import { sharedCallOperation } from '../callOperation';
import { ChangeLimit, TooManyChangesError } from './changeLimit';

const SHORTEST_PERIOD_MS = 60_000;

/** How long the tunnel keeps an IP; 0 for a new one with each request. */
function periodOf({ secondsPerIp }: OrderFacts): number | undefined {
	return secondsPerIp === undefined ? undefined : secondsPerIp * 1000;
}

/**
 * Refuses what the service would refuse with a code that it does not document.
 *
 * @throws DescribedError
 */
function refuseUnchangeable(order: OrderFacts): void {
	const periodMs = periodOf(order);
	const other = otherProduct(order, 'TPS');
	if (other !== undefined) {
		throw new DescribedError({
			message: `The IP of this order (${productName(other)}) can't be changed`,
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
	order: OrderFacts,
	waiter: Waiter,
): Promise<UnknownRecord> {
	const change = async () => await explainUndocumented(run(newIp, parameters), LIMITS);
	const { orderid } = order;
	const periodMs = periodOf(order);
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
		const order = await fetchOrderFacts(run);
		if (item.check) refuseUnchangeable(order);
		return { changed: await changeIp(run, parameters, order, item), order };
	},
	toResult: ({ changed, order: { secondsPerIp } }, { order }) => ({
		records: [{ ...order, ...toRecord(changed) }],
		hint:
			secondsPerIp === undefined
				? 'Kuaidaili does not say how long this tunnel keeps an IP. It allows two changes within that time.'
				: undefined,
	}),
});
