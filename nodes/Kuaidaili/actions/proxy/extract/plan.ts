import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { Item, ItemOutcome } from '../../../operation';
import { fingerprintOf } from '../../../../shared/fingerprint';
import { ExtractionQuota } from '../../../proxies/supply';
import type { ProxyReport } from '../../../proxies/stock';
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
	readonly members: readonly number[];
	/** For as many proxies as all of them need. */
	readonly request: ItemRequest;
}

interface Refused {
	readonly error: unknown;
}

type PlannedItem = Refused | { readonly request: ItemRequest; readonly group: ItemGroup };

/** What is to be extracted for each item of a run, or why that is refused. */
export type Plan = readonly PlannedItem[];

/** How many items have their key pairs read in parallel. */
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
		const { output, proxyField } = request;
		if (output === 'forEachInput') refuseLosses(json, proxyField);
		const failed = output === 'forEachInput' ? failedProxyOf(json, proxyField) : undefined;
		return { ...request, wantsLogin: request.wantsLogin && !hidesLogin, hidesLogin, failed };
	} catch (error) {
		return refused(error);
	}
}

/** Items with equal settings can share an extraction. */
export function settingsOf(request: ItemRequest): string {
	return fingerprintOf({
		...request,
		endpoint: request.endpoint.path,
		loginSettingsFor: request.loginSettingsFor !== undefined,
		// Of each item
		proxyField: undefined,
		failed: undefined,
	});
}

function isForEach(request: ItemRequest | Refused): request is ItemRequest {
	return !('error' in request) && request.output === 'forEachInput';
}

/**
 * The key of the order of each item that may share its extraction; undefined for the others. n8n reads the
 * credential from its database for each item, which takes longer than all the rest.
 */
async function orderKeysOf(
	items: readonly Item[],
	requests: ReadonlyArray<ItemRequest | Refused>,
): Promise<Array<string | Refused | undefined>> {
	const keys: Array<string | Refused | undefined> = [];
	for (let from = 0; from < items.length; from += AT_A_TIME) {
		const some = items.slice(from, from + AT_A_TIME).map(async (item, index) => {
			return isForEach(requests[from + index]) ? await item.orderKey().catch(refused) : undefined;
		});
		keys.push(...(await Promise.all(some)));
	}
	return keys;
}

/** With as many proxies as the items need that each get one. */
function forItems(request: ItemRequest, items: number): ItemRequest {
	if (!isForEach(request) || request.isWholeList === true) return request;
	return { ...request, total: Math.ceil(items / request.itemsPerProxy) };
}

function groupItems(
	requests: ReadonlyArray<ItemRequest | Refused>,
	orderKeys: ReadonlyArray<string | Refused | undefined>,
): Plan {
	const groups = new Map<string | number, { request: ItemRequest; readonly members: number[] }>();
	const plan = requests.map((request, index): PlannedItem => {
		const orderKey = orderKeys[index];
		if ('error' in request) return request;
		if (typeof orderKey === 'object') return orderKey;
		const key = orderKey === undefined ? index : fingerprintOf(settingsOf(request), orderKey);
		const group = groups.get(key) ?? { request, members: [] };
		groups.set(key, group);
		group.members.push(index);
		return { request, group };
	});
	for (const group of groups.values())
		group.request = forItems(group.request, group.members.length);
	return plan;
}

/** Sends nothing where an item is refused that `endsRun`; otherwise only what getting key pairs takes. */
export async function planExtractions(
	items: readonly Item[],
	input: readonly INodeExecutionData[],
	endsRun: boolean,
): Promise<Plan> {
	const requests = items.map((item, index) => readRequest(item, input[index].json));
	const refusals = requests.filter((request) => 'error' in request);
	if (endsRun && refusals.length > 0) return groupItems(requests, []);
	return groupItems(requests, await orderKeysOf(items, requests));
}

/** The proxy of an item that needs another one. */
export function failedOf(item: PlannedItem): ProxyReport[] {
	if ('error' in item || item.request.failed === undefined) return [];
	return [item.request.failed];
}

/**
 * The first item that is known to be wrong before anything is extracted.
 *
 * @param usedBefore how many proxies earlier runs of the execution have used up
 */
export function firstRefused(
	plan: Plan,
	usedBefore: () => number,
): [number, ItemOutcome] | undefined {
	let planned: ExtractionQuota | undefined;
	for (const [index, item] of plan.entries()) {
		if ('error' in item) return [index, item];
		const { members, request } = item.group;
		const { total, usesQuota, reuse } = request;
		// With reuse, only the stock knows how many are missing
		const takesAll = usesQuota && reuse === undefined && members[0] === index;
		if (!takesAll) continue;
		planned ??= new ExtractionQuota(usedBefore());
		try {
			planned.take(total, request.maxExtractions);
		} catch (error) {
			return [index, refused(error)];
		}
	}
	return undefined;
}
