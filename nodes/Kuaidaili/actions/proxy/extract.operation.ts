import type { IExecuteFunctions } from 'n8n-workflow';

import { ordersOf } from '../../../shared/orders/orderField';
import { sentences } from '../../../shared/wording';
import { isCancelled } from '../../run/nodeRun';
import { type Operation, type RunOutcome, tryItems } from '../../run/operation';
import type { Item } from '../../run/item';
import { ownLogin, sessionsOfRun } from '../../proxies/logins';
import { productField } from '../../proxies/products';
import { proxyPool, type ProxyReport } from '../../proxies/proxyPool';
import { RunProxies } from '../../proxies/runProxies';
import { extractProperties } from './extract/fields';
import { attachProxy, listProxies } from './extract/output';
import { planExtractions, type ItemGroup, type TakenProxies } from './extract/plan';

const LOGIN_HIDDEN =
	"User names and passwords are left out, because the model of an AI agent would read them. To include them, turn on 'Include Secrets' in 'Options'.";

/** Several items may have had the same proxy, which has refused one login once then. */
function reportFailed(order: string, failed: readonly ProxyReport[]): void {
	const idOf = ({ address, fault, site }: ProxyReport) =>
		`${address} ${fault === 'blocked' ? site : fault}`;
	const reports = new Map(failed.map((report) => [idOf(report), report]));
	for (const report of reports.values()) proxyPool.report(order, report);
}

/** Throws InvalidFieldError, and what `runQuery` throws. */
async function takeProxies(run: RunProxies, group: ItemGroup): Promise<TakenProxies> {
	const { item, index, isExclusive, failed, request } = group;
	const { wantsLogin, login: comesFrom } = request;
	const order = await item.orderKey();
	reportFailed(order, failed);
	// Before anything is extracted, so that nothing is used up where it cannot be fetched
	const ofOrder =
		wantsLogin && comesFrom === 'order' ? await run.extractor.loginOf(order, item) : undefined;
	const extracted = await run.take(item, request, index, isExclusive, failed);
	const isLacking = extracted.proxies.some((proxy) => ownLogin(proxy) === undefined);
	const needsOne = wantsLogin && comesFrom === 'entries' && isLacking;
	return { extracted, login: needsOne ? await run.extractor.loginOf(order, item) : ofOrder };
}

async function extractForItems(
	context: IExecuteFunctions,
	items: readonly Item[],
): Promise<RunOutcome> {
	const input = context.getInputData();
	const run = new RunProxies(context);
	const plan = await planExtractions(context, items, run.extractor.usedBefore);
	const sessionOf = sessionsOfRun();
	let served = 0;
	const outcomes = await tryItems(context, plan, async (planned, index) => {
		const { request, group } = planned;
		const taken = await (group.taken ??= takeProxies(run, group));
		const result = group.isExclusive
			? attachProxy(input[index], index, request, group, taken, sessionOf)
			: listProxies(request, taken, sessionOf(index));
		const hint = request.hidesLogin ? sentences(result.hint, LOGIN_HIDDEN) : result.hint;
		served += 1;
		return { ...result, hint };
	});
	const counted = run.extractor.countedInWords;
	if (counted !== undefined && isCancelled(context)) {
		// n8n saves no output of a cancelled node: the log is left
		const { name } = context.getNode();
		context.logger.warn(`'${name}' was canceled. ${counted}, and its output is lost.`);
	}
	// An error that ends the run loses what other items brought
	const isLost = counted !== undefined && served > 0;
	return {
		items: outcomes,
		note: isLost
			? `${counted}. To get those of the other items when one fails, set 'On Error' in the settings of the node to 'Continue'.`
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
