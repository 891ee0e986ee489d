import { GET_SFPS } from '../../../shared/service/endpoints/extraction';
import { formatField, sepField, type ExtractProduct } from './product';

/** Overseas residential IPs that stay; those of a retail order have a login each. */
export const overseasStatic: ExtractProduct = {
	value: 'SFPS',
	fields: [],
	filters: [],
	extras: [],
	options: [formatField(), sepField],
	toExtraction: (reader) => ({
		endpoint: GET_SFPS,
		parameters: { format: 'json', ...reader.parameters },
		total: Infinity,
		cap: Infinity,
		intervalMs: GET_SFPS.intervalMs,
		usesQuota: false,
		isWholeList: true,
		login: 'entries',
	}),
};
