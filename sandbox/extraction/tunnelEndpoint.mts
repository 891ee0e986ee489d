import type { Endpoint } from '../endpoints/endpoint.mts';
import { EXTRACTION_CODES } from './checkOrder.mts';
import { isAskedFor, LOGIN_LAYOUTS, placeWithLogin } from './entry.mts';
import { extractionEndpoint, readCount, readProtocol } from './extractionEndpoint.mts';

/** gettps and gettpspro: the one address of a tunnel, for programs that want a list. */
export function tunnelEndpoint(path: string, product: 'TPS' | 'TPS_PRO'): Endpoint {
	return extractionEndpoint({
		path,
		host: 'tps',
		product,
		read: (own) => {
			// Documented as fixed 1, but the vendor's own client sends the number that it was given
			readCount(own);
			const protocol = readProtocol(own);
			// Which parameter asks for the login is not documented. Links were seen with a layout alone.
			const withLogin = isAskedFor(own, 'f_auth');
			const layout = own.optionalChoice('generateType', LOGIN_LAYOUTS);
			return { protocol, login: layout ?? (withLogin ? (1 as const) : undefined) };
		},
		extract: ({ order: { entrance, login }, request }) => {
			const port = request.protocol === 'http' ? entrance.httpPort : entrance.socksPort;
			// What a tunnel without SOCKS says is not documented.
			if (port === '') throw EXTRACTION_CODES.refusal(3);
			return { entries: [placeWithLogin(`${entrance.host}:${port}`, login, request.login)] };
		},
	});
}
