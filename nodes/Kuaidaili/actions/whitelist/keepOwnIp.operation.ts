import type { IDataObject } from 'n8n-workflow';

import { CallError, noting } from '../../../shared/api/errors';
import { fingerprintOf } from '../../../shared/api/sign';
import { isIpv4 } from '../../../shared/fields/kinds';
import { isList, isRecord, ownValue, toRecord } from '../../../shared/guards';
import { ORDERS_WITH_LOGIN } from '../../../shared/orders/orderField';
import { whitelist, type Whitelist } from './get.operation';
import { fetchOwnIp } from './getOwnIp.operation';
import { ADD_WHITE_IP, DEL_WHITE_IP } from '../../../shared/service/endpoints/order';
import { settingQuery, deliveryStateOf } from '../../../shared/api/call';
import { callOperation, fetching, type CallContext } from '../../run/operation';
import { readChangedList, whitelistNotice } from './change.operation';

/**
 * The name, in the workflow's memory, of the addresses that it added, by order. Its other nodes use that memory as
 * well.
 */
const MEMORY = 'kuaidailiOwnIps';

/** The number of the order. With an order's key pair, which has none, what tells such key pairs apart. */
async function memoryKeyOf({ orderRecord, item }: CallContext): Promise<string> {
	return orderRecord.orderid ?? fingerprintOf(await item.orderKey()).slice(0, 12);
}

function recall(memory: IDataObject, key: string): string[] {
	const added = ownValue(ownValue(memory, MEMORY), key);
	return isList(added) ? added.filter((ip) => typeof ip === 'string').filter(isIpv4) : [];
}

function remember(memory: IDataObject, key: string, added: string[]): void {
	// n8n saves a memory that was written to
	if (recall(memory, key).join() === added.join()) return;
	const known = memory[MEMORY];
	memory[MEMORY] = { ...(isRecord(known) ? known : {}), [key]: added };
}

const add = settingQuery(ADD_WHITE_IP);
const remove = settingQuery(DEL_WHITE_IP);

function isFull({ ipwhitelist, limit }: Whitelist): boolean {
	return typeof limit === 'number' && ipwhitelist.length >= limit;
}

export const whitelistKeepOwnIp = callOperation({
	option: {
		name: 'Keep Own IP',
		value: 'keepOwnIp',
		action: "Keep n8n's current public IP on a whitelist",
		description:
			"Keep the public IP address of the machine that runs n8n on an order's whitelist: add it if it isn't there, and remove the one that this workflow added before",
	},
	notice: whitelistNotice,
	orders: ORDERS_WITH_LOGIN,
	work: fetching(ADD_WHITE_IP, async (ask, _parameters, context) => {
		const { item } = context;
		// n8n saves it with the workflow after each production run, and not after one in the editor
		const memory = item.context.getWorkflowStaticData('global');
		const key = await memoryKeyOf(context);
		// First what fails for an order that cannot be reached
		const list = await ask(whitelist);
		const ip = await fetchOwnIp(item);
		const added = recall(memory, key);
		const isListed = (address: string) => list.ipwhitelist.includes(address);
		const isMissing = !isListed(ip);
		const left = added.filter((address) => address !== ip && isListed(address));
		const former = left.join(',');
		const rememberOwn = () => remember(memory, key, [...left, ip]);
		const addOwn = async () =>
			await ask(add, { iplist: ip }).then(rememberOwn, (error: unknown) => {
				// It may be on the list even if the answer got lost
				if (error instanceof CallError && deliveryStateOf(error) === 'unclear') rememberOwn();
				throw error;
			});
		if (isMissing && former !== '' && isFull(list)) {
			await ask(remove, { iplist: former });
			await addOwn().catch(
				noting(
					`To make room for ${ip}, the former address, ${former}, was taken off the whitelist, so your n8n may not be on it now. Check it with 'Whitelist: Get'. The next run adds ${ip} if it is missing.`,
				),
			);
		} else {
			// The other way round, n8n would not be on the list for a moment
			if (isMissing) await addOwn();
			const noteFormer = noting(
				`The whitelist has ${ip}. The former address, ${former}, is still on it; the next run removes it.`,
			);
			if (former !== '') await ask(remove, { iplist: former }).catch(noteFormer);
		}
		// One that somebody else put there is never taken off
		remember(memory, key, isMissing || added.includes(ip) ? [ip] : []);
		const changed = isMissing || former !== '';
		// It is on the list because of this run, which n8n will not remember
		const isForgotten = isMissing && item.context.getMode() === 'manual';
		const listAfter = changed ? await readChangedList(ask) : list;
		return { ip, former, changed, list: listAfter, isForgotten };
	}),
	toResult: ({ ip, former, changed, list, isForgotten }, { orderRecord }) => ({
		records: [
			{
				...orderRecord,
				changed,
				ip,
				...(former === '' ? {} : { formerIp: former }),
				...toRecord(list),
			},
		],
		hint: isForgotten
			? `n8n doesn't remember what runs in the editor add, so ${ip} stays on the whitelist until you remove it. The runs of the published workflow remove their own.`
			: undefined,
	}),
});
