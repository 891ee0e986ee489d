import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { DescribedError, WrongKeyTypeError } from '../../shared/errors/callErrors';
import { refuseWrongOrderChoice } from '../../shared/transport/orderAccess';
import { orderField, readChosenOrder } from '../../shared/orders/orderField';
import { DAY_MS, localTimeIn, type LocalTime } from '../../shared/service/chinaTime';
import { toNodeError } from '../../shared/errors/nodeError';
import { sentences } from '../../shared/wording';
import { isCancelled, isRetriedTool } from '../nodeRun';
import type { Item, ItemOutcome, RunOutcome } from '../operation';
import { PurchaseLedger, type LedgerEntry } from './ledger';
import { recordedPurchase, buyOnce, type PurchaseContext } from './purchase';
import {
	notRenewed,
	orderNumberOf,
	withPreview,
	DRY_RUN_OUTPUT,
	type PurchaseOperation,
	type PurchaseOutput,
} from './types';
import { RunCosts, type PlannedItem, type PlannedPurchase } from './spending';
import { readMoneyOptions } from './options';
import {
	countsInWords,
	failedCheck,
	lapsingHint,
	limitHint,
	LimitReachedError,
	NOTHING_BOUGHT,
	purchasesInWords,
	runTooLarge,
} from './texts';

/**
 * Buys for all items: plans all of them and makes every check that needs no request, sorts them by when their
 * orders end, and buys one after the other.
 */
export class PurchaseRun implements PurchaseContext {
	readonly book: PurchaseLedger;
	readonly costs: RunCosts;
	readonly localTime: LocalTime;
	readonly warnings = new Set<string>();
	sentElsewhere: ReadonlySet<number> = new Set();
	private readonly outputs = new Map<number, PurchaseOutput>();
	private readonly failures = new Map<
		number,
		{ readonly error: unknown; readonly known: IDataObject }
	>();
	private readonly boughtNow: IDataObject[] = [];
	/** Whether an input item has another order than 'Order'. */
	private hasOtherOrders = false;

	constructor(
		private readonly context: IExecuteFunctions,
		readonly operation: PurchaseOperation,
		private readonly items: readonly Item[],
	) {
		this.book = new PurchaseLedger(context);
		this.costs = new RunCosts(this.book, operation.endpoint.path);
		this.localTime = localTimeIn(context.getTimezone());
	}

	async run(): Promise<RunOutcome> {
		const { book, context, operation } = this;
		const plans = await this.planAll();
		if (this.isStopped) return this.outcome(true);
		const paying = plans.filter(({ money }) => !money.dryRun);
		this.sentElsewhere = await book.sentElsewhere(
			new Map(paying.map(({ itemIndex, plan }) => [itemIndex, plan])),
		);
		const purchases = await this.decideAll(plans);
		// What a process that died has bought has to be told
		const mayStop = operation.done === 'created' && this.sentElsewhere.size === 0;
		if (mayStop && this.isStopped) return this.outcome(true);
		await this.buyAll(purchases);
		if (this.boughtNow.length > 0 && !isCancelled(context)) {
			const { run: ask } = this.items[purchases[0].itemIndex];
			await operation.complete?.(this.boughtNow, ask).catch(() => {});
		}
		if (isCancelled(context)) this.tellOfCancelled();
		return this.outcome(false);
	}

	/** @returns what is to be bought; what is known already or cannot be bought is kept */
	private async planAll(): Promise<PlannedItem[]> {
		const { book, operation } = this;
		const plans: PlannedItem[] = [];
		for (const [itemIndex, item] of this.items.entries()) {
			const known = book.entryOf(itemIndex);
			if (known?.state === 'paid' && known.record !== undefined && !known.isDry) {
				this.outputs.set(itemIndex, { record: known.record });
				continue;
			}
			try {
				if (known?.text !== undefined) throw new DescribedError(known.text);
				plans.push({ itemIndex, ...(await this.planItem(item)) });
			} catch (error) {
				this.keepError(itemIndex, chosenOrderOf(item), error);
			}
		}
		if (operation.done === 'renewed' || plans.length === 0) return plans;
		const max = Math.min(...plans.map(({ money }) => money.maxOrders));
		const made = book.made(plans.some(({ money }) => money.dryRun));
		// A condition may find that nothing has to be bought, and an unclear purchase matters more than the limit
		const mustBuy = plans.some(({ plan }) => plan.isConditional !== true);
		const counts = mustBuy && !made.some(({ state }) => state === 'open');
		const before = counts ? made.length : 0;
		if (before + plans.length <= max) return plans;
		const refusal = runTooLarge(before, plans.length, max);
		for (const { itemIndex, plan } of plans) this.keepError(itemIndex, plan.preview, refusal);
		return [];
	}

	private async planItem(item: Item): Promise<Omit<PlannedItem, 'itemIndex'>> {
		const { operation } = this;
		refuseRetryingTool(this.context);
		const { options } = item.callOptions();
		const caller = await item.credentialCaller();
		const { credential } = caller;
		const plan = operation.plan(item, this);
		const chosenOrder = orderNumberOf(plan.preview);
		const { inputOrder } = item;
		if (operation.endpoint.key === 'order') {
			refuseWrongOrderChoice(credential, chosenOrder, inputOrder);
			const isOther = inputOrder !== undefined && inputOrder !== chosenOrder;
			this.hasOtherOrders ||= chosenOrder !== undefined && isOther;
		} else if (credential.keyType !== 'account') throw new WrongKeyTypeError('account');
		const money = readMoneyOptions(operation.maxOrdersField, options, credential);
		return { plan, caller, money };
	}

	/**
	 * @returns the purchases: first those that a process that died may have made, so that they count, then that of
	 * the order that ends first
	 */
	private async decideAll(plans: readonly PlannedItem[]): Promise<PlannedPurchase[]> {
		const purchases: PlannedPurchase[] = [];
		for (const planned of plans) {
			const { plan, itemIndex } = planned;
			const isSentElsewhere = this.sentElsewhere.has(itemIndex);
			try {
				const deciding = plan.decide(this.items[itemIndex].run, isSentElsewhere);
				const { purchase, pass } = await deciding.catch(failedCheck(isSentElsewhere));
				if (purchase !== undefined && (pass === undefined || isSentElsewhere)) {
					purchases.push(recordedPurchase(this.operation, planned, purchase));
				} else if (pass !== undefined) this.keep(planned, pass);
			} catch (error) {
				this.keepError(itemIndex, plan.preview, error);
				if (isCancelled(this.context)) break;
			}
		}
		const end = ({ purchase, itemIndex }: PlannedPurchase) =>
			this.sentElsewhere.has(itemIndex) ? -Infinity : (purchase.endsAt ?? Infinity);
		return purchases.sort((a, b) => (end(a) === end(b) ? 0 : end(a) - end(b)));
	}

	private async buyAll(purchases: readonly PlannedPurchase[]): Promise<void> {
		const { book, context, operation } = this;
		const { done } = operation;
		for (const planned of purchases) {
			if (isCancelled(context)) return;
			const { itemIndex, plan, purchase } = planned;
			try {
				const output = await buyOnce(this, planned);
				if (output.record[done] === true) this.noteBought(itemIndex, output.record);
				this.keep(planned, output, purchase.amount);
			} catch (error) {
				if (error instanceof LimitReachedError && done === 'renewed') {
					const { message: limit } = error;
					this.keep(planned, { ...notRenewed(limit, {}, purchase.endsAt), limit });
					continue;
				}
				this.keepError(itemIndex, plan.preview, error);
				const isOpen = book.entryOf(itemIndex)?.state === 'open';
				const ends = !context.continueOnFail() && (done === 'created' || isOpen);
				if (ends || isCancelled(context)) return;
			}
		}
	}

	/** A worker that is killed leaves nothing but its log to say what the execution has bought. */
	private noteBought(itemIndex: number, record: IDataObject): void {
		const { book, context } = this;
		this.boughtNow.push(record);
		const label = book.entryOf(itemIndex)?.label ?? 'an order';
		const where = `'${context.getNode().name}' in execution ${context.getExecutionId()}`;
		context.logger.info(`${where} paid for ${label} (item ${itemIndex})`);
	}

	/** Whether it was bought, or a dry run would have bought it. */
	private isDone({ record }: PurchaseOutput): boolean {
		const { done } = this.operation;
		return record[done] === true || record[DRY_RUN_OUTPUT[done]] === true;
	}

	/** @param amount that was bought */
	private keep(
		{ itemIndex, plan, money }: PlannedItem,
		output: PurchaseOutput,
		amount?: string,
	): void {
		const { done } = this.operation;
		// What was bought has it already, and is completed in place
		const record = this.isDone(output) ? output.record : withPreview(plan.preview, output.record);
		if (money.dryRun && !this.isDone(output)) {
			delete record[done];
			record[DRY_RUN_OUTPUT[done]] = false;
		}
		const text = this.operation.tell?.(record, amount);
		const told = text === undefined ? record : { text, ...record };
		// What comes out again after 'Retry On Fail' says it as well
		if (record[done] === true) this.book.complete(itemIndex, { record: told });
		this.outputs.set(itemIndex, { ...output, record: told });
	}

	private keepError(itemIndex: number, preview: IDataObject, error: unknown): void {
		const { message, description } = toNodeError(this.context.getNode(), error);
		const reason = [message, description].filter(Boolean).join('. ');
		// Of an unclear purchase, nobody knows
		const isOpen =
			this.sentElsewhere.has(itemIndex) || this.book.entryOf(itemIndex)?.text !== undefined;
		const output = isOpen ? { reason } : { [this.operation.done]: false, reason };
		this.failures.set(itemIndex, { error, known: withPreview(preview, output) });
	}

	/** Whether nothing is bought because of an item that is wrong. */
	private get isStopped(): boolean {
		return this.failures.size > 0 && !this.context.continueOnFail();
	}

	/** @param isStopped before anything was bought in this run, or in the one that 'Retry On Fail' repeats with it */
	private outcome(isStopped: boolean): RunOutcome {
		const { book, context, failures, outputs } = this;
		const untold = isCancelled(context) ? undefined : book.takeUntold();
		const bought = book.ofThisRun();
		const results = [...outputs].map(([index, { record }]): [number, ItemOutcome] => [
			index,
			{ result: { records: [record] } },
		]);
		// The one that the node fails with
		const ending = Math.min(...failures.keys());
		const others = bought.filter(({ itemIndex }) => itemIndex !== ending);
		// Whether a person who runs it again pays for it again
		const isBoughtAgain = others.some((one) => one.state === 'paid' && !one.isConditional);
		const isSaid = bought.length > 0 || failures.get(ending)?.error instanceof LimitReachedError;
		const hints = isStopped ? [] : this.hints(bought);
		const notDone = [...failures].flatMap(([index, { error, known }]) => {
			if (index === ending || book.entryOf(index)?.state === 'open') return [];
			const { orderid } = known;
			const item = `item ${index}`;
			const which = typeof orderid === 'string' ? `order ${orderid} (${item})` : item;
			return `${which}: ${toNodeError(context.getNode(), error).message}`;
		});
		const note = isStopped
			? [isSaid ? undefined : NOTHING_BOUGHT]
			: [
					notDone.length === 0 ? undefined : `Not ${this.operation.done}: ${notDone.join('; ')}.`,
					isBoughtAgain ? BOUGHT_AGAIN : undefined,
					...hints,
				];
		return {
			items: [...results, ...failures],
			hints: [...(untold === undefined ? [] : [untold]), ...hints],
			note: sentences(untold, purchasesInWords(others, 'this run'), ...note),
		};
	}

	private hints(made: readonly LedgerEntry[]): string[] {
		const { costs, failures, items, localTime, outputs } = this;
		const { done } = this.operation;
		const paid = made.filter(({ state }) => state === 'paid');
		const rehearsed = [...outputs.values()].filter(
			({ record }) => record[DRY_RUN_OUTPUT[done]] === true,
		);
		const left = [...outputs.values()].filter((output) => !this.isDone(output));
		const limited = left.filter(({ limit }) => limit !== undefined);
		const notDue = left.filter(({ limit, endsAt }) => limit === undefined && endsAt !== undefined);
		const lapsing = notDue.filter(({ endsAt = Infinity }) => endsAt - Date.now() < DAY_MS);
		const bought = paid.map(({ cost }) => cost);
		const probable = rehearsed.map(({ record }) => record.probableCost);
		const counts = countsInWords(done, bought, probable, {
			'not due': notDue.length,
			'held back by a limit': limited.length,
			[`not ${done} (see 'reason')`]: left.length - notDue.length - limited.length,
			failed: failures.size,
		});
		const isNothing = left.length === items.length;
		const isOfSeveral =
			items.length > 1 && (isNothing || paid.length + rehearsed.length + failures.size > 0);
		// In a table, the column with the reason may be out of sight
		const ofOne = items.length === 1 && limited.length === 0 ? left : [];
		const why = ofOne.flatMap(({ record: { reason } }) =>
			typeof reason === 'string' ? `${reason.replace(/\.$/, '')}.` : [],
		);
		return [
			...(isOfSeveral ? [counts] : []),
			...why,
			...(items.length > 1 && this.hasOtherOrders ? [DRAG_ORDER] : []),
			...(limited.length === 0 ? [] : [limitHint(limited, localTime)]),
			...(lapsing.length === 0 ? [] : [lapsingHint(lapsing, localTime)]),
			...this.warnings,
			...costs.hints,
		];
	}

	/** n8n saves nothing of a cancelled node, so its purchases go to the log and to the next run of the node. */
	private tellOfCancelled(): void {
		const { book, context, localTime } = this;
		const bought = book.ofThisRun();
		const unclear = bought.flatMap(({ text }) => text ?? []);
		const details = unclear.map(({ message, description }) => `${message}. ${description}`);
		if (bought.length === 0) return;
		context.logger.warn(sentences(...details, purchasesInWords(bought, 'this run')));
		const purchases = purchasesInWords(bought, 'that run');
		const at = localTime(Date.now());
		book.tellLater(`A run of this node was canceled at ${at}. ${purchases}`);
	}
}

const BOUGHT_AGAIN =
	'Leave the items that were bought out when you run it again, or they are bought again.';

const DRAG_ORDER =
	"'Order' is not the order of each input item. To renew those, drag 'orderid' from the input into 'Order'.";

/** Of an item that can't be planned, as far as it says; what is no order number may be a key. */
function chosenOrderOf(item: Item): IDataObject {
	try {
		const orderid = readChosenOrder(item.parameter(orderField.name));
		return orderid === undefined ? {} : { orderid };
	} catch {
		return {};
	}
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
