import type { IExecuteFunctions } from 'n8n-workflow';

import { ordersOf } from '../../../shared/orders/orderField';
import { sentences } from '../../../shared/wording';
import { isCancelled } from '../../run/nodeRun';
import type { RunOperation, RunOutcome } from '../../run/operation';
import type { Item } from '../../run/item';
import { sessionsOfRun } from '../../proxies/logins';
import { productField } from '../../proxies/products';
import { ProxyExtractor } from '../../proxies/runProxies';
import { outcomesOf, tryItems } from '../../run/runItems';
import { extractProperties } from './extract/fields';
import { attachProxy, listProxies } from './extract/output';
import { planExtractions } from './extract/plan';

const LOGIN_HIDDEN =
	"User names and passwords are left out, because the model of an AI agent would read them. To include them, turn on 'Include Secrets' in 'Options'.";

/** n8n saves no output of a cancelled node: the log is left. */
function logCancelled(context: IExecuteFunctions, counted: string | undefined): void {
	if (counted === undefined || !isCancelled(context)) return;
	const { name } = context.getNode();
	context.logger.warn(`'${name}' was canceled. ${counted}, and its output is lost.`);
}

async function extractForItems(
	context: IExecuteFunctions,
	items: readonly Item[],
): Promise<RunOutcome> {
	const input = context.getInputData();
	const supply = new ProxyExtractor(context);
	const plan = await planExtractions(context, items, supply.usedBefore);
	const sessionOf = sessionsOfRun();
	const served = await tryItems(context, plan, async (planned, index) => {
		const { request, group } = planned;
		const obtained = await (group.obtained ??= supply.obtain(group));
		const result = group.isExclusive
			? attachProxy(input[index], index, planned, obtained, sessionOf)
			: listProxies(request, obtained, sessionOf(index));
		const hint = request.hidesLogin ? sentences(result.hint, LOGIN_HIDDEN) : result.hint;
		return { ...result, hint };
	});
	const counted = supply.countedInWords;
	logCancelled(context, counted);
	// An error that ends the run loses what other items brought
	const isLost = counted !== undefined && served.done.size > 0;
	return {
		items: outcomesOf(served),
		note: isLost
			? `${counted}. To get those of the other items when one fails, set 'On Error' in the settings of the node to 'Continue'.`
			: undefined,
	};
}

export const proxyExtract: RunOperation = {
	kind: 'run',
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
