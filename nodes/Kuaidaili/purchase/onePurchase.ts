import type { IDataObject } from 'n8n-workflow';

import { CallAttempts, type Query } from '../../shared/api/call';
import {
	ApiError,
	CallError,
	CancelledError,
	type DescribedError,
	unlessCancelled,
} from '../../shared/api/errors';
import { KeyedMutex } from '../../shared/api/wait';
import type { EpochMs } from '../../shared/service/chinaTime';
import { conclude, deliveryOf } from './conclusion';
import { PurchaseEntry, repeatedOutput } from './entry';
import { isHeld, type LedgerEntry, type PurchaseSubject } from './ledger';
import { isExclusive, subjectOf, type PlannedItem, type PurchaseContext } from './names';
import { NOTHING_SEEN, PurchaseObserver, SNAPSHOT_PAUSES_MS } from './observer';
import type { OtherPurchase } from './records';
import {
	anotherItem,
	boughtAtTheSameMoment,
	failedCheck,
	keyIsUnclear,
	keyOfOtherGoods,
	maxOrdersReached,
	notBought,
	pendingBefore,
	sentElsewhere,
	stillUnclear,
} from './texts';
import { holdEnd, notRenewed, orderNumberOf, type Purchase, type PurchaseOutput } from './types';
import { accessOrder } from '../../shared/orders/orderField';

const REPLAY = -114;
/** Whoever sent the same looks for its result until the second snapshot, and records it. */
const REPLAY_PAUSE_MS = SNAPSHOT_PAUSES_MS[0] + SNAPSHOT_PAUSES_MS[1] + 2000;

/** Locks by purchase key: otherwise two executions could see the same state and both buy. */
const purchaseMutex = new KeyedMutex();

/** One purchase, with all its requests: it is recorded by its names before it is sent, and found by its result. */
export class OnePurchase {
	readonly subject: PurchaseSubject;
	/** Whether what became of it is that of a request that was sent before this run. */
	isFromBefore = false;
	private readonly observer: PurchaseObserver;
	private readonly entry: PurchaseEntry;

	constructor(
		private readonly context: PurchaseContext,
		readonly planned: PlannedItem,
		readonly purchase: Purchase,
	) {
		this.subject = subjectOf(context, planned, purchase);
		this.observer = new PurchaseObserver(context, planned, purchase, this.subject, planned.client);
		this.entry = new PurchaseEntry(context, planned, purchase, this.subject);
	}

	/** See `PurchaseObserver`. */
	get endsAt(): EpochMs | undefined {
		return this.observer.endsAt;
	}

	/** Whether the order is prepaid, so that it ends at a time. */
	get hasTerm(): boolean {
		return this.purchase.term !== undefined;
	}

	/** Buys, or finds that nothing has to be bought. */
	async run(): Promise<PurchaseOutput> {
		const { client, isSentBefore, plan } = this.planned;
		const { endpoint } = this.context.operation;
		if (endpoint.key !== client.credential.keyType) {
			const access = accessOrder(client, orderNumberOf(plan.preview));
			this.observer.buyer = await access.catch(failedCheck(isSentBefore));
		}
		const release = await purchaseMutex.lock(this.subject.key, client.signal);
		try {
			return (
				this.renewedForAnotherItem() ??
				(await this.recover()) ??
				(await this.boughtForKey()) ??
				this.boughtByOthers() ??
				(await this.buy())
			);
		} finally {
			release();
		}
	}

	/** Notes that it was not tried. */
	leaveOut(): void {
		if (this.entry.current === undefined) this.entry.write('refused');
	}

	/* Before: what was bought, or may have been */

	/** The output where another item of this execution has renewed the order. */
	private renewedForAnotherItem(): PurchaseOutput | undefined {
		const { ledger } = this.context;
		const renewal = ledger.renewalBefore(this.subject);
		if (renewal === undefined || !ledger.isOfThisExecution(renewal)) return undefined;
		const reason = `Item ${renewal.itemIndex} of this execution renewed the order, so nothing was bought for this one`;
		return notRenewed(reason);
	}

	/**
	 * Settles what was sent for this item before, by this execution or by one that it retries: it is not sent again on a
	 * guess.
	 *
	 * @returns undefined where nothing was sent, or has changed nothing
	 * @throws DescribedError while it is unclear
	 */
	private async recover(): Promise<PurchaseOutput | undefined> {
		const { observer, planned } = this;
		const { current } = this.entry;
		if (current === undefined && !planned.isSentBefore) return undefined;
		if (current?.state === 'paid') return await this.paidBefore(current);
		const state = await observer.read().catch(unlessCancelled);
		if (state === undefined) throw this.leftUnclear(current);
		const change = await observer.changeSinceSent(current);
		if (change.kind === 'made' && change.record !== undefined) {
			return await this.entry.writePaid(change.record, current?.before);
		}
		// Of two that sent it for one key, the other one may have paid
		const ofKey = await observer.recordedForKey();
		if (ofKey !== undefined) return ofKey;
		const isUnchanged = change.kind === 'none' || change.kind === 'others';
		if (current !== undefined && isUnchanged && !isHeld(current)) {
			this.entry.write('refused', { vainAt: current.at });
			return undefined;
		}
		const satisfied = await this.satisfiedCondition(current);
		if (satisfied !== undefined) return satisfied;
		throw this.leftUnclear(current, isUnchanged ? undefined : change.text);
	}

	/** The output of what was paid before, by another retry, or for an order whose end had not moved then. */
	private async paidBefore(paid: LedgerEntry): Promise<PurchaseOutput> {
		const { before, record } = paid;
		if (record?.verified !== false || before === undefined) return repeatedOutput(paid, this.done);
		this.isFromBefore = true;
		delete record.text;
		return await this.observer.verify(record, before, [0]);
	}

	/** @returns the output where the condition for which it was sent does not ask for it any more */
	private async satisfiedCondition(
		sent: LedgerEntry | undefined,
	): Promise<PurchaseOutput | undefined> {
		const { observer, purchase } = this;
		const skip = purchase.skip?.(observer.state, observer.placed);
		const [renewed] =
			this.isRenewal && sent === undefined ? purchase.candidates(observer.state) : [];
		// What a killed execution sent was due then
		const isRenewed = skip?.endsAt !== undefined && renewed !== undefined;
		return isRenewed ? await this.entry.writePaid({ ...renewed, verified: true }, undefined) : skip;
	}

	private leftUnclear(entry: LedgerEntry | undefined, shown?: string): DescribedError {
		this.isFromBefore = true;
		if (entry?.text === undefined) return this.entry.writeUnknown(undefined, shown);
		return stillUnclear(entry, shown, this.context.localTime);
	}

	/** The output of a purchase for the same key of the user that this process knows. */
	private async boughtForKey(): Promise<PurchaseOutput | undefined> {
		const { observer, planned, subject } = this;
		const entry = this.context.ledger.ofKey(subject);
		if (entry === undefined) return undefined;
		if (entry.goods !== subject.goods) throw keyOfOtherGoods(planned.plan.onceKey);
		if (entry.state === 'paid') return repeatedOutput(entry, this.done);
		await observer.read();
		return (await observer.recordedForKey()) ?? repeatedOutput(entry, this.done);
	}

	/** The output where another execution of this process has bought it. */
	private boughtByOthers(): PurchaseOutput | undefined {
		const { subject } = this;
		const { ledger, localTime } = this.context;
		if (subject.onceKey !== undefined) return undefined;
		const others = ledger.ofSameGoods(subject).filter((entry) => !ledger.isOwn(entry));
		const ofItem = others.filter(({ item }) => item === subject.item);
		const bought = others.filter(({ state }) => state !== 'refused');
		const same = bought.find((entry) => ofItem.includes(entry));
		if (same !== undefined) return repeatedOutput(same, this.done, localTime(holdEnd(same.at)));
		// What was refused is bought, and a condition goes by what shows in the end
		if (bought.length === 0 || ofItem.length > 0 || subject.isConditional) return undefined;
		throw anotherItem(bought[0], localTime);
	}

	/* The request */

	private async buy(): Promise<PurchaseOutput> {
		const { context, observer, planned, subject } = this;
		const { client, money } = planned;
		if (subject.isConditional) await observer.read();
		const skip = subject.isConditional ? observer.skip() : undefined;
		if (skip !== undefined) return skip;
		const refusal = this.refusal();
		if (refusal !== undefined) throw refusal;
		const unlock = await context.spending.lockAccount(client, money);
		try {
			const output = await this.send().catch((error: unknown): never => {
				// Nobody has looked what the request did
				const isLeft = error instanceof CancelledError && this.entry.current?.state === 'sent';
				throw isLeft ? this.entry.writeUnknown(error) : error;
			});
			if (output.record[this.done] === true) {
				await context.spending.settle(client, money, subject, this.entry.balance, output.record);
			}
			return output;
		} finally {
			unlock();
		}
	}

	/** The error while an earlier purchase is unclear, or where the execution has made as many as it may. */
	private refusal(): DescribedError | undefined {
		const { subject } = this;
		const { ledger, localTime } = this.context;
		const { maxOrders, dryRun } = this.planned.money;
		const others = ledger.made(dryRun).filter(({ id }) => id !== this.entry.current?.id);
		// The items of a run are orders of their own, and a loop does not repeat what is unclear
		const isRepeated = ({ goods, onceKey, run, state }: LedgerEntry) =>
			goods === subject.goods &&
			onceKey === subject.onceKey &&
			run !== ledger.run &&
			state !== 'paid';
		const endsByItself = isExclusive(subject);
		const [pending] = endsByItself ? ledger.pending(subject) : others.filter(isRepeated);
		if (pending !== undefined) return pendingBefore(pending, endsByItself, localTime);
		const isTooMany = others.length >= maxOrders;
		return isTooMany ? maxOrdersReached(others.length, maxOrders, dryRun) : undefined;
	}

	/** Sends it; what is sent again is checked and looked at like the first time. */
	private async send(): Promise<PurchaseOutput> {
		const { context, entry, observer, purchase, subject } = this;
		const query: Query<PurchaseOutput> = {
			endpoint: context.operation.endpoint,
			get stamp() {
				return entry.stamp;
			},
			// What sends nothing need not wait for its turn
			...(subject.isDry && { intervalMs: 0 }),
			parse: (answer) => ({
				record: purchase.read(answer, this.entry.sent?.before, observer.placed),
			}),
		};
		const attempts = new CallAttempts(observer.buyer, query, purchase.parameters);
		for (;;) {
			const outcome = await attempts.next(async () => await this.prepareSending());
			if (!(outcome instanceof CallError)) {
				const isSent = this.entry.current?.state === 'sent';
				return isSent ? await this.confirm(outcome.record) : outcome;
			}
			const output = await this.settle(outcome);
			if (output !== undefined) return output;
			if (!(await attempts.mayRetry(outcome))) {
				throw notBought(outcome, this.planned.plan.preview, this.entry.balance?.balance);
			}
		}
	}

	/**
	 * Checks, signs, and records the purchase, right before it is sent.
	 *
	 * @returns the output where nothing has to be sent, or sent again
	 */
	private async prepareSending(): Promise<PurchaseOutput | undefined> {
		const pausesMs: number[] = [...SNAPSHOT_PAUSES_MS];
		for (;;) {
			const output = await this.checkBeforeSending();
			if (output !== undefined) return output;
			const { buyer, stateKey } = this.observer;
			const other = await this.entry.writeSent(buyer, stateKey, () => this.refusal());
			if (other === 'sent') return undefined;
			if (other === 'nextWindow') continue;
			const pauseMs = pausesMs.shift();
			const result = await this.leaveTo(other, pauseMs === undefined);
			if (result !== undefined || pauseMs === undefined) return result;
			// Not at the same moment as the other one, which may wait as well: n8n's records lose what two change at once
			await this.observer.read(pauseMs * (1 + Math.random() / 2));
		}
	}

	/** The output where the limits, the condition, or a dry run let nothing be sent. */
	private async checkBeforeSending(): Promise<PurchaseOutput | undefined> {
		const { context, observer, planned, subject } = this;
		const { client, money } = planned;
		const reading = context.spending.readBefore(client, money, subject);
		this.entry.balance = await reading.catch(failedCheck(false));
		await observer.readUnlessFresh();
		const skip = observer.skip();
		return skip ?? (subject.isDry ? this.entry.writeDryRun(observer.state) : undefined);
	}

	/**
	 * Leaves the purchase to another worker.
	 *
	 * @param isLast whether nobody looks again
	 * @returns the output where its result is known; undefined where it may show
	 */
	private async leaveTo(
		other: OtherPurchase,
		isLast: boolean,
	): Promise<PurchaseOutput | undefined> {
		const { context, entry, observer, planned, purchase, subject } = this;
		const refusal = sentElsewhere(entry.what, other, purchase.words, context.localTime);
		switch (other.kind) {
			case 'sent': {
				const { record } = await observer.recordedChange();
				if (record !== undefined) return await entry.writePaid(record, undefined);
				break;
			}
			case 'renewed':
				// The last snapshot still shows the end that the other one has paid from
				if (isLast) return observer.renewedFromThisEnd(true);
				break;
			case 'bought':
				throw refusal;
			case 'keyUsed': {
				const output = await observer.recordedForKey();
				if (output === undefined && isLast) throw keyIsUnclear(entry.what);
				return output;
			}
			case 'keyOfOthers':
				throw keyOfOtherGoods(planned.plan.onceKey);
			case 'atWork':
				// Only a condition shows later that nothing is left to do
				if (!subject.isConditional) throw refusal;
				break;
			default:
				other.kind satisfies never;
		}
		if (isLast) throw refusal;
		return undefined;
	}

	/* Afterwards: what became of it */

	/** Writes down what the service confirmed, and looks at an order whose end has not moved. */
	private async confirm(confirmed: IDataObject): Promise<PurchaseOutput> {
		const { entry, purchase } = this;
		const before = entry.sent?.before;
		const output = await entry.writePaid(confirmed, before);
		const { record } = output;
		if (before === undefined || purchase.isShownBy?.(record, before) !== false) return output;
		return await this.observer.verify(record, before, SNAPSHOT_PAUSES_MS);
	}

	/**
	 * Finds out after a refusal, or without an answer that can be read.
	 *
	 * @returns the output of what was bought all the same; undefined where nothing was
	 * @throws DescribedError for a purchase that stays unclear
	 */
	private async settle(failure: CallError): Promise<PurchaseOutput | undefined> {
		const { entry, observer } = this;
		const { ledger } = this.context;
		const { sent } = entry;
		const delivery = deliveryOf(failure);
		const isReplay = failure instanceof ApiError && failure.code === REPLAY;
		const hasKey = this.subject.onceKey !== undefined;
		if (isReplay && hasKey) return await this.leaveKeyToOther(failure);
		const pausesMs = isReplay ? [REPLAY_PAUSE_MS] : SNAPSHOT_PAUSES_MS;
		let change = NOTHING_SEEN;
		for (const [index, pauseMs] of pausesMs.entries()) {
			if (delivery !== 'notSent') {
				change = await observer.changeAfter(pauseMs, sent?.before, sent?.at ?? 0);
			}
			const { kind, record } = change;
			// Another worker has bought what this one was to buy; of new orders, a schedule places its own
			const isLeft = isReplay || this.isRenewal || (!hasKey && ledger.goodsAsked !== undefined);
			if (isLeft && kind === 'others' && record !== undefined) return this.leaveToOther(record);
			const snapshots = index === pausesMs.length - 1 ? 2 : 1;
			const conclusion = conclude({ delivery, change: kind, snapshots });
			if (conclusion === 'paid' && record !== undefined) {
				return await this.entry.writePaid(record, sent?.before);
			}
			if (conclusion === 'refused') {
				await entry.writeRefused(delivery !== 'notSent');
				return undefined;
			}
			if (conclusion === 'unknown') break;
		}
		throw this.entry.writeUnknown(failure, change.text);
	}

	/** Leaves a key to whoever sent its order: what is new in the list may be that of another key. */
	private async leaveKeyToOther(failure: CallError): Promise<PurchaseOutput> {
		await this.observer.read(REPLAY_PAUSE_MS);
		const output = await this.observer.recordedForKey();
		if (output === undefined) throw this.entry.writeUnknown(failure);
		this.entry.write('refused');
		return output;
	}

	private leaveToOther(record: IDataObject): PurchaseOutput {
		this.entry.write('refused');
		const orderid = orderNumberOf(this.planned.plan.preview) ?? orderNumberOf(record);
		const reason = boughtAtTheSameMoment(orderid);
		return { record: { ...record, [this.done]: false, reason }, isRepeat: true };
	}

	/* What is known, and written down */

	private get done(): 'created' | 'renewed' {
		return this.context.operation.done;
	}

	private get isRenewal(): boolean {
		return this.subject.isRenewal;
	}
}
