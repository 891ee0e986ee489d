import { read, type CodeMeaning, type Endpoint } from '../endpoint';
import { REPORT_ADVICE } from '../codes';

/**
 * Paying accounts may call it five times per second, free ones once; an answer doesn't show which of them
 * it is. The service documents no codes of its own.
 */
export const GET_UA = read('/api/getua', { key: 'either' });

const VALUE_MISSING: CodeMeaning = {
	message: 'Kuaidaili is missing a value for this lookup',
	description:
		"Fill in all fields of the operation. Kuaidaili's own message often names the missing value.",
};

/** Lookups of names for the output. */
function lookup(path: string, row: Partial<Endpoint> = {}): Endpoint {
	const codes = { [-1]: VALUE_MISSING, ...row.codes };
	return read(path, { key: 'either', ...row, codes });
}

export const GET_FPS_COUNTRY_CODE = lookup('/api/getfpscountrycode');

export const GET_FPS_AREA_CODE = lookup('/api/getfpsareacode');

export const GET_TPS_PROV_CODE = lookup('/api/gettpsprovcode', { host: 'tpsUrl' });

export const GET_TPS_CITY_CODE = lookup('/api/gettpscitycode', { host: 'tpsUrl' });

export const GET_AREA_CODE = lookup('/api/getareacode', { intervalMs: 100 });

export const QUERY_KPS_CITY = lookup('/api/querykpscity', {
	codes: {
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

export const QUERY_SFPS_AREA = lookup('/api/querysfpsarea', {
	codes: {
		[-2]: { message: "Kuaidaili did not accept the value of 'Series'", description: REPORT_ADVICE },
		[-3]: {
			message: 'This order is not an overseas static residential order',
			description:
				"Use a credential with the account's key pair, or with the key pair of an overseas static residential order.",
		},
	},
});

export const DPS_RESOURCES = lookup('/api/dpsresources', {
	host: 'dpsUrl',
	key: 'order',
	codes: {
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
