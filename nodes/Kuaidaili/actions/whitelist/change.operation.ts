import { serviceField, type Field } from '../../../shared/fields/field';
import { choice, publicIpv4Addresses, oneOrZero } from '../../../shared/fields/valueKinds';
import { ORDERS_WITH_LOGIN } from '../../../shared/orders/orderField';
import type { Endpoint } from '../../../shared/service/endpoint';
import {
	ADD_WHITE_IP,
	DEL_WHITE_IP,
	SET_IP_WHITELIST,
} from '../../../shared/service/endpoints/order';
import { settingQuery, type RunQuery } from '../../../shared/api/query';
import { noting } from '../../../shared/api/callErrors';
import { logWait, waitUntil } from '../../../shared/api/wait';
import { toRecord } from '../../../shared/guards';
import { callOperation, changing, type CallContext } from '../../run/callOperation';
import type { OperationBase, RunOperation } from '../../run/operation';
import { whitelist, type Whitelist } from '../../../shared/orders/whitelist';
import { fetchOwnIp } from './getOwnIp.operation';

/** A change takes effect about a minute later. */
const IN_EFFECT_AFTER_MS = 65_000;

const LIST_CHOICE = { name: 'List', value: 'list', description: 'The addresses you enter' };

/** A choice that only the operation offers which may do it. */
const NONE = { name: 'None', value: 'none', description: 'Clears the list' };

const OWN_IP = {
	name: 'Own IP',
	value: 'ownIp',
	description: 'The public IP address of the machine that runs n8n',
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

export const waitField: Field = {
	name: 'waitUntilInEffect',
	displayName: 'Wait Until in Effect',
	description:
		'Whether to wait 65 seconds after the change. Kuaidaili takes about a minute to apply it.',
	kind: oneOrZero,
};

interface ChangeOperation {
	readonly option: OperationBase['option'];
	readonly endpoint: Endpoint;
	/** Explains the addresses: a sentence without a period. */
	readonly whichAddresses: string;
	/** Set where the list becomes what is sent, so that items for one order have to be sent together. */
	readonly replaces?: true;
	/** Whether the list is what was asked for. */
	readonly isDone: (current: ReadonlySet<string>, addresses: readonly string[]) => boolean;
}

/** The addresses of all items that share the change, each once. */
async function addressesOf(run: RunQuery, { item, sharing }: CallContext): Promise<string[]> {
	const entered = sharing.flatMap(({ text }) => text(iplistField.name)?.split(',') ?? []);
	const wantsOwn = sharing.some(({ text }) => text('addresses') === 'ownIp');
	return [...new Set([...entered, ...(wantsOwn ? [await fetchOwnIp(run, item)] : [])])];
}

/**
 * Reads the list after a change that was made just now, in effect where that was asked for. The change stays made even
 * if this fails.
 */
export function listReader(
	run: RunQuery,
	{ path }: Endpoint,
	{ item, sharing }: CallContext,
): () => Promise<Whitelist> {
	const waits = sharing.some(({ text }) => text(waitField.name) === '1');
	const inEffectAt = performance.now() + (waits ? IN_EFFECT_AFTER_MS : 0);
	return async () => {
		logWait(item, path, inEffectAt - performance.now(), 'until the change is in effect');
		await waitUntil(inEffectAt, item.signal);
		return await run(whitelist).catch(
			noting("The whitelist was changed. Check it with 'Whitelist: Get'."),
		);
	};
}

/** An operation that changes the whitelist of an order and puts out what it is afterwards. */
function changeOperation(change: ChangeOperation): RunOperation {
	const { option, endpoint, whichAddresses, replaces, isDone } = change;
	const addressesField: Field = {
		name: 'addresses',
		displayName: 'Addresses',
		description: whichAddresses,
		required: true,
		kind: choice([LIST_CHOICE, ...(replaces === true ? [NONE] : []), OWN_IP]),
	};
	const hint =
		'The list has the addresses of all these items: one replacement after the other would have left those of the last one.';
	return callOperation({
		option,
		orders: ORDERS_WITH_LOGIN,
		fields: [addressesField, iplistField, waitField],
		shared: replaces === true ? { by: 'order', hint } : undefined,
		work: changing(endpoint, async (run, _parameters, asked) => {
			const addresses = await addressesOf(run, asked);
			// Left out, the list would be replaced by the address of this machine, so there is always one
			await run(settingQuery(endpoint), { iplist: addresses.join(',') });
			const readList = listReader(run, endpoint, asked);
			return async () => ({ list: await readList(), addresses });
		}),
		toResult({ list, addresses }, { order }) {
			return {
				records: [{ ...order, ...toRecord(list) }],
				hint: isDone(new Set(list.ipwhitelist), addresses)
					? undefined
					: 'Kuaidaili accepted the change, but its list, which shows changes at once, is another one. Something else may have changed it.',
			};
		},
	});
}

export const whitelistAdd = changeOperation({
	option: {
		name: 'Add',
		value: 'add',
		action: 'Add to whitelist',
		description: "Allow more IP addresses to use an order's proxies without a login",
	},
	endpoint: ADD_WHITE_IP,
	whichAddresses: 'Which addresses to add. Addresses already on the list stay.',
	isDone: (current, addresses) => addresses.every((address) => current.has(address)),
});

export const whitelistRemove = changeOperation({
	option: {
		name: 'Remove',
		value: 'remove',
		action: 'Remove from whitelist',
		description: "Remove IP addresses from an order's whitelist",
	},
	endpoint: DEL_WHITE_IP,
	whichAddresses: 'Which addresses to remove. All others stay.',
	isDone: (current, addresses) => !addresses.some((address) => current.has(address)),
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
	isDone: (current, addresses) =>
		current.size === addresses.length && addresses.every((address) => current.has(address)),
});
