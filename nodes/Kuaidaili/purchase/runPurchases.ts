import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { refuseWrongOrderChoice } from '../../shared/orders/orderAccess';
import { orderField, readChosenOrder } from '../../shared/orders/orderField';
import { toNodeError } from '../../shared/toNodeError';
import { DescribedError, WrongKeyTypeError } from '../../shared/transport/callErrors';
import { executionCaller, type NodeCaller } from '../../shared/transport/nodeCaller';
import type { ItemOutcome, OperationResult, RunOutcome } from '../operation';
import {
	purchaseFingerprint,
	type BoughtItem,
	type PlannedPurchase,
	type Purchase,
	type PurchaseOperation,
} from './contract';
import { isCancelled } from '../nodeRun';
import { readCallOptions } from '../parameters/callOptions';
import { askWith } from './buyer';
import { buyOnce } from './buyOnce';
import { cancelledRuns, hintOfCancelledRun } from './cancelledRuns';
import { duplicateWarningIn } from './duplicateWarning';
import {
	LargeRunError,
	NOTHING_BOUGHT,
	refusalOfLargeRun,
	refuseRetryingTool,
} from './purchaseLimits';
import { readMaxOrders, readMinimumBalance } from './purchaseOptions';
import { noteForError, purchasesOfRun, severalPurchasesHint } from './purchaseReport';
import { PurchaseRun } from './purchaseRun';

/**
 * Buys for all items. First everything that can be checked locally is checked for all of them, then one
 * after the other is bought, until an error ends the run.
 */
export async function runPurchases(
	context: IExecuteFunctions,
	operation: PurchaseOperation,
): Promise<RunOutcome> {
	const run = new PurchaseRun(context);
	const items = new Map<number, ItemOutcome>();
	const plans = await planAll(context, run, operation, items);
	const cancelledBefore = cancelledRuns.take(run.nodeKey);
	const lastRun = hintOfCancelledRun(cancelledBefore);
	const wrong = firstError(items);
	if (wrong !== undefined && !context.continueOnFail()) {
		const { error, itemIndex } = wrong;
		const isSaid = error instanceof LargeRunError || run.memory.ofThisRun().length > 0;
		const nothing = isSaid ? undefined : NOTHING_BOUGHT;
		return { items, note: joined(lastRun, noteForError(run.memory, itemIndex), nothing) };
	}
	const boughtNow: BoughtItem[] = [];
	let failed: number | undefined;
	for (const planned of inOrderOfUrgency(plans)) {
		const { itemIndex, caller } = planned;
		const outcome = await buyOnce(run, planned).then(
			(record): ItemOutcome => ({ result: resultOf(record) }),
			(error: unknown): ItemOutcome => ({ error }),
		);
		items.set(itemIndex, outcome);
		if ('result' in outcome) {
			const bought = run.memory.get(itemIndex);
			if (bought?.state === 'paid') {
				const { secretId } = caller.credential;
				boughtNow.push({ ask: askWith(caller), secretId, record: bought.record });
			}
			continue;
		}
		if (!isCancelled(context) && context.continueOnFail()) continue;
		failed = itemIndex;
		break;
	}
	if (boughtNow.length > 0 && !isCancelled(context)) await operation.complete?.(boughtNow);
	// Last, as that takes a call: a run that is cancelled meanwhile loses its output as well
	if (isCancelled(context)) {
		// The output of this run is lost as well, so the next one has to say it
		if (cancelledBefore !== undefined) cancelledRuns.note(run.nodeKey, cancelledBefore);
		reportCancelled(context, run, items, failed);
	}

	const several = severalPurchasesHint(
		run.memory,
		operation.purchases,
		context.getInputData().length,
	);
	return {
		items,
		hints: [lastRun, several].filter((hint) => hint !== undefined),
		note: failed === undefined ? undefined : joined(lastRun, noteForError(run.memory, failed)),
	};
}

function resultOf(record: IDataObject): OperationResult {
	return { records: [record], hint: duplicateWarningIn(record) };
}

function firstError(items: ReadonlyMap<number, ItemOutcome>) {
	for (const [itemIndex, outcome] of items) {
		if ('error' in outcome) return { itemIndex, error: outcome.error };
	}
	return undefined;
}

function joined(...sentences: Array<string | undefined>): string {
	return sentences.filter(Boolean).join(' ');
}

function inOrderOfUrgency(plans: readonly PlannedPurchase[]): PlannedPurchase[] {
	const end = ({ purchase }: PlannedPurchase) => purchase.endsAt ?? Infinity;
	return [...plans].sort((a, b) => (end(a) === end(b) ? 0 : end(a) - end(b)));
}

/**
 * @param items gets what is known already: what was bought before 'Retry On Fail', and what cannot be bought
 * @returns what is to be bought
 */
async function planAll(
	context: IExecuteFunctions,
	run: PurchaseRun,
	operation: PurchaseOperation,
	items: Map<number, ItemOutcome>,
): Promise<PlannedPurchase[]> {
	const plans: PlannedPurchase[] = [];
	for (const itemIndex of context.getInputData().keys()) {
		const known = run.memory.get(itemIndex);
		if (known !== undefined) {
			// On a retry, the earlier outcome is repeated and nothing is sent
			items.set(
				itemIndex,
				known.state === 'paid'
					? { result: resultOf(known.record) }
					: { error: new DescribedError(known.text) },
			);
			continue;
		}
		const planned = await planItem(context, operation, itemIndex).catch((error: unknown) => {
			items.set(itemIndex, { error });
		});
		if (planned !== undefined) plans.push(planned);
	}
	if (!operation.refusesLargeRuns) return plans;
	const max = Math.min(...plans.map(({ maxOrders }) => maxOrders));
	const refusal = refusalOfLargeRun(run.memory, plans.length, max);
	if (refusal === undefined) return plans;
	for (const { itemIndex, purchase, caller } of plans) {
		// An unclear purchase matters more than the limit, above all to an agent
		const unclear = run.memory.unclearInOtherRun(purchaseFingerprint(purchase, caller));
		items.set(itemIndex, { error: unclear === undefined ? refusal : new DescribedError(unclear) });
	}
	return [];
}

async function planItem(
	context: IExecuteFunctions,
	operation: PurchaseOperation,
	itemIndex: number,
): Promise<PlannedPurchase> {
	refuseRetryingTool(context);
	const parameter = (name: string): unknown => context.getNodeParameter(name, itemIndex, '');
	const { options, timeoutMs, check } = readCallOptions(parameter('options'));
	const caller = await executionCaller(context, itemIndex, timeoutMs);
	const { json } = context.getInputData()[itemIndex];
	const orderNumber = () => readChosenOrder(parameter(orderField.name), { check });
	const purchase = operation.plan({ run: context, options, check, json, parameter, orderNumber });
	refuseWrongKeyType(purchase, caller);
	return {
		itemIndex,
		purchase,
		caller,
		maxOrders: readMaxOrders(operation.maxOrdersField, options),
		minimumBalance: readMinimumBalance(options, caller.credential),
	};
}

/** @throws WrongKeyTypeError, InvalidFieldError */
function refuseWrongKeyType({ endpoint, orderid }: Purchase, { credential }: NodeCaller): void {
	if (endpoint.key === 'order') refuseWrongOrderChoice(credential, orderid);
	else if (credential.keyType !== 'account') throw new WrongKeyTypeError('account');
}

/**
 * n8n saves neither output nor error of a cancelled node, so its purchases go to the log and to the next
 * run of the node.
 */
function reportCancelled(
	context: IExecuteFunctions,
	{ memory, nodeKey }: PurchaseRun,
	items: ReadonlyMap<number, ItemOutcome>,
	failed: number | undefined,
): void {
	const outcome = failed === undefined ? undefined : items.get(failed);
	const failure =
		outcome !== undefined && 'error' in outcome
			? toNodeError(context.getNode(), outcome.error, failed)
			: undefined;
	const note = noteForError(memory, failed);
	const text = joined(failure && `${failure.message}.`, failure?.description ?? undefined, note);
	if (text !== '') context.logger.warn(text);
	const purchases = purchasesOfRun(memory);
	if (purchases !== '') cancelledRuns.note(nodeKey, purchases);
}
