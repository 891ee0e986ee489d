import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { comesFromTestEvent } from '../../shared/testEvent';
import { refuseWrongOrderChoice } from '../../shared/orders/orderAccess';
import { orderField, readChosenOrder } from '../../shared/orders/orderField';
import { toNodeError } from '../../shared/transport/describeFailure';
import { DescribedError, WrongKeyTypeError } from '../../shared/errors/callErrors';
import { executionCaller, type NodeCaller } from '../../shared/transport/caller';
import type { ItemOutcome, OperationResult, RunOutcome } from '../operation';
import {
	purchaseFingerprint,
	type BoughtItem,
	type PlannedItem,
	type PurchaseOperation,
} from './contract';
import { isCancelled } from '../nodeRun';
import { readCallOptions } from '../parameters/callOptions';
import { askWith, buyOnce } from './buy';
import { RunCosts } from './costs';
import { RunLedger } from './ledger';
import {
	LargeRunError,
	NOTHING_BOUGHT,
	readDryRun,
	readMaxCost,
	readMaxOrders,
	readMinimumBalance,
	readReportCost,
	refusalOfLargeRun,
	refuseRetryingTool,
} from './options';
import { cancelledRuns } from './processMemory';
import {
	duplicateWarningIn,
	lapsingHint,
	noteForError,
	noteOfCancelledRun,
	severalPurchasesHint,
} from './words';

/**
 * Buys for all items. First everything that can be checked locally is checked for all of them, then one
 * after the other is bought, until an error ends the run.
 */
export async function runPurchases(
	context: IExecuteFunctions,
	operation: PurchaseOperation,
): Promise<RunOutcome> {
	const ledger = new RunLedger(context);
	const items = new Map<number, ItemOutcome>();
	const plans = await planAll(context, ledger, operation, items);
	const lastRun = cancelledRuns.take(ledger.nodeKey);
	const wrong = firstError(items);
	if (wrong !== undefined && !context.continueOnFail()) {
		const { error, itemIndex } = wrong;
		const bought = ledger.ofThisRun();
		const isSaid = error instanceof LargeRunError || bought.length > 0;
		const nothing = isSaid ? undefined : NOTHING_BOUGHT;
		return { items, note: joined(lastRun, noteForError(bought, itemIndex), nothing) };
	}
	const costs = new RunCosts(context);
	const { boughtNow, failed } = await buyAll(context, { ledger, costs }, plans, items);
	const reports = costs.settle();
	if (boughtNow.length > 0 && !isCancelled(context)) {
		await operation.complete?.(boughtNow);
		for (const { itemIndex, record } of boughtNow)
			items.set(itemIndex, { result: resultOf(record) });
	}
	await reports;
	// Last, as that takes a call: a run that is cancelled in the meantime loses its output as well
	if (isCancelled(context)) {
		// The output of this run is lost as well, so the next one has to say it
		if (lastRun !== undefined) cancelledRuns.note(ledger.nodeKey, lastRun);
		reportCancelled(context, ledger, items, failed);
	}

	const bought = ledger.ofThisRun();
	const several = severalPurchasesHint(bought, operation.purchases, context.getInputData().length);
	// Of an unclear one, its own error says what to do
	const isOpen = ({ itemIndex }: PlannedItem) => ledger.get(itemIndex) === undefined;
	const lapsing = lapsingHint(countLapsing(plans.filter(isOpen), items));
	return {
		items,
		hints: [lastRun, several, lapsing, costs.hint].filter((hint) => hint !== undefined),
		note: failed === undefined ? undefined : joined(lastRun, noteForError(bought, failed), lapsing),
	};
}

const DAY_MS = 86_400_000;

/** The orders that will have ended by the same run of the next day. */
function countLapsing(
	plans: readonly PlannedItem[],
	items: ReadonlyMap<number, ItemOutcome>,
): number {
	const now = Date.now();
	return plans.filter(({ itemIndex, plan: { endsAt = Infinity } }) => {
		const outcome = items.get(itemIndex);
		const hasFailed = outcome === undefined || 'error' in outcome;
		return hasFailed && endsAt > now && endsAt - now < DAY_MS;
	}).length;
}

/** @param items gets the outcomes */
async function buyAll(
	context: IExecuteFunctions,
	{ ledger, costs }: { readonly ledger: RunLedger; readonly costs: RunCosts },
	plans: readonly PlannedItem[],
	items: Map<number, ItemOutcome>,
): Promise<{ boughtNow: BoughtItem[]; failed?: number }> {
	const boughtNow: BoughtItem[] = [];
	for (const planned of inOrderOfUrgency(plans)) {
		const { itemIndex, caller } = planned;
		const outcome = await buyOnce(ledger, planned, costs).then(
			(record): ItemOutcome => ({ result: resultOf(record) }),
			(error: unknown): ItemOutcome => ({ error }),
		);
		items.set(itemIndex, outcome);
		if ('result' in outcome) {
			const bought = ledger.get(itemIndex);
			if (bought?.state === 'paid') {
				const { secretId, signType } = caller.credential;
				const before = ledger.statesBefore.get(itemIndex);
				const { record } = bought;
				boughtNow.push({ itemIndex, ask: askWith(caller), secretId, signType, before, record });
			}
			continue;
		}
		const goesOn = !isCancelled(context) && context.continueOnFail();
		if (!goesOn) return { boughtNow, failed: itemIndex };
	}
	return { boughtNow };
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

function inOrderOfUrgency(plans: readonly PlannedItem[]): PlannedItem[] {
	const end = ({ plan }: PlannedItem) => plan.endsAt ?? Infinity;
	return [...plans].sort((a, b) => (end(a) === end(b) ? 0 : end(a) - end(b)));
}

/**
 * @param items gets what is known already: what was bought before 'Retry On Fail', and what cannot be bought
 * @returns what is to be bought
 */
async function planAll(
	context: IExecuteFunctions,
	ledger: RunLedger,
	operation: PurchaseOperation,
	items: Map<number, ItemOutcome>,
): Promise<PlannedItem[]> {
	const plans: PlannedItem[] = [];
	for (const itemIndex of context.getInputData().keys()) {
		const known = ledger.get(itemIndex);
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
		const planned = await planItem(context, ledger, operation, itemIndex).catch(
			(error: unknown) => {
				items.set(itemIndex, { error });
			},
		);
		if (planned !== undefined) plans.push(planned);
	}
	if (!operation.refusesLargeRuns) return plans;
	const max = Math.min(...plans.map(({ maxOrders }) => maxOrders));
	const made = { inExecution: ledger.count(), inRun: ledger.ofThisRun().length };
	const refusal = refusalOfLargeRun(made, plans.length, max);
	if (refusal === undefined) return plans;
	for (const { itemIndex, plan, caller } of plans) {
		// An unclear purchase matters more than the limit, above all to an agent
		const unclear =
			'decide' in plan ? undefined : ledger.unclearInOtherRun(purchaseFingerprint(plan, caller));
		items.set(itemIndex, { error: unclear === undefined ? refusal : new DescribedError(unclear) });
	}
	return [];
}

async function planItem(
	context: IExecuteFunctions,
	{ localTime }: RunLedger,
	operation: PurchaseOperation,
	itemIndex: number,
): Promise<PlannedItem> {
	refuseRetryingTool(context);
	const parameter = (name: string): unknown => context.getNodeParameter(name, itemIndex, '');
	const { options, timeoutMs, check } = readCallOptions(parameter('options'));
	const caller = await executionCaller(context, itemIndex, timeoutMs);
	const { json } = context.getInputData()[itemIndex];
	const orderNumber = () => readChosenOrder(parameter(orderField.name), { check });
	const isTest = comesFromTestEvent(context, json);
	const item = { run: context, options, check, json, isTest, localTime, parameter, orderNumber };
	const plan = operation.plan(item);
	refuseWrongKeyType(plan, caller);
	return {
		itemIndex,
		plan,
		caller,
		maxOrders: readMaxOrders(operation.maxOrdersField, options),
		minimumBalance: readMinimumBalance(options, caller.credential),
		maxCost: readMaxCost(options, caller.credential),
		reportsCost: readReportCost(options, caller.credential),
		dryRun: readDryRun(options),
	};
}

/** @throws WrongKeyTypeError, InvalidFieldError */
function refuseWrongKeyType(
	{ endpoint, orderid }: PlannedItem['plan'],
	{ credential }: NodeCaller,
): void {
	if (endpoint.key === 'order') refuseWrongOrderChoice(credential, orderid);
	else if (credential.keyType !== 'account') throw new WrongKeyTypeError('account');
}

/**
 * n8n saves neither output nor error of a cancelled node, so its purchases go to the log and to the next
 * run of the node.
 */
function reportCancelled(
	context: IExecuteFunctions,
	ledger: RunLedger,
	items: ReadonlyMap<number, ItemOutcome>,
	failed: number | undefined,
): void {
	const outcome = failed === undefined ? undefined : items.get(failed);
	const failure =
		outcome !== undefined && 'error' in outcome
			? toNodeError(context.getNode(), outcome.error, failed)
			: undefined;
	const bought = ledger.ofThisRun();
	const note = noteForError(bought, failed);
	const text = joined(failure && `${failure.message}.`, failure?.description ?? undefined, note);
	if (text !== '') context.logger.warn(text);
	const forNextRun = noteOfCancelledRun(bought, ledger.localTime(Date.now()));
	if (forNextRun !== undefined) cancelledRuns.note(ledger.nodeKey, forNextRun);
}
