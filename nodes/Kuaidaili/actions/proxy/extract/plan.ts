import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Item } from '../../../run/item';
import { fingerprintOf } from '../../../../shared/fingerprint';
import {
	ExtractionQuota,
	type ObtainedProxies,
	type WantedProxies,
} from '../../../proxies/runProxies';
import type { ProxyReport } from '../../../proxies/proxyPool';
import { settingsOf } from '../../../proxies/productFields';
import { tryItems, untried } from '../../../run/runItems';
import { failedProxyOf, refuseLosses } from './failedProxy';
import { readExtractRequest, type ExtractRequest } from './fields';

export interface ItemRequest extends ExtractRequest {
	/** The proxy that the item had, if it comes from an error output. */
	readonly failed?: ProxyReport;
}

/** The items that one extraction serves: those with the same settings where each gets a proxy, otherwise one. */
interface ItemGroup extends WantedProxies {
	readonly members: number[];
	/** For as many proxies as all of them need. */
	request: ItemRequest;
	readonly failed: ProxyReport[];
	obtained?: Promise<ObtainedProxies>;
}

export interface ServedItem {
	readonly request: ItemRequest;
	readonly group: ItemGroup;
}

/** How many items have their key pairs read in parallel: n8n reads each from its database, which takes longest. */
const AT_A_TIME = 50;

/** Throws InvalidFieldError. */
function readRequest(item: Item, json: IDataObject): ItemRequest {
	const request = readExtractRequest((name) => item.parameter(name), item.isForAgent);
	if (request.output !== 'forEachInput') return request;
	refuseLosses(json, request);
	return { ...request, failed: failedProxyOf(json, request) };
}

/**
 * Plans the extractions for each item of a run. Sends nothing where an item is wrong that ends the run; otherwise only
 * what getting key pairs takes.
 *
 * @param usedBefore how many proxies earlier runs of the execution have used up
 */
export async function planExtractions(
	context: IExecuteFunctions,
	items: readonly Item[],
	usedBefore: number,
) {
	const input = context.getInputData();
	const read = await tryItems(context, untried(items), async (item, index) =>
		readRequest(item, input[index].json),
	);
	const sharing = read.isOver
		? []
		: items.filter((_item, index) => read.done.get(index)?.output === 'forEachInput');
	for (let at = 0; at < sharing.length; at += AT_A_TIME) {
		const some = sharing.slice(at, at + AT_A_TIME);
		await Promise.allSettled(some.map(async (item) => await item.orderKey()));
	}
	const groups = new Map<string, ItemGroup>();
	const plan = await tryItems(context, read, async (request, index): Promise<ServedItem> => {
		const item = items[index];
		const isExclusive = request.output === 'forEachInput';
		const key = isExclusive
			? fingerprintOf(settingsOf(request), await item.orderKey())
			: String(index);
		const group: ItemGroup = groups.get(key) ?? {
			request,
			item,
			index,
			isExclusive,
			members: [],
			failed: [],
		};
		groups.set(key, group);
		group.members.push(index);
		if (request.failed !== undefined) group.failed.push(request.failed);
		return { request, group };
	});
	for (const group of groups.values()) {
		const { isWholeList, itemsPerProxy } = group.request;
		if (!group.isExclusive || isWholeList === true) continue;
		group.request = { ...group.request, total: Math.ceil(group.members.length / itemsPerProxy) };
	}
	if (context.continueOnFail()) return plan;
	// An error ends the run, and what was extracted before it would be lost
	const quota = new ExtractionQuota({ count: usedBefore });
	return await tryItems(context, plan, async (planned, index) => {
		const { index: first, request } = planned.group;
		// With reuse, only the pool knows how many are missing
		const isCounted = request.usesQuota && request.reuse === undefined && first === index;
		if (isCounted) quota.take(request.total, request.maxExtractions);
		return planned;
	});
}
