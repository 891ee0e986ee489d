import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { KeyedMutex } from '../../shared/concurrency/keyedMutex';
import { loggedWait, logWait, throwIfCancelled, wait } from '../../shared/concurrency/wait';
import {
	ApiError,
	CallError,
	CancelledError,
	DescribedError,
	InvalidResponseError,
	unlessCancelled,
	WrongKeyTypeError,
} from '../../shared/errors/callErrors';
import { fingerprintOf } from '../../shared/fingerprint';
import { accessOrder, refuseWrongOrderChoice } from '../../shared/orders/orderAccess';
import { orderField, readChosenOrder } from '../../shared/orders/orderField';
import { parseEnvelope } from '../../shared/response/httpResponse';
import { toChinaIso } from '../../shared/service/chinaTime';
import { codeMeaning } from '../../shared/service/codes';
import { localTimeIn, type LocalTime } from '../../shared/service/localTime';
import type { FlatParameters, RunQuery } from '../../shared/service/query';
import { comesFromTestEvent } from '../../shared/testEvent';
import { executionCaller, type Caller, type NodeCaller } from '../../shared/transport/caller';
import { callWithHooks, runQuery } from '../../shared/transport/callService';
import { describeFailure, toNodeError } from '../../shared/transport/describeFailure';
import { deliveryStateOf } from '../../shared/transport/retryPolicy';
import { isCancelled, isRetriedTool, memoryOfRuns } from '../nodeRun';
import type { ItemOutcome, RunOutcome } from '../operation';
import { readCallOptions } from '../parameters/callOptions';
import { DeliveryRecords, PurchaseBook, type BookEntry, type BookSubject } from './book';
import {
	withPreview,
	type Bought,
	type BoughtItem,
	type Change,
	type DeferredPurchase,
	type MoneyOptions,
	type Pass,
	type Purchase,
	type PurchaseOperation,
	type Trace,
} from './contract';
import { RunCosts, type BalanceBefore, type CostedPurchase } from './costs';
import { readMoneyOptions } from './options';
import {
	countsInWords,
	lapsingHint,
	LargeRunError,
	limitHint,
	LimitReachedError,
	notBought,
	NOTHING_BOUGHT,
	purchasesInWords,
	reasonForRepeatedClick,
	refusalOfLargeRun,
	tooManyOrders,
	unclearLabel,
	unclearText,
	unclearTextForLater,
	waitForUnclear,
	withMayBeBought,
	withNothingBought,
	type LeftOrder,
	type SentPurchase,
} from './words';

/** The service sells to one key once per second, so a look this fresh shows every other purchase. */
const FRESH_MS = 500;
/** How long the effect of a request may take to show. */
const SHOWS_AFTER_MS = 2000;
/** An answer that got lost is looked for once more after this. */
const LAST_LOOK_MS = 10_000;
const DAY_MS = 86_400_000;

/** By subject: otherwise two executions could see the same state and both buy. */
const subjectMutex = new KeyedMutex();

/** In place of a state that the service did not show. */
const UNKNOWN = 'unknown';
const SENT_BY_OTHER =
	'n8n began this execution again after that worker had ended, or did not answer anymore.';

/** What is bought is the same, whatever these say. */
const BESIDES = /(?:^|\.)(?:is_notify|is_coupon|is_auto_renew|auto_renew_unit)$/;

const DRY_RUN = "Nothing was bought, because 'Dry Run' is on";
const RENEWED_LATELY =
	'The order was renewed less than 10 minutes ago from here, so nothing was bought';

interface PlannedItem {
	readonly itemIndex: number;
	readonly plan: Purchase | DeferredPurchase;
	/** Holds the key pair of the credential. */
	readonly caller: NodeCaller;
	readonly money: MoneyOptions;
}

interface FailedItem extends Pick<PlannedItem, 'itemIndex'> {
	readonly plan: Pick<Purchase, 'done' | 'preview'>;
}

interface PlannedPurchase extends PlannedItem {
	readonly purchase: Purchase;
}

/** The output of an item: of what was bought, or in place of a purchase. */
type Result =
	| { readonly record: IDataObject; readonly isBought: boolean }
	| { readonly pass: Pass };

function askWith(caller: Caller): RunQuery {
	return async (query, parameters) => await runQuery(caller, query, parameters);
}

/** Asks about an order with the key pair that each endpoint needs. */
function askAbout(caller: NodeCaller, orderid: string | undefined): RunQuery {
	return async (query, parameters) => {
		const isOfOrder = query.endpoint.key === 'order';
		const asking = isOfOrder ? (await accessOrder(caller, orderid)).caller : caller;
		return await runQuery(asking, query, parameters);
	};
}

function joined(...sentences: Array<string | undefined>): string {
	return sentences.filter(Boolean).join(' ');
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

const recordedIds = memoryOfRuns(() => new Set<string>());

class PurchaseRun {
	readonly book: PurchaseBook;
	readonly costs: RunCosts;
	readonly records: DeliveryRecords;
	readonly localTime: LocalTime;
	/** What this process has recorded itself, or knows to be settled. */
	readonly recorded: Set<string>;
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
		this.recorded = recordedIds(context);
		this.localTime = localTimeIn(context.getTimezone());
	}

	async run(): Promise<RunOutcome> {
		const { book, context, items, operation } = this;
		const plans = await this.planAll();
		const untold = book.takeUntold();
		const [wrong] = [...items].filter(([, outcome]) => 'error' in outcome);
		if (wrong !== undefined && !context.continueOnFail()) {
			const bought = book.ofThisRun().filter(({ itemIndex }) => itemIndex !== wrong[0]);
			const isSaid = 'error' in wrong[1] && wrong[1].error instanceof LargeRunError;
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

	/** What throws a failed check before the purchase of an item with what that means. */
	afterFailedCheck(itemIndex: number): (error: unknown) => never {
		return this.delivered.has(itemIndex) ? withMayBeBought : withNothingBought;
	}

	private async readDelivered(plans: readonly PlannedItem[]): Promise<ReadonlySet<number>> {
		const { book, recorded, records } = this;
		if (!(await book.isDeliveredAgain(records))) return new Set();
		const paying = plans.filter(({ money }) => !money.dryRun);
		const ids = new Map(paying.map(({ itemIndex }) => [book.idOf(itemIndex), itemIndex]));
		const known = await records.known(...ids.keys());
		return new Set(
			[...ids].flatMap(([id, index]) => (known.has(id) && !recorded.has(id) ? [index] : [])),
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
				const { purchase, pass } = await plan.decide(askAbout(caller, plan.chosenOrder));
				const isPassed = pass !== undefined && !this.delivered.has(planned.itemIndex);
				if (purchase !== undefined && !isPassed) purchases.push({ ...planned, purchase });
				else if (pass !== undefined) this.keepPass(planned, pass);
			} catch (error) {
				const told = Promise.reject(error).catch(this.afterFailedCheck(planned.itemIndex));
				this.keepError(planned, await told.catch((failure: unknown) => failure));
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
				if ('pass' in result) {
					this.keepPass(planned, result.pass);
				} else {
					const { record } = result;
					this.items.set(itemIndex, { result: { records: [record] } });
					const { secretId } = caller.credential;
					const { amount } = purchase;
					const bought = { ask: askWith(caller), secretId, record, amount };
					if (result.isBought) this.boughtNow.push(bought);
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
		const counts = countsInWords({
			...{ done, paid, failed: errors.length, notDue: notDue.length },
			passed: this.passed + limited.length,
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
			outcome !== undefined && 'error' in outcome && toNodeError(context.getNode(), outcome.error);
		const bought = book.ofThisRun().filter(({ isDry }) => !isDry);
		const text = joined(
			failure ? `${failure.message}.` : undefined,
			failure ? (failure.description ?? undefined) : undefined,
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

const WOULD = { created: 'wouldCreate', renewed: 'wouldRenew' } as const;

/** @throws DescribedError */
function refuseRetryingTool(context: IExecuteFunctions): void {
	if (!isRetriedTool(context)) return;
	throw new DescribedError({
		message: "Turn off 'Retry On Fail' in the settings of this tool to buy something with it",
		description:
			'n8n would call the tool again after a failure, and could pay twice for one order. Nothing was bought.',
	});
}

function fingerprintFor(
	{ endpoint, parameters }: Pick<Purchase, 'endpoint' | 'parameters'>,
	{ credential }: Caller,
): string {
	return fingerprintOf(credential.secretId, endpoint.path, goodsIn(parameters));
}

function goodsIn(parameters: FlatParameters): Array<[name: string, value: string]> {
	return Object.entries(parameters)
		.filter(([name]) => !BESIDES.test(name))
		.sort(([a], [b]) => (a < b ? -1 : 1));
}

function subjectFor(
	{ purchase, itemIndex, money, caller }: PlannedPurchase,
	buyer: Caller,
): BookSubject {
	const { endpoint, parameters, preview } = purchase;
	const { product = '', pay_type: payType = '' } = parameters;
	const { credential } = caller;
	return {
		subject: fingerprintOf(buyer.credential.secretId, endpoint.path, [product, payType]),
		fingerprint: fingerprintFor(purchase, buyer),
		costKey: fingerprintOf(endpoint.path, preview.product, preview.pay_type, goodsIn(parameters)),
		account: credential.keyType === 'account' ? fingerprintOf(credential.secretId) : '',
		itemIndex,
		isDry: money.dryRun,
		isConditional: purchase.isConditional,
	};
}

/** Buys for one item, or finds that nothing has to be bought. */
async function buyOnce(run: PurchaseRun, planned: PlannedPurchase): Promise<Result> {
	const { purchase, caller, itemIndex } = planned;
	const { endpoint, chosenOrder } = purchase;
	const failed = run.afterFailedCheck(itemIndex);
	const pass = await purchase.prepare?.(askWith(caller)).catch(failed);
	if (pass !== undefined) return { pass };
	const isOfOrder = endpoint.key === 'order';
	const open = async (own: NodeCaller): Promise<Caller> =>
		isOfOrder ? (await accessOrder(own, chosenOrder)).caller : own;
	const asking = await open(caller).catch(failed);
	// A signed request that is delivered twice is carried out once
	const buyer = await open(caller.withSignature()).catch(failed);
	const subject = subjectFor(planned, buyer);
	const turn = subjectMutex.lock(subject.subject, caller.signal);
	const leave = await loggedWait(turn, caller, endpoint.path, 'for another purchase of the same');
	try {
		return await new PurchaseAttempt(run, planned, { asking, buyer, subject }).make();
	} finally {
		leave();
	}
}

/** Recorded for each new order, so that no other execution takes it for its own. */
function placedOrder(orderid: string | undefined): string {
	return `order ${String(orderid)}`;
}

/** What the service showed, and when: milliseconds since 1970. */
interface Look {
	/** Undefined where it did not say. */
	readonly state: unknown;
	readonly at: number;
}

/** One purchase, with all its requests. */
class PurchaseAttempt {
	private readonly purchase: Purchase;
	private readonly subject: BookSubject;
	private readonly costed: CostedPurchase;
	private readonly ask: RunQuery;
	private balance: BalanceBefore = { reading: undefined, probableCost: undefined };
	/** Right before the first request; undefined until that is sent. */
	private before: Look | undefined;
	private lastLook: Look | undefined;
	private refusal: { readonly failure: CallError; readonly at: number } | undefined;
	private sentAt: number | undefined;

	constructor(
		private readonly run: PurchaseRun,
		private readonly planned: PlannedPurchase,
		private readonly who: {
			readonly asking: Caller;
			readonly buyer: Caller;
			readonly subject: BookSubject;
		},
	) {
		const { purchase, caller, money } = planned;
		this.purchase = purchase;
		this.subject = who.subject;
		this.costed = { purchase, caller, money, subject: who.subject };
		this.ask = askWith(who.asking);
	}

	async make(): Promise<Result> {
		const { run, purchase, subject } = this;
		const { book, costs, localTime } = run;
		const click = book.repeatedClick(subject);
		if (click !== undefined) return this.repeated(click);
		if (purchase.done === 'renewed') {
			const same = book.paidInExecution(subject);
			if (same !== undefined)
				return this.pass(
					`Item ${same.itemIndex} of this execution renewed the order, so nothing was bought for this one`,
				);
		}
		if (run.delivered.has(subject.itemIndex)) {
			const earlier = await this.earlierDelivery();
			if (earlier !== undefined) return earlier;
		}
		if (purchase.passes !== undefined) {
			const passed = this.passes(await this.look().catch(withNothingBought));
			if (passed !== undefined) return { pass: passed };
		}
		const unclear = book.unclear(subject, purchase);
		if (unclear !== undefined) throw waitForUnclear(unclear, localTime);
		const leave = await costs.enter(this.costed);
		let settled: Promise<void> | undefined;
		try {
			const result = subject.isDry ? await this.rehearse() : await this.send();
			if ('record' in result && result.isBought) {
				settled = costs.after(this.costed, this.balance, result.record);
				const { maxCost, minimumBalance } = this.planned.money;
				if (maxCost !== undefined || minimumBalance > 0) await settled;
			}
			return result;
		} finally {
			void (settled ?? Promise.resolve()).finally(leave);
		}
	}

	private async send(): Promise<Result> {
		const { purchase, who } = this;
		const isOthers = (orderid: string) => this.isOthers(orderid);
		return await callWithHooks<Result>(
			who.buyer,
			purchase,
			(...answered) => {
				const answer = parseEnvelope(...answered);
				return this.paid(this.reading(() => purchase.read(answer, this.before?.state, isOthers)));
			},
			{
				beforeSending: async () => await this.beforeSending(),
				afterFailure: async (failure, mayRetry) => await this.afterFailure(failure, mayRetry),
			},
		).catch(async (error: unknown): Promise<never> => this.ended(error));
	}

	/** Everything but the purchase. */
	private async rehearse(): Promise<Result> {
		const passed = await this.checkAndLook();
		if (passed !== undefined) return { pass: passed };
		this.throwIfTooMany();
		const { purchase, subject, balance } = this;
		const now = Date.now();
		const end = purchase.endAfterwards?.(now);
		const record = withPreview(purchase, {
			[WOULD[purchase.done]]: true,
			reason: DRY_RUN,
			parameters: { ...purchase.parameters },
			...(end === undefined ? {} : { wouldEndAt: toChinaIso(end) }),
			...(balance.reading === undefined ? {} : { balance: balance.reading.balanceNumber }),
			...(balance.probableCost === undefined ? {} : { probableCost: balance.probableCost }),
		});
		this.run.book.write(subject, { state: 'paid', label: purchase.words.what, record });
		return { record, isBought: false };
	}

	/** Right before the first request. @returns what to put out where nothing has to be bought */
	private async checkAndLook(): Promise<Pass | undefined> {
		this.balance = await this.run.costs.before(this.costed).catch(withNothingBought);
		const isFresh = this.lastLook !== undefined && Date.now() - this.lastLook.at <= FRESH_MS;
		const look = isFresh ? this.lastLook : await this.look().catch(withNothingBought);
		return look && this.passes(look);
	}

	private async beforeSending(): Promise<Result | undefined> {
		const { run, subject, purchase, who } = this;
		if (this.before !== undefined) return await this.beforeSendingAgain(this.before);
		const passed = await this.checkAndLook();
		if (passed !== undefined) return { pass: passed };
		const look = this.lastLook ?? { state: undefined, at: Date.now() };
		const id = run.book.idOf(subject.itemIndex);
		if (!run.book.isTool) {
			const known = await run.records.record(id, `${id}|${this.keyOf(look)}`);
			// n8n takes a worker that is too busy to answer for one that died, and both go on
			if (known.has(id) && !run.recorded.has(id)) throw this.open(undefined, SENT_BY_OTHER);
			run.recorded.add(id);
		}
		throwIfCancelled(who.buyer.signal);
		// Nothing may wait from here on: calls of a tool run side by side, and each has to see the others
		const unclear = run.book.unclear(subject, purchase);
		if (unclear !== undefined) throw waitForUnclear(unclear, run.localTime);
		this.throwIfTooMany();
		this.before = look;
		this.sentAt = Date.now();
		const sent = this.sent();
		this.write('sent', { label: unclearLabel(sent), text: unclearText(sent, undefined) });
		return undefined;
	}

	/** After a refusal that may pass, or without a connection. */
	private async beforeSendingAgain(before: Look): Promise<Result | undefined> {
		const look = await this.look().catch(() => undefined);
		const change = look && this.change(before, look);
		if (change?.kind === 'none') {
			throwIfCancelled(this.who.buyer.signal);
			this.sentAt = Date.now();
			return undefined;
		}
		if (this.refusal !== undefined) return this.settle(change, look, this.refusal.failure);
		// Without a connection nothing was sent, so something else has changed it
		const passed = look && this.passes(look);
		if (passed !== undefined) return this.dropped(passed);
		this.before = look ?? before;
		return undefined;
	}

	private async afterFailure(
		failure: CallError,
		mayRetry: () => Promise<boolean>,
	): Promise<Result | undefined> {
		const state = deliveryStateOf(failure);
		if (this.before === undefined) {
			if (await mayRetry()) return undefined;
			throw notBought(failure, this.purchase.orderid);
		}
		if (state === 'unclear') return await this.afterLostAnswer(this.before, failure);
		if (state === 'refusedForNow') this.refusal = { failure, at: Date.now() };
		const again = state !== 'refused' && (await mayRetry());
		if (again) {
			const shownIn = (this.refusal?.at ?? 0) + SHOWS_AFTER_MS - Date.now();
			if (shownIn > 0) await this.waitUntilShown(shownIn);
			return undefined;
		}
		const refused = state === 'refused' ? failure : (this.refusal?.failure ?? failure);
		if (state === 'notSent' && this.refusal === undefined) throw this.refused(failure);
		return await this.afterRefusal(this.before, refused);
	}

	/** A refusal after which nothing has changed is one; after one that brought what was wanted, it is paid. */
	private async afterRefusal(before: Look, failure: CallError): Promise<Result> {
		const meaning =
			failure instanceof ApiError ? codeMeaning(failure.endpoint, failure.code) : undefined;
		const [change, look] = await this.changeAfter(before, SHOWS_AFTER_MS);
		if (change?.kind === 'none') throw this.refused(failure);
		// What can't be looked at was still refused by a documented code
		if (change === undefined && meaning !== undefined) throw this.refused(failure);
		return this.settle(change, look, failure);
	}

	/** No answer, or one that can't be read. */
	private async afterLostAnswer(before: Look, failure: CallError): Promise<Result> {
		const [first, look] = await this.changeAfter(before, SHOWS_AFTER_MS);
		if (first?.kind === 'made') return this.settle(first, look, failure);
		const rest = LAST_LOOK_MS - SHOWS_AFTER_MS;
		return this.settle(...(await this.changeAfter(before, rest)), failure);
	}

	private async changeAfter(
		before: Look,
		ms: number,
	): Promise<[change: Change | undefined, look: Look | undefined]> {
		try {
			await this.waitUntilShown(ms);
			const look = await this.look();
			return [this.change(before, look), look];
		} catch {
			return [undefined, undefined];
		}
	}

	/** @throws DescribedError for a purchase that stays unclear */
	private settle(change: Change | undefined, look: Look | undefined, cause: CallError): Result {
		if (change?.kind === 'made') return this.paid(change.bought);
		const instead = change?.kind === 'unexplained' && cause instanceof ApiError && look;
		const passed = instead ? this.passes(instead) : undefined;
		if (passed !== undefined) return this.dropped(passed);
		throw this.open(cause, change?.text);
	}

	/** Nothing was bought, and nothing has to be any more. */
	private dropped(pass: Pass): Result {
		this.write('refused', { label: this.purchase.words.what });
		return { pass };
	}

	/** For what a call throws that is no answer to the purchase. */
	private ended(error: unknown): never {
		if (error instanceof CancelledError && this.before !== undefined) {
			const entry = this.run.book.entryOf(this.subject.itemIndex);
			// Refused, and nothing has changed since
			if (entry?.state === 'sent') this.write('refused', { label: this.purchase.words.what });
			throw new CancelledError();
		}
		throw error;
	}

	/**
	 * What a process that died has bought for this item, if anything.
	 *
	 * @throws DescribedError where what the service shows doesn't tell
	 */
	private async earlierDelivery(): Promise<Result | undefined> {
		const { run, subject } = this;
		const id = run.book.idOf(subject.itemIndex);
		let earlier = await this.earlierIn(id);
		if (earlier === 'unchanged') {
			// Its request may still be under way
			await this.waitUntilShown(LAST_LOOK_MS);
			earlier = await this.earlierIn(id);
		}
		if (earlier === undefined) {
			const passed = this.lastLook && this.passes(this.lastLook);
			if (passed !== undefined) return { pass: passed };
			throw this.open(undefined, SENT_BY_OTHER);
		}
		if (earlier !== 'unchanged') return earlier;
		run.recorded.add(id);
		return undefined;
	}

	/** @returns undefined where it doesn't tell */
	private async earlierIn(id: string): Promise<Result | 'unchanged' | undefined> {
		const look = await this.look().catch(unlessCancelled);
		if (look?.state === undefined) return undefined;
		const traces = this.purchase.traces(look.state);
		const unknown = `${id}|${UNKNOWN}`;
		const now = `${id}|${this.keyOf(look)}`;
		const answer = ({ orderid }: Trace) => `${id}=${String(orderid)}`;
		const before = ({ before: state }: Trace) =>
			state === undefined ? [] : [`${id}|${fingerprintOf(state)}`];
		const placed = ({ orderid }: Trace) => placedOrder(orderid);
		const asked = traces.flatMap((trace) => [answer(trace), placed(trace), ...before(trace)]);
		const known = await this.run.records.known(unknown, now, ...asked);
		const answered = traces.find((trace) => known.has(answer(trace)));
		if (answered !== undefined) return this.paid(answered.bought);
		if (known.has(now)) return 'unchanged';
		// A renewal was due when it was sent
		const isSatisfied = this.purchase.done === 'renewed' && this.passes(look) !== undefined;
		if (known.has(unknown) && !isSatisfied) return undefined;
		const traced = traces
			.filter((trace) => !known.has(placed(trace)))
			.filter(({ orderid }) => orderid === undefined || !this.isOthers(orderid))
			.find((trace) => isSatisfied || before(trace).every((state) => known.has(state)));
		if (traced === undefined) return undefined;
		const { bought } = traced;
		return this.paid({ ...bought, record: { ...bought.record, verified: true } });
	}

	private repeated(click: BookEntry): Result {
		if (click.state !== 'paid' || click.record === undefined) {
			throw new DescribedError(click.text ?? { message: click.label, description: '' });
		}
		const { balanceBefore, balanceAfter, cost, ...record } = click.record;
		const reason = reasonForRepeatedClick(click);
		return { pass: { record: { ...record, [this.purchase.done]: false, reason } } };
	}

	private pass(reason: string): Result {
		return { pass: { record: { [this.purchase.done]: false, reason } } };
	}

	private passes({ state }: Look): Pass | undefined {
		const { purchase, run, subject } = this;
		if (state === undefined || purchase.passes === undefined) return undefined;
		const { book } = run;
		const paid = book.recent(subject).filter((entry) => entry.state === 'paid');
		const numberOf = ({ record, label }: BookEntry) =>
			typeof record?.orderid === 'string' ? record.orderid : label;
		const passed = purchase.passes(state, {
			recent: paid.map(numberOf),
			isOwn: (orderid) => book.subjectOf(orderid) === subject.subject,
			isOthers: (orderid) => ![undefined, subject.subject].includes(book.subjectOf(orderid)),
		});
		if (passed !== undefined || paid.length === 0 || purchase.done !== 'renewed') return passed;
		return { record: { renewed: false, reason: RENEWED_LATELY } };
	}

	private async look(): Promise<Look> {
		const at = Date.now();
		this.lastLook = { state: await this.purchase.look(this.ask), at };
		return this.lastLook;
	}

	private keyOf({ state }: Look): string {
		return state === undefined ? UNKNOWN : fingerprintOf(this.purchase.stateKey(state));
	}

	/** Undefined where there is nothing to compare. */
	private change(before: Look, after: Look): Change | undefined {
		if (before.state === undefined || after.state === undefined) return undefined;
		const change = this.purchase.compare(before.state, after.state, (id) => this.isOthers(id));
		if (change.kind !== 'made') return change;
		if (!this.run.book.mayBeAnothers(this.subject, before.at)) {
			const { bought } = change;
			return { ...change, bought: { ...bought, record: { ...bought.record, verified: true } } };
		}
		const text = `${change.text} It may also come from another purchase that was under way or is unclear.`;
		return { kind: 'unexplained', text };
	}

	private isOthers(orderid: string): boolean {
		return this.run.book.isOthers(orderid, this.subject.itemIndex);
	}

	private throwIfTooMany(): void {
		const { maxOrders, dryRun } = this.planned.money;
		const made = this.run.book.made(dryRun).length;
		if (made >= maxOrders) throw tooManyOrders(made, maxOrders, dryRun);
	}

	private reading(read: () => Bought): Bought {
		try {
			return read();
		} catch (error) {
			throw error instanceof CallError ? error : new InvalidResponseError('could not be read', '');
		}
	}

	private paid({ record: bought, label }: Bought): Result {
		const { run, subject, purchase } = this;
		const purchasedAt = toChinaIso(Date.now());
		const record = withPreview(purchase, { ...bought, purchasedAt });
		this.write('paid', { label, record });
		const id = run.book.idOf(subject.itemIndex);
		const number = typeof record.orderid === 'string' ? record.orderid : undefined;
		const placed = purchase.done === 'created' ? [placedOrder(number)] : [];
		if (!run.book.isTool) void run.records.record(`${id}=${String(number)}`, ...placed);
		return { record, isBought: true };
	}

	private refused(failure: CallError): CallError {
		this.write('refused', { label: this.purchase.words.what });
		return notBought(failure, this.purchase.orderid);
	}

	private open(cause: CallError | undefined, finding: string | undefined): DescribedError {
		const sent = this.sent(finding);
		this.write('open', { label: unclearLabel(sent), text: unclearTextForLater(sent, cause) });
		return new DescribedError(unclearText(sent, cause));
	}

	private write(
		state: BookEntry['state'],
		outcome: Pick<BookEntry, 'label' | 'record' | 'text'>,
	): void {
		this.run.book.write(this.subject, { state, ...outcome });
	}

	private sent(finding?: string): SentPurchase {
		const { purchase, run, sentAt, subject } = this;
		const { words, orderid } = purchase;
		const { localTime, book } = run;
		const { itemIndex } = subject;
		return { words, itemIndex, sentAt, localTime, byAgent: book.isTool, orderid, finding };
	}

	private async waitUntilShown(ms: number): Promise<void> {
		const { caller } = this.planned;
		logWait(caller, this.purchase.endpoint.path, ms, 'until the service shows what a request did');
		await wait(ms, caller.signal);
	}
}
