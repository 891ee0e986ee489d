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
	NetworkError,
	unlessCancelled,
} from '../../shared/errors/callErrors';
import { fingerprintOf } from '../../shared/fingerprint';
import { accessOrder } from '../../shared/orders/orderAccess';
import { parseEnvelope } from '../../shared/response/httpResponse';
import { toChinaIso, type LocalTime } from '../../shared/service/chinaTime';
import { codeMeaning } from '../../shared/service/codes';
import type { Endpoint } from '../../shared/service/endpoint';
import type { RunQuery } from '../../shared/service/query';
import type { Caller } from '../../shared/transport/caller';
import { callWithHooks, runQuery, type CallHooks } from '../../shared/transport/callService';
import { describeFailure } from '../../shared/transport/describeFailure';
import { deliveryStateOf } from '../../shared/transport/retryPolicy';
import { endOfTerm } from '../../shared/orders/term';
import { durationInWords, formatNumber, sentences } from '../../shared/wording';
import {
	placedId,
	type BookEntry,
	type BookOutcome,
	type BookSubject,
	type PurchaseBook,
} from './book';
import {
	LATE_IN_WORDS,
	LATE_MS,
	notRenewed,
	withPreview,
	WOULD,
	type Change,
	type PurchaseOperation,
	type PurchaseOutput,
} from './contract';
import type { BalanceBefore, BookedPurchase, PlannedPurchase, RunCosts } from './costs';
import { failedCheck, LimitReachedError } from './words';

/** The service sells to one key once per second, so a look this fresh shows every other purchase. */
const FRESH_MS = 500;
/** How long the effect of a request may take to show. */
const SHOWS_AFTER_MS = 2000;
/** An answer that got lost is looked for once more after this. */
const LAST_LOOK_MS = 10_000;

/** By subject: otherwise two executions could see the same state and both buy. */
const subjectMutex = new KeyedMutex();

const RENEWED_LATELY = `The order was renewed less than ${LATE_IN_WORDS} ago from here, so nothing was bought`;
const SENT_BY_OTHER =
	'n8n began this execution again after that worker had ended, or did not answer anymore.';

/** What is bought is the same, whatever these say. */
const BESIDES = /(?:^|\.)(?:is_notify|is_coupon|is_auto_renew|auto_renew_unit)$/;

/** In the output, of the purchase that was paid. */
const COST_REPORT = ['balanceBefore', 'balanceAfter', 'cost', 'purchasedAt'];

/** What the purchases of a run have in common. */
export interface PurchaseContext {
	readonly operation: PurchaseOperation;
	readonly book: PurchaseBook;
	readonly costs: RunCosts;
	readonly localTime: LocalTime;
	/** The items for which a process that died has recorded a purchase. */
	readonly sentElsewhere: ReadonlySet<number>;
}

export function askWith(caller: Caller): RunQuery {
	return async (query, parameters) => await runQuery(caller, query, parameters);
}

function subjectFor(
	{ path }: Endpoint,
	{ purchase, plan, itemIndex, money, caller }: PlannedPurchase,
	buyer: Caller,
): BookSubject {
	const { parameters } = purchase;
	const { preview } = plan;
	const { product = '', pay_type: payType = '' } = parameters;
	const { keyType, secretId: payer } = caller.credential;
	// The key pair of an order may change while it is renewed, its number doesn't
	const { orderid: buying = buyer.credential.secretId } = purchase;
	const goods = Object.entries(parameters)
		.filter(([name]) => !BESIDES.test(name))
		.sort(([a], [b]) => (a < b ? -1 : 1));
	return {
		subject: fingerprintOf(buying, path, [product, payType]),
		fingerprint: fingerprintOf(buying, path, goods),
		costKey: fingerprintOf(path, preview.product, preview.pay_type, goods),
		expectedCost: money.expectedCost,
		account: keyType === 'account' ? fingerprintOf(payer) : '',
		...{ itemIndex, isDry: money.dryRun, isConditional: purchase.passes !== undefined },
	};
}

/** Buys for one item, or finds that nothing has to be bought. */
export async function buyOnce(
	run: PurchaseContext,
	planned: PlannedPurchase,
): Promise<PurchaseOutput> {
	const { plan, caller, itemIndex } = planned;
	const { endpoint } = run.operation;
	const failed = failedCheck(run.sentElsewhere.has(itemIndex));
	const { caller: asking, signed: buyer } =
		endpoint.key === 'order'
			? await accessOrder(caller, plan.chosenOrder).catch(failed)
			: // A signed request that is delivered twice is carried out once
				{ caller, signed: caller.withSignature() };
	const subject = subjectFor(endpoint, planned, buyer);
	const turn = subjectMutex.lock(subject.subject, caller.signal);
	const reason = 'for another purchase of the same order or kind';
	const leave = await loggedWait(turn, caller, endpoint.path, reason);
	try {
		return await new PurchaseAttempt(run, { ...planned, subject }, askWith(asking), buyer).make();
	} finally {
		leave();
	}
}

/** What the service showed, and when: milliseconds since 1970. */
interface Look {
	/** Undefined where it did not say. */
	readonly state: unknown;
	readonly at: number;
}

/** One purchase, with all its requests. */
class PurchaseAttempt implements CallHooks<PurchaseOutput> {
	private balance: BalanceBefore = {};
	/** Right before the last request, and when that was sent; undefined until one is. */
	private before: (Look & { readonly sentAt: number }) | undefined;
	private lastLook: Look | undefined;
	/** Of a request that may be sent again; nobody has looked since then. */
	private refusal: CallError | undefined;

	constructor(
		private readonly run: PurchaseContext,
		private readonly planned: BookedPurchase,
		private readonly ask: RunQuery,
		private readonly buyer: Caller,
	) {}

	private get isRenewal(): boolean {
		return this.run.operation.done === 'renewed';
	}

	async make(): Promise<PurchaseOutput> {
		const { planned, isRenewal } = this;
		const { book, costs, operation, sentElsewhere } = this.run;
		const { purchase, subject } = planned;
		const click = book.repeatedClick(subject);
		if (click !== undefined) return this.repeated(click);
		const same = book.same(subject, isRenewal).find(({ state }) => state === 'paid');
		if (isRenewal && same !== undefined) {
			const reason = `Item ${same.itemIndex} of this execution renewed the order, so nothing was bought for this one`;
			return notRenewed(reason);
		}
		const earlier = sentElsewhere.has(subject.itemIndex) ? await this.earlierDelivery() : undefined;
		if (earlier !== undefined) return earlier;
		const passed = purchase.passes && this.passes(await this.look());
		if (passed !== undefined) return passed;
		this.throwIfRefused();
		const leave = await costs.turn(planned);
		try {
			const output = subject.isDry ? await this.rehearse() : await this.send();
			const { record } = output;
			if (record[operation.done] === true) await costs.settle(planned, this.balance, record);
			return output;
		} finally {
			leave();
		}
	}

	/** What an execution of which the worker died has bought, if anything; its request may still be under way. */
	private async earlierDelivery(): Promise<PurchaseOutput | undefined> {
		const { purchase, subject } = this.planned;
		for (const ms of [0, LAST_LOOK_MS]) {
			if (ms > 0) await this.waitUntilShown(ms);
			const look = await this.look().catch(unlessCancelled);
			if (look?.state === undefined) throw this.open(undefined, SENT_BY_OTHER);
			const [key, traces] = [purchase.stateKey(look.state), purchase.traces(look.state)];
			const passed = this.passes(look);
			// A renewal was due when it was sent
			const isSatisfied = this.isRenewal && passed !== undefined;
			const bought = await this.run.book.earlier(subject, key, traces, isSatisfied);
			if (bought === 'nothing') continue;
			if (bought !== undefined) return this.paid(bought);
			if (passed !== undefined) return passed;
			throw this.open(undefined, SENT_BY_OTHER);
		}
		this.writeRefused();
		return undefined;
	}

	/** Right before a request. @returns what to put out where nothing has to be bought */
	private async checkAndLook(): Promise<PurchaseOutput | undefined> {
		const { run, planned, lastLook } = this;
		this.balance = await run.costs.before(planned).catch(failedCheck(false));
		const isFresh = lastLook !== undefined && Date.now() - lastLook.at <= FRESH_MS;
		return this.passes(isFresh ? lastLook : await this.look());
	}

	/** Everything but the purchase. */
	private async rehearse(): Promise<PurchaseOutput> {
		const passed = await this.checkAndLook();
		if (passed !== undefined) return passed;
		const { plan, purchase } = this.planned;
		const { reading, probableCost } = this.balance;
		const { term, parameters, words } = purchase;
		const state = this.lastLook?.state;
		const seen = state === undefined ? undefined : purchase.describe?.(state);
		const endsAt = seen?.endsAt ?? purchase.endsAt ?? 0;
		const end = term && endOfTerm(Math.max(endsAt, Date.now()), term);
		const record = withPreview(plan.preview, {
			...seen?.record,
			[WOULD[this.run.operation.done]]: true,
			reason: "Nothing was bought, because 'Dry Run' is on",
			parameters: { ...parameters },
			...(end === undefined ? {} : { wouldEndAt: toChinaIso(end) }),
			...(reading && { balance: reading.balanceNumber }),
			...(probableCost === undefined ? {} : { probableCost }),
		});
		this.write({ state: 'paid', label: words.what, record });
		return { record };
	}

	private async send(): Promise<PurchaseOutput> {
		const { endpoint } = this.run.operation;
		const call = { endpoint, parameters: this.planned.purchase.parameters };
		const read: typeof this.answered = (...all) => this.answered(...all);
		return await callWithHooks(this.buyer, call, read, this).catch((error: unknown): never => {
			const isLeft = error instanceof CancelledError && this.refusal !== undefined;
			throw isLeft ? this.open(error, undefined) : error;
		});
	}

	/** @returns what to put out where nothing has to be sent, or sent again */
	async beforeSending(): Promise<PurchaseOutput | undefined> {
		const { buyer, refusal } = this;
		const { purchase, subject } = this.planned;
		if (refusal !== undefined) {
			const output = await this.judge(refusal);
			if (output !== undefined) return output;
			this.refusal = undefined;
		}
		const passed = await this.checkAndLook();
		if (passed !== undefined) return passed;
		const look = this.lastLook ?? { state: undefined, at: Date.now() };
		const key = look.state === undefined ? undefined : purchase.stateKey(look.state);
		if (!(await this.run.book.recordSending(subject.itemIndex, key))) {
			throw this.open(undefined, SENT_BY_OTHER);
		}
		throwIfCancelled(buyer.signal);
		// Nothing may wait from here on: calls of a tool run side by side, and each has to see the others
		this.throwIfRefused();
		this.before = { ...look, sentAt: Date.now() };
		this.write({ state: 'sent', ...this.unclear(undefined, undefined) });
		return undefined;
	}

	/** What is sent again is checked and looked at like the first time. */
	async afterFailure(
		failure: CallError,
		mayRetry: () => Promise<boolean>,
	): Promise<PurchaseOutput | undefined> {
		const state = deliveryStateOf(failure);
		if (state === 'refusedForNow') this.refusal = failure;
		// Without a connection nothing was sent
		if (state === 'notSent' && this.refusal === undefined) this.writeRefused();
		const isOver = state === 'unclear' || state === 'refused';
		if (!isOver && (await mayRetry())) return undefined;
		const last = isOver ? failure : this.refusal;
		const output = last && (await this.judge(last));
		if (output === undefined) throw this.notBought(last ?? failure);
		return output;
	}

	/**
	 * After a refusal, or without an answer that can be read: a refusal after which nothing has changed is one; after
	 * one that brought what was wanted, it is paid.
	 *
	 * @returns undefined where nothing was bought
	 * @throws DescribedError for a purchase that stays unclear
	 */
	private async judge(failure: CallError): Promise<PurchaseOutput | undefined> {
		const { planned, run } = this;
		const state = deliveryStateOf(failure);
		const isRefusal = failure instanceof ApiError && state !== 'unclear';
		const isNothing = (change: Change | undefined) =>
			isRefusal && (change === undefined ? isProof(failure) : change.kind === 'none');
		let change = await this.changeAfter(SHOWS_AFTER_MS);
		// What is sent again is a new order that the list may show late
		const mayComeLate = isNothing(change) && state === 'refusedForNow' && !this.isRenewal;
		const isKnown = isNothing(change) || (isRefusal && change?.kind === 'unexplained');
		if (change?.kind !== 'made' && (!isKnown || mayComeLate)) {
			change = await this.changeAfter(LAST_LOOK_MS - SHOWS_AFTER_MS);
		}
		if (change?.kind === 'made') return this.paid(change.record);
		if (!isNothing(change)) throw this.open(failure, change?.text);
		// A new order shows in the balance before the list has it. Renewals of others lower it all the time
		const showsOthers = change?.kind === 'none' && change.showsOthers === true;
		if (!this.isRenewal && !showsOthers) {
			const fall = await run.costs.fallSince(this.balance, planned);
			if (fall !== undefined) throw this.open(failure, fall);
		}
		this.writeRefused();
		return undefined;
	}

	/** What a look shows of the request after a while; undefined where there is nothing to compare. */
	private async changeAfter(ms: number): Promise<Change | undefined> {
		const { before, planned, run } = this;
		try {
			await this.waitUntilShown(ms);
			const after = before && (await this.look());
			if (before?.state === undefined || after?.state === undefined) return undefined;
			const known = run.book.known(planned.subject);
			const change = planned.purchase.compare(before.state, after.state, known);
			if (change.kind !== 'made') return change;
			if (run.book.recent(planned.subject, before.at).some(({ state }) => state !== 'paid')) {
				const text = `${change.text} It may also come from another purchase that was under way or is unclear.`;
				return { kind: 'unexplained', text };
			}
			if (await run.book.isClaimed(this.claimOn(change.record))) {
				const text = `${change.text} But another run of this node bought that.`;
				return { kind: 'none', text, showsOthers: true };
			}
			return { ...change, record: { ...change.record, verified: true } };
		} catch {
			return undefined;
		}
	}

	/** What only one purchase can have brought; undefined where another one may begin with the same state. */
	private claimOn({ orderid }: IDataObject): string | undefined {
		const { purchase, subject } = this.planned;
		if (!this.isRenewal) return placedId(orderid);
		const state = this.before?.state;
		if (state === undefined || purchase.isProvedByChange !== true) return undefined;
		return `${subject.subject} after ${purchase.stateKey(state)}`;
	}

	/** Of a run that somebody started, and that another one did a moment ago. */
	private repeated({ at, label, record, state, text }: BookEntry): PurchaseOutput {
		if (state !== 'paid' || record === undefined) {
			throw new DescribedError(text ?? { message: label, description: '' });
		}
		const kept = Object.entries(record).filter(([name]) => !COST_REPORT.includes(name));
		const what = typeof record.orderid === 'string' ? `order ${record.orderid}` : label;
		const ago = durationInWords(Date.now() - at);
		const reason = `This node bought it ${ago} ago, in another run started by hand (${what}), so nothing was bought.`;
		return {
			record: { ...Object.fromEntries(kept), [this.run.operation.done]: false, reason },
		};
	}

	private passes({ state }: Look): PurchaseOutput | undefined {
		const { planned, isRenewal, run } = this;
		const { purchase, subject } = planned;
		if (state === undefined || purchase.passes === undefined) return undefined;
		const known = run.book.known(subject);
		const passed = purchase.passes(state, known);
		const isLate = passed === undefined && isRenewal && known.recent.length > 0;
		return isLate ? notRenewed(RENEWED_LATELY) : passed;
	}

	/** Without a condition, it is for the case that the answer gets lost only. */
	private async look(): Promise<Look> {
		const at = Date.now();
		const { purchase, subject } = this.planned;
		const failed = subject.isConditional ? failedCheck(false) : unlessCancelled;
		this.lastLook = { state: await purchase.look(this.ask).catch(failed), at };
		return this.lastLook;
	}

	/** @throws DescribedError while an earlier purchase is unclear, and LimitReachedError */
	private throwIfRefused(): void {
		const { book, localTime } = this.run;
		const { money, subject } = this.planned;
		const { maxOrders, dryRun } = money;
		// What may be what a condition asks for, and the same one
		const relevant = subject.isConditional ? book.recent(subject) : [];
		const earlier = [...relevant, ...book.same(subject, this.isRenewal)];
		const unclear = earlier.find(({ state }) => state !== 'paid');
		if (unclear !== undefined) {
			const { message = 'An earlier purchase is unclear', description } = unclear.text ?? {};
			const until = `Until ${localTime(unclear.at + LATE_MS)}, it may still show up. After that, the node goes by what Kuaidaili shows.`;
			throw new DescribedError({
				message: `${message}. Nothing was bought this time`,
				description: sentences(description, until),
			});
		}
		const made = book.made(dryRun).length;
		if (made >= maxOrders) {
			throw new LimitReachedError(
				`'Max Orders per Execution' allows ${formatNumber(maxOrders)}, and this execution ${dryRun ? 'would have' : 'has'} made ${formatNumber(made)}`,
				"To allow more, raise the option in 'Options'.",
			);
		}
	}

	/** The request was answered with code 0. */
	private answered(...answered: Parameters<typeof parseEnvelope>): PurchaseOutput {
		const answer = parseEnvelope(...answered);
		try {
			const { purchase, subject } = this.planned;
			const known = this.run.book.known(subject);
			return this.paid(purchase.read(answer, this.before?.state, known));
		} catch (error) {
			throw error instanceof CallError ? error : new InvalidResponseError('could not be read', '');
		}
	}

	private paid(bought: IDataObject): PurchaseOutput {
		const { book, operation } = this.run;
		const { plan, purchase, subject } = this.planned;
		const purchasedAt = toChinaIso(Date.now());
		const record = withPreview(plan.preview, { ...bought, [operation.done]: true, purchasedAt });
		const number = String(record.orderid ?? '(the order of the credential)');
		const label = this.isRenewal
			? `renewal of order ${number}`
			: `order ${number}, ${purchase.words.what}`;
		this.write({ state: 'paid', label, record });
		book.recordPaid(subject.itemIndex, record.orderid, this.claimOn(record));
		return { record };
	}

	/** A refusal, with what it was about. Without a connection, readers would wonder whether it was bought. */
	private notBought(failure: CallError): CallError {
		if (failure instanceof CancelledError) return failure;
		const text = describeFailure(failure);
		const { orderid } = this.planned.purchase;
		const { reading } = this.balance;
		const isLow =
			failure instanceof ApiError &&
			codeMeaning(failure.endpoint, failure.code)?.isLowBalance === true;
		const description = sentences(
			isLow && reading !== undefined ? `It has ${reading.balance} yuan.` : undefined,
			orderid === undefined ? undefined : `It was about order ${orderid}.`,
			text.description,
			failure instanceof NetworkError
				? 'The request never left this n8n, so nothing was bought for this item.'
				: undefined,
		);
		return new DescribedError({ ...text, description });
	}

	/** It counts as nothing. */
	private writeRefused(): void {
		this.write({ state: 'refused', label: this.planned.purchase.words.what });
	}

	private open(cause: CallError | undefined, finding: string | undefined): DescribedError {
		const causeForLater = cause instanceof CancelledError ? STOPPED : cause;
		this.write({ state: 'open', ...this.unclear(causeForLater, finding) });
		return new DescribedError(this.unclear(cause, finding).text);
	}

	private write(outcome: BookOutcome): void {
		this.run.book.write(this.planned.subject, outcome);
	}

	/**
	 * A purchase of which nobody knows the outcome.
	 *
	 * @param cause what happened; undefined where nobody was there any more to learn it
	 * @param finding what a look at the service afterwards showed, as a whole sentence
	 */
	private unclear(cause: CallError | undefined, finding: string | undefined) {
		const { run, before } = this;
		const { purchase, subject } = this.planned;
		const { words, orderid } = purchase;
		const what = orderid === undefined ? words.what : `${words.what} for order ${orderid}`;
		const when = before === undefined ? 'by another worker' : `at ${run.localTime(before.sentAt)}`;
		const happened = cause && describeFailure(cause);
		// Of an error, an agent often gets the message alone
		const warning = run.book.isTool ? '. Do not buy it again until a person has checked' : '';
		const message = `${words.unclear}: ${happened?.message ?? 'n8n lost track of the request'}${warning}`;
		const description = sentences(
			`Sent for item ${subject.itemIndex} ${when}: ${what}.`,
			'The node does not send it a second time, because that could pay twice.',
			finding,
			words.howToFindOut,
			cause?.evidence,
		);
		return {
			label: `${what}, sent ${when}${finding === undefined ? '' : `: ${finding}`}`,
			text: { ...happened, message, description },
		};
	}

	private async waitUntilShown(ms: number): Promise<void> {
		const { caller } = this.planned;
		const { path } = this.run.operation.endpoint;
		logWait(caller, path, ms, 'until Kuaidaili shows what a request did');
		await wait(ms, caller.signal);
	}
}

/** With its own word for it, n8n gives an execution the status 'canceled': also one that only repeats it later. */
const STOPPED = new DescribedError({ message: 'The execution was stopped', description: '' });

/** Whether a code proves that nothing was bought, where nobody can look: all that are documented, unless it is about one delivery only. */
function isProof({ endpoint, code }: ApiError): boolean {
	const meaning = codeMeaning(endpoint, code);
	return meaning !== undefined && !['backOff', 'signAgain'].includes(meaning.retry ?? '');
}
