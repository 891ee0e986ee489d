import { COUNTRIES } from '../catalogue/countries.mts';
import { EXTRACTION_CODES } from '../extraction/checkOrder.mts';
import { extractionEndpoint, readProtocol } from '../extraction/extractionEndpoint.mts';

// The examples show the base host; the list of endpoints has one for overseas proxies.
export const getFps = extractionEndpoint({
	path: '/api/getfps',
	host: 'fps',
	product: 'FPS',
	read: (own) => {
		// Clients send it, though the table does not have it.
		own.optionalChoice('num', [1]);
		return {
			protocol: readProtocol(own),
			region: own.matching('region', /^([A-Z]{2})?$/, ''),
		};
	},
	// One entrance for every country: which one is chosen by the user name is what counts.
	extract: ({ order: { entrance }, request: { protocol, region } }) => {
		const isKnown = region === '' || COUNTRIES.some(({ code }) => code === region);
		const port = protocol === 'http' ? entrance.httpPort : entrance.socksPort;
		if (!isKnown || port === '') throw EXTRACTION_CODES.refusal(3);
		return { entries: [`${entrance.host}:${port}`] };
	},
});
