import type { IDataObject } from 'n8n-workflow';

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
import { DeliveryRecords, PurchaseBook, type BookEntry, type BookSubject } from './book';
import {
	withPreview,
	type Bought,
	type Change,
	type DeferredPurchase,
	type MoneyOptions,
	type Pass,
	type Purchase,
	type Trace,
} from './contract';
import { RunCosts, type BalanceBefore, type CostedPurchase } from './costs';
import {
	notBought,
	reasonForRepeatedClick,
	tooManyOrders,
	unclearLabel,
	unclearText,
	unclearTextForLater,
	waitForUnclear,
	withNothingBought,
	type SentPurchase,
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

/** The output of an item: of what was bought, or in place of a purchase. */
export type PurchaseResult =
	| { readonly record: IDataObject; readonly isBought: boolean }
	| { readonly pass: Pass };

/** What the purchases of a run have in common. */
export interface PurchaseContext {
	readonly book: PurchaseBook;
	readonly costs: RunCosts;
	readonly records: DeliveryRecords;
	readonly localTime: LocalTime;
	/** What this process has recorded itself, or knows to be settled. */
	readonly recorded: Set<string>;
	/** The items for which a process that died has recorded a purchase. */
	readonly delivered: ReadonlySet<number>;
	/** What throws a failed check before the purchase of an item with what that means. */
	afterFailedCheck(itemIndex: number): (error: unknown) => never;
}

export function askWith(caller: Caller): RunQuery {
	return async (query, parameters) => await runQuery(caller, query, parameters);
}

/** Equal for the same purchase by the same buyer, in whichever run. */
export function fingerprintFor(
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

/** What the output of a dry run says in place of these. */
export const WOULD = { created: 'wouldCreate', renewed: 'wouldRenew' } as const;

/** Buys for one item, or finds that nothing has to be bought. */
export async function buyOnce(
	run: PurchaseContext,
	planned: PlannedPurchase,
): Promise<PurchaseResult> {
	const { purchase, caller, itemIndex } = planned;
	const { endpoint, chosenOrder } = purchase;
	const failed = run.afterFailedCheck(itemIndex);
	const pass = await purchase.prepare?.(askWith(caller)).catch(failed);
	if (pass !== undefined) return { pass };
	const access =
		endpoint.key === 'order'
			? await accessOrder(caller, chosenOrder).catch(failed)
			: { caller, signed: caller.withSignature() };
	// A signed request that is delivered twice is carried out once
	const { caller: asking, signed: buyer } = access;
	const subject = subjectFor(planned, buyer);
	const turn = subjectMutex.lock(subject.subject, caller.signal);
	const leave = await loggedWait(
		turn,
		caller,
		endpoint.path,
		'for another purchase of the same order or kind',
	);
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
		private readonly run: PurchaseContext,
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

	async make(): Promise<PurchaseResult> {
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

	private async send(): Promise<PurchaseResult> {
		const { purchase, who } = this;
		const isOthers = (orderid: string) => this.isOthers(orderid);
		return await callWithHooks<PurchaseResult>(
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
	private async rehearse(): Promise<PurchaseResult> {
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

	private async beforeSending(): Promise<PurchaseResult | undefined> {
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
	private async beforeSendingAgain(before: Look): Promise<PurchaseResult | undefined> {
		const look = await this.look().catch(() => undefined);
		const change = look && this.change(before, look);
		if (change?.kind === 'none') {
			this.refusal = undefined;
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
	): Promise<PurchaseResult | undefined> {
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
	private async afterRefusal(before: Look, failure: CallError): Promise<PurchaseResult> {
		const meaning =
			failure instanceof ApiError ? codeMeaning(failure.endpoint, failure.code) : undefined;
		const [change, look] = await this.changeAfter(before, SHOWS_AFTER_MS);
		if (change?.kind === 'none') throw this.refused(failure);
		if (change !== undefined) return this.settle(change, look, failure);
		// Where nothing can be looked at, a documented code proves it, unless it is about one delivery only
		const isProof =
			meaning !== undefined && !['backOff', 'signAgain'].includes(meaning.retry ?? '');
		if (isProof) throw this.refused(failure);
		return await this.afterLostAnswer(before, failure);
	}

	/** No answer, or one that can't be read. */
	private async afterLostAnswer(before: Look, failure: CallError): Promise<PurchaseResult> {
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
	private settle(
		change: Change | undefined,
		look: Look | undefined,
		cause: CallError,
	): PurchaseResult {
		if (change?.kind === 'made') return this.paid(change.bought);
		const isOthers = change?.kind === 'unexplained' && cause instanceof ApiError;
		const passed = isOthers && look !== undefined ? this.passes(look) : undefined;
		if (passed !== undefined) return this.dropped(passed);
		throw this.open(cause, change?.text);
	}

	/** Nothing was bought, and nothing has to be any more. */
	private dropped(pass: Pass): PurchaseResult {
		this.write('refused', { label: this.purchase.words.what });
		return { pass };
	}

	/** For what a call throws that is no answer to the purchase. */
	private ended(error: unknown): never {
		const isCancelled = error instanceof CancelledError && this.before !== undefined;
		if (!isCancelled) throw error;
		// Nobody has looked since it was refused
		if (this.refusal !== undefined) throw this.open(error, undefined);
		const entry = this.run.book.entryOf(this.subject.itemIndex);
		if (entry?.state === 'sent') this.write('refused', { label: this.purchase.words.what });
		throw new CancelledError();
	}

	/**
	 * What a process that died has bought for this item, if anything.
	 *
	 * @throws DescribedError where what the service shows doesn't tell
	 */
	private async earlierDelivery(): Promise<PurchaseResult | undefined> {
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
	private async earlierIn(id: string): Promise<PurchaseResult | 'unchanged' | undefined> {
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

	private repeated(click: BookEntry): PurchaseResult {
		if (click.state !== 'paid' || click.record === undefined) {
			throw new DescribedError(click.text ?? { message: click.label, description: '' });
		}
		const isReport = (name: string) => ['balanceBefore', 'balanceAfter', 'cost'].includes(name);
		const kept = Object.entries(click.record).filter(([name]) => !isReport(name));
		const reason = reasonForRepeatedClick(click);
		return {
			pass: { record: { ...Object.fromEntries(kept), [this.purchase.done]: false, reason } },
		};
	}

	private pass(reason: string): PurchaseResult {
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

	private paid({ record: bought, label }: Bought): PurchaseResult {
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
		return notBought(failure, this.purchase.orderid, this.balance.reading?.balance);
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
