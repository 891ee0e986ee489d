import type { INodeProperties } from 'n8n-workflow';

import { serviceField, type Field, type ValueKind } from '../../../shared/fields/field';
import { choice, isIpv4, list } from '../../../shared/fields/kinds';
import { ORDERS_WITH_LOGIN } from '../../../shared/orders/orderField';
import type { Endpoint } from '../../../shared/service/endpoint';
import {
	ADD_WHITE_IP,
	DEL_WHITE_IP,
	SET_IP_WHITELIST,
} from '../../../shared/service/endpoints/order';
import { settingQuery, type RunQuery } from '../../../shared/api/call';
import { noting } from '../../../shared/api/errors';
import { toRecord } from '../../../shared/guards';
import { callOperation, fetching, type Operation } from '../../run/operation';
import { oncePerOrder } from '../../run/oncePerOrder';
import { whitelist, type Whitelist } from './get.operation';
import { fetchOwnIp } from './getOwnIp.operation';

const LIST_CHOICE = { name: 'List', value: 'list', description: 'The addresses you enter' };

/** A choice that only the operation offers which may do it. */
const NONE = { name: 'None', value: 'none', description: 'Clears the list' };

const OWN_IP = {
	name: 'Own IP',
	value: 'ownIp',
	description: 'The public IP address of the machine that runs n8n',
};

/** Private, loopback, link-local, and shared addresses: nothing on the internet can see them. */
const NOT_PUBLIC =
	/^(?:10|127|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;

const publicIpv4Addresses: ValueKind = {
	...list(
		'public IPv4 addresses, separated by commas, such as 123.35.67.46',
		(entry) => isIpv4(entry) && !NOT_PUBLIC.test(entry),
	),
	advice(addresses) {
		const inside = addresses.split(',').find((entry) => isIpv4(entry) && NOT_PUBLIC.test(entry));
		return inside === undefined
			? undefined
			: `${inside} is an address inside a network, which Kuaidaili can't see. 'Whitelist: Get Own IP' shows the public address of n8n.`;
	},
};

const iplistField: Field = serviceField({
	serviceName: 'iplist',
	displayName: 'IP Addresses',
	description: 'Public IPv4 addresses, separated by commas',
	placeholder: 'e.g. 123.35.67.46,223.57.8.100',
	required: true,
	kind: publicIpv4Addresses,
	when: { addresses: ['list'] },
});

const replaceOnce = oncePerOrder<string>(
	SET_IP_WHITELIST,
	"Each replacement undoes the one before. Put all addresses into one item, such as with n8n's 'Aggregate' node.",
);

/** The list after a change that was made just now. The change stays made even if this fails. */
export async function readChangedList(ask: RunQuery): Promise<Whitelist> {
	return await ask(whitelist).catch(
		noting("The whitelist was changed. Check it with 'Whitelist: Get'."),
	);
}

/** Shown with the operations that change the list. */
export const whitelistNotice: INodeProperties = {
	displayName:
		"A change takes effect after about a minute. Let n8n's 'Wait' node wait for it before the proxies are used.",
	name: 'whitelistNotice',
	type: 'notice',
	default: '',
};

/** An operation that changes the whitelist of an order and puts out what it is afterwards. */
function changeOperation({
	option,
	endpoint,
	whichAddresses,
	replaces,
}: {
	readonly option: Operation['option'];
	readonly endpoint: Endpoint;
	/** Explains the addresses: a sentence without a period. */
	readonly whichAddresses: string;
	/** Set where the list becomes what is sent. */
	readonly replaces?: true;
}): Operation {
	const addressesField: Field = {
		name: 'addresses',
		displayName: 'Addresses',
		description: whichAddresses,
		required: true,
		kind: choice([LIST_CHOICE, ...(replaces === true ? [NONE] : []), OWN_IP]),
	};
	return callOperation({
		option,
		notice: whitelistNotice,
		orders: ORDERS_WITH_LOGIN,
		fields: [addressesField, iplistField],
		work: fetching(endpoint, async (ask, _parameters, { item, textOf }) => {
			const isOwn = textOf(addressesField.name) === 'ownIp';
			// Left out, the list would be replaced by the address of this machine, so there is always one
			const iplist = isOwn ? await fetchOwnIp(item) : (textOf(iplistField.name) ?? '');
			const send = async () => await ask(settingQuery(endpoint), { iplist });
			await (replaces === true ? replaceOnce(item, send) : send());
			return await readChangedList(ask);
		}),
		toResult: (list, { orderRecord }) => ({ records: [{ ...orderRecord, ...toRecord(list) }] }),
	});
}

export const whitelistAdd = changeOperation({
	option: {
		name: 'Add',
		value: 'add',
		action: 'Add IP address to whitelist',
		description: "Allow more IP addresses to use an order's proxies without a login",
	},
	endpoint: ADD_WHITE_IP,
	whichAddresses: 'Which addresses to add. Addresses already on the list stay.',
});

export const whitelistRemove = changeOperation({
	option: {
		name: 'Remove',
		value: 'remove',
		action: 'Remove IP address from whitelist',
		description: "Remove IP addresses from an order's whitelist",
	},
	endpoint: DEL_WHITE_IP,
	whichAddresses: 'Which addresses to remove. All others stay.',
});

export const whitelistReplace = changeOperation({
	option: {
		name: 'Replace',
		value: 'replace',
		action: 'Replace whitelist',
		description: "Replace an order's whitelist with these IP addresses",
	},
	endpoint: SET_IP_WHITELIST,
	whichAddresses: 'Which addresses the list will contain. All others are removed.',
	replaces: true,
});
