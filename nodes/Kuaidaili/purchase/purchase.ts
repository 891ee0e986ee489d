import type { IDataObject } from 'n8n-workflow';

import {
	KeyedMutex,
	loggedWait,
	logWait,
	throwIfCancelled,
	wait,
} from '../../shared/concurrency/wait';
import {
	CallError,
	CancelledError,
	DescribedError,
	InvalidResponseError,
	NetworkError,
	unlessCancelled,
} from '../../shared/errors/callErrors';
import { fingerprintOf } from '../../shared/fingerprint';
import { accessOrder } from '../../shared/transport/orderAccess';
import { toChinaIso, type EpochMs } from '../../shared/service/chinaTime';
import type { RunQuery, ServiceAnswer } from '../../shared/queries/query';
import type { ApiClient } from '../../shared/transport/apiClient';
import { CallAttempts, runQuery } from '../../shared/transport/callService';
import { deliveryStateOf } from '../../shared/transport/retryPolicy';
import { endOfTerm } from '../../shared/orders/term';
import { durationInWords, formatNumber, sentences } from '../../shared/wording';
import { placedId, type LedgerEntry, type PurchaseLedger } from './ledger';
import {
	LATE_MS,
	notRenewed,
	orderNumberOf,
	withPreview,
	DRY_RUN_OUTPUT,
	type Change,
	type PlanContext,
	type Purchase,
	type PurchaseOperation,
	type PurchaseOutput,
} from './types';
import type { PlannedItem, PlannedPurchase, BalanceReading, RunCosts } from './spending';
import { failedCheck, LimitReachedError } from './texts';

/** The service sells to one key once per second, so a look this fresh shows every other purchase. */
const FRESH_MS = 500;
/** How long the effect of a request may take to show. */
const SHOWS_AFTER_MS = 2000;
/** An answer that got lost is looked for once more after this. */
const LAST_LOOK_MS = 10_000;

/** By subject: otherwise two executions could see the same state and both buy. */
const subjectMutex = new KeyedMutex();

/** By the key pair of an order, and by its number, which cannot always be read: how the book knows the order. */
const orderNames = new Map<string, string>();

const SENT_BY_OTHER =
	'n8n began this execution again after that worker had ended, or did not answer anymore.';

/** With its own word for it, n8n gives an execution the status 'canceled': also one that only repeats it later. */
const STOPPED = 'The execution was stopped';

/** What is bought is the same, whatever these say. */
const BESIDES = /(?:^|\.)(?:is_notify|is_coupon|is_auto_renew|auto_renew_unit)$/;

/** In the output, of the purchase that was paid. */
const REPORT = ['text', 'balanceBefore', 'balanceAfter', 'cost', 'purchasedAt'];

/** What the purchases of a run have in common. */
export interface PurchaseContext extends PlanContext {
	readonly operation: PurchaseOperation;
	readonly book: PurchaseLedger;
	readonly costs: RunCosts;
	/** The items for which a process that died has recorded a purchase. */
	readonly sentElsewhere: ReadonlySet<number>;
}

/** How the book knows a purchase. */
export function recordedPurchase(
	{ endpoint: { path } }: PurchaseOperation,
	planned: PlannedItem,
	purchase: Purchase,
): PlannedPurchase {
	const { plan, itemIndex, money, caller } = planned;
	const { preview } = plan;
	const { parameters } = purchase;
	const { product = '', pay_type: payType = '' } = parameters;
	const { keyType, secretId: payer } = caller.credential;
	// The key pair of an order may change while it is renewed, its number doesn't
	const number = orderNumberOf(preview);
	const names = [keyType === 'order' ? payer : undefined, number].filter(
		(name) => name !== undefined,
	);
	const known = names.map((name) => orderNames.get(name)).find((name) => name !== undefined);
	const buying = known ?? number ?? payer;
	for (const name of names) orderNames.set(name, buying);
	const goods = Object.entries(parameters)
		.filter(([name]) => !BESIDES.test(name))
		.sort(([a], [b]) => (a < b ? -1 : 1));
	const subject = {
		subject: fingerprintOf(buying, path, [product, payType]),
		fingerprint: fingerprintOf(buying, path, goods),
		costKey: fingerprintOf(path, preview.product, preview.pay_type, goods),
		expectedCost: money.expectedCost,
		account: keyType === 'account' ? fingerprintOf(payer) : '',
		...{ itemIndex, isDry: money.dryRun, isConditional: purchase.passes !== undefined },
	};
	return { ...planned, purchase, subject };
}

/** Buys for one item, or finds that nothing has to be bought. */
export async function buyOnce(
	run: PurchaseContext,
	planned: PlannedPurchase,
): Promise<PurchaseOutput> {
	const { plan, caller, subject } = planned;
	const { endpoint } = run.operation;
	const failed = failedCheck(run.sentElsewhere.has(subject.itemIndex));
	const isReady = endpoint.key === caller.credential.keyType;
	const number = orderNumberOf(plan.preview);
	const buyer = isReady ? caller : await accessOrder(caller, number).catch(failed);
	const turn = subjectMutex.lock(subject.subject, caller.signal);
	const reason = 'for another purchase of the same order or kind';
	const leave = await loggedWait(turn, caller, endpoint.path, reason);
	try {
		return await attempt(run, planned, buyer);
	} finally {
		leave();
	}
}

/** One purchase, with all its requests. */
async function attempt(
	{ operation, book, costs, localTime, sentElsewhere }: PurchaseContext,
	planned: PlannedPurchase,
	buyer: ApiClient,
): Promise<PurchaseOutput> {
	const { plan, purchase, subject, money, caller } = planned;
	const { parameters, words } = purchase;
	/** The order to renew, where its number is known. */
	const orderid = orderNumberOf(plan.preview);
	const { done, endpoint } = operation;
	const { itemIndex } = subject;
	const isRenewal = done === 'renewed';
	let balance: BalanceReading | undefined;
	/** What the service showed, and when; `state` is undefined where it did not say. */
	let lastLook: { readonly state: unknown; readonly at: EpochMs } = { state: undefined, at: 0 };
	/** Right before the last request, and when that was sent; undefined until one is. */
	let before: (typeof lastLook & { readonly sentAt: EpochMs }) | undefined;

	const ask: RunQuery = async (query, asked) => await runQuery(buyer, query, asked);

	const same = book.same(subject, isRenewal).find(({ state }) => state === 'paid');
	if (isRenewal && same !== undefined) {
		const reason = `Item ${same.itemIndex} of this execution renewed the order, so nothing was bought for this one`;
		return notRenewed(reason);
	}
	const click = book.repeatedClick(subject, isRenewal);
	if (click !== undefined) return repeated(click);
	const earlier = sentElsewhere.has(itemIndex) ? await earlierDelivery() : undefined;
	if (earlier !== undefined) return earlier;
	const passed = purchase.passes && passes(await look());
	if (passed !== undefined) return passed;
	throwIfRefused();
	const leave = await costs.turn(planned);
	try {
		const output = await send().catch((error: unknown): never => {
			// Nobody has looked what the request did
			const isLeft = error instanceof CancelledError && book.entryOf(itemIndex)?.state === 'sent';
			throw isLeft ? writeUnclear('open', error) : error;
		});
		if (output.record[done] === true) await costs.settle(planned, balance, output.record);
		return output;
	} finally {
		leave();
	}

	/* Earlier purchases */

	/** Of a run that somebody started, and that another one did a moment ago. */
	function repeated({ at, label, record, state, text }: LedgerEntry): PurchaseOutput {
		if (state !== 'paid' || record === undefined) {
			throw new DescribedError(text ?? { message: label, description: '' });
		}
		const kept = Object.entries(record).filter(([name]) => !REPORT.includes(name));
		const what = typeof record.orderid === 'string' ? `order ${record.orderid}` : label;
		const ago = durationInWords(Date.now() - at);
		const reason = `This node bought it ${ago} ago, in another run (${what}), so nothing was bought.`;
		return { record: { ...Object.fromEntries(kept), [done]: false, reason } };
	}

	/** What an execution of which the worker died has bought, if anything; its request may still be under way. */
	async function earlierDelivery(): Promise<PurchaseOutput | undefined> {
		for (const ms of [0, LAST_LOOK_MS]) {
			const state = await look(ms).catch(unlessCancelled);
			if (state === undefined) throw writeUnclear('open');
			const [key, traces] = [purchase.stateKey(state), purchase.traces(state)];
			const passed = passes(state);
			// A renewal was due when it was sent
			const isSatisfied = isRenewal && passed !== undefined;
			const bought = await book.earlier(subject, key, traces, isSatisfied);
			if (bought === 'nothing') continue;
			if (bought !== undefined) return writePaid(bought);
			if (passed !== undefined) return passed;
			throw writeUnclear('open');
		}
		writeRefused();
		return undefined;
	}

	/* The request */

	/** @throws DescribedError while an earlier purchase is unclear, and LimitReachedError */
	function throwIfRefused(): void {
		const { maxOrders, dryRun } = money;
		const { isConditional } = subject;
		// An order is renewed once at a time, and a condition goes by what shows in the end
		const recent = isConditional || isRenewal ? book.recent(subject) : [];
		const same = isConditional ? [] : book.same(subject, isRenewal);
		const pending = [...recent, ...same].find(({ state }) => state !== 'paid');
		if (pending !== undefined) {
			const { message = 'An earlier purchase is unclear', description } = pending.text ?? {};
			const until = `Until ${localTime(pending.at + LATE_MS)}, it may still show up. After that, the node goes by what Kuaidaili shows.`;
			throw new DescribedError({
				message: `${message}. Nothing was bought this time`,
				description: sentences(description, isConditional ? until : undefined),
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

	/** Sends it; what is sent again is checked and looked at like the first time. */
	async function send(): Promise<PurchaseOutput> {
		// What sends nothing need not wait for its turn
		const call = { endpoint, parameters, ...(subject.isDry && { intervalMs: 0 }) };
		const attempts = new CallAttempts(buyer, call);
		/** Of the last request; nobody has looked since then what it did. */
		let failure: CallError | undefined;

		/** @returns what to put out where nothing has to be sent, or sent again */
		const beforeSending = async (): Promise<PurchaseOutput | undefined> => {
			const output = failure && (await judge(failure));
			if (output !== undefined) return output;
			failure = undefined;
			balance = await costs.before(planned).catch(failedCheck(false));
			if (lastLook.state === undefined || Date.now() - lastLook.at > FRESH_MS) await look();
			const { state } = lastLook;
			const passed = passes(state);
			if (passed !== undefined) return passed;
			if (subject.isDry) return rehearsed(state);
			const key = state === undefined ? undefined : purchase.stateKey(state);
			if (!(await book.recordSending(itemIndex, key))) throw writeUnclear('open');
			throwIfCancelled(buyer.signal);
			// Nothing may wait from here on: calls of a tool run side by side, and each has to see the others
			throwIfRefused();
			before = { ...lastLook, sentAt: Date.now() };
			writeUnclear('sent');
			return undefined;
		};

		for (;;) {
			const outcome = await attempts.next(answered, beforeSending);
			if (!(outcome instanceof CallError)) return outcome;
			const state = deliveryStateOf(outcome);
			if (state !== 'notSent') failure = outcome;
			// Without a connection nothing was sent
			else if (failure === undefined) writeRefused();
			const mayRepeat = state === 'notSent' || state === 'refusedForNow';
			if (mayRepeat && (await attempts.mayRetry(outcome))) continue;
			const output = failure && (await judge(failure));
			if (output === undefined) throw notBought(failure ?? outcome);
			return output;
		}
	}

	/** The request was answered with code 0. */
	function answered(answer: ServiceAnswer): PurchaseOutput {
		try {
			return writePaid(purchase.read(answer, before?.state, book.known(subject)));
		} catch (error) {
			throw error instanceof CallError ? error : new InvalidResponseError('could not be read', '');
		}
	}

	/** In place of the purchase. */
	function rehearsed(state: unknown): PurchaseOutput {
		const { term } = purchase;
		const probableCost = costs.probableCost(subject);
		const seen = state === undefined ? undefined : purchase.describe?.(state);
		const endsAt = seen?.endsAt ?? purchase.endsAt ?? 0;
		const end = term && endOfTerm(Math.max(endsAt, Date.now()), term);
		const record = withPreview(plan.preview, {
			...seen?.record,
			[DRY_RUN_OUTPUT[done]]: true,
			reason: "Nothing was bought, because 'Dry Run' is on",
			parameters: { ...parameters },
			...(end === undefined ? {} : { wouldEndAt: toChinaIso(end) }),
			...(balance && { balance: balance.balanceNumber }),
			...(probableCost === undefined ? {} : { probableCost }),
		});
		book.write(subject, { state: 'paid', label: words.what, record });
		return { record };
	}

	/* What became of it */

	/**
	 * After a refusal, or without an answer that can be read: a refusal after which nothing has changed is one; after
	 * one that brought what was wanted, it is paid.
	 *
	 * @returns undefined where nothing was bought
	 * @throws DescribedError for a purchase that stays unclear
	 */
	async function judge(failure: CallError): Promise<PurchaseOutput | undefined> {
		const state = deliveryStateOf(failure);
		const isRefusal = state !== 'unclear';
		const { meaning } = failure;
		// Where nobody can look, every documented code is a proof, unless it is about one delivery only
		const isProof =
			meaning !== undefined && !['backOff', 'signAgain'].includes(meaning.retry ?? '');
		const isNothing = (change: Change | undefined) =>
			isRefusal && (change === undefined ? isProof : ['none', 'others'].includes(change.kind));
		let change = await changeAfter(SHOWS_AFTER_MS);
		// What is sent again is a new order that the list may show late
		const mayComeLate = state === 'refusedForNow' && !isRenewal;
		// A later look must not take back what one has shown after a refusal
		const isSettled = isNothing(change) ? !mayComeLate : isRefusal && change !== undefined;
		if (change?.kind !== 'made' && !isSettled) {
			change = await changeAfter(LAST_LOOK_MS - SHOWS_AFTER_MS);
		}
		if (change?.kind === 'made') return writePaid(change.record);
		if (!isNothing(change)) throw writeUnclear('open', failure, change?.text);
		// A new order shows in the balance before the list has it. Renewals of others lower it all the time
		if (!isRenewal && change?.kind !== 'others') {
			const fall = await costs.fallSince(balance, planned);
			if (fall !== undefined) throw writeUnclear('open', failure, fall);
		}
		writeRefused();
		return undefined;
	}

	/** What a look shows of the request after a while; undefined where there is nothing to compare. */
	async function changeAfter(ms: number): Promise<Change | undefined> {
		try {
			const after = await look(ms);
			if (before?.state === undefined || after === undefined) return undefined;
			const change = purchase.compare(before.state, after, book.known(subject));
			if (change.kind !== 'made') return change;
			if (book.recent(subject, before.at).some(({ state }) => state !== 'paid')) {
				const text = `${change.text} It may also come from another purchase that was under way or is unclear.`;
				return { kind: 'unexplained', text };
			}
			if (!(await book.claim(claimOn(change.record)))) {
				const text = `${change.text} But another run of this node bought that.`;
				return { kind: 'others', text };
			}
			return { ...change, record: { ...change.record, verified: true } };
		} catch {
			return undefined;
		}
	}

	/** What only one purchase can have brought; undefined where another one may begin with the same state. */
	function claimOn(record: IDataObject): string | undefined {
		if (!isRenewal) return placedId(record.orderid);
		if (before?.state === undefined || purchase.term === undefined) return undefined;
		return `${subject.subject} after ${purchase.stateKey(before.state)}`;
	}

	/** Undefined where it does not say. Without a condition, it is for the case that the answer gets lost only. */
	async function look(afterMs = 0): Promise<unknown> {
		logWait(caller, endpoint.path, afterMs, 'until Kuaidaili shows what a request did');
		await wait(afterMs, caller.signal);
		const at = Date.now();
		const failed = subject.isConditional ? failedCheck(false) : unlessCancelled;
		lastLook = { state: await purchase.look(ask).catch(failed), at };
		return lastLook.state;
	}

	/** What to put out where nothing has to be bought. */
	function passes(state: unknown): PurchaseOutput | undefined {
		return state === undefined ? undefined : purchase.passes?.(state, book.known(subject));
	}

	/* What is written down, and told */

	/** It counts as nothing. */
	function writeRefused(): void {
		book.write(subject, { state: 'refused', label: words.what });
		book.recordRefused(itemIndex);
	}

	function writePaid(bought: IDataObject): PurchaseOutput {
		const purchasedAt = toChinaIso(Date.now());
		const record = withPreview(plan.preview, { ...bought, [done]: true, purchasedAt });
		const number = orderNumberOf(record) ?? '(the order of the credential)';
		const label = isRenewal ? `renewal of order ${number}` : `order ${number}, ${words.what}`;
		book.write(subject, { state: 'paid', label, record });
		book.recordPaid(itemIndex, record.orderid, claimOn(record));
		return { record };
	}

	/**
	 * Writes down, and describes, a purchase of which nobody knows the outcome.
	 *
	 * @param cause what happened; undefined where nobody was there any more to learn it
	 * @param shown what a look at the service afterwards showed, as a whole sentence
	 * @returns what to throw, unless it is only now being sent
	 */
	function writeUnclear(state: 'sent' | 'open', cause?: CallError, shown?: string): DescribedError {
		const what = orderid === undefined ? words.what : `${words.what} for order ${orderid}`;
		const [when, finding] = before
			? [`at ${localTime(before.sentAt)}`, shown]
			: ['by another worker', SENT_BY_OTHER];
		const happened = cause?.describe();
		const why = happened?.message ?? 'n8n lost track of the request';
		// Of an error, an agent often gets the message alone
		const warning = book.isTool ? '. Do not buy it again until a person has checked' : '';
		const message = `${words.unclear}: ${why}${warning}`;
		const description = sentences(
			`Sent for item ${itemIndex} ${when}: ${what}.`,
			'The node does not send it a second time, because that could pay twice.',
			finding,
			words.howToFindOut,
			cause?.evidence,
		);
		const label = `${what}, sent ${when}${finding === undefined ? '' : `: ${finding}`}`;
		const text = { ...happened, message, description };
		const forLater = cause instanceof CancelledError ? message.replace(why, STOPPED) : message;
		book.write(subject, { state, label, text: { ...text, message: forLater } });
		return new DescribedError(text);
	}

	/** A refusal, with what it was about. Without a connection, readers would wonder whether it was bought. */
	function notBought(failure: CallError): CallError {
		if (failure instanceof CancelledError) return failure;
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
