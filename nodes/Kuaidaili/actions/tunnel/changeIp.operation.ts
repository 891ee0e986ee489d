import { DescribedError } from '../../../shared/api/errors';
import { mayBeCarriedOut, dataQuery } from '../../../shared/api/call';
import { durationInWords } from '../../../shared/wording';
import { serviceField, type ValueKind } from '../../../shared/fields/field';
import { toRecord, type UnknownRecord, isRecord, ownValue } from '../../../shared/guards';
import { fetchOrderDetails, otherProduct, type OrderDetails } from '../../../shared/orders/queries';
import { CHANGE_TPS_IP } from '../../../shared/service/endpoints/order';
import { productName } from '../../../shared/service/products';
import { callOperation, fetching } from '../../run/operation';
import { oncePerOrder } from '../../run/oncePerOrder';
import { isIpv4, list } from '../../../shared/fields/kinds';

const SHORTEST_PERIOD_SECONDS = 60;

/** Throws DescribedError for what the service would refuse with a code that it does not document. */
function refuseUnchangeable(order: OrderDetails): void {
	const { secondsPerIp = Infinity } = order;
	const other = otherProduct(order, 'TPS');
	if (other !== undefined) {
		throw new DescribedError({
			message: `The IP of this order (${productName(other)}) can't be changed`,
			description:
				"Only tunnel proxies (TPS) can change their IP on request. Choose such an order in 'Order'. Nothing was changed.",
		});
	}
	if (secondsPerIp < SHORTEST_PERIOD_SECONDS) {
		const interval =
			secondsPerIp === 0 ? 'with every request' : `every ${changeInWords(secondsPerIp)}`;
		throw new DescribedError({
			message: `This tunnel changes its IP ${interval}, so it can't be changed on request`,
			description:
				'This works only for tunnels that keep an IP for at least 60 seconds. Nothing was changed.',
		});
	}
}

function changeInWords(seconds: number): string {
	return durationInWords(seconds * 1000);
}

const MAY_BE_CHANGED =
	"The IP may have been changed anyway. Check it with 'Tunnel: Get Current IP' before you change it again.";

const ipv4Addresses: ValueKind = list(
	'IPv4 addresses, separated by commas, such as 123.35.67.46',
	isIpv4,
);

const changeipField = serviceField({
	serviceName: 'changeip',
	displayName: 'IPs to Change',
	description:
		'For tunnels with several channels: the current IPs to change, separated by commas. Leave empty for all channels.',
	placeholder: 'e.g. 123.35.67.46',
	kind: ipv4Addresses,
});

/** The new address in `new_ip`; the rest is as the service sends it. */
const newIp = dataQuery(CHANGE_TPS_IP, 'new IP address', (data) =>
	isRecord(data) && typeof ownValue(data, 'new_ip') === 'string' ? data : undefined,
);

const changeOnce = oncePerOrder<UnknownRecord>(
	CHANGE_TPS_IP,
	"Each further change would discard the IP of the one before. Turn on 'Execute Once' in the node's settings, or enter all 'IPs to Change' in one item.",
);

export const tunnelChangeIp = callOperation({
	option: {
		name: 'Change IP',
		value: 'changeIp',
		action: 'Change tunnel IP',
		description:
			'Switch a tunnel (TPS) to another IP right away, twice per interval at most. Only for orders that keep an IP for at least 60 seconds.',
	},
	orders: { products: ['TPS'] },
	fields: [changeipField],
	work: fetching(CHANGE_TPS_IP, async (ask, parameters, { item }) => {
		const order = await fetchOrderDetails(ask);
		refuseUnchangeable(order);
		const send = async () => await ask(newIp, parameters);
		const changed = await changeOnce(item, send).catch((error: unknown): never => {
			throw mayBeCarriedOut(error) ? error.addNote(MAY_BE_CHANGED) : error;
		});
		return { changed, order };
	}),
	toResult: ({ changed, order: { secondsPerIp } }, { orderRecord }) => ({
		records: [{ ...orderRecord, ...toRecord(changed) }],
		hint:
			secondsPerIp === undefined
				? 'Kuaidaili does not say how long this tunnel keeps an IP. It allows two changes within that time.'
				: undefined,
	}),
});
