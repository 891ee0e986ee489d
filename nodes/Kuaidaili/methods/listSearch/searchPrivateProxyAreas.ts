import { accessOrder } from '../../../shared/orders/orderAccess';
import { orderField, readChosenOrder } from '../../../shared/orders/orderField';
import { runQuery } from '../../../shared/transport/callService';
import {
	privateProxyResources,
	type PrivateProxyResource,
} from '../../availability/privateProxyResources';
import { regionListSearch, type RegionChoice } from './regionListSearch';

/** One choice per area, which has a record for each carrier. */
function areasOf(resources: readonly PrivateProxyResource[]): RegionChoice[] {
	const areas = new Map<string, RegionChoice>();
	const available = new Set(
		resources.filter((one) => one.available).map(({ area_code }) => String(area_code)),
	);
	for (const { area_code, area_name } of resources) {
		const code = String(area_code);
		const note = available.has(code) ? undefined : ', not available now';
		areas.set(code, { code, chinese: area_name, note });
	}
	return [...areas.values()];
}

/** Fills 'Area' in Private Proxy Resource: Get Many. */
export const searchPrivateProxyAreas = regionListSearch<PrivateProxyResource>({
	parameters(valueOf) {
		const orderid = readChosenOrder(valueOf(orderField.name));
		return orderid === undefined ? {} : { [orderField.serviceName]: orderid };
	},
	async fetch(caller, { orderid }) {
		const access = await accessOrder(caller, orderid);
		return await runQuery(access.caller, privateProxyResources);
	},
	nothing: 'The order has no areas right now',
	toRegions: areasOf,
});
