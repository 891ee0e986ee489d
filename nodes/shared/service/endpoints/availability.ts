import { REPORT } from '../codes';
import { read, type CodeMeaning } from '../endpoint';

const MISSING: CodeMeaning = {
	message: 'The service misses a value for the question',
	description:
		"Fill in the fields of the operation. The service's own message often names the value.",
};

/** Cities that have dedicated proxies. */
export const QUERY_KPS_CITY = read('/api/querykpscity', {
	key: 'either',
	holdsNames: true,
	codes: {
		[-1]: MISSING,
		[-2]: {
			message: 'The service did not accept one of the values',
			description:
				"Check 'Series', 'Max Bandwidth' and 'City'; without a city the service lists all of them.",
		},
		[-3]: {
			message: 'The order of this key pair is of another kind than dedicated proxy',
			description:
				"Use a credential with the account's key pair, or with the key pair of a dedicated-proxy order.",
		},
	},
});

/** Countries that have overseas static residential proxies. */
export const QUERY_SFPS_AREA = read('/api/querysfpsarea', {
	key: 'either',
	holdsNames: true,
	codes: {
		[-1]: MISSING,
		[-2]: { message: "The service did not accept the value of 'Series'", description: REPORT },
		[-3]: {
			message: 'The order of this key pair is of another kind than overseas static residential',
			description:
				"Use a credential with the account's key pair, or with the key pair of an overseas static residential order.",
		},
	},
});

/** Regions and carriers of a private-proxy order. */
export const DPS_RESOURCES = read('/api/dpsresources', {
	host: 'dpsUrl',
	key: 'order',
	holdsNames: true,
	codes: {
		[-1]: MISSING,
		[-3]: {
			message: 'The order of this key pair is not a private-proxy order',
			description:
				"Use a credential with the key pair of a private-proxy order, which that order's page in the member centre shows; with the account's key pair, choose such an order in 'Order'.",
		},
		[-4]: {
			message: "The service did not accept the value of 'Area'",
			description:
				'Use region codes of 2 to 4 digits with commas between them, such as 11,31,4403, or leave the field empty for all areas.',
		},
		[-5]: {
			message: "The service did not accept the value of 'Carrier'",
			description: "Choose one of the carriers in the list, or 'Any'.",
		},
	},
});
