import { EXTRACTION_CODES } from '../codes';
import { quota, read, type CodeMeaning, type CodeTable } from '../endpoint';
import type { HostName } from '../hosts';

const WHO_IS_ASKED =
	"The key pair determines the order. Choose an order for the right product in 'Order', or use a credential with that order's own key pair and set its 'Key Type' to 'Order'.";

/** Found in the transcripts of the documentation; all products share one table. `product` with its article. */
function sharedCodes(product: string): CodeTable {
	return {
		...EXTRACTION_CODES,
		[3]: {
			message: 'No proxy is available',
			description: 'Relax the filters, or try again in a few minutes.',
			isEmptyResult: true,
		},
		[4]: {
			message: 'The account has not passed real-name verification',
			description: 'Verify the account in the Kuaidaili member center.',
		},
		[-1]: {
			message: 'Kuaidaili rejected the request as invalid',
			description: "Check the fields of the operation. Kuaidaili's own message often says more.",
		},
		[-2]: {
			message: 'Kuaidaili does not know this order yet, or it is invalid',
			description:
				'It can take a minute until a new order works, and the node has waited for one: run the workflow again. If the order is older, check it in the member center.',
			retry: 'notYet',
		},
		[-3]: {
			message: 'Kuaidaili did not accept one of the values',
			description:
				"Check the fields of the operation. Kuaidaili's own message often names the value.",
		},
		[-5]: {
			message: `This order is not ${product} order`,
			description: `Set 'Product' to the product of the order, which 'Order: Get' shows, or choose ${product} order in 'Order'. Account top-ups have a number, too, but no proxies.`,
		},
		[-12]: { message: 'This order is invalid', description: WHO_IS_ASKED },
		[-16]: { message: 'This order was refunded', description: WHO_IS_ASKED },
		[-102]: {
			message: 'Kuaidaili does not accept this key pair for an order, or the order has expired',
			description: WHO_IS_ASKED,
			retry: 'authenticateAgain',
		},
	};
}

/** Private proxies. Whatever is handed out counts against the order, or against its day. */
export const GET_DPS = quota('/api/getdps', {
	host: 'dpsUrl',
	key: 'order',
	// Ten calls per second, and 120 per minute
	intervalMs: 500,
	knowsText: true,
	secretAnswer: true,
	codes: {
		...sharedCodes('a private proxy (DPS)'),
		[1]: {
			message: "Today's quota of this order is used up",
			description:
				"The quota probably resets at midnight China time. 'Order: Get IP Balance' shows how many IPs are left. 'Reuse Proxies' uses fewer.",
		},
		[2]: {
			message: 'The quota of this order is used up',
			description:
				"Renew the order with 'Order: Renew', or choose another one. 'Order: Get IP Balance' shows how many IPs are left. Older documentation uses this code for expired orders.",
		},
		[3]: {
			message: 'No proxy matches the filters',
			description: "Relax or remove some of the 'Filters'.",
			isEmptyResult: true,
		},
		[-6]: {
			message: "This machine's IP address is not on the whitelist",
			description:
				"Add the public IP address of the machine that runs n8n to the order's proxy whitelist, and to the account's API whitelist in the member center if one is set. Kuaidaili does not say which one it means.",
		},
	},
});

/** `product` with its article. Retail orders bring logins; whether others do without being asked is not documented. */
function listing(host: HostName, product: string) {
	const codes = sharedCodes(product);
	return {
		host,
		key: 'order',
		intervalMs: 100,
		knowsText: true,
		secretAnswer: true,
		codes,
	} as const;
}

const OF_KPS = listing('kpsUrl', 'a dedicated proxy (KPS)');

export const GET_KPS = read('/api/getkps', OF_KPS);

const COPY_ID = "Copy the ID from the order's page in the member center, such as lrps-49994.";

export const GET_KPS_BY_ID = read('/api/getkpsbyid', {
	...OF_KPS,
	codes: {
		...OF_KPS.codes,
		[3]: { message: 'This order has no proxy with this ID', description: COPY_ID },
		[-1]: { message: 'Kuaidaili did not accept the proxy ID', description: COPY_ID },
	},
});

/** There is always one address, so it is the fields that nothing matches. */
const NO_ENTRANCE: CodeMeaning = {
	message: 'The tunnel has no address for these settings',
	description:
		"Check 'Protocol', and 'Country' where there is one: the code of the United Kingdom is GB, for example.",
};

function entrance(host: HostName, product: string) {
	const row = listing(host, product);
	return { ...row, codes: { ...row.codes, [3]: NO_ENTRANCE } };
}

export const GET_TPS = read('/api/gettps', entrance('tpsUrl', 'a tunnel (TPS)'));

export const GET_TPS_PRO = read('/api/gettpspro', entrance('tpsUrl', 'a Tunnel Pro (TPS_PRO)'));

const OVERSEAS = ['fpsUrl', 'an overseas dynamic (FPS)'] as const;

export const GET_FPS = read('/api/getfps', entrance(...OVERSEAS));

/** Overseas dynamic proxies as a list. They are presumed to count against the order. */
export const GET_FPS_IP = quota('/api/getfpsip', listing(...OVERSEAS));

/** The overseas static residential proxies of an order, each with its own login in a retail order. */
export const GET_SFPS = read('/api/getsfps', listing('baseUrl', 'an overseas static (SFPS)'));

const OF_DPS = { host: 'dpsUrl', key: 'order', intervalMs: 100 } as const;

/** Whether private proxies work, by a test of the last minute. The service documents no codes of its own. */
export const CHECK_DPS_VALID = read('/api/checkdpsvalid', {
	...OF_DPS,
	otherwise:
		"Check that 'Order' is a private proxy order. Kuaidaili can't check the proxies of professional pay-per-IP orders (one lifetime in minutes, such as 7 minutes): use 'secondsLeft' from 'Proxy: Extract' instead.",
});

/** How long private proxies live on; not for pay-per-IP orders. No codes of its own are documented. */
export const GET_DPS_VALID_TIME = read('/api/getdpsvalidtime', OF_DPS);

/** Whether open proxies work. The service documents neither codes of its own nor a rate limit. */
export const CHECK_OPS_VALID = read('/api/checkopsvalid', {
	key: 'order',
	otherwise: "Check that 'Order' is an open proxy order.",
});
