import {
	KeyedMutex,
	loggedWait,
	logWait,
	throwIfCancelled,
	wait,
} from '../../shared/concurrency/wait';
import {
	ApiError,
	CallError,
	CancelledError,
	DescribedError,
	InvalidResponseError,
	unlessCancelled,
} from '../../shared/errors/callErrors';
import { fingerprintOf } from '../../shared/fingerprint';
import { accessOrder } from '../../shared/orders/orderAccess';
import { parseEnvelope } from '../../shared/response/httpResponse';
import { toChinaIso, type LocalTime } from '../../shared/service/chinaTime';
import { codeMeaning } from '../../shared/service/codes';
import type { FlatParameters, RunQuery } from '../../shared/service/query';
import type { Caller, NodeCaller } from '../../shared/transport/caller';
import { callWithHooks, runQuery } from '../../shared/transport/callService';
import { deliveryStateOf } from '../../shared/transport/retryPolicy';
import type { BookEntry, BookOutcome, BookSubject, DeliveryRecords, PurchaseBook } from './book';
import {
	withPreview,
	type Bought,
	type Change,
	type DeferredPurchase,
	type Pass,
	type Purchase,
	type PurchaseResult,
	type Trace,
} from './contract';
import type { BalanceBefore, RunCosts } from './costs';
import type { MoneyOptions } from './options';
import {
	describeUnclear,
	failedCheck,
	notBought,
	reasonForRepeatedClick,
	STOPPED,
	tooManyOrders,
	waitForUnclear,
} from './words';

/** The service sells to one key once per second, so a look this fresh shows every other purchase. */
const FRESH_MS = 500;
/** How long the effect of a request may take to show. */
const SHOWS_AFTER_MS = 2000;
/** An answer that got lost is looked for once more after this. */
const LAST_LOOK_MS = 10_000;

/** By subject: otherwise two executions could see the same state and both buy. */
const subjectMutex = new KeyedMutex();

/** In place of a state that the service did not show. */
const UNKNOWN = 'unknown';
const SENT_BY_OTHER =
	'n8n began this execution again after that worker had ended, or did not answer anymore.';

/** What is bought is the same, whatever these say. */
const BESIDES = /(?:^|\.)(?:is_notify|is_coupon|is_auto_renew|auto_renew_unit)$/;

/** In the output, of the purchase that was paid. */
const COST_REPORT = ['balanceBefore', 'balanceAfter', 'cost'];

const DRY_RUN = "Nothing was bought, because 'Dry Run' is on";
const RENEWED_LATELY =
	'The order was renewed less than 10 minutes ago from here, so nothing was bought';

export interface PlannedItem {
	readonly itemIndex: number;
	readonly plan: Purchase | DeferredPurchase;
	/** Holds the key pair of the credential. */
	readonly caller: NodeCaller;
	readonly money: MoneyOptions;
}

export interface PlannedPurchase extends PlannedItem {
	readonly purchase: Purchase;
}

/** What the purchases of a run have in common. */
export interface PurchaseContext {
	readonly book: PurchaseBook;
	readonly costs: RunCosts;
	readonly records: DeliveryRecords;
	readonly localTime: LocalTime;
	/** The items for which a process that died has recorded a purchase. */
	readonly delivered: ReadonlySet<number>;
}

export function askWith(caller: Caller): RunQuery {
	return async (query, parameters) => await runQuery(caller, query, parameters);
}

function goodsIn(parameters: FlatParameters): Array<[name: string, value: string]> {
	return Object.entries(parameters)
		.filter(([name]) => !BESIDES.test(name))
		.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Equal for the same purchase by the same buyer, in whichever run. */
export function fingerprintFor(
	{ endpoint, parameters }: Pick<Purchase, 'endpoint' | 'parameters'>,
	{ credential }: Caller,
): string {
	return fingerprintOf(credential.secretId, endpoint.path, goodsIn(parameters));
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

/** What the output of a dry run says in place of these. */
export const WOULD = { created: 'wouldCreate', renewed: 'wouldRenew' } as const;

/** Buys for one item, or finds that nothing has to be bought. */
export async function buyOnce(
	run: PurchaseContext,
	planned: PlannedPurchase,
): Promise<PurchaseResult> {
	const { purchase, caller, itemIndex } = planned;
	const { endpoint, chosenOrder } = purchase;
	const failed = failedCheck(run.delivered.has(itemIndex));
	const pass = await purchase.prepare?.(askWith(caller)).catch(failed);
	if (pass !== undefined) return pass;
	const access =
		endpoint.key === 'order'
			? await accessOrder(caller, chosenOrder).catch(failed)
			: { caller, signed: caller.withSignature() };
	// A signed request that is delivered twice is carried out once
	const { caller: asking, signed: buyer } = access;
	const subject = subjectFor(planned, buyer);
	const turn = subjectMutex.lock(subject.subject, caller.signal);
	const reason = 'for another purchase of the same order or kind';
	const leave = await loggedWait(turn, caller, endpoint.path, reason);
	try {
		return await new PurchaseAttempt(run, planned, askWith(asking), buyer, subject).make();
	} finally {
		leave();
	}
}

/** Recorded for each new order, so that no other execution takes it for its own. */
function placedOrder(orderid: string | undefined): string {
	return `order ${String(orderid)}`;
}

/** Found by a look that leaves no doubt. */
function verified({ record, label }: Bought): Bought {
	return { record: { ...record, verified: true }, label };
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
	private balance: BalanceBefore = {};
	/** Right before the first request; undefined until that is sent. */
	private before: Look | undefined;
	private lastLook: Look | undefined;
	private refusal: { readonly failure: CallError; readonly at: number } | undefined;
	private sentAt: number | undefined;

	constructor(
		private readonly run: PurchaseContext,
		private readonly planned: PlannedPurchase,
		private readonly ask: RunQuery,
		private readonly buyer: Caller,
		private readonly subject: BookSubject,
	) {
		this.purchase = planned.purchase;
	}

	async make(): Promise<PurchaseResult> {
		const { run, planned, purchase, subject } = this;
		const { book, costs, delivered } = run;
		const click = book.repeatedClick(subject);
		if (click !== undefined) return this.repeated(click);
		const same = purchase.done === 'renewed' ? book.paidInExecution(subject) : undefined;
		if (same !== undefined) {
			const reason = `Item ${same.itemIndex} of this execution renewed the order, so nothing was bought for this one`;
			return { record: { renewed: false, reason } };
		}
		const earlier = delivered.has(subject.itemIndex) ? await this.earlierDelivery() : undefined;
		if (earlier !== undefined) return earlier;
		if (purchase.passes !== undefined) {
			const passed = this.passes(await this.look().catch(failedCheck(false)));
			if (passed !== undefined) return passed;
		}
		this.throwIfUnclear();
		return await costs.around({ ...planned, subject }, async (readBalance) =>
			subject.isDry ? await this.rehearse(readBalance) : await this.send(readBalance),
		);
	}

	private async send(readBalance: () => Promise<BalanceBefore>): Promise<PurchaseResult> {
		return await callWithHooks<PurchaseResult>(
			this.buyer,
			this.purchase,
			(...answered) => this.answered(...answered),
			{
				beforeSending: async () => await this.beforeSending(readBalance),
				afterFailure: async (failure, mayRetry) => await this.afterFailure(failure, mayRetry),
			},
		).catch((error: unknown): never => this.ended(error));
	}

	/** Everything but the purchase. */
	private async rehearse(readBalance: () => Promise<BalanceBefore>): Promise<PurchaseResult> {
		const passed = await this.checkAndLook(readBalance);
		if (passed !== undefined) return passed;
		this.throwIfTooMany();
		const { purchase, balance } = this;
		const { reading, probableCost } = balance;
		const end = purchase.endAfterwards?.(Date.now());
		const record = withPreview(purchase, {
			[WOULD[purchase.done]]: true,
			reason: DRY_RUN,
			parameters: { ...purchase.parameters },
			...(end === undefined ? {} : { wouldEndAt: toChinaIso(end) }),
			...(reading === undefined ? {} : { balance: reading.balanceNumber }),
			...(probableCost === undefined ? {} : { probableCost }),
		});
		this.write({ state: 'paid', label: purchase.words.what, record });
		return { record, made: 'rehearsed' };
	}

	/** Right before the first request. @returns what to put out where nothing has to be bought */
	private async checkAndLook(readBalance: () => Promise<BalanceBefore>): Promise<Pass | undefined> {
		this.balance = await readBalance().catch(failedCheck(false));
		const isFresh = this.lastLook !== undefined && Date.now() - this.lastLook.at <= FRESH_MS;
		const look = isFresh ? this.lastLook : await this.look().catch(failedCheck(false));
		return look && this.passes(look);
	}

	private async beforeSending(
		readBalance: () => Promise<BalanceBefore>,
	): Promise<PurchaseResult | undefined> {
		const { run, subject, buyer } = this;
		const { book, records } = run;
		if (this.before !== undefined) return await this.beforeSendingAgain(this.before);
		const passed = await this.checkAndLook(readBalance);
		if (passed !== undefined) return passed;
		const look = this.lastLook ?? { state: undefined, at: Date.now() };
		const id = book.idOf(subject.itemIndex);
		if (!book.isTool) {
			const known = await records.record(id, `${id}|${this.keyOf(look)}`);
			// n8n takes a worker that is too busy to answer for one that died, and both go on
			if (known.has(id) && !records.settled.has(id)) throw this.open(undefined, SENT_BY_OTHER);
			records.settled.add(id);
		}
		throwIfCancelled(buyer.signal);
		// Nothing may wait from here on: calls of a tool run side by side, and each has to see the others
		this.throwIfUnclear();
		this.throwIfTooMany();
		this.before = look;
		this.sentAt = Date.now();
		this.write({ state: 'sent', ...this.unclear(undefined, undefined) });
		return undefined;
	}

	/** After a refusal that may pass, or without a connection. */
	private async beforeSendingAgain(before: Look): Promise<PurchaseResult | undefined> {
		const look = await this.look().catch(() => undefined);
		const change = look && this.change(before, look);
		if (change?.kind === 'none') {
			this.refusal = undefined;
			throwIfCancelled(this.buyer.signal);
			this.sentAt = Date.now();
			return undefined;
		}
		if (this.refusal !== undefined) return this.settle(change, this.refusal.failure);
		// Without a connection nothing was sent, so something else has changed it
		const passed = look && this.passes(look);
		if (passed !== undefined) return this.dropped(passed);
		this.before = look ?? before;
		return undefined;
	}

	private async afterFailure(
		failure: CallError,
		mayRetry: () => Promise<boolean>,
	): Promise<PurchaseResult | undefined> {
		const { before, purchase } = this;
		const state = deliveryStateOf(failure);
		if (before === undefined) {
			if (await mayRetry()) return undefined;
			throw notBought(failure, purchase.orderid);
		}
		if (state === 'refusedForNow') this.refusal = { failure, at: Date.now() };
		if (state === 'unclear' || state === 'refused') return await this.judge(before, failure);
		if (await mayRetry()) {
			const shownIn = (this.refusal?.at ?? 0) + SHOWS_AFTER_MS - Date.now();
			if (shownIn > 0) await this.waitUntilShown(shownIn);
			return undefined;
		}
		if (this.refusal === undefined) throw this.refused(failure);
		return await this.judge(before, this.refusal.failure);
	}

	/**
	 * After a refusal, or without an answer that can be read: a refusal after which nothing has changed is one; after
	 * one that brought what was wanted, it is paid.
	 */
	private async judge(before: Look, failure: CallError): Promise<PurchaseResult> {
		const first = await this.changeAfter(before, SHOWS_AFTER_MS);
		if (failure instanceof ApiError && deliveryStateOf(failure) !== 'unclear') {
			if (first?.kind === 'none') throw this.refused(failure);
			if (first !== undefined) return this.settle(first, failure);
			// Where nothing can be looked at, a documented code proves it, unless it is about one delivery only
			const meaning = codeMeaning(failure.endpoint, failure.code);
			const isAboutDelivery = ['backOff', 'signAgain'].includes(meaning?.retry ?? '');
			if (meaning !== undefined && !isAboutDelivery) throw this.refused(failure);
		}
		const isMade = first?.kind === 'made';
		const rest = LAST_LOOK_MS - SHOWS_AFTER_MS;
		return this.settle(isMade ? first : await this.changeAfter(before, rest), failure);
	}

	private async changeAfter(before: Look, ms: number): Promise<Change | undefined> {
		try {
			await this.waitUntilShown(ms);
			return this.change(before, await this.look());
		} catch {
			return undefined;
		}
	}

	/**
	 * @param change of the last look; undefined where nobody could look
	 * @throws DescribedError for a purchase that stays unclear
	 */
	private settle(change: Change | undefined, cause: CallError): PurchaseResult {
		if (change?.kind === 'made') return this.paid(change.bought);
		const isOthers = change?.kind === 'unexplained' && cause instanceof ApiError;
		const passed = isOthers && this.lastLook ? this.passes(this.lastLook) : undefined;
		if (passed !== undefined) return this.dropped(passed);
		throw this.open(cause, change?.text);
	}

	/** Nothing was bought, and nothing has to be any more. */
	private dropped(pass: Pass): PurchaseResult {
		this.write({ state: 'refused', label: this.purchase.words.what });
		return pass;
	}

	/** For what a call throws that is no answer to the purchase. */
	private ended(error: unknown): never {
		if (!(error instanceof CancelledError) || this.before === undefined) throw error;
		// Nobody has looked since it was refused
		if (this.refusal !== undefined) throw this.open(error, undefined);
		const entry = this.run.book.entryOf(this.subject.itemIndex);
		if (entry?.state === 'sent') this.write({ state: 'refused', label: this.purchase.words.what });
		throw new CancelledError();
	}

	/**
	 * What a process that died has bought for this item, if anything.
	 *
	 * @throws DescribedError where what the service shows doesn't tell
	 */
	private async earlierDelivery(): Promise<PurchaseResult | undefined> {
		const { purchase, run, subject } = this;
		const id = run.book.idOf(subject.itemIndex);
		const stateId = (key: string) => `${id}|${key}`;
		const orderId = ({ orderid }: Trace) => `${id}=${String(orderid)}`;
		const befores = ({ before }: Trace) =>
			before === undefined ? [] : [stateId(fingerprintOf(before))];
		// Its request may still be under way
		for (const ms of [0, LAST_LOOK_MS]) {
			if (ms > 0) await this.waitUntilShown(ms);
			const look = await this.look().catch(unlessCancelled);
			if (look?.state === undefined) throw this.open(undefined, SENT_BY_OTHER);
			const now = stateId(this.keyOf(look));
			const traces = purchase.traces(look.state);
			const asked = traces.flatMap((trace) => [
				...[orderId(trace), placedOrder(trace.orderid)],
				...befores(trace),
			]);
			const known = await run.records.known(stateId(UNKNOWN), now, ...asked);
			const answered = traces.find((trace) => known.has(orderId(trace)));
			if (answered !== undefined) return this.paid(answered.bought);
			if (known.has(now)) continue;
			const passed = this.passes(look);
			// A renewal was due when it was sent
			const isSatisfied = purchase.done === 'renewed' && passed !== undefined;
			const isLeft = (trace: Trace) =>
				!known.has(placedOrder(trace.orderid)) &&
				(trace.orderid === undefined || !this.isOthers(trace.orderid)) &&
				(isSatisfied || befores(trace).every((state) => known.has(state)));
			const isTold = isSatisfied || !known.has(stateId(UNKNOWN));
			const left = isTold ? traces.find(isLeft) : undefined;
			if (left !== undefined) return this.paid(verified(left.bought));
			if (passed !== undefined) return passed;
			throw this.open(undefined, SENT_BY_OTHER);
		}
		run.records.settled.add(id);
		return undefined;
	}

	private repeated(click: BookEntry): PurchaseResult {
		if (click.state !== 'paid' || click.record === undefined) {
			throw new DescribedError(click.text ?? { message: click.label, description: '' });
		}
		const kept = Object.entries(click.record).filter(([name]) => !COST_REPORT.includes(name));
		const reason = reasonForRepeatedClick(click);
		return {
			record: { ...Object.fromEntries(kept), [this.purchase.done]: false, reason },
		};
	}

	private passes({ state }: Look): Pass | undefined {
		const { purchase, run, subject } = this;
		if (state === undefined || purchase.passes === undefined) return undefined;
		const paid = run.book.recent(subject).filter((entry) => entry.state === 'paid');
		const others = run.book.others(subject);
		const passed = purchase.passes(state, {
			recent: paid.map(({ record, label }) =>
				typeof record?.orderid === 'string' ? record.orderid : label,
			),
			isOwn(orderid) {
				const placed = others.find(
					({ record }) => record?.orderid === orderid && record.created === true,
				);
				return placed && placed.subject === subject.subject;
			},
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
			return { ...change, bought: verified(change.bought) };
		}
		const text = `${change.text} It may also come from another purchase that was under way or is unclear.`;
		return { kind: 'unexplained', text };
	}

	private isOthers(orderid: string): boolean {
		const others = this.run.book.others(this.subject);
		return others.some(({ record }) => record?.orderid === orderid);
	}

	/** @throws DescribedError */
	private throwIfUnclear(): void {
		const { run, subject, purchase } = this;
		const unclear = run.book.unclear(subject, purchase.done === 'renewed');
		if (unclear !== undefined) throw waitForUnclear(unclear, run.localTime);
	}

	/** @throws LimitReachedError */
	private throwIfTooMany(): void {
		const { maxOrders, dryRun } = this.planned.money;
		const made = this.run.book.made(dryRun).length;
		if (made >= maxOrders) throw tooManyOrders(made, maxOrders, dryRun);
	}

	/** The request was answered with code 0. */
	private answered(...answered: Parameters<typeof parseEnvelope>): PurchaseResult {
		const answer = parseEnvelope(...answered);
		try {
			return this.paid(this.purchase.read(answer, this.before?.state, (id) => this.isOthers(id)));
		} catch (error) {
			throw error instanceof CallError ? error : new InvalidResponseError('could not be read', '');
		}
	}

	private paid({ record: bought, label }: Bought): PurchaseResult {
		const { run, subject, purchase } = this;
		const purchasedAt = toChinaIso(Date.now());
		const record = withPreview(purchase, { ...bought, purchasedAt });
		this.write({ state: 'paid', label, record });
		const id = run.book.idOf(subject.itemIndex);
		const number = typeof record.orderid === 'string' ? record.orderid : undefined;
		const placed = purchase.done === 'created' ? [placedOrder(number)] : [];
		if (!run.book.isTool) void run.records.record(`${id}=${String(number)}`, ...placed);
		return { record, made: 'now' };
	}

	private refused(failure: CallError): CallError {
		this.write({ state: 'refused', label: this.purchase.words.what });
		return notBought(failure, this.purchase.orderid, this.balance.reading?.balance);
	}

	private open(cause: CallError | undefined, finding: string | undefined): DescribedError {
		const causeForLater = cause instanceof CancelledError ? STOPPED : cause;
		this.write({ state: 'open', ...this.unclear(causeForLater, finding) });
		return new DescribedError(this.unclear(cause, finding).text);
	}

	private write(outcome: BookOutcome): void {
		this.run.book.write(this.subject, outcome);
	}

	private unclear(cause: CallError | undefined, finding: string | undefined) {
		const { purchase, run, sentAt, subject } = this;
		const { words, orderid } = purchase;
		const { localTime, book } = run;
		const { itemIndex } = subject;
		const sent = { words, itemIndex, sentAt, localTime, byAgent: book.isTool, orderid, finding };
		return describeUnclear(sent, cause);
	}

	private async waitUntilShown(ms: number): Promise<void> {
		const { caller } = this.planned;
		logWait(caller, this.purchase.endpoint.path, ms, 'until Kuaidaili shows what a request did');
		await wait(ms, caller.signal);
	}
}
