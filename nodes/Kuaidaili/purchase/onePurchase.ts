import type { IDataObject } from 'n8n-workflow';

import { KeyedMutex, loggedWait, logWait, throwIfCancelled, wait } from '../../shared/api/wait';
import {
	ApiError,
	CallError,
	CancelledError,
	DescribedError,
	InvalidResponseError,
	NetworkError,
	unlessCancelled,
} from '../../shared/api/errors';
import { signatureWindow } from '../../shared/api/sign';
import { fingerprintOf } from '../../shared/fingerprint';
import { endOfTerm } from '../../shared/orders/term';
import {
	type RunQuery,
	CallAttempts,
	originOf,
	runQuery,
	deliveryStateOf,
} from '../../shared/api/call';
import type { ServiceAnswer } from '../../shared/service/wireTypes';
import { toChinaIso, type EpochMs } from '../../shared/service/chinaTime';
import type { ApiClient, NodeApiClient } from '../../shared/api/client';
import { accessOrder } from '../../shared/orders/orderAccess';
import { durationInWords, sentences } from '../../shared/wording';
import { conclude, deliveryOf } from './conclusion';
import {
	paidAs,
	paidFrom,
	placedOrder,
	sentFrom,
	slotOfNow,
	type DurableRecords,
	type EarlierSending,
	type SendingNames,
} from './durableRecords';
import { isLate, type LedgerEntry, type PurchaseLedger, type PurchaseSubject } from './ledger';
import type { MoneyOptions } from './options';
import { SharedSigning } from './sharedSigning';
import type { BalanceReading, Spending } from './spending';
import {
	anotherItem,
	atWorkElsewhere,
	beingRenewed,
	failedCheck,
	maxOrdersReached,
	renewedFromThisEnd,
	retryOfUnknown,
	stillUnclear,
} from './texts';
import {
	DRY_RUN_OUTPUT,
	LATE_IN_WORDS,
	LATE_MS,
	notRenewed,
	orderNumberOf,
	withPreview,
	type Change,
	type PlanContext,
	type Purchase,
	type PurchaseOperation,
	type PurchaseOutput,
	type PurchasePlan,
	type RecoveryCandidate,
} from './types';

/** The service sells to one key once per second, so a snapshot this fresh shows every other purchase. */
const FRESH_MS = 500;
/** After a request, snapshots are taken after 2 and after 10 seconds: its effect may show late, or the work take long. */
const SNAPSHOT_PAUSES_MS = [2000, 8000];
/** A recovery takes one at once and one after this. */
const RECOVERY_PAUSES_MS = [0, 10_000];
/** How long a manual repeat waits for another worker that is at work on the same purchase, in pieces of about this. */
const AT_WORK_MS = 60_000;
const ASK_AGAIN_MS = 2000;

const REPLAY = -114;

/** Locks by purchase key: otherwise two executions could see the same state and both buy. */
const purchaseMutex = new KeyedMutex();

const SENT_BY_OTHER =
	'n8n began this execution again after that worker had ended, or did not answer anymore.';

/** With its own word for it, n8n gives an execution the status 'canceled': also one that only repeats it later. */
const STOPPED = 'The execution was stopped';

/** The goods are the same, whatever these parameters say. */
const BESIDES = /(?:^|\.)(?:is_notify|is_coupon|is_auto_renew|auto_renew_unit)$/;

/** Fields in the output of the purchase that was paid. */
const REPORT = ['text', 'balanceBefore', 'balanceAfter', 'cost', 'purchasedAt'];

/** The settings that the purchases of a run have in common. */
export interface PurchaseContext extends PlanContext {
	readonly operation: PurchaseOperation;
	readonly ledger: PurchaseLedger;
	readonly spending: Spending;
}

/** An item of a run, after all checks that need no request. */
export interface PlannedItem {
	readonly itemIndex: number;
	/** See `PurchaseSubject`. */
	readonly id: string;
	/** The input item, as executions compare it. */
	readonly inputItem: {
		/** A fingerprint of its JSON, and of the run of the node. */
		readonly fingerprint: string;
		/** Its place among equal ones. */
		readonly place: number;
	};
	readonly plan: PurchasePlan;
	/** Holds the key pair of the credential. */
	readonly client: NodeApiClient;
	readonly money: MoneyOptions;
	/** Whether an earlier delivery of the execution, or one that it retries, has sent the purchase. */
	readonly isSentBefore: boolean;
}

/** The state that a purchase changes, as it was read at one moment. */
interface Snapshot<State> {
	/** Undefined where the service did not say. */
	readonly state: State | undefined;
	readonly at: EpochMs;
}

/** The outcome of a request that was refused, or of which nobody knows the answer. */
type Settlement =
	| { readonly kind: 'output'; readonly output: PurchaseOutput }
	| { readonly kind: 'refused' }
	/** Another process has sent the same signed request, and was paid or refused. */
	| { readonly kind: 'ofTwin' };

/** A purchase that is ready to be made. */
export interface PendingPurchase {
	readonly planned: PlannedItem;
	readonly amount?: string;
	readonly endsAt?: EpochMs;
	/** Whether the order is prepaid, so that it ends at a time. */
	readonly hasTerm: boolean;
	readonly subject: PurchaseSubject;
	/** Whether it failed because of a request that was sent before this run. */
	readonly isFromBefore: boolean;
	run(): Promise<PurchaseOutput>;
	/** Notes that it was not tried. Never rejects. */
	leaveOut(): Promise<void>;
}

/** One purchase, with all its requests. */
export class OnePurchase<State> implements PendingPurchase {
	subject: PurchaseSubject;
	isFromBefore = false;
	private readonly isRenewal: boolean;
	private readonly records: DurableRecords | undefined;
	private buyer: ApiClient;
	private balance: BalanceReading | undefined;
	private snapshot: Snapshot<State> = { state: undefined, at: 0 };
	/** The snapshot right before the last request, and when that was sent; undefined until one is. */
	private sent: (Snapshot<State> & { readonly sentAt: EpochMs }) | undefined;
	/** Set while n8n's records say that it was sent; `added` are the texts that nobody had recorded before. */
	private notedAs: (SendingNames & { readonly added: readonly string[] }) | undefined;
	/** Resolves when n8n's records say that it was paid. Never rejects. */
	private paidNote: Promise<void> | undefined;
	private readonly signing: SharedSigning;

	constructor(
		private readonly context: PurchaseContext,
		readonly planned: PlannedItem,
		private readonly purchase: Purchase<State>,
	) {
		this.isRenewal = context.operation.done === 'renewed';
		this.records = context.ledger.records;
		this.buyer = planned.client;
		this.subject = this.describeSubject();
		const window = () => signatureWindow(originOf(this.buyer, context.operation.endpoint));
		this.signing = new SharedSigning(window, context.ledger.isRetry);
	}

	get amount(): string | undefined {
		return this.purchase.amount;
	}

	/** When the order ends, as its last snapshot says, which may know what could not be read before. */
	get endsAt(): EpochMs | undefined {
		const { purchase, snapshot } = this;
		const isSeen = this.hasTerm && snapshot.state !== undefined;
		const seen = isSeen ? purchase.describe?.(snapshot.state).endsAt : undefined;
		return seen ?? purchase.endsAt;
	}

	get hasTerm(): boolean {
		return this.purchase.term !== undefined;
	}

	/** Buys, or finds that nothing has to be bought. */
	async run(): Promise<PurchaseOutput> {
		const { client, plan } = this.planned;
		const { endpoint } = this.context.operation;
		if (endpoint.key !== client.credential.keyType) {
			const access = accessOrder(client, orderNumberOf(plan.preview));
			this.buyer = await access.catch(failedCheck(this.mayBeBought));
		}
		this.subject = this.describeSubject();
		const locking = purchaseMutex.lock(this.subject.key, client.signal);
		const reason = 'for another purchase of the same order or kind';
		const release = await loggedWait(locking, client, endpoint.path, reason);
		try {
			return (
				(await this.guard()) ??
				(await this.recover()) ??
				(await this.skipByCondition()) ??
				(await this.buy())
			);
		} finally {
			// A worker that is killed afterwards leaves that it was paid
			await this.paidNote;
			release();
		}
	}

	async leaveOut(): Promise<void> {
		const { context, records, subject } = this;
		if (context.ledger.earlier(subject) !== undefined) return;
		context.ledger.write(subject, { state: 'refused', label: this.purchase.words.what });
		if (!subject.isDry) await records?.noteUnbought([this.namesOf(undefined).item]);
	}

	/** How the ledger knows the purchase. */
	private describeSubject(): PurchaseSubject {
		const { context, planned, purchase, isRenewal } = this;
		const { client, inputItem, itemIndex, money, plan } = planned;
		const { path } = context.operation.endpoint;
		const { parameters } = purchase;
		const { product = '', pay_type: payType = '' } = parameters;
		const { keyType, secretId: payer } = client.credential;
		// The key pair of an order may change while it is renewed, its number doesn't
		const orderid = orderNumberOf(plan.preview);
		const buying = orderid ?? payer;
		const goods = Object.entries(parameters)
			.filter(([name]) => !BESIDES.test(name))
			.sort(([a], [b]) => (a < b ? -1 : 1));
		const key = fingerprintOf(buying, path, [product, payType]);
		return {
			id: planned.id,
			key,
			keyPair: isRenewal ? fingerprintOf(this.buyer.credential.secretId) : '',
			goods: fingerprintOf(buying, path, goods),
			item: isRenewal ? key : inputItem.fingerprint,
			place: isRenewal ? 0 : inputItem.place,
			account: keyType === 'account' ? fingerprintOf(payer) : '',
			expectedCost: money.expectedCost,
			itemIndex,
			isRenewal,
			isDry: money.dryRun,
			isConditional: purchase.skip !== undefined,
		};
	}

	/* Guards: what was bought by others in place of this purchase, or by this one before */

	private async guard(): Promise<PurchaseOutput | undefined> {
		const { subject } = this;
		const { ledger } = this.context;
		const renewal = ledger.renewalBefore(subject);
		if (renewal !== undefined && ledger.isOfThisExecution(renewal)) {
			const reason = `Item ${renewal.itemIndex} of this execution renewed the order, so nothing was bought for this one`;
			return notRenewed(reason);
		}
		const earlier = ledger.earlier(subject);
		if (earlier?.state === 'paid') return this.repeated(earlier);
		if (earlier !== undefined || this.planned.isSentBefore) return undefined;
		return await this.guardManualRepeat();
	}

	private async guardManualRepeat(): Promise<PurchaseOutput | undefined> {
		const { subject } = this;
		const { ledger, localTime } = this.context;
		if (ledger.isRetryOfUnknown) return await this.refuseUnknownRepeat();
		if (ledger.manualExecution === undefined && !ledger.isRetry) return undefined;
		const repeat = ledger.manualRepeat(subject);
		switch (repeat?.kind) {
			case 'sameItem':
				return this.repeated(repeat.entry);
			case 'otherItem':
				// A condition goes by what shows in the end
				if (subject.isConditional) return undefined;
				throw anotherItem(repeat.entry, localTime);
			case 'unbought':
				// Another worker may have bought it since
				return await this.guardRepeatElsewhere(true);
			case undefined:
				return await this.guardRepeatElsewhere();
			default:
				return repeat satisfies never;
		}
	}

	/** @throws DescribedError where another retry of the same execution may have bought it */
	private async refuseUnknownRepeat(): Promise<undefined> {
		const { records, subject } = this;
		const { ledger, localTime } = this.context;
		// A condition goes by what shows in the end
		if (subject.isConditional) return;
		const repeat = ledger.manualRepeat(subject);
		if (repeat?.kind === 'sameItem') throw retryOfUnknown(repeat.entry, localTime);
		const elsewhere = await records?.earlierSending(this.namesOf(undefined));
		// What the same retry sends on another worker, it waits for
		const isOwn = (await records?.sentAmong([subject.id]))?.has(subject.id) === true;
		if (elsewhere?.kind === 'sameItem' && !isOwn) throw retryOfUnknown(undefined, localTime);
	}

	/**
	 * Asks the records, because n8n 3 runs each click on any worker.
	 *
	 * @param isUnbought whether this process knows the item as one that was refused or not tried
	 */
	private async guardRepeatElsewhere(isUnbought = false): Promise<PurchaseOutput | undefined> {
		const { records, subject, planned } = this;
		const { client } = planned;
		const names = this.namesOf(undefined);
		const until = performance.now() + AT_WORK_MS;
		while (records !== undefined) {
			const earlier = await this.askForEarlier(records, names);
			if (earlier.kind === 'none') return undefined;
			if (earlier.kind === 'otherItem') {
				// Earlier items and runs of this execution have left that
				const isFree = isUnbought || subject.isConditional;
				if (isFree || this.context.ledger.hasTried(subject)) return undefined;
				throw anotherItem(undefined, this.context.localTime);
			}
			const known = orderNumberOf(planned.plan.preview);
			const orderid = await records.orderBoughtFor(names.item, earlier.slot, known);
			if (orderid !== undefined) return this.boughtElsewhere({ orderid });
			if (performance.now() > until) throw atWorkElsewhere();
			// Not at the same moments as another one that asks: each question is a record for an instant
			await wait(ASK_AGAIN_MS * (0.5 + Math.random()), client.signal);
		}
		return undefined;
	}

	/** Retries of two executions with equal items buy for each; only what a person has bought by hand is theirs as well. */
	private async askForEarlier(
		records: DurableRecords,
		names: SendingNames,
	): Promise<EarlierSending> {
		const isByHand = this.context.ledger.manualExecution !== undefined;
		return isByHand ? await records.earlierSending(names) : await records.earlierClick(names.item);
	}

	/** The output for a purchase that another execution has made, or may have made. */
	private repeated({ at, label, record, state, text }: LedgerEntry): PurchaseOutput {
		if (state !== 'paid' || record === undefined) {
			throw new DescribedError(text ?? { message: label, description: '' });
		}
		const kept = Object.entries(record).filter(([name]) => !REPORT.includes(name));
		const what = typeof record.orderid === 'string' ? `order ${record.orderid}` : label;
		const ago = durationInWords(Date.now() - at);
		const reason = `This node bought it ${ago} ago, in another run (${what}), so nothing was bought.`;
		return { record: { ...Object.fromEntries(kept), [this.done]: false, reason }, isRepeat: true };
	}

	private boughtElsewhere(record: IDataObject): PurchaseOutput {
		const orderid = orderNumberOf(this.planned.plan.preview) ?? orderNumberOf(record) ?? '';
		const reason = `This node bought it a short while ago, in another run on another worker (order ${orderid}), so nothing was bought.`;
		return { record: { ...record, [this.done]: false, reason }, isRepeat: true };
	}

	/* Recovery: what this purchase did before, in an execution that was killed, failed, or stayed unclear */

	private get mayBeBought(): boolean {
		return this.planned.isSentBefore || this.context.ledger.earlier(this.subject) !== undefined;
	}

	private async recover(): Promise<PurchaseOutput | undefined> {
		const entry = this.context.ledger.earlier(this.subject);
		if (entry === undefined && !this.planned.isSentBefore) return undefined;
		for (const pauseMs of entry === undefined ? RECOVERY_PAUSES_MS : [0]) {
			const state = await this.readState(pauseMs).catch(unlessCancelled);
			if (state === undefined) throw this.leftUnclear(entry);
			const skip = this.skipFor(state);
			const earlier = await this.findEarlier(state, entry, skip !== undefined);
			if (earlier.kind === 'nothing') continue;
			if (earlier.kind === 'paid') return this.writePaid(earlier.record);
			if (earlier.kind === 'similar') throw this.leftUnclear(entry, earlier.orderid);
			if (skip !== undefined) return skip;
			throw this.leftUnclear(entry);
		}
		if (entry !== undefined && isLate(entry)) throw this.leftUnclear(entry);
		await this.writeRefused();
		if (!this.subject.isDry) await this.records?.dropPurchase(this.namesOf(this.snapshotKey));
		return undefined;
	}

	/**
	 * Searches for a purchase that was sent before.
	 *
	 * @param isSatisfied whether a condition needs no purchase now
	 * @returns `similar` for a new order that nothing but the state of the list connects with this purchase
	 */
	private async findEarlier(
		state: State,
		entry: LedgerEntry | undefined,
		isSatisfied: boolean,
	): Promise<
		| { readonly kind: 'paid'; readonly record: IDataObject }
		| { readonly kind: 'similar'; readonly orderid: string }
		| { readonly kind: 'nothing' | 'unclear' }
	> {
		const { purchase, records, subject } = this;
		const { id } = subject;
		const now = fingerprintOf(purchase.stateKey(state));
		const candidates = purchase.candidates(state);
		const beforeOf = ({ before }: RecoveryCandidate) =>
			before === undefined ? undefined : fingerprintOf(before);
		const noted =
			(await records?.noted([
				sentFrom(id, now),
				sentFrom(id, undefined),
				...candidates.flatMap((candidate) => [
					paidAs(id, candidate.record.orderid),
					placedOrder(candidate.record.orderid),
					sentFrom(id, beforeOf(candidate)),
				]),
			])) ?? new Set<string>();
		const paid = candidates.find(({ record }) => noted.has(paidAs(id, record.orderid)));
		if (paid !== undefined) return { kind: 'paid', record: paid.record };
		const isInLedger = entry !== undefined && (entry.before !== undefined || noted.size === 0);
		const wasSentFrom = (before: string | undefined) =>
			noted.has(sentFrom(id, before)) || (isInLedger && entry.before === before);
		if (wasSentFrom(now)) return { kind: 'nothing' };
		if (isInLedger && (await this.isRenewedByOther(entry))) return { kind: 'nothing' };
		const placed = new Set(this.context.ledger.placedOrders(subject).map(({ orderid }) => orderid));
		// A renewal was due when it was sent
		const isDone = this.isRenewal && isSatisfied;
		const found = candidates.find((candidate) => {
			const { before, record } = candidate;
			const isOfOther = placed.has(orderNumberOf(record)) || noted.has(placedOrder(record.orderid));
			if (!this.isRenewal && isOfOther) return false;
			if (isDone) return true;
			return before === undefined ? !wasSentFrom(undefined) : wasSentFrom(beforeOf(candidate));
		});
		if (found === undefined) return { kind: 'unclear' };
		if (this.isRenewal) return { kind: 'paid', record: { ...found.record, verified: true } };
		return { kind: 'similar', orderid: orderNumberOf(found.record) ?? '' };
	}

	/** Whether another run has renewed the order from the end from which this one may have renewed it. */
	private async isRenewedByOther({ before }: LedgerEntry): Promise<boolean> {
		const { end } = this.namesOf(before);
		if (end === undefined || this.records === undefined) return false;
		return (await this.records.useOfEnd(end)) === 'renewed';
	}

	/** @param similar number of an order that may be this one */
	private leftUnclear(entry: LedgerEntry | undefined, similar?: string): DescribedError {
		this.isFromBefore = true;
		const shown =
			similar === undefined
				? undefined
				: `The order list has what may be this order (${similar}), but it may also be somebody else's.`;
		if (entry?.text === undefined) return this.writeUnknown('unknown', undefined, shown);
		return stillUnclear(entry, shown, this.context.localTime);
	}

	/* The condition */

	private async skipByCondition(): Promise<PurchaseOutput | undefined> {
		if (this.purchase.skip === undefined) return undefined;
		await this.beginReadings();
		return this.skipFor(await this.readState());
	}

	/** The output where nothing has to be bought. */
	private skipFor(state: State | undefined): PurchaseOutput | undefined {
		const { purchase, subject } = this;
		const { ledger, localTime } = this.context;
		if (state === undefined) return undefined;
		const skip = purchase.skip?.(state, ledger.placedOrders(subject));
		if (skip !== undefined) return skip;
		if (subject.isConditional && ledger.renewalBefore(subject) !== undefined) {
			return notRenewed(
				`The order was renewed less than ${LATE_IN_WORDS} ago from here, so nothing was bought`,
			);
		}
		const key = fingerprintOf(purchase.stateKey(state));
		const renewal = this.isRenewal && this.hasTerm ? ledger.renewalFrom(subject, key) : undefined;
		return renewal && notRenewed(renewedFromThisEnd(localTime(renewal.at)));
	}

	/* The request */

	private async buy(): Promise<PurchaseOutput> {
		const { context, planned } = this;
		const { client, money } = planned;
		this.throwIfRefused();
		const unlock = await context.spending.lockAccount(client, money);
		try {
			const output = await this.send().catch((error: unknown): never => {
				// Nobody has looked what the request did
				const isLeft = error instanceof CancelledError && this.ownEntry?.state === 'sent';
				throw isLeft ? this.writeUnknown('unknown', error) : error;
			});
			if (output.record[this.done] === true) {
				await context.spending.settle(client, money, this.subject, this.balance, output.record);
			}
			return output;
		} finally {
			unlock();
		}
	}

	/** @throws DescribedError while an earlier purchase is unclear, and LimitReachedError */
	private throwIfRefused(): void {
		const { subject } = this;
		const { ledger, localTime } = this.context;
		const { maxOrders, dryRun } = this.planned.money;
		// An order is renewed once at a time, and a condition goes by what shows in the end
		const isExclusive = subject.isConditional || this.isRenewal;
		const [pending] = isExclusive ? ledger.pending(subject) : ledger.pendingInOtherRuns(subject);
		if (pending !== undefined) {
			const { message = 'An earlier purchase is unclear', description } = pending.text ?? {};
			const until = `Until ${localTime(pending.at + LATE_MS)}, it may still show up. After that, the node goes by what Kuaidaili shows.`;
			throw new DescribedError({
				message: `${message}. Nothing was bought this time`,
				description: sentences(description, isExclusive ? until : undefined),
			});
		}
		const made = ledger.made(dryRun).filter(({ id }) => id !== subject.id).length;
		if (made >= maxOrders) throw maxOrdersReached(made, maxOrders, dryRun);
	}

	/** Sends it; what is sent again is checked and looked at like the first time. */
	private async send(): Promise<PurchaseOutput> {
		const { buyer, context, purchase, subject } = this;
		const { signing } = this;
		const attempts = new CallAttempts(buyer, {
			endpoint: context.operation.endpoint,
			parameters: purchase.parameters,
			get sharedSignature() {
				return signing.signature;
			},
			// What sends nothing need not wait for its turn
			...(subject.isDry && { intervalMs: 0 }),
		});
		/** The outcome of the last request; no snapshot was taken since then. */
		let failure: CallError | undefined;
		const beforeSending = async (): Promise<PurchaseOutput | undefined> => {
			const settled = failure && (await this.settle(failure));
			if (settled?.kind === 'output') return settled.output;
			failure = undefined;
			return await this.prepareSending();
		};
		for (;;) {
			const outcome = await attempts.next((answer) => this.readAnswer(answer), beforeSending);
			if (!(outcome instanceof CallError)) return outcome;
			const state = deliveryStateOf(outcome);
			if (state !== 'notSent') failure = outcome;
			// Without a connection nothing was sent
			else if (failure === undefined) await this.writeRefused(false);
			const mayRepeat = state === 'notSent' || state === 'refusedForNow';
			if (mayRepeat && (await attempts.mayRetry(outcome))) continue;
			const settled = failure && (await this.settle(failure));
			if (settled?.kind === 'output') return settled.output;
			if (settled?.kind !== 'ofTwin') throw this.notBought(failure ?? outcome);
			failure = undefined;
		}
	}

	/**
	 * A person may click twice, and n8n may run each click on another worker; schedules may renew an order at the same
	 * moment. All of them send the same signed request, of which the service carries out one. The name must not depend
	 * on n8n's records, in which one worker's question looks like the other's record.
	 */
	private get sharedName(): string | undefined {
		const { ledger } = this.context;
		const { end, item } = this.namesOf(this.snapshotKey);
		// The records are of one node, but whatever node renews an order from the same end signs it alike
		if (end !== undefined) return end;
		if (ledger.manualExecution !== undefined) return fingerprintOf(ledger.node, item);
		return ledger.isRetry ? this.subject.id : undefined;
	}

	/** Waits where readings would be old before all workers sign the request alike. */
	private async beginReadings(): Promise<void> {
		const { records, subject } = this;
		const { isRetry, manualExecution } = this.context.ledger;
		const isEnding = this.isRenewal && this.hasTerm;
		const mayBeShared = isEnding || isRetry || manualExecution !== undefined;
		if (!mayBeShared || records === undefined || subject.isDry) return;
		await this.awaitWindow(this.signing.msUntilSettled);
	}

	/** @returns whether it had to wait, so that what was read before may no longer be true */
	private async chooseSignature(): Promise<boolean> {
		const ms = this.signing.choose(this.records === undefined ? undefined : this.sharedName);
		if (ms > 0) await this.awaitWindow(ms);
		return ms > 0;
	}

	private async awaitWindow(ms: number): Promise<void> {
		const { buyer, context } = this;
		logWait(buyer, context.operation.endpoint.path, ms, 'until all workers would sign it alike');
		await wait(ms, buyer.signal);
		this.signing.begin();
	}

	/** @returns the output where nothing has to be sent, or sent again */
	private async prepareSending(): Promise<PurchaseOutput | undefined> {
		const { buyer, context, planned, subject } = this;
		const { client, money } = planned;
		const isFresh = () =>
			this.snapshot.state !== undefined && Date.now() - this.snapshot.at <= FRESH_MS;
		if (!isFresh()) await this.beginReadings();
		const reading = context.spending.readBefore(client, money, subject);
		this.balance = await reading.catch(failedCheck(false));
		if (!isFresh()) await this.readState();
		const skip = this.skipFor(this.snapshot.state);
		if (skip !== undefined) return skip;
		if (subject.isDry) return this.dryRunOutput();
		if (await this.chooseSignature()) return await this.prepareSending();
		const names = this.namesOf(this.snapshotKey);
		const noted = await this.records?.noteSending(names);
		if (noted?.isSent === true) return await this.awaitOtherWorker();
		if (noted !== undefined && noted.endUse !== 'free') {
			await this.records?.drop(noted.added);
			return await this.awaitOtherRenewal(names);
		}
		// Since the guards looked, the readings may have taken seconds, and later it would be signed in another way
		if (noted !== undefined && (await this.isSentByOther(names, noted.isItemSent))) {
			await this.records?.drop(noted.added);
			return (await this.guardRepeatElsewhere()) ?? (await this.prepareSending());
		}
		this.notedAs = noted && { ...names, added: noted.added };
		throwIfCancelled(buyer.signal);
		// Nothing may wait from here on: calls of a tool run side by side, and each has to see the others
		this.throwIfRefused();
		this.sent = { ...this.snapshot, sentAt: Date.now() };
		this.writeUnknown('sent');
		return undefined;
	}

	/** Whether somebody has bought the same for the same item just now: for a click, whoever did, and for a retry, a click. */
	private async isSentByOther(names: SendingNames, isItemSent: boolean): Promise<boolean> {
		const { isRetry, manualExecution } = this.context.ledger;
		if (manualExecution !== undefined) return isItemSent && names.end === undefined;
		// What a recovery has looked for may be that click
		if (!isRetry || this.planned.isSentBefore) return false;
		return (await this.records?.earlierClick(names.item))?.kind === 'sameItem';
	}

	/** Another worker is at work on the same purchase: n8n took it for dead, or somebody retries an execution twice. */
	private async awaitOtherWorker(): Promise<PurchaseOutput> {
		for (const pauseMs of SNAPSHOT_PAUSES_MS) {
			const state = await this.readState(pauseMs).catch(unlessCancelled);
			if (state === undefined) continue;
			const earlier = await this.findEarlier(state, undefined, this.skipFor(state) !== undefined);
			if (earlier.kind === 'paid') return this.writePaid(earlier.record);
		}
		throw this.writeUnknown('unknown');
	}

	/** Another run, such as one on another worker, renews the order from the same end. */
	private async awaitOtherRenewal(names: SendingNames): Promise<PurchaseOutput | undefined> {
		const { end = '' } = names;
		for (const pauseMs of SNAPSHOT_PAUSES_MS) {
			await this.readState(pauseMs);
			if (this.namesOf(this.snapshotKey).end !== end) return await this.prepareSending();
			const endUse = await this.records?.useOfEnd(end);
			if (endUse === 'renewed') return notRenewed(renewedFromThisEnd());
			if (endUse === 'free') return await this.prepareSending();
		}
		throw beingRenewed(orderNumberOf(this.planned.plan.preview));
	}

	/** The request was answered with code 0. */
	private readAnswer(answer: ServiceAnswer): PurchaseOutput {
		try {
			const placed = this.context.ledger.placedOrders(this.subject);
			return this.writePaid(this.purchase.read(answer, this.sent?.state, placed));
		} catch (error) {
			throw error instanceof CallError ? error : new InvalidResponseError('could not be read', '');
		}
	}

	private dryRunOutput(): PurchaseOutput {
		const { planned, purchase, subject } = this;
		const { state } = this.snapshot;
		const { expectedCost } = planned.money;
		const { term } = purchase;
		const seen = state === undefined ? undefined : purchase.describe?.(state);
		const endsAt = seen?.endsAt ?? purchase.endsAt ?? 0;
		const end = term && endOfTerm(Math.max(endsAt, Date.now()), term);
		const record = withPreview(planned.plan.preview, {
			...seen?.record,
			[DRY_RUN_OUTPUT[this.done]]: true,
			reason: "Nothing was bought, because 'Dry Run' is on",
			parameters: { ...purchase.parameters },
			...(end === undefined ? {} : { wouldEndAt: toChinaIso(end) }),
			...(this.balance && { balance: this.balance.balanceNumber }),
			...(expectedCost === undefined ? {} : { probableCost: expectedCost }),
		});
		const balanceBefore = this.balance?.balanceNumber;
		this.context.ledger.write(subject, {
			state: 'paid',
			label: purchase.words.what,
			record,
			balanceBefore,
		});
		return { record };
	}

	/* What became of it */

	/**
	 * Finds out after a refusal, or without an answer that can be read.
	 *
	 * @throws DescribedError for a purchase that stays unclear
	 */
	private async settle(failure: CallError): Promise<Settlement> {
		const delivery = deliveryOf(failure);
		const isReplay = failure instanceof ApiError && failure.code === REPLAY;
		let change: Change | undefined;
		for (const [index, pauseMs] of SNAPSHOT_PAUSES_MS.entries()) {
			const snapshots = index === 0 ? 1 : 2;
			// Whoever was answered in place of this one says so in a moment
			const mayClaim = !isReplay || this.signing.signature === undefined || snapshots === 2;
			change = await this.changeAfter(pauseMs, mayClaim);
			const ofTwin = await this.settleByTwin(isReplay);
			if (ofTwin !== undefined) return ofTwin;
			const conclusion = conclude({ delivery, change: change?.kind ?? 'unseen', snapshots });
			if (conclusion === 'paid' && change?.kind === 'made') {
				return { kind: 'output', output: this.writePaid(change.record) };
			}
			if (conclusion === 'refused') {
				await this.writeRefused();
				return { kind: 'refused' };
			}
			if (conclusion === 'unknown') break;
		}
		throw this.writeUnknown('unknown', failure, change?.text);
	}

	/**
	 * Asks what became of the same signed request in another process. Where it was decided there, nothing was bought
	 * here.
	 */
	private async settleByTwin(isReplay: boolean): Promise<Settlement | undefined> {
		const { notedAs, records } = this;
		if (notedAs?.signed === undefined || records === undefined) return undefined;
		const outcome = await records.twinOutcome(notedAs.signed);
		if (outcome === 'refused' && isReplay) {
			await this.writeRefused();
			return { kind: 'ofTwin' };
		}
		if (outcome !== 'paid') return undefined;
		const output = await this.paidByItself(records);
		if (output !== undefined) return { kind: 'output', output };
		return await this.leaveToTwin(notedAs, records);
	}

	/** The output where another process has made this very purchase: n8n took one of the two for dead. */
	private async paidByItself(records: DurableRecords): Promise<PurchaseOutput | undefined> {
		const { id } = this.subject;
		const { state } = this.snapshot;
		const candidates = state === undefined ? [] : this.purchase.candidates(state);
		const paidNames = candidates.map(({ record }) => paidAs(id, record.orderid));
		const noted = await records.noted(paidNames);
		const paid = candidates.find((_, index) => noted.has(paidNames[index]));
		return paid && this.writePaid(paid.record);
	}

	/** Another execution has made its purchase with the request that both sign alike, so this one is still to be made. */
	private async leaveToTwin(notedAs: SendingNames, records: DurableRecords): Promise<Settlement> {
		const { context, subject } = this;
		const { isRetry, manualExecution } = context.ledger;
		this.signing.noteRefused();
		this.notedAs = undefined;
		context.ledger.write(subject, { state: 'refused', label: this.purchase.words.what });
		// A retry has the identity of its twin
		if (!isRetry) await records.leaveToTwin(notedAs);
		if (manualExecution === undefined) return { kind: 'ofTwin' };
		const output = this.isRenewal ? this.boughtElsewhere({}) : await this.guardRepeatElsewhere();
		return output === undefined ? { kind: 'ofTwin' } : { kind: 'output', output };
	}

	/** The finding of a snapshot after a while; undefined where there is nothing to compare. */
	private async changeAfter(pauseMs: number, mayClaim: boolean): Promise<Change | undefined> {
		const { purchase, sent, subject } = this;
		const { ledger } = this.context;
		try {
			const after = await this.readState(pauseMs);
			if (sent?.state === undefined || after === undefined) return undefined;
			const change = purchase.compare(sent.state, after, ledger.placedOrders(subject));
			if (change.kind !== 'made') return change;
			const { record, text } = change;
			if (ledger.pending(subject, sent.at).length > 0) {
				return {
					kind: 'unexplained',
					text: `${text} It may also come from another purchase that was under way or is unclear.`,
				};
			}
			const claim = this.claimOn(record);
			if (!mayClaim) return { kind: 'unexplained', text };
			const isClaimed = claim === undefined || (await this.records?.claim(claim)) !== false;
			if (isClaimed) return { ...change, record: { ...record, verified: true } };
			return { kind: 'others', text: `${text} But another run of this node bought that.` };
		} catch {
			return undefined;
		}
	}

	/** A text for what only one purchase can have brought; undefined where another one may begin with the same state. */
	private claimOn(record: IDataObject): string | undefined {
		if (!this.isRenewal) return placedOrder(record.orderid);
		const end = this.notedAs?.end;
		return end === undefined ? undefined : paidFrom(end);
	}

	/** Undefined where it does not say. Without a condition, it is for the case that the answer gets lost only. */
	private async readState(pauseMs = 0): Promise<State | undefined> {
		const { buyer, context, purchase, planned } = this;
		const { client } = planned;
		const { path } = context.operation.endpoint;
		logWait(client, path, pauseMs, 'until Kuaidaili shows what a request did');
		await wait(pauseMs, client.signal);
		const at = Date.now();
		const failed = this.subject.isConditional ? failedCheck(false) : unlessCancelled;
		const ask: RunQuery = async (query, asked) => await runQuery(buyer, query, asked);
		this.snapshot = { state: await purchase.readState(ask).catch(failed), at };
		return this.snapshot.state;
	}

	/** Fingerprint of the snapshot; undefined where the service did not say. */
	private get snapshotKey(): string | undefined {
		const { state } = this.snapshot;
		return state === undefined ? undefined : fingerprintOf(this.purchase.stateKey(state));
	}

	private namesOf(before: string | undefined): SendingNames {
		const { goods, id, item, key, place } = this.subject;
		const { signature } = this.signing;
		const hasEnd = this.isRenewal && this.hasTerm && before !== undefined;
		return {
			id,
			before,
			end: hasEnd ? `${key} from end ${before}` : undefined,
			item: `item ${fingerprintOf(this.isRenewal ? key : goods, item, place)}`,
			isByHand: this.context.ledger.manualExecution !== undefined,
			goods: `goods ${this.isRenewal ? key : goods}`,
			slot: slotOfNow(),
			signed: signature && `${signature.seed} signed ${signature.signedAt}`,
		};
	}

	/* The ledger */

	private get done(): 'created' | 'renewed' {
		return this.context.operation.done;
	}

	private get ownEntry(): LedgerEntry | undefined {
		return this.context.ledger.entryOf(this.subject.itemIndex);
	}

	/** It counts as nothing. */
	private async writeRefused(isSent = true): Promise<void> {
		const { context, notedAs, records, subject } = this;
		context.ledger.write(subject, { state: 'refused', label: this.purchase.words.what });
		if (notedAs === undefined || records === undefined) return;
		this.notedAs = undefined;
		await records.drop(notedAs.added);
		if (!this.isRenewal) await records.noteUnbought([notedAs.item]);
		if (!isSent || notedAs.signed === undefined) return;
		this.signing.noteRefused();
		await records.noteRefused(notedAs.signed);
	}

	private writePaid(bought: IDataObject): PurchaseOutput {
		const { context, planned, purchase, subject } = this;
		const purchasedAt = toChinaIso(Date.now());
		const record = withPreview(planned.plan.preview, {
			...bought,
			[this.done]: true,
			purchasedAt,
		});
		const orderid = orderNumberOf(record);
		const number = orderid ?? '(the order of the credential)';
		const label = this.isRenewal
			? `renewal of order ${number}`
			: `order ${number}, ${purchase.words.what}`;
		context.ledger.write(subject, { ...this.sentState, state: 'paid', label, record });
		const { notedAs } = this;
		const claim = this.claimOn(record);
		const { id } = subject;
		this.paidNote = this.records?.notePaid({
			id,
			claim,
			orderid,
			signed: notedAs?.signed,
			sentAs: notedAs,
			numberToRead: orderNumberOf(planned.plan.preview) === undefined ? orderid : undefined,
		});
		return { record };
	}

	private get sentState(): Pick<LedgerEntry, 'before' | 'balanceBefore'> {
		const { purchase, sent } = this;
		const before =
			sent?.state === undefined ? undefined : fingerprintOf(purchase.stateKey(sent.state));
		return { before, balanceBefore: this.balance?.balanceNumber };
	}

	/**
	 * Writes down, and describes, a purchase of which nobody knows the outcome.
	 *
	 * @param happened undefined where nobody was there any more to learn it
	 * @param shown by a snapshot afterwards, as a whole sentence
	 * @returns what to throw, unless it is only now being sent
	 */
	private writeUnknown(
		state: 'sent' | 'unknown',
		happened?: CallError,
		shown?: string,
	): DescribedError {
		const { context, planned, sent, subject } = this;
		const { words } = this.purchase;
		const orderid = orderNumberOf(planned.plan.preview);
		const what = orderid === undefined ? words.what : `${words.what} for order ${orderid}`;
		const when = sent ? `at ${context.localTime(sent.sentAt)}` : 'by another worker';
		const observed = sent ? shown : sentences(SENT_BY_OTHER, shown);
		const failure = happened?.describe();
		const why = failure?.message ?? 'n8n lost track of the request';
		// Of an error, an agent often gets the message alone
		const warning = context.ledger.isTool ? '. Do not buy it again until a person has checked' : '';
		const message = `${words.unclear}: ${why}${warning}`;
		const description = sentences(
			`Sent for item ${subject.itemIndex} ${when}: ${what}.`,
			'The node does not send it a second time, because that could pay twice.',
			observed,
			words.howToFindOut,
			happened?.evidence,
		);
		const label = `${what}, sent ${when}${observed === undefined ? '' : `: ${observed}`}`;
		const text = { ...failure, message, description };
		const forLater = happened instanceof CancelledError ? message.replace(why, STOPPED) : message;
		context.ledger.write(subject, {
			...this.sentState,
			state,
			label,
			text: { ...text, message: forLater },
		});
		return new DescribedError(text);
	}

	/** A refusal, with what it was about. Without a connection, readers would wonder whether it was bought. */
	private notBought(failure: CallError): CallError {
		if (failure instanceof CancelledError) return failure;
		const { balance } = this;
		const orderid = orderNumberOf(this.planned.plan.preview);
		const text = failure.describe();
		const isLow = failure.meaning?.isLowBalance === true;
		const description = sentences(
			isLow && balance !== undefined ? `It has ${balance.balance} yuan.` : undefined,
			orderid === undefined ? undefined : `It was about order ${orderid}.`,
			text.description,
			failure instanceof NetworkError
				? 'The request never left this n8n, so nothing was bought for this item.'
				: undefined,
		);
		return new DescribedError({ ...text, description });
	}
}
