import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { CallError, DescribedError, WrongKeyTypeError } from '../../shared/errors/callErrors';
import { accessOrder, refuseWrongOrderChoice } from '../../shared/orders/orderAccess';
import { orderField, readChosenOrder } from '../../shared/orders/orderField';
import { localTimeIn, type LocalTime } from '../../shared/service/chinaTime';
import type { RunQuery } from '../../shared/service/query';
import { comesFromTestEvent } from '../../shared/testEvent';
import { executionCaller, type NodeCaller } from '../../shared/transport/caller';
import { runQuery } from '../../shared/transport/callService';
import { describeFailure, toNodeError } from '../../shared/transport/describeFailure';
import { isCancelled, isRetriedTool } from '../nodeRun';
import type { ItemOutcome, RunOutcome } from '../operation';
import { readCallOptions } from '../parameters/callOptions';
import { DeliveryRecords, PurchaseBook, type BookEntry } from '../purchase/book';
import {
	askWith,
	buyOnce,
	fingerprintFor,
	WOULD,
	type PlannedItem,
	type PlannedPurchase,
	type PurchaseContext,
} from '../purchase/buy';
import {
	withPreview,
	type BoughtItem,
	type Pass,
	type Purchase,
	type PurchaseOperation,
} from '../purchase/contract';
import { RunCosts } from '../purchase/costs';
import { readMoneyOptions } from '../purchase/options';
import {
	countsInWords,
	failedCheck,
	joined,
	lapsingHint,
	limitHint,
	LimitReachedError,
	NOTHING_BOUGHT,
	purchasesInWords,
	refusalOfLargeRun,
	waitForUnclear,
	type LeftOrder,
} from '../purchase/words';

const DAY_MS = 86_400_000;

interface FailedItem extends Pick<PlannedItem, 'itemIndex'> {
	readonly plan: Pick<Purchase, 'done' | 'preview'>;
}

/** Asks about an order with the key pair that each endpoint needs. */
function askAbout(caller: NodeCaller, orderid: string | undefined): RunQuery {
	return async (query, parameters) => {
		const isOfOrder = query.endpoint.key === 'order';
		const asking = isOfOrder ? (await accessOrder(caller, orderid)).caller : caller;
		return await runQuery(asking, query, parameters);
	};
}

/**
 * Buys for all items: plans all of them and makes every check that needs no request, sorts them by when their
 * orders end, and buys one after the other.
 */
export async function runPurchases(
	context: IExecuteFunctions,
	operation: PurchaseOperation,
): Promise<RunOutcome> {
	return await new PurchaseRun(context, operation).run();
}

class PurchaseRun implements PurchaseContext {
	readonly book: PurchaseBook;
	readonly costs: RunCosts;
	readonly records: DeliveryRecords;
	readonly localTime: LocalTime;
	/** The items for which a process that died has recorded a purchase. */
	delivered: ReadonlySet<number> = new Set();
	private readonly items = new Map<number, ItemOutcome>();
	private readonly boughtNow: BoughtItem[] = [];
	private readonly notDue: LeftOrder[] = [];
	private readonly limited: Array<LeftOrder & { readonly limit: string }> = [];
	private passed = 0;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly operation: PurchaseOperation,
	) {
		this.book = new PurchaseBook(context);
		this.costs = new RunCosts(this.book);
		this.records = new DeliveryRecords(context);
		this.localTime = localTimeIn(context.getTimezone());
	}

	async run(): Promise<RunOutcome> {
		const { book, context, items, operation } = this;
		const plans = await this.planAll();
		const untold = book.takeUntold();
		const [wrong] = [...items].filter(([, outcome]) => 'error' in outcome);
		if (wrong !== undefined && !context.continueOnFail()) {
			const bought = book.ofThisRun().filter(({ itemIndex }) => itemIndex !== wrong[0]);
			const isSaid = 'error' in wrong[1] && wrong[1].error instanceof LimitReachedError;
			const nothing = isSaid || book.ofThisRun().length > 0 ? undefined : NOTHING_BOUGHT;
			return { items, note: joined(untold, purchasesInWords(bought, 'this run'), nothing) };
		}
		this.delivered = await this.readDelivered(plans);
		const failed = await this.buyAll(await this.decideAll(plans));
		const reports = this.costs.complete();
		if (!isCancelled(context)) await operation.complete?.(this.boughtNow).catch(() => {});
		await reports;
		for (const { record, amount } of this.boughtNow) operation.tell?.(record, amount);
		if (isCancelled(context)) this.tellOfCancelled(untold, failed);
		return this.outcome(untold);
	}

	/** @returns what is to be bought; what is known already or cannot be bought is in `items` */
	private async planAll(): Promise<PlannedItem[]> {
		const { book, context, items, operation } = this;
		const accounts = new Map<string, object>();
		const plans: PlannedItem[] = [];
		for (const itemIndex of context.getInputData().keys()) {
			const known = book.entryOf(itemIndex);
			if (known?.state === 'paid' && known.record !== undefined && !known.isDry) {
				items.set(itemIndex, { result: { records: [known.record] } });
			} else if (known?.text !== undefined) {
				items.set(itemIndex, { error: new DescribedError(known.text) });
			} else {
				const planned = await this.planItem(itemIndex, accounts).catch((error: unknown) => {
					const preview = this.chosenOrderOf(itemIndex);
					this.keepError({ itemIndex, plan: { done: operation.done, preview } }, error);
				});
				if (planned !== undefined) plans.push(planned);
			}
		}
		if (!operation.stopsEarly || plans.length === 0) return plans;
		const max = Math.min(...plans.map(({ money }) => money.maxOrders));
		// A condition may find that nothing has to be bought, whatever was bought before
		const mustBuy = plans.some(({ plan }) => !('isConditional' in plan && plan.isConditional));
		const earlier = mustBuy ? book.made(plans.some(({ money }) => money.dryRun)).length : 0;
		const refusal = refusalOfLargeRun(earlier, plans.length, max);
		if (refusal === undefined) return plans;
		for (const { itemIndex, plan, caller } of plans) {
			// An unclear purchase matters more than the limit, above all to an agent
			const isSame = ({ state, fingerprint }: BookEntry) =>
				state === 'open' && !('decide' in plan) && fingerprint === fingerprintFor(plan, caller);
			const unclear = book.made(false).find(isSame);
			const error = unclear && waitForUnclear(unclear, this.localTime);
			this.keepError({ itemIndex, plan }, error ?? refusal);
		}
		return [];
	}

	/** Of an item that can't be planned, as far as it says. */
	private chosenOrderOf(itemIndex: number): IDataObject {
		try {
			const value: unknown = this.context.getNodeParameter(orderField.name, itemIndex, '');
			const orderid = readChosenOrder(value, { check: false });
			return orderid === undefined ? {} : { orderid };
		} catch {
			return {};
		}
	}

	private async planItem(itemIndex: number, accounts: Map<string, object>): Promise<PlannedItem> {
		const { context, operation, localTime } = this;
		refuseRetryingTool(context);
		const parameter = (name: string): unknown => context.getNodeParameter(name, itemIndex, '');
		const { options, timeoutMs, check } = readCallOptions(parameter('options'));
		const caller = await executionCaller(context, itemIndex, timeoutMs);
		const { credential } = caller;
		const account = accounts.get(credential.secretId) ?? {};
		accounts.set(credential.secretId, account);
		const orderNumber = () => readChosenOrder(parameter(orderField.name), { check });
		const { json } = context.getInputData()[itemIndex];
		const isTest = comesFromTestEvent(context, json);
		const plan = operation.plan({
			...{ account, options, check, isTest, localTime, parameter, orderNumber },
		});
		if (plan.endpoint.key === 'order') refuseWrongOrderChoice(credential, plan.chosenOrder);
		else if (credential.keyType !== 'account') throw new WrongKeyTypeError('account');
		const money = readMoneyOptions(operation.maxOrdersField, options, credential);
		return { itemIndex, plan, caller, money };
	}

	private async readDelivered(plans: readonly PlannedItem[]): Promise<ReadonlySet<number>> {
		const { book, records } = this;
		if (!(await book.isDeliveredAgain(records))) return new Set();
		const paying = plans.filter(({ money }) => !money.dryRun);
		const ids = new Map(paying.map(({ itemIndex }) => [book.idOf(itemIndex), itemIndex]));
		const known = await records.known(...ids.keys());
		return new Set(
			[...ids].flatMap(([id, index]) => (known.has(id) && !records.settled.has(id) ? [index] : [])),
		);
	}

	/**
	 * @returns the purchases: first those that a process that died may have made, so that they count, then that of
	 * the order that ends first
	 */
	private async decideAll(plans: readonly PlannedItem[]): Promise<PlannedPurchase[]> {
		const purchases: PlannedPurchase[] = [];
		for (const planned of plans) {
			const { plan, caller } = planned;
			if (!('decide' in plan)) {
				purchases.push({ ...planned, purchase: plan });
				continue;
			}
			try {
				const failed = failedCheck(this.delivered.has(planned.itemIndex));
				const ask = askAbout(caller, plan.chosenOrder);
				const { purchase, pass } = await plan.decide(ask).catch(failed);
				const isPassed = pass !== undefined && !this.delivered.has(planned.itemIndex);
				if (purchase !== undefined && !isPassed) purchases.push({ ...planned, purchase });
				else if (pass !== undefined) this.keepPass(planned, pass);
			} catch (error) {
				this.keepError(planned, error);
				if (isCancelled(this.context)) break;
			}
		}
		const end = ({ purchase, itemIndex }: PlannedPurchase) =>
			this.delivered.has(itemIndex) ? -Infinity : (purchase.endsAt ?? Infinity);
		return purchases.sort((a, b) => (end(a) === end(b) ? 0 : end(a) - end(b)));
	}

	/** @returns the item whose error ends the run at once */
	private async buyAll(purchases: readonly PlannedPurchase[]): Promise<number | undefined> {
		const { book, context, operation } = this;
		for (const planned of purchases) {
			const { itemIndex, purchase, caller } = planned;
			if (isCancelled(context)) return itemIndex;
			try {
				const result = await buyOnce(this, planned);
				if (result.made === undefined) {
					this.keepPass(planned, result);
				} else {
					const { record } = result;
					this.items.set(itemIndex, { result: { records: [record] } });
					const { secretId } = caller.credential;
					const { amount } = purchase;
					const bought = { ask: askWith(caller), secretId, record, amount };
					if (result.made === 'now') this.boughtNow.push(bought);
					else operation.tell?.(record, amount);
				}
			} catch (error) {
				if (error instanceof LimitReachedError && !operation.stopsEarly) {
					const { message: limit } = error;
					const { endsAt, orderid } = purchase;
					this.limited.push({ orderid, endsAt, limit });
					this.keepRecord(planned, { [purchase.done]: false, reason: limit });
					continue;
				}
				this.keepError(planned, error);
				const isOpen = book.entryOf(itemIndex)?.state === 'open';
				const ends = !context.continueOnFail() && (operation.stopsEarly || isOpen);
				if (ends || isCancelled(context)) return itemIndex;
			}
		}
		return undefined;
	}

	private keepPass(planned: PlannedItem, { record, endsAt }: Pass): void {
		const orderid = typeof record.orderid === 'string' ? record.orderid : planned.plan.chosenOrder;
		if (endsAt === undefined) this.passed += 1;
		else this.notDue.push({ orderid, endsAt });
		this.keepRecord(planned, record);
	}

	private keepRecord({ itemIndex, plan, money }: PlannedItem, output: IDataObject): void {
		const record = withPreview(plan, output);
		const shown = money.dryRun ? wouldNot(plan, record) : record;
		this.operation.tell?.(shown, '');
		this.items.set(itemIndex, { result: { records: [shown] } });
	}

	private keepError({ itemIndex, plan }: FailedItem, error: unknown): void {
		const { message, description } = toNodeError(this.context.getNode(), error);
		const reason = [message, description].filter(Boolean).join('. ');
		// Of an unclear purchase, nobody knows
		const isOpen = this.delivered.has(itemIndex) || this.book.entryOf(itemIndex)?.state === 'open';
		const known = withPreview(plan, isOpen ? { reason } : { [plan.done]: false, reason });
		this.items.set(itemIndex, { error, known });
	}

	private outcome(untold: string | undefined): RunOutcome {
		const { book, context, items, limited, notDue, operation, localTime } = this;
		const bought = book.ofThisRun().filter(({ isDry }) => !isDry);
		const paid = bought.filter(({ state }) => state === 'paid');
		const errors = [...items].filter(([, outcome]) => 'error' in outcome);
		const done = operation.done;
		const counts = countsInWords(done, paid, {
			'not due': notDue.length,
			[`not ${done} for other reasons`]: this.passed + limited.length,
			failed: errors.length,
		});
		const isLapsing = ({ endsAt = Infinity }: LeftOrder) => endsAt - Date.now() < DAY_MS;
		const lapsing = notDue.filter(isLapsing);
		const hints = [
			limited.length === 0 ? undefined : limitHint(limited, limited[0].limit, localTime),
			lapsing.length === 0 ? undefined : lapsingHint(lapsing, localTime),
			...this.costs.hints,
		].filter((hint) => hint !== undefined);
		const several = context.getInputData().length > 1 && paid.length + errors.length > 0;
		// The one that the node fails with
		const [ending] = errors.map(([index]) => index).sort((a, b) => a - b);
		const others = bought.filter(({ itemIndex }) => itemIndex !== ending);
		const notDone = errors
			.filter(([index]) => index !== ending && book.entryOf(index)?.state !== 'open')
			.map(([index, outcome]) => namedError(index, outcome));
		const note = joined(
			untold,
			purchasesInWords(others, 'this run'),
			notDone.length === 0 ? undefined : `Not ${done}: ${notDone.join('; ')}.`,
			others.some(isBoughtAgain) ? BOUGHT_AGAIN : undefined,
			several ? counts : undefined,
			...hints,
		);
		const all = [untold, several ? counts : undefined, ...hints];
		return { items, hints: all.filter((hint) => hint !== undefined), note };
	}

	/**
	 * n8n saves neither output nor error of a cancelled node, so its purchases go to the log and to the next run of
	 * the node.
	 */
	private tellOfCancelled(untold: string | undefined, failed: number | undefined): void {
		const { book, context, items, localTime } = this;
		const outcome = failed === undefined ? undefined : items.get(failed);
		const failure =
			outcome !== undefined && 'error' in outcome
				? toNodeError(context.getNode(), outcome.error)
				: undefined;
		const bought = book.ofThisRun().filter(({ isDry }) => !isDry);
		const text = joined(
			failure && `${failure.message}.`,
			failure?.description ?? undefined,
			purchasesInWords(
				bought.filter(({ itemIndex }) => itemIndex !== failed),
				'this run',
			),
		);
		if (text !== '') context.logger.warn(text);
		const purchases = purchasesInWords(bought, 'that run');
		const at = localTime(Date.now());
		if (untold !== undefined) book.tellLater(untold);
		if (purchases !== '') {
			book.tellLater(`A run of this node was canceled at ${at}. ${purchases}`);
		}
	}
}

const BOUGHT_AGAIN =
	'Leave the items that were bought out when you run it again, or they are bought again.';

/** Whether a person who runs it again would pay for it again. */
function isBoughtAgain({ state, isConditional }: BookEntry): boolean {
	return state === 'paid' && !isConditional;
}

function namedError(index: number, outcome: ItemOutcome): string {
	const { orderid } = ('known' in outcome ? outcome.known : undefined) ?? {};
	const which = typeof orderid === 'string' ? `order ${orderid} (item ${index})` : `item ${index}`;
	const said =
		'error' in outcome && outcome.error instanceof CallError
			? describeFailure(outcome.error).message
			: String(
					('error' in outcome && outcome.error instanceof Error && outcome.error.message) || '',
				);
	return `${which}: ${said}`;
}

/** The output of an item for which a run that is no dry run would buy nothing either. */
function wouldNot({ done }: Pick<Purchase, 'done'>, passed: IDataObject): IDataObject {
	const others = Object.entries(passed).filter(([name]) => name !== done);
	return { ...Object.fromEntries(others), [WOULD[done]]: false };
}

/** @throws DescribedError */
function refuseRetryingTool(context: IExecuteFunctions): void {
	if (!isRetriedTool(context)) return;
	throw new DescribedError({
		message: "Turn off 'Retry On Fail' in the settings of this tool to buy something with it",
		description:
			'n8n would call the tool again after a failure, and could pay twice for one order. Nothing was bought.',
	});
}
