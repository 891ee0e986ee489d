import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { DescribedError, WrongKeyTypeError } from '../../shared/errors/callErrors';
import { accessOrder, refuseWrongOrderChoice } from '../../shared/orders/orderAccess';
import { orderField, readChosenOrder } from '../../shared/orders/orderField';
import { localTimeIn, type LocalTime } from '../../shared/service/chinaTime';
import type { RunQuery } from '../../shared/service/query';
import { comesFromTestEvent } from '../../shared/testEvent';
import { executionCaller, type NodeCaller } from '../../shared/transport/caller';
import { runQuery } from '../../shared/transport/callService';
import { toNodeError } from '../../shared/transport/describeFailure';
import { isCancelled, isRetriedTool } from '../nodeRun';
import type { OperationResult, RunOutcome } from '../operation';
import { readCallOptions } from '../parameters/callOptions';
import { PurchaseBook, type BookEntry } from '../purchase/book';
import { askWith, buyOnce, type PurchaseContext } from '../purchase/buy';
import {
	withPreview,
	WOULD,
	type BoughtItem,
	type PlannedItem,
	type PlannedPurchase,
	type PurchaseOperation,
	type PurchaseOutput,
	type PurchasePlan,
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
	runTooLarge,
	type LeftOrder,
} from '../purchase/words';

const DAY_MS = 86_400_000;

interface FailedItem extends Pick<PlannedItem, 'itemIndex'> {
	readonly plan: Pick<PurchasePlan, 'done' | 'preview'>;
}

interface Failure {
	readonly error: unknown;
	readonly known: IDataObject;
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
	readonly localTime: LocalTime;
	delivered: ReadonlySet<number> = new Set();
	private readonly results = new Map<number, { readonly result: OperationResult }>();
	private readonly failures = new Map<number, Failure>();
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
		this.localTime = localTimeIn(context.getTimezone());
	}

	async run(): Promise<RunOutcome> {
		const { book, context, operation } = this;
		const plans = await this.planAll();
		const untold = book.takeUntold();
		if (this.isStopped) return this.stopped(untold);
		const paying = plans.filter(({ money }) => !money.dryRun);
		this.delivered = await book.sentElsewhere(paying.map(({ itemIndex }) => itemIndex));
		const purchases = await this.decideAll(plans);
		// What a process that died has bought has to be told
		const mayStop = operation.done === 'created' && this.delivered.size === 0;
		if (mayStop && this.isStopped) return this.stopped(untold);
		const failed = await this.buyAll(purchases);
		if (!isCancelled(context)) await operation.complete?.(this.boughtNow).catch(() => {});
		for (const { record, amount } of this.boughtNow) operation.tell?.(record, amount);
		if (isCancelled(context)) this.tellOfCancelled(untold, failed);
		return this.outcome(untold);
	}

	/** @returns what is to be bought; what is known already or cannot be bought is kept */
	private async planAll(): Promise<PlannedItem[]> {
		const { book, context, operation } = this;
		const { done } = operation;
		const accounts = new Map<string, object>();
		const plans: PlannedItem[] = [];
		for (const itemIndex of context.getInputData().keys()) {
			const known = book.entryOf(itemIndex);
			if (known?.state === 'paid' && known.record !== undefined && !known.isDry) {
				this.results.set(itemIndex, { result: { records: [known.record] } });
				continue;
			}
			try {
				if (known?.text !== undefined) throw new DescribedError(known.text);
				plans.push(await this.planItem(itemIndex, accounts));
			} catch (error) {
				this.keepError(
					{ itemIndex, plan: { done, preview: this.chosenOrderOf(itemIndex) } },
					error,
				);
			}
		}
		if (done === 'renewed' || plans.length === 0) return plans;
		const max = Math.min(...plans.map(({ money }) => money.maxOrders));
		const made = book.made(plans.some(({ money }) => money.dryRun));
		// A condition may find that nothing has to be bought, and an unclear purchase matters more than the limit
		const mustBuy = plans.some(({ plan }) => plan.isConditional !== true);
		const counts = mustBuy && !made.some(({ state }) => state === 'open');
		const before = counts ? made.length : 0;
		if (before + plans.length <= max) return plans;
		const refusal = runTooLarge(before, plans.length, max);
		for (const planned of plans) this.keepError(planned, refusal);
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

	/**
	 * @returns the purchases: first those that a process that died may have made, so that they count, then that of
	 * the order that ends first
	 */
	private async decideAll(plans: readonly PlannedItem[]): Promise<PlannedPurchase[]> {
		const purchases: PlannedPurchase[] = [];
		for (const planned of plans) {
			const { plan, caller, itemIndex } = planned;
			const isDelivered = this.delivered.has(itemIndex);
			try {
				const ask = askAbout(caller, plan.chosenOrder);
				const deciding = plan.decide(ask, isDelivered).catch(failedCheck(isDelivered));
				const { purchase, pass } = await deciding;
				if (purchase !== undefined && (pass === undefined || isDelivered)) {
					purchases.push({ ...planned, purchase });
				} else if (pass !== undefined) this.keepPass(planned, pass);
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
		const { done } = operation;
		for (const planned of purchases) {
			const { itemIndex, purchase, caller } = planned;
			if (isCancelled(context)) return itemIndex;
			try {
				const output = await buyOnce(this, planned);
				const { record } = output;
				const { amount } = purchase;
				if (record[done] === true) {
					const { secretId } = caller.credential;
					this.boughtNow.push({ ask: askWith(caller), secretId, record, amount });
				} else if (record[WOULD[done]] === true) operation.tell?.(record, amount);
				else {
					this.keepPass(planned, output);
					continue;
				}
				this.results.set(itemIndex, { result: { records: [record] } });
			} catch (error) {
				if (error instanceof LimitReachedError && done === 'renewed') {
					const { message: limit } = error;
					this.limited.push({ orderid: purchase.orderid, endsAt: purchase.endsAt, limit });
					this.keepRecord(planned, { renewed: false, reason: limit });
					continue;
				}
				this.keepError(planned, error);
				const isOpen = book.entryOf(itemIndex)?.state === 'open';
				const ends = !context.continueOnFail() && (done === 'created' || isOpen);
				if (ends || isCancelled(context)) return itemIndex;
			}
		}
		return undefined;
	}

	private keepPass(planned: PlannedItem, { record, endsAt }: PurchaseOutput): void {
		const orderid = typeof record.orderid === 'string' ? record.orderid : planned.plan.chosenOrder;
		if (endsAt === undefined) this.passed += 1;
		else this.notDue.push({ orderid, endsAt });
		this.keepRecord(planned, record);
	}

	private keepRecord({ itemIndex, plan, money }: PlannedItem, output: IDataObject): void {
		const record = withPreview(plan, output);
		if (money.dryRun) {
			delete record[plan.done];
			record[WOULD[plan.done]] = false;
		}
		this.operation.tell?.(record, '');
		this.results.set(itemIndex, { result: { records: [record] } });
	}

	private keepError({ itemIndex, plan }: FailedItem, error: unknown): void {
		const { message, description } = toNodeError(this.context.getNode(), error);
		const reason = [message, description].filter(Boolean).join('. ');
		// Of an unclear purchase, nobody knows
		const isOpen =
			this.delivered.has(itemIndex) || this.book.entryOf(itemIndex)?.text !== undefined;
		const known = withPreview(plan, isOpen ? { reason } : { [plan.done]: false, reason });
		this.failures.set(itemIndex, { error, known });
	}

	/** Whether nothing is bought because of an item that is wrong. */
	private get isStopped(): boolean {
		return this.failures.size > 0 && !this.context.continueOnFail();
	}

	private get items(): RunOutcome['items'] {
		return [...this.results, ...this.failures];
	}

	private stopped(untold: string | undefined): RunOutcome {
		const [[index, { error }]] = this.failures;
		const bought = this.book.ofThisRun();
		const others = bought.filter(({ itemIndex }) => itemIndex !== index);
		const isSaid = error instanceof LimitReachedError || bought.length > 0;
		const note = joined(
			untold,
			purchasesInWords(others, 'this run'),
			isSaid ? undefined : NOTHING_BOUGHT,
		);
		return { items: this.items, note };
	}

	private outcome(untold: string | undefined): RunOutcome {
		const { book, context, failures, limited, notDue, operation, localTime } = this;
		const { done } = operation;
		const bought = book.ofThisRun();
		const paid = bought.filter(({ state }) => state === 'paid');
		const counts = countsInWords(done, paid, {
			'not due': notDue.length,
			[`not ${done} for other reasons`]: this.passed + limited.length,
			failed: failures.size,
		});
		const lapsing = notDue.filter(({ endsAt = Infinity }) => endsAt - Date.now() < DAY_MS);
		const isOfSeveral = context.getInputData().length > 1 && paid.length + failures.size > 0;
		const hints = [
			...(isOfSeveral ? [counts] : []),
			...(limited.length === 0 ? [] : [limitHint(limited, limited[0].limit, localTime)]),
			...(lapsing.length === 0 ? [] : [lapsingHint(lapsing, localTime)]),
			...this.costs.hints,
		];
		// The one that the node fails with
		const ending = Math.min(...failures.keys());
		const others = bought.filter(({ itemIndex }) => itemIndex !== ending);
		const notDone = [...failures].flatMap(([index, failure]) =>
			index === ending || book.entryOf(index)?.state === 'open' ? [] : this.named(index, failure),
		);
		const note = joined(
			untold,
			purchasesInWords(others, 'this run'),
			notDone.length === 0 ? undefined : `Not ${done}: ${notDone.join('; ')}.`,
			others.some(isBoughtAgain) ? BOUGHT_AGAIN : undefined,
			...hints,
		);
		return {
			items: this.items,
			hints: [...(untold === undefined ? [] : [untold]), ...hints],
			note,
		};
	}

	private named(index: number, { error, known: { orderid } }: Failure): string {
		const which =
			typeof orderid === 'string' ? `order ${orderid} (item ${index})` : `item ${index}`;
		return `${which}: ${toNodeError(this.context.getNode(), error).message}`;
	}

	/**
	 * n8n saves neither output nor error of a cancelled node, so its purchases go to the log and to the next run of
	 * the node.
	 */
	private tellOfCancelled(untold: string | undefined, failed: number | undefined): void {
		const { book, context, failures, localTime } = this;
		const failure = failed === undefined ? undefined : failures.get(failed);
		const { message, description } = failure ? toNodeError(context.getNode(), failure.error) : {};
		const bought = book.ofThisRun();
		const others = bought.filter(({ itemIndex }) => itemIndex !== failed);
		const text = joined(
			message && `${message}.`,
			description,
			purchasesInWords(others, 'this run'),
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

/** @throws DescribedError */
function refuseRetryingTool(context: IExecuteFunctions): void {
	if (!isRetriedTool(context)) return;
	throw new DescribedError({
		message: "Turn off 'Retry On Fail' in the settings of this tool to buy something with it",
		description:
			'n8n would call the tool again after a failure, and could pay twice for one order. Nothing was bought.',
	});
}
