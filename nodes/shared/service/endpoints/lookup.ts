import { read, type CodeTable } from '../endpoint';
import { REPORT, VALUE_MISSING } from '../codes';

/**
 * Paying accounts may call it five times per second, free ones once; an answer doesn't show which of them
 * it is. The service documents no codes of its own.
 */
export const GET_UA = read('/api/getua', { key: 'either' });

const CODES: CodeTable = { [-1]: VALUE_MISSING };

export const GET_FPS_COUNTRY_CODE = read('/api/getfpscountrycode', {
	key: 'either',
	holdsNames: true,
	codes: CODES,
});

export const GET_FPS_AREA_CODE = read('/api/getfpsareacode', {
	key: 'either',
	holdsNames: true,
	codes: CODES,
});

export const GET_TPS_PROV_CODE = read('/api/gettpsprovcode', {
	host: 'tpsUrl',
	key: 'either',
	holdsNames: true,
	codes: CODES,
});

export const GET_TPS_CITY_CODE = read('/api/gettpscitycode', {
	host: 'tpsUrl',
	key: 'either',
	holdsNames: true,
	codes: CODES,
});

export const GET_AREA_CODE = read('/api/getareacode', {
	key: 'either',
	intervalMs: 100,
	holdsNames: true,
	codes: CODES,
});

export const QUERY_KPS_CITY = read('/api/querykpscity', {
	key: 'either',
	holdsNames: true,
	codes: {
		[-1]: VALUE_MISSING,
		[-2]: {
			message: 'Kuaidaili did not accept one of the values',
			description:
				"Check 'Series', 'Max Bandwidth', and 'City'. Leave 'City' empty to list all cities.",
		},
		[-3]: {
			message: 'This order is not a dedicated proxy order',
			description:
				"Use a credential with the account's key pair, or with the key pair of a dedicated proxy order.",
		},
	},
});

export const QUERY_SFPS_AREA = read('/api/querysfpsarea', {
	key: 'either',
	holdsNames: true,
	codes: {
		[-1]: VALUE_MISSING,
		[-2]: { message: "Kuaidaili did not accept the value of 'Series'", description: REPORT },
		[-3]: {
			message: 'This order is not an overseas static residential order',
			description:
				"Use a credential with the account's key pair, or with the key pair of an overseas static residential order.",
		},
	},
});

export const DPS_RESOURCES = read('/api/dpsresources', {
	host: 'dpsUrl',
	key: 'order',
	holdsNames: true,
	codes: {
		[-1]: VALUE_MISSING,
		[-3]: {
			message: 'This order is not a private proxy order',
			description:
				"Choose a private proxy order in 'Order'. If the credential holds an order's key pair, use the key pair of a private proxy order instead.",
		},
		[-4]: {
			message: "Kuaidaili did not accept the value of 'Area'",
			description:
				'Enter region codes of 2 to 4 digits, separated by commas, such as 11,31,4403, or leave the field empty for all areas.',
		},
		[-5]: {
			message: "Kuaidaili did not accept the value of 'Carrier'",
			description: "Choose one of the carriers in the list, or 'Any'.",
		},
	},
});
