import { isIPv4 } from 'node:net';
import { EXTRACTION_CODES } from '../extraction/checkOrder.mts';
import { isAskedFor, LOGIN_LAYOUTS, placeWithLogin } from '../extraction/entry.mts';
import { extractionEndpoint, readCount } from '../extraction/extractionEndpoint.mts';
import { writtenPlace } from '../extraction/orderProxies.mts';
import type { OwnParameters } from '../orders/ownParameters.mts';

const MINUTES = { least: 1, most: 30, step: 1 };

const COUNTRY_CODES = /^([A-Z]{2}(,[A-Z]{2})*)?$/;

function readLogin(own: OwnParameters) {
	return isAskedFor(own, 'f_auth') ? own.choice('gt', LOGIN_LAYOUTS, 1) : undefined;
}

// The table wants it "when f_ip is 1". Here it is needed with ut=2, may come otherwise, and is one
// address. It has no effect, because what it stands for is not documented.
function readClientAddress(own: OwnParameters): void {
	const byWhitelist = own.choice('ut', [1, 2], 1) === 2;
	const address = own.optionalText('f_ip');
	if (address === undefined && byWhitelist) throw EXTRACTION_CODES.refusal(-1, 'f_ip');
	if (address !== undefined && !isIPv4(address)) throw EXTRACTION_CODES.refusal(-3, 'f_ip');
}

// The examples show the base host; the list of endpoints has one for overseas proxies.
export const getFpsIp = extractionEndpoint({
	path: '/api/getfpsip',
	host: 'fps',
	product: 'FPS',
	read: (own) => {
		const num = readCount(own);
		const minutes = own.number('period', MINUTES);
		const regions = own.matching('region', COUNTRY_CODES, '');
		readClientAddress(own);
		return {
			num,
			minutes,
			regions: regions === '' ? [] : regions.split(','),
			login: readLogin(own),
		};
	},
	extract: async ({ order, request, service }) => {
		const { overseas, proxies } = service.products;
		const chosen = overseas.choose(order, request);
		if (chosen.length === 0) throw EXTRACTION_CODES.refusal(3);
		await proxies.open(order, chosen);
		return {
			entries: chosen.map((proxy) =>
				placeWithLogin(writtenPlace(proxy), proxy.login, request.login),
			),
		};
	},
});
