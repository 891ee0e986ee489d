import type { IExecuteFunctions } from 'n8n-workflow';

import { fingerprintOf } from '../../../shared/api/sign';
import { ordersOf } from '../../../shared/orders/orderField';
import { plural, sentences } from '../../../shared/wording';
import { isCancelled, isTool } from '../../run/nodeRun';
import { type ItemOutcome, type Operation, type RunOutcome, tryItems } from '../../run/operation';
import type { Item } from '../../run/item';
import { limitError, ProxyExtractor } from '../../proxies/extraction';
import { sessionsOfRun } from '../../proxies/logins';
import { settingsOf } from '../../proxies/productFields';
import { productField } from '../../proxies/products';
import { takeProxies } from '../../proxies/takeProxies';
import { failedProxyOf, refuseLosses } from './extract/failedProxy';
import {
	extractProperties,
	readExtractRequest,
	type ExtractGroup,
	type ExtractRequest,
} from './extract/fields';
import { attachProxy, listProxies } from './extract/output';

/** How many items have their key pairs read in parallel: n8n reads each from its database, which takes longest. */
const AT_A_TIME = 50;

/**
 * Plans the extractions for each item of a run. Sends nothing where an item is wrong that ends the run; otherwise only
 * what getting key pairs takes.
 *
 * @param usedBefore how many proxies earlier runs of the execution have used up
 */
async function planExtractions(
	context: IExecuteFunctions,
	items: readonly Item[],
	usedBefore: number,
): Promise<Map<number, ItemOutcome<{ request: ExtractRequest; group: ExtractGroup }>>> {
	const input = context.getInputData();
	const isForAgent = isTool(context);
	const read = await tryItems(context, items, async (item, index): Promise<ExtractRequest> => {
		const request = readExtractRequest(item.parameter, isForAgent);
		if (request.output !== 'forEachInput') return request;
		const { json } = input[index];
		refuseLosses(json, request);
		return { ...request, failed: failedProxyOf(json, request) };
	});
	const sharing: Item[] = [];
	for (const [index, outcome] of read) {
		const isSharing = outcome.kind === 'result' && outcome.result.output === 'forEachInput';
		if (isSharing) sharing.push(items[index]);
	}
	for (let at = 0; at < sharing.length; at += AT_A_TIME) {
		const some = sharing.slice(at, at + AT_A_TIME);
		await Promise.allSettled(some.map(async (item) => await item.orderKey()));
	}
	const groups = new Map<string, ExtractGroup>();
	const plan = await tryItems(context, read, async (request, index) => {
		const item = items[index];
		const isExclusive = request.output === 'forEachInput';
		const key = isExclusive
			? fingerprintOf(settingsOf(request), await item.orderKey())
			: String(index);
		const group: ExtractGroup = groups.get(key) ?? {
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
	let used = usedBefore;
	for (const group of groups.values()) {
		const { isWholeList, itemsPerProxy, usesQuota, reuse, maxExtractions } = group.request;
		if (group.isExclusive && isWholeList !== true) {
			const total = Math.ceil(group.members.length / itemsPerProxy);
			group.request = { ...group.request, total };
		}
		// With reuse, only the pool knows how many are missing
		if (context.continueOnFail() || !usesQuota || reuse !== undefined) continue;
		const error = limitError(group.request.total, used, maxExtractions);
		// It ends the run, and what was extracted before it would be lost
		if (error !== undefined) return new Map([[group.index, { kind: 'error', error }]]);
		used += group.request.total;
	}
	return plan;
}

const LOGIN_HIDDEN =
	"User names and passwords are left out, because the model of an AI agent would read them. To include them, turn on 'Include Secrets' in 'Options'.";

/** A text about the proxies that a run may have used up, without a period. */
function countedInWords(count: number): string {
	return `Up to ${plural(count, 'proxy', 'proxies')} of this run may have been extracted and counted`;
}

async function extractForItems(
	context: IExecuteFunctions,
	items: readonly Item[],
): Promise<RunOutcome> {
	const input = context.getInputData();
	const extractor = new ProxyExtractor(context);
	const plan = await planExtractions(context, items, extractor.usedBefore);
	const sessionOf = sessionsOfRun();
	let served = 0;
	const outcomes = await tryItems(context, plan, async ({ request, group }, index) => {
		const taken = await (group.taken ??= takeProxies(extractor, group));
		const result = group.isExclusive
			? attachProxy(input[index], index, request, group, taken, sessionOf)
			: listProxies(request, taken, () => sessionOf(index));
		const hint = request.hidesLogin ? sentences(result.hint, LOGIN_HIDDEN) : result.hint;
		served += 1;
		return { ...result, hint };
	});
	const counted = extractor.usedByRun;
	if (counted !== 0 && isCancelled(context)) {
		// n8n saves no output of a cancelled node: the log is left
		const { name } = context.getNode();
		context.logger.warn(
			`'${name}' was canceled. ${countedInWords(counted)}, and its output is lost.`,
		);
	}
	// An error that ends the run loses what other items brought
	const isLost = counted !== 0 && served > 0 && served < items.length;
	return {
		items: outcomes,
		note: isLost
			? `${countedInWords(counted)}. To get those of the other items when one fails, set 'On Error' in the settings of the node to 'Continue'.`
			: undefined,
	};
}

export const proxyExtract: Operation = {
	option: {
		name: 'Extract',
		value: 'extract',
		action: 'Extract proxies',
		description:
			'Get proxies from an order of any product: one per item, all in one item, or one for each input item',
	},
	orders: (valueOf) => ordersOf(valueOf(productField.name)),
	properties: extractProperties,
	executeAll: extractForItems,
};
