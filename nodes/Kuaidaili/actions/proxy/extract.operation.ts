import type { IExecuteFunctions } from 'n8n-workflow';

import { ordersOf } from '../../../shared/orders/orderField';
import { sentences } from '../../../shared/wording';
import { isCancelled } from '../../nodeRun';
import type { Item, RunOperation, RunOutcome } from '../../operation';
import { sessionsOfRun } from '../../proxies/logins';
import { productField } from '../../proxies/products';
import { ProxySupply } from '../../proxies/supply';
import { runItems } from '../runItems';
import { extractProperties } from './extract/fields';
import { attachProxy, listProxies, listsHint } from './extract/output';
import { firstRefused, planExtractions, type ItemGroup } from './extract/plan';

const LOGIN_HIDDEN =
	"User names and passwords are left out, because the model of an AI agent would read them. To include them, turn on 'Include Secrets' in 'Options'.";

/** n8n saves no output of a cancelled node: the log is left. */
function logCancelled(context: IExecuteFunctions, counted: string | undefined): void {
	if (counted === undefined || !isCancelled(context)) return;
	const { name } = context.getNode();
	context.logger.warn(`'${name}' was cancelled. ${counted}, and its output is lost.`);
}

/** An error that ends the run loses what other items brought. */
function noteForError(items: RunOutcome['items'], counted: string | undefined): string | undefined {
	const brought = [...items].some(([, outcome]) => 'result' in outcome);
	if (!brought || counted === undefined) return undefined;
	return `${counted}. To get those of the other items when one fails, set 'On Error' in the settings of the node to 'Continue'.`;
}

async function extractForItems(
	context: IExecuteFunctions,
	items: readonly Item[],
): Promise<RunOutcome> {
	const endsRun = !context.continueOnFail();
	const input = context.getInputData();
	const plan = await planExtractions(items, input, endsRun);
	// An error ends the run then, and what was extracted before it would be lost
	const supply = new ProxySupply(context);
	const refused = endsRun ? firstRefused(plan, supply.usedBefore) : undefined;
	if (refused !== undefined) return { items: new Map([refused]) };

	const sessionOf = sessionsOfRun();
	const obtain = async ({ request, members, failed }: ItemGroup) => {
		const [index] = members;
		const isExclusive = request.output === 'forEachInput';
		return await supply.obtain({ request, item: items[index], index, isExclusive, failed });
	};
	const { items: outcomes } = await runItems(context, async (index) => {
		const planned = plan[index];
		if ('error' in planned) throw planned.error;
		const { request, group } = planned;
		const obtained = await (group.obtained ??= obtain(group));
		const result =
			request.output === 'forEachInput'
				? attachProxy(input[index], index, planned, obtained, sessionOf)
				: listProxies(request, obtained, sessionOf(index));
		if (!request.hidesLogin) return result;
		return { ...result, hint: sentences(result.hint, LOGIN_HIDDEN) };
	});
	const counted = supply.countedInWords;
	logCancelled(context, counted);
	const hint = listsHint(plan, outcomes);
	return {
		items: outcomes,
		hints: hint === undefined ? [] : [hint],
		note: noteForError(outcomes, counted),
	};
}

export const proxyExtract: RunOperation = {
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
