import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { DescribedError, WrongKeyTypeError, toNodeError } from '../../shared/api/errors';
import { fingerprintOf } from '../../shared/api/sign';
import { readChosenOrder, refuseWrongOrderChoice } from '../../shared/orders/orderField';
import { DAY_MS, localTimeIn, type LocalTime } from '../../shared/service/chinaTime';
import { sentences } from '../../shared/wording';
import { isCancelled, isRetriedTool } from '../run/nodeRun';
import type { Item } from '../run/item';
import type { PurchaseLedger } from './ledger';
import { refuseMixedUpCall } from './mixedUpCall';
import { goodsOf, type PlannedItem, type PurchaseContext } from './names';
import { OnePurchase } from './onePurchase';
import { readMoneyOptions } from './options';
import { Spending } from './spending';
import {
	failedCheck,
	heldBackBeforeItsEnd,
	LimitReachedError,
	purchasesInWords,
	runTooLarge,
	unmovedBeforeItsEnd,
} from './texts';
import {
	DRY_RUN_OUTPUT,
	isDone,
	notRenewed,
	orderNumberOf,
	withPreview,
	type PurchaseOperation,
	type PurchaseOutput,
} from './types';

/** The failure of an item. */
interface FailedItem {
	readonly error: unknown;
	/** Fields that are put out beside the error, where n8n lets them be. */
	readonly known: IDataObject;
}

/**
 * Buys for all items: plans all of them and makes every check that needs no request, sorts them by when their
 * orders end, and buys one after the other.
 */
export class PurchaseRun implements PurchaseContext {
	readonly spending: Spending;
	readonly localTime: LocalTime;
	readonly warnings = new Set<string>();
	/** The outputs by the index of their items. */
	readonly outputs = new Map<number, PurchaseOutput>();
	/** The amount for each item that this run decided on, such as "1 month"; undefined for new orders. */
	private readonly amounts = new Map<number, string | undefined>();
	readonly failures = new Map<number, FailedItem>();
	private readonly boughtNow: IDataObject[] = [];
	/** Items that were to be bought after the one that ended the run. */
	readonly notTried: number[] = [];
	/** Whether an input item has another order than 'Order'. */
	hasOtherOrders = false;

	constructor(
		readonly context: IExecuteFunctions,
		readonly operation: PurchaseOperation,
		readonly items: readonly Item[],
		readonly ledger: PurchaseLedger,
	) {
		this.spending = new Spending(ledger);
		this.localTime = localTimeIn(context.getTimezone());
	}

	/** @returns false where an item that is wrong ended it before anything was bought */
	async run(): Promise<boolean> {
		const { context, operation } = this;
		const plans = await this.planAll();
		if (this.isStopped) return false;
		const sentBefore = plans.some(({ isSentBefore }) => isSentBefore);
		const purchases = await this.decideAll(plans);
		// What a process that died has bought has to be told
		if (operation.done === 'created' && !sentBefore && this.isStopped) return false;
		await this.buyAll(purchases);
		if (this.boughtNow.length > 0 && !isCancelled(context)) {
			const { ask } = this.items[purchases[0].planned.itemIndex];
			await operation.complete?.(this.boughtNow, ask).catch(() => {});
		}
		this.tellOutputs();
		if (isCancelled(context)) this.logBought();
		return true;
	}

	/* Plans */

	/** @returns what is to be bought; what was bought before or cannot be bought is kept */
	private async planAll(): Promise<PlannedItem[]> {
		const { ledger } = this;
		const inputItems = this.fingerprintInput();
		const plans: PlannedItem[] = [];
		for (const [itemIndex, item] of this.items.entries()) {
			const record = ledger.outputOf(itemIndex);
			// An order that was renewed and whose end has not moved is looked at again
			if (record !== undefined && record.verified !== false) {
				this.outputs.set(itemIndex, { record });
				continue;
			}
			try {
				const planned = await this.planItem(item, itemIndex);
				plans.push({ itemIndex, item: inputItems[itemIndex], isSentBefore: false, ...planned });
			} catch (error) {
				this.keepError(itemIndex, chosenOrderOf(item), error);
			}
		}
		if (this.isTooLarge(plans) || this.isStopped) return [];
		const paying = plans.filter(({ money }) => !money.dryRun);
		const sent = await ledger.sentBefore(paying.map((plan) => ledger.nameOf(plan)));
		return plans.map((plan) => ({ ...plan, isSentBefore: sent.has(ledger.nameOf(plan)) }));
	}

	/** Items of two executions are the same by their JSON and by their place among equal ones. */
	private fingerprintInput(): string[] {
		const places = new Map<string, number>();
		return this.context.getInputData().map(({ json }) => {
			// An item that failed comes back with its error
			const item = fingerprintOf({ ...json, error: undefined });
			const place = places.get(item) ?? 0;
			places.set(item, place + 1);
			return fingerprintOf(item, place, this.ledger.run);
		});
	}

	private async planItem(
		item: Item,
		itemIndex: number,
	): Promise<Pick<PlannedItem, 'plan' | 'client' | 'money' | 'what'>> {
		const { operation } = this;
		refuseRetryingTool(this.context);
		refuseMixedUpCall(this.context);
		const { options } = item.callOptions();
		const client = await item.credentialClient();
		const { credential } = client;
		const plan = operation.plan(item, this);
		const chosenOrder = orderNumberOf(plan.preview);
		const { inputOrder } = item;
		if (operation.endpoint.key === 'order') {
			refuseWrongOrderChoice(credential, chosenOrder, inputOrder);
			const isOther = inputOrder !== undefined && inputOrder !== chosenOrder;
			this.hasOtherOrders ||= chosenOrder !== undefined && isOther;
		} else if (credential.keyType !== 'account') throw new WrongKeyTypeError('account');
		const money = readMoneyOptions(operation.maxOrdersField, options, credential);
		const { onceKey } = plan;
		const ordered = plan.ordered && fingerprintOf(goodsOf(plan.ordered), onceKey);
		const what =
			chosenOrder === undefined ? `${itemIndex} ${ordered ?? ''}` : `order ${chosenOrder}`;
		return { plan, client, money, what };
	}

	/** Refuses new orders that are more than allowed, before any is bought. */
	private isTooLarge(plans: readonly PlannedItem[]): boolean {
		if (this.operation.done === 'renewed' || plans.length === 0) return false;
		const max = Math.min(...plans.map(({ money }) => money.maxOrders));
		const made = this.ledger.made(plans.some(({ money }) => money.dryRun));
		// A condition may find that nothing has to be bought
		const mustBuy = plans.some(({ plan }) => plan.isConditional !== true);
		const before = mustBuy ? made.length : 0;
		const isMade = ({ itemIndex }: PlannedItem) =>
			mustBuy &&
			made.some((entry) => entry.run === this.ledger.run && entry.itemIndex === itemIndex);
		const wanted = plans.filter((plan) => !isMade(plan));
		// Of several items with one key, one is bought
		const count = new Set(wanted.map(({ itemIndex, plan }) => plan.onceKey ?? itemIndex)).size;
		if (before + count <= max) return false;
		const refusal = runTooLarge(before, count, max);
		for (const { itemIndex, plan } of wanted) this.keepError(itemIndex, plan.preview, refusal);
		return true;
	}

	/**
	 * @returns the purchases: first those that a process that died may have made, so that they count, then that of
	 * the order that ends first
	 */
	private async decideAll(plans: readonly PlannedItem[]): Promise<OnePurchase[]> {
		const purchases: OnePurchase[] = [];
		for (const planned of plans) {
			const { plan, itemIndex, isSentBefore } = planned;
			const { record, state } = this.ledger.entryOf(itemIndex) ?? {};
			const isUnsettled = state === 'unknown' || record?.verified === false;
			const mayBeBought = isSentBefore || isUnsettled;
			try {
				const deciding = plan.decide(this.items[itemIndex].ask, mayBeBought);
				const { purchase, skip } = await deciding.catch(failedCheck(mayBeBought));
				if (purchase !== undefined && (skip === undefined || mayBeBought)) {
					purchases.push(new OnePurchase(this, planned, purchase));
				} else if (skip !== undefined) this.keep(planned, skip);
			} catch (error) {
				this.keepError(itemIndex, plan.preview, error);
				if (isCancelled(this.context)) break;
			}
		}
		const end = ({ endsAt = Infinity, planned }: OnePurchase) =>
			planned.isSentBefore ? -Infinity : endsAt;
		return purchases.sort((a, b) => (end(a) === end(b) ? 0 : end(a) - end(b)));
	}

	/* Purchases */

	private async buyAll(purchases: readonly OnePurchase[]): Promise<void> {
		const { context, operation } = this;
		for (const [position, purchase] of purchases.entries()) {
			if (isCancelled(context)) return;
			await this.buyOne(purchase);
			const { planned, isFromBefore } = purchase;
			const isFailed = this.failures.has(planned.itemIndex);
			const ends = operation.done === 'created' && !isFromBefore && !context.continueOnFail();
			if (!isFailed || !ends) continue;
			// A person can buy the rest at once, and not as a repetition
			for (const untried of purchases.slice(position + 1)) {
				this.notTried.push(untried.subject.itemIndex);
				untried.leaveOut();
			}
			return;
		}
	}

	private async buyOne(purchase: OnePurchase): Promise<void> {
		const { done } = this.operation;
		const { planned } = purchase;
		const { itemIndex, plan } = planned;
		try {
			const output = await purchase.run();
			const isNew = output.record[done] === true && !purchase.isFromBefore;
			if (isNew) this.noteBought(itemIndex, output.record);
			const { endsAt, isUnmoved } = output;
			if (isUnmoved === true && this.isLapsing(purchase)) {
				const end = endsAt === undefined ? undefined : this.localTime(endsAt);
				throw unmovedBeforeItsEnd(orderNumberOf(plan.preview), end);
			}
			this.keep(planned, output, purchase.purchase.amount);
		} catch (error) {
			if (error instanceof LimitReachedError && done === 'renewed') {
				this.holdBack(purchase, error);
				return;
			}
			if (error instanceof LimitReachedError) purchase.leaveOut();
			this.keepError(itemIndex, plan.preview, error);
		}
	}

	/** Whether an order ends before anybody looks again, or nobody knows when: it would lapse in a run that seems to have gone well. */
	private isLapsing({ endsAt, purchase }: OnePurchase): boolean {
		return endsAt === undefined ? purchase.term !== undefined : endsAt - Date.now() < DAY_MS;
	}

	private holdBack(purchase: OnePurchase, reached: LimitReachedError): void {
		const { endsAt, planned } = purchase;
		const { itemIndex, plan, money } = planned;
		const { message: limit } = reached;
		if (!this.isLapsing(purchase) || money.dryRun) {
			this.keep(planned, { ...notRenewed(limit, {}, endsAt), limit });
			return;
		}
		const orderid = orderNumberOf(plan.preview);
		const end = endsAt === undefined ? undefined : this.localTime(endsAt);
		const error = heldBackBeforeItsEnd(orderid, end, reached);
		this.keepError(itemIndex, plan.preview, error);
	}

	/** n8n saves nothing of a canceled node, so its purchases go to the log. */
	private logBought(): void {
		const bought = this.ledger.ofThisRun();
		if (bought.length === 0) return;
		const unclear = bought.flatMap(({ text }) => text ?? []);
		const details = unclear.map(({ message, description }) => `${message}. ${description}`);
		this.context.logger.warn(sentences(...details, purchasesInWords(bought)));
	}

	/** A worker that is killed leaves nothing but its log to say what the execution has bought. */
	private noteBought(itemIndex: number, record: IDataObject): void {
		const { context, ledger } = this;
		this.boughtNow.push(record);
		const label = ledger.entryOf(itemIndex)?.label ?? 'an order';
		const where = `'${context.getNode().name}' in execution ${context.getExecutionId()}`;
		context.logger.info(`${where} paid for ${label} (item ${itemIndex})`);
	}

	/* Outputs */

	/** @param amount that was bought */
	private keep(
		{ itemIndex, plan, money }: PlannedItem,
		output: PurchaseOutput,
		amount?: string,
	): void {
		const { operation } = this;
		const { done } = operation;
		const isBought = isDone(operation, output);
		// What was bought has it already, and is completed in place
		const record = isBought ? output.record : withPreview(plan.preview, output.record);
		if (money.dryRun && !isBought) {
			delete record[done];
			record[DRY_RUN_OUTPUT[done]] = false;
		}
		this.amounts.set(itemIndex, amount);
		this.outputs.set(itemIndex, { ...output, record });
	}

	/** Puts a sentence first in each output, once all is known of it. */
	private tellOutputs(): void {
		for (const [itemIndex, amount] of this.amounts) {
			const output = this.outputs.get(itemIndex);
			if (output === undefined) continue;
			const record: IDataObject = {
				text: this.operation.tell(output.record, amount),
				...output.record,
			};
			// What comes out again after 'Retry On Fail' says it as well
			if (record[this.operation.done] === true || output.isRepeat === true) {
				this.ledger.keepOutput(itemIndex, record);
			}
			this.outputs.set(itemIndex, { ...output, record });
		}
	}

	private keepError(itemIndex: number, preview: IDataObject, error: unknown): void {
		const { message, description } = toNodeError(this.context.getNode(), error);
		const reason = [message, description].filter(Boolean).join('. ');
		// Nobody knows whether an unclear purchase was made
		const isUnclear = this.ledger.entryOf(itemIndex)?.text !== undefined;
		const output = isUnclear ? { reason } : { [this.operation.done]: false, reason };
		this.failures.set(itemIndex, { error, known: withPreview(preview, output) });
	}

	/** Whether nothing is bought because of an item that is wrong. */
	private get isStopped(): boolean {
		return this.failures.size > 0 && !this.context.continueOnFail();
	}
}

/** The order of an item that can't be planned, as far as it says; what is no order number may be a key. */
function chosenOrderOf(item: Item): IDataObject {
	try {
		const orderid = readChosenOrder(item.parameter);
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
