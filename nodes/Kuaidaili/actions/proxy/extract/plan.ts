import type { IExecuteFunctions } from 'n8n-workflow';

import type { Item } from '../../../run/item';
import { fingerprintOf } from '../../../../shared/api/sign';
import type { ProxyLogin } from '../../../../shared/orders/queries';
import type { Extracted } from '../../../proxies/extraction';
import { ExtractionQuota } from '../../../proxies/proxyExtractor';
import type { ProxyReport } from '../../../proxies/proxyPool';
import { settingsOf } from '../../../proxies/productFields';
import { tryItems } from '../../../run/operation';
import { failedProxyOf, refuseLosses } from './failedProxy';
import { readExtractRequest, type ExtractRequest } from './fields';

/** Proxies that items got, and what is needed to use them. */
export interface TakenProxies {
	readonly extracted: Extracted;
	/** The login of the order, where a proxy without one of its own needs it. */
	readonly login?: ProxyLogin;
}

/** The items that one extraction serves: those with the same settings where each gets a proxy, otherwise one. */
export interface ItemGroup {
	/** The first of them. */
	readonly item: Item;
	readonly index: number;
	readonly members: number[];
	/** Whether each gets a proxy, so that no other items of the run are to get the same ones. */
	readonly isExclusive: boolean;
	/** Proxies that the items had before and that are not to come again. */
	readonly failed: ProxyReport[];
	/** For as many proxies as all of them need. */
	request: ExtractRequest;
	taken?: Promise<TakenProxies>;
}

/** How many items have their key pairs read in parallel: n8n reads each from its database, which takes longest. */
const AT_A_TIME = 50;

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
	const read = await tryItems(context, items, async (item, index): Promise<ExtractRequest> => {
		const request = readExtractRequest((name) => item.parameter(name), item.isForAgent);
		if (request.output !== 'forEachInput') return request;
		const { json } = input[index];
		refuseLosses(json, request);
		return { ...request, failed: failedProxyOf(json, request) };
	});
	const sharing = items.filter((_item, index) => {
		const outcome = read.get(index);
		return outcome?.kind === 'result' && outcome.result.output === 'forEachInput';
	});
	for (let at = 0; at < sharing.length; at += AT_A_TIME) {
		const some = sharing.slice(at, at + AT_A_TIME);
		await Promise.allSettled(some.map(async (item) => await item.orderKey()));
	}
	const groups = new Map<string, ItemGroup>();
	const plan = await tryItems(context, read, async (request, index) => {
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
