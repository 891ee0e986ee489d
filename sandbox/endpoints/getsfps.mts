import type { OverseasStaticProxyOrder } from '../accounts/order.mts';
import { countryName } from '../catalogue/countries.mts';
import { EXTRACTION_CODES } from '../extraction/checkOrder.mts';
import { placeWithLogin } from '../extraction/entry.mts';
import { extractionEndpoint } from '../extraction/extractionEndpoint.mts';
import { writtenPlace, type OrderProxy } from '../extraction/orderProxies.mts';
import type { Settings } from '../settings.mts';

function entryOf(
	proxy: OrderProxy,
	{ series }: OverseasStaticProxyOrder,
	{ overseasStaticArea }: Settings,
): string {
	const place = writtenPlace(proxy);
	if (series === 'package') return place;
	const area = overseasStaticArea === 'code' ? proxy.area : countryName(proxy.area);
	return `${placeWithLogin(place, proxy.login, 1)}:${area}`;
}

export const getSfps = extractionEndpoint({
	path: '/api/getsfps',
	host: 'base',
	product: 'SFPS',
	read: () => ({}),
	extract: async ({ order, service }) => {
		const proxies = await service.products.standing.overseasOf(order);
		if (proxies.length === 0) throw EXTRACTION_CODES.refusal(3);
		return { entries: proxies.map((proxy) => entryOf(proxy, order, service.settings)) };
	},
});
