import type { IDataObject } from 'n8n-workflow';

import { CallError } from '../../../shared/errors/callErrors';
import { fingerprintOf } from '../../../shared/fingerprint';
import { isIpv4 } from '../../../shared/fields/valueKinds';
import { isRecord, ownValue } from '../../../shared/guards';
import { WITH_LOGIN } from '../../../shared/orders/usableOrders';
import { ownIp, whitelist, type Whitelist } from '../../../shared/queries/whitelist';
import { ADD_WHITE_IP, DEL_WHITE_IP } from '../../../shared/service/endpoints/whitelist';
import { settingQuery, type RunQuery } from '../../../shared/service/query';
import { toRecord } from '../../../shared/toRecord';
import { callOperation, type AskingItem } from '../callOperation';
import { listAfterwards, waitField } from './changeOperation';

/** In the memory of the workflow, which its other nodes use as well: the own address by order. */
const MEMORY = 'kuaidailiOwnIps';

/** The number of the order. With an order's key pair, which has none, what tells such key pairs apart. */
async function memoryKeyOf({ order, orderKey }: AskingItem): Promise<string> {
	return order.orderid ?? fingerprintOf(await orderKey()).slice(0, 12);
}

function recall(memory: IDataObject, key: string): string | undefined {
	const ip = ownValue(ownValue(memory, MEMORY), key);
	return typeof ip === 'string' && isIpv4(ip) ? ip : undefined;
}

function remember(memory: IDataObject, key: string, ip: string): void {
	if (recall(memory, key) === ip) return;
	const known = memory[MEMORY];
	memory[MEMORY] = { ...(isRecord(known) ? known : {}), [key]: ip };
}

const add = settingQuery(ADD_WHITE_IP);
const remove = settingQuery(DEL_WHITE_IP);

/** Takes the former address off. It is found again in the next run if this fails. */
async function removeFormer(run: RunQuery, formerIp: string, ip: string): Promise<void> {
	await run(remove, { iplist: formerIp }).catch((error: unknown): never => {
		if (error instanceof CallError) {
			error.note = `The whitelist has ${ip}. The former address, ${formerIp}, is still on it; the next run removes it.`;
		}
		throw error;
	});
}

function isFull({ ipwhitelist, limit }: Whitelist): boolean {
	return typeof limit === 'number' && ipwhitelist.length >= limit;
}

interface Kept {
	readonly ip: string;
	/** Taken off the list. */
	readonly formerIp?: string;
	readonly changed: boolean;
	readonly list: Whitelist;
}

export const whitelistKeepOwnIp = callOperation<Kept>({
	option: {
		name: 'Keep Own IP',
		value: 'keepOwnIp',
		action: 'Keep own IP on whitelist',
		description:
			"Keep the public IP address of the machine that runs n8n on an order's whitelist: adds it when it is not there, and removes the one that the workflow added before",
	},
	orders: WITH_LOGIN,
	endpoint: ADD_WHITE_IP,
	fields: [waitField],
	async fetch(run, _parameters, item) {
		const memory = item.workflowMemory();
		const key = await memoryKeyOf(item);
		// First what fails for an order that cannot be reached
		const list = await run(whitelist);
		const ip = await run(ownIp);
		const known = recall(memory, key);
		const isOver = known !== undefined && known !== ip && list.ipwhitelist.includes(known);
		const formerIp = isOver ? known : undefined;
		const isMissing = !list.ipwhitelist.includes(ip);
		if (!isMissing && formerIp === undefined) {
			remember(memory, key, ip);
			return { ip, changed: false, list };
		}
		// Only in a full list the former one has to make room first
		const makesRoom = formerIp !== undefined && isMissing && isFull(list);
		if (makesRoom) await run(remove, { iplist: formerIp });
		if (isMissing) await run(add, { iplist: ip });
		if (formerIp !== undefined && !makesRoom) await removeFormer(run, formerIp, ip);
		remember(memory, key, ip);
		return { ip, formerIp, changed: true, list: await listAfterwards(run, ADD_WHITE_IP, item) };
	},
	toResult: ({ ip, formerIp, changed, list }, { order }) => ({
		records: [
			{
				...order,
				changed,
				ip,
				...(formerIp === undefined ? {} : { formerIp }),
				...toRecord(list),
			},
		],
	}),
});
