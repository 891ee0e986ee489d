import type { IDataObject } from 'n8n-workflow';

import { CallAttempts, type Query } from '../../shared/api/call';
import {
	ApiError,
	CallError,
	CancelledError,
	type DescribedError,
	unlessCancelled,
} from '../../shared/api/errors';
import { KeyedMutex, wait } from '../../shared/api/wait';
import type { EpochMs } from '../../shared/service/chinaTime';
import { conclude, deliveryOf } from './conclusion';
import { PurchaseEntry, repeatedOutput } from './entry';
import { isRecent, type LedgerEntry, type PurchaseSubject } from './ledger';
import {
	isExclusive,
	signingNameOf,
	subjectOf,
	type PlannedItem,
	type PurchaseContext,
} from './names';
import { NOTHING_SEEN, PurchaseObserver, SNAPSHOT_PAUSES_MS } from './observer';
import type { Claim } from './records';
import {
	anotherItem,
	failedCheck,
	keyIsUnclear,
	keyOfOtherGoods,
	maxOrdersReached,
	notBought,
	pendingBefore,
	sentElsewhere,
	stillUnclear,
} from './texts';
import { signatureOnce, windowLeftMs, type SharedSignature } from './signature';
import { RECENT_MS, notRenewed, orderNumberOf, type Purchase, type PurchaseOutput } from './types';
import { accessOrder } from '../../shared/orders/orderField';

/** Nobody signs so shortly before a window ends: whoever signs in the next one has to find what was claimed in this. */
const EDGE_MS = 500;

const REPLAY = -114;
/** Whoever sent the same looks for its result until the second snapshot, and records it. */
const REPLAY_PAUSE_MS = SNAPSHOT_PAUSES_MS[0] + SNAPSHOT_PAUSES_MS[1] + 2000;

/** Locks by purchase key: otherwise two executions could see the same state and both buy. */
const purchaseMutex = new KeyedMutex();

/** One purchase, with all its requests: it is recorded by its names before it is sent, and found by its result. */
export class OnePurchase {
	readonly subject: PurchaseSubject;
	/** Set where it was sent before this run, and is still unclear, or its end has still not moved. */
	isFromBefore = false;
	private readonly observer: PurchaseObserver;
	private readonly entry: PurchaseEntry;
	/** The answer of n8n's records to the last request, and its signature. */
	private claim: Claim | undefined;
	private signature: SharedSignature | undefined;
	/** The end of the window that it was signed in. */
	private signedUntil: EpochMs = Infinity;

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
				(await this.boughtForKey()) ??
				this.renewedForAnotherItem() ??
				(await this.recover()) ??
				(await this.boughtByOthers()) ??
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

	/** The output of what was bought for the item before; an order whose end had not moved then is looked at again. */
	private async paidBefore(paid: LedgerEntry, record: IDataObject): Promise<PurchaseOutput> {
		const { before } = paid;
		if (record.verified !== false || before === undefined) return repeatedOutput(paid, this.done);
		this.isFromBefore = true;
		delete record.text;
		return await this.observer.verify(record, before, [0]);
	}

	/** The output of a purchase for the same key of the user that this process knows. */
	private async boughtForKey(): Promise<PurchaseOutput | undefined> {
		const { observer, planned, subject } = this;
		const entry = this.context.ledger.ofKey(subject);
		if (entry === undefined || this.entry.current !== undefined) return undefined;
		if (entry.goods !== subject.goods) throw keyOfOtherGoods(planned.plan.onceKey);
		if (entry.state === 'paid') return repeatedOutput(entry, this.done);
		await observer.read();
		return (await observer.boughtForKey()) ?? repeatedOutput(entry, this.done);
	}

	/** The output where another item of this execution has renewed the order. */
	private renewedForAnotherItem(): PurchaseOutput | undefined {
		const { ledger } = this.context;
		const renewal = ledger.renewalBefore(this.subject);
		if (renewal === undefined || !ledger.isOfThisExecution(renewal)) return undefined;
		return notRenewed(
			`Item ${renewal.itemIndex} of this execution renewed the order, so nothing was bought for this one`,
		);
	}

	/** The output where another execution of this process has bought it. */
	private async boughtByOthers(): Promise<PurchaseOutput | undefined> {
		const { observer, subject } = this;
		const { ledger, localTime } = this.context;
		const known = ledger.ofSameGoods(subject);
		const others = known.filter((entry) => isRecent(entry) && !ledger.isOwn(entry));
		const ofItem = others.filter(({ item }) => item === subject.item);
		const bought = others.filter(({ state }) => state !== 'refused');
		const same = bought.find((entry) => ofItem.includes(entry));
		if (same !== undefined) return await observer.repeat(same, localTime(same.at + RECENT_MS));
		// Of a run whose second item was refused, a click buys that; a condition goes by what shows in the end
		if (bought.length === 0 || ofItem.length > 0 || subject.isConditional) return undefined;
		throw anotherItem(bought[0], localTime);
	}

	/**
	 * Settles what this execution, or one that it retries, has sent before: it is not sent again on a guess.
	 *
	 * @returns undefined where nothing was sent, or has changed nothing
	 * @throws DescribedError while it is unclear
	 */
	private async recover(): Promise<PurchaseOutput | undefined> {
		const { observer, planned, purchase } = this;
		const entry = this.entry.current;
		if (entry === undefined && !planned.isSentBefore) return undefined;
		if (entry?.record !== undefined) return await this.paidBefore(entry, entry.record);
		const state = await observer.read().catch(unlessCancelled);
		if (state === undefined) throw this.leftUnclear(entry);
		const change = await observer.changeSinceSent(entry);
		if (change.kind === 'made' && change.record !== undefined) {
			return await this.entry.writePaid(change.record, entry?.before);
		}
		// Of two that sent it for one key, the other one may have paid
		const ofKey = await observer.boughtForKey();
		if (ofKey !== undefined) return ofKey;
		const isUnchanged = change.kind === 'none' || change.kind === 'others';
		if (entry !== undefined && isUnchanged && !isRecent(entry)) {
			// Somebody else has renewed the order from there, and every retry finds that; a condition goes by what shows
			const isRenewed = this.subject.isRenewal && purchase.skip === undefined;
			if (isRenewed && change.record !== undefined) return this.entry.boughtInstead(change.record);
			await this.entry.writeVain(entry);
			return undefined;
		}
		const skip = purchase.skip?.(state, observer.placed);
		const [renewed] =
			this.subject.isRenewal && entry === undefined ? purchase.candidates(state) : [];
		// Only what is not due has an end here: it was due when it was sent
		if (skip?.endsAt !== undefined && renewed !== undefined) {
			return await this.entry.writePaid({ ...renewed, verified: true }, undefined);
		}
		if (skip !== undefined) return skip;
		throw this.leftUnclear(entry, isUnchanged ? undefined : change.text);
	}

	private leftUnclear(entry: LedgerEntry | undefined, shown?: string): DescribedError {
		this.isFromBefore = true;
		if (entry?.text === undefined) return this.entry.writeUnknown(undefined, shown);
		return stillUnclear(entry, shown, this.context.localTime);
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
			return await this.send();
		} catch (error) {
			// Nobody has looked what the request did
			const isLeft = error instanceof CancelledError && this.entry.current?.state === 'sent';
			throw isLeft ? this.entry.writeUnknown(error) : error;
		} finally {
			await context.spending.settle(client, money, subject, this.entry.balance);
			unlock();
		}
	}

	/**
	 * The error while an earlier purchase is unclear (one that excludes this one for ten minutes, one of the same loop
	 * until its execution ends), and LimitReachedError where the execution has made as many as it may.
	 */
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
		const { context, observer, purchase, subject } = this;
		const signature = () => this.signature;
		const query: Query<PurchaseOutput> = {
			endpoint: context.operation.endpoint,
			get stamp() {
				return signature()?.stamp;
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
	 * @param pausesMs after which another worker that is in the way is looked at again
	 * @returns the output where nothing has to be sent, or sent again
	 */
	private async prepareSending(
		pausesMs: readonly number[] = SNAPSHOT_PAUSES_MS,
	): Promise<PurchaseOutput | undefined> {
		const { context, observer, planned, subject } = this;
		const { client, money } = planned;
		const reading = context.spending.readBefore(client, money, subject);
		this.entry.balance = await reading.catch(failedCheck(false));
		await observer.readUnlessFresh();
		const skip = observer.skip();
		if (skip !== undefined) return skip;
		if (subject.isDry) return this.entry.writeDryRun(observer.state);
		if (!(await this.sign())) return await this.prepareSending(pausesMs);
		const names = this.entry.namesFrom(observer.stateKey);
		const claim = await this.records?.claim(names, this.signature);
		const leftMs = this.signedUntil - Date.now();
		const isFree = claim === undefined || claim.kind === 'free';
		const isCancelled = observer.buyer.signal?.aborted === true;
		if (isFree && leftMs > 0 && !isCancelled) return await this.noteSending(claim);
		this.signature?.giveBack();
		await claim?.takeBack(false);
		if (isFree || claim.kind === 'signed') {
			await wait(leftMs, observer.buyer.signal);
			return await this.prepareSending(pausesMs);
		}
		const [pauseMs, ...laterMs] = pausesMs;
		const output = await this.resultOfOther(claim, pauseMs === undefined);
		if (output !== undefined || pauseMs === undefined) return output;
		// Not at the same moment as the other one, which may wait as well: n8n's records lose what two change at once
		await observer.read(pauseMs * (1 + Math.random() / 2));
		return await this.prepareSending(laterMs);
	}

	/**
	 * Chooses how the request is signed, before it is recorded: whoever the records tell nothing signs it alike.
	 *
	 * @returns false after a wait for the next window of signatures
	 */
	private async sign(): Promise<boolean> {
		const { context, observer, planned, subject } = this;
		const name = signingNameOf(context.ledger, subject, planned);
		if (name === undefined) return true;
		const origin = observer.buyer.credential.hosts[context.operation.endpoint.host];
		const leftMs = windowLeftMs(origin);
		this.signedUntil = Date.now() + leftMs;
		this.signature = leftMs < EDGE_MS ? undefined : signatureOnce(origin, name);
		if (this.signature !== undefined) return true;
		await wait(leftMs, observer.buyer.signal);
		return false;
	}

	/** @param claim undefined where n8n has no records, or nothing tells the purchase from others */
	private async noteSending(claim: Claim | undefined): Promise<undefined> {
		const { context, records, subject } = this;
		const isUnreadable = claim === undefined && records !== undefined;
		const unreadable = isUnreadable ? context.ledger.errorWithoutRecords(subject) : undefined;
		// Nothing may wait until it is written down: calls of a tool run side by side, and each has to see the others
		const refusal = unreadable ?? this.refusal();
		if (refusal !== undefined) {
			this.signature?.giveBack();
			await claim?.takeBack(false);
			throw refusal;
		}
		this.claim = claim;
		this.entry.sent = { before: this.observer.stateKey, at: Date.now() };
		this.entry.write('sent');
	}

	/**
	 * Leaves the purchase to another worker, and looks for its result.
	 *
	 * @param isLast whether nobody looks again
	 * @returns the output where its result is known; undefined where it may show
	 */
	private async resultOfOther(claim: Claim, isLast: boolean): Promise<PurchaseOutput | undefined> {
		const { entry, observer, purchase, subject } = this;
		// Only a condition shows later that nothing is left to do
		const isInAnyCase = claim.kind === 'atWork' && !subject.isConditional;
		const refusal = sentElsewhere(entry.what, claim, purchase.words, this.context.localTime);
		if (claim.kind === 'bought' || isInAnyCase) throw refusal;
		if (claim.kind === 'keyOfOthers') throw keyOfOtherGoods(this.planned.plan.onceKey);
		const ofKey = claim.kind === 'keyUsed' ? await observer.boughtForKey() : undefined;
		if (ofKey !== undefined) return ofKey;
		if (claim.kind === 'sent' && observer.state !== undefined) {
			const { record } = await observer.recordedChange();
			if (record !== undefined) return await this.entry.writePaid(record, undefined);
		}
		if (!isLast) return undefined;
		// The last snapshot still shows the end that another worker has paid from
		if (claim.kind === 'renewed') return observer.renewedFromThisEnd(true);
		throw claim.kind === 'keyUsed' ? keyIsUnclear(entry.what) : refusal;
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
		const { sent } = entry;
		const { isRenewal, onceKey } = this.subject;
		const delivery = deliveryOf(failure);
		const isReplay = failure instanceof ApiError && failure.code === REPLAY;
		if (isReplay && onceKey !== undefined) return await this.leaveKeyToOther(failure);
		const pausesMs = isReplay ? [REPLAY_PAUSE_MS] : SNAPSHOT_PAUSES_MS;
		let change = NOTHING_SEEN;
		for (const [index, pauseMs] of pausesMs.entries()) {
			if (delivery !== 'notSent') {
				change = await observer.changeAfter(pauseMs, sent?.before, sent?.at ?? 0);
			}
			const { kind, record } = change;
			// Another worker has bought what this one was to buy. Without a replay, a new order of this one may show later
			const isLeft = kind === 'others' && (isReplay || isRenewal);
			if (isLeft && record !== undefined) return entry.boughtInstead(record);
			const snapshots = index === pausesMs.length - 1 ? 2 : 1;
			const conclusion = conclude({ delivery, change: kind, snapshots });
			if (conclusion === 'paid' && record !== undefined) {
				return await this.entry.writePaid(record, sent?.before);
			}
			if (conclusion === 'refused') {
				if (delivery === 'notSent') this.signature?.giveBack();
				this.entry.write('refused');
				await this.claim?.takeBack(delivery !== 'notSent');
				return undefined;
			}
			if (conclusion === 'unknown') break;
		}
		throw this.entry.writeUnknown(failure, change.text);
	}

	/** Leaves a key to whoever sent its order: what is new in the list may be that of another key. */
	private async leaveKeyToOther(failure: CallError): Promise<PurchaseOutput> {
		await this.observer.read(REPLAY_PAUSE_MS);
		const output = await this.observer.boughtForKey();
		if (output === undefined) throw this.entry.writeUnknown(failure);
		this.entry.write('refused');
		return output;
	}

	/* What is known, and written down */

	private get done(): 'created' | 'renewed' {
		return this.context.operation.done;
	}

	private get records() {
		return this.context.ledger.recordsFor(this.subject);
	}
}
