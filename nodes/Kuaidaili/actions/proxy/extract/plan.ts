import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { Item, ItemOutcome } from '../../../operation';
import { fingerprintOf } from '../../../../shared/fingerprint';
import { ExtractionQuota, type Obtained } from '../../../proxies/supply';
import type { ProxyReport } from '../../../proxies/stock';
import { settingsOf } from '../../../proxies/productFields';
import { failedProxyOf, refuseLosses } from './failedProxy';
import { readExtractRequest, type ExtractRequest } from './fields';

export interface ItemRequest extends ExtractRequest {
	/** Whether a login is wanted that the model of an agent must not read. */
	readonly hidesLogin: boolean;
	/** The proxy that the item had, if it comes from an error output. */
	readonly failed?: ProxyReport;
}

/** The items that one extraction serves: those with the same settings where each gets a proxy, otherwise one. */
export interface ItemGroup {
	readonly members: number[];
	/** For as many proxies as all of them need. */
	request: ItemRequest;
	/** The proxies that they had, and that are not to come again. */
	readonly failed: ProxyReport[];
	obtained?: Promise<Obtained>;
}

interface Refused {
	readonly error: unknown;
}

export interface ServedItem {
	readonly request: ItemRequest;
	readonly group: ItemGroup;
}

type PlannedItem = Refused | ServedItem;

/** What is to be extracted for each item of a run, or why that is refused. */
export type Plan = readonly PlannedItem[];

/** How many items have their key pairs read in parallel: n8n reads each from its database, which takes longest. */
const AT_A_TIME = 50;

function refused(error: unknown): Refused {
	return { error };
}

/** A model gets logins only where that was asked for. */
function readRequest(item: Item, json: IDataObject): ItemRequest | Refused {
	try {
		const request = readExtractRequest((name) => item.parameter(name), item.callOptions());
		const isSecret = request.wantsLogin && request.login !== undefined;
		const hidesLogin = isSecret && !request.includesSecrets && item.isForAgent;
		const wantsLogin = request.wantsLogin && !hidesLogin;
		if (request.output !== 'forEachInput') return { ...request, wantsLogin, hidesLogin };
		refuseLosses(json, request.proxyField);
		const failed = failedProxyOf(json, request.proxyField);
		return { ...request, wantsLogin, hidesLogin, failed };
	} catch (error) {
		return refused(error);
	}
}

/** Sends nothing where an item is refused that `endsRun`; otherwise only what getting key pairs takes. */
export async function planExtractions(
	items: readonly Item[],
	input: readonly INodeExecutionData[],
	endsRun: boolean,
): Promise<Plan> {
	const requests = items.map((item, index) => readRequest(item, input[index].json));
	const isOver = endsRun && requests.some((request) => 'error' in request);
	/** The same for those that share an extraction. */
	const groupKeyOf = async (index: number): Promise<string> => {
		const request = requests[index];
		const isShared = !isOver && 'output' in request && request.output === 'forEachInput';
		if (!isShared) return String(index);
		return fingerprintOf(settingsOf(request), await items[index].orderKey());
	};
	const keys: Array<string | Refused> = [];
	while (keys.length < items.length) {
		const some = [...items.keys()].slice(keys.length, keys.length + AT_A_TIME);
		keys.push(...(await Promise.all(some.map(async (at) => await groupKeyOf(at).catch(refused)))));
	}
	const groups = new Map<string, ItemGroup>();
	const plan = requests.map((request, index): PlannedItem => {
		const key = keys[index];
		if ('error' in request) return request;
		if (typeof key === 'object') return key;
		const group = groups.get(key) ?? { request, members: [], failed: [] };
		groups.set(key, group);
		group.members.push(index);
		if (request.failed !== undefined) group.failed.push(request.failed);
		return { request, group };
	});
	for (const group of groups.values()) {
		const { output, isWholeList, itemsPerProxy } = group.request;
		if (output !== 'forEachInput' || isWholeList === true) continue;
		group.request = { ...group.request, total: Math.ceil(group.members.length / itemsPerProxy) };
	}
	return plan;
}

/**
 * The first item that is known to be wrong before anything is extracted.
 *
 * @param usedBefore how many proxies earlier runs of the execution have used up
 */
export function firstRefused(plan: Plan, usedBefore: number): [number, ItemOutcome] | undefined {
	const planned = new ExtractionQuota({ count: usedBefore });
	for (const [index, item] of plan.entries()) {
		if ('error' in item) return [index, item];
		const { members, request } = item.group;
		const { total, usesQuota, reuse, maxExtractions } = request;
		// With reuse, only the stock knows how many are missing
		if (!usesQuota || reuse !== undefined || members[0] !== index) continue;
		try {
			planned.take(total, maxExtractions);
		} catch (error) {
			return [index, refused(error)];
		}
	}
	return undefined;
}
