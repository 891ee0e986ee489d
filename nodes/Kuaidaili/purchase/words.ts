import {
	ApiError,
	CallError,
	CancelledError,
	DescribedError,
	NetworkError,
	WrongKeyTypeError,
	type FailureText,
} from '../../shared/errors/callErrors';
import { codeMeaning } from '../../shared/service/codes';
import type { LocalTime } from '../../shared/service/chinaTime';
import { describeFailure, durationInWords } from '../../shared/transport/describeFailure';
import { formatNumber } from '../../shared/wording';
import { LATE_MS, type BookEntry } from './book';
import type { PurchaseWords } from './contract';
import { expectedCostField, maxCostField, minimumBalanceField } from './options';

/** How long an unclear purchase may still show up. */
export const LATE_IN_WORDS = durationInWords(LATE_MS);

export const NOTHING_BOUGHT = 'Nothing was bought in this run.';

/** A limit that the user set keeps a purchase from being made; nothing was bought for the item. */
export class LimitReachedError extends DescribedError {}

/** Ends a run before its first purchase; its text says so. */
export class LargeRunError extends DescribedError {}

/** A purchase whose outcome may be unclear. */
export interface SentPurchase {
	readonly words: PurchaseWords;
	readonly itemIndex: number;
	/** Milliseconds since 1970; undefined for one that another worker sent. */
	readonly sentAt: number | undefined;
	readonly localTime: LocalTime;
	/** Whether an AI agent called the node; it often gets the message alone. */
	readonly byAgent: boolean;
	/** Of the order that it was about, where that is known. */
	readonly orderid?: string;
	/** What a look at the service afterwards showed, as a whole sentence. */
	readonly finding?: string;
}

function inWords({ words, orderid }: SentPurchase): string {
	return orderid === undefined ? words.what : `${words.what} for order ${orderid}`;
}

function sentWhen({ sentAt, localTime }: SentPurchase): string {
	return sentAt === undefined ? 'by another worker' : `at ${localTime(sentAt)}`;
}

/** What was sent, and when: how an unclear purchase is named in lists. */
export function unclearLabel(sent: SentPurchase): string {
	const label = `${inWords(sent)}, sent ${sentWhen(sent)}`;
	return sent.finding === undefined ? label : `${label}: ${sent.finding}`;
}

/** With this word, n8n gives an execution the status 'canceled': also one that only repeats it later. */
const STOPPED = new DescribedError({ message: 'The execution was stopped', description: '' });

/** The words for a purchase whose outcome is unknown, for runs that ask for it later. */
export function unclearTextForLater(sent: SentPurchase, cause: CallError | undefined): FailureText {
	return unclearText(sent, cause instanceof CancelledError ? STOPPED : cause);
}

/** @param cause what happened; undefined where nobody was there any more to learn it */
export function unclearText(sent: SentPurchase, cause: CallError | undefined): FailureText {
	const { words, itemIndex, byAgent, finding } = sent;
	const failure = cause && describeFailure(cause);
	const happened = failure?.message ?? 'n8n lost track of the request';
	const warning = byAgent ? '. Do not buy it again until a person has checked' : '';
	const sentences = [
		`Sent for item ${itemIndex} ${sentWhen(sent)}: ${inWords(sent)}.`,
		'The node does not send it a second time, because that could pay twice.',
		finding,
		words.howToFindOut,
		cause?.evidence,
	];
	return {
		message: `${words.unclear}: ${happened}${warning}`,
		description: sentences.filter(Boolean).join(' '),
		...(failure?.code === undefined ? {} : { code: failure.code }),
	};
}

/** What another purchase says that an unclear one may have made unnecessary. */
export function waitForUnclear({ text, at }: BookEntry, localTime: LocalTime): DescribedError {
	const { message = 'An earlier purchase is unclear', description = '' } = text ?? {};
	const until = `Until ${localTime(at + LATE_MS)}, it may still show up. After that, the node goes by what Kuaidaili shows.`;
	return new DescribedError({
		message: `${message}. Nothing was bought this time`,
		description: [description, until].filter(Boolean).join(' '),
	});
}

/** Errors whose text already says that nothing was bought. */
const PLAIN = [DescribedError, CancelledError, WrongKeyTypeError];

function withNote(error: CallError, note: string): DescribedError {
	const text = describeFailure(error);
	// Not as a note of the error itself: others may have waited for the same answer
	return new DescribedError({ ...text, description: `${text.description} ${note}` });
}

/** A failed call before a purchase would read as if the purchase itself had failed. */
export function withNothingBought(error: unknown): never {
	if (!(error instanceof CallError) || PLAIN.some((kind) => error instanceof kind)) throw error;
	throw withNote(
		error,
		'This was only a check before the purchase; nothing was bought for this item.',
	);
}

/** A failed look for what another worker may have bought. */
export function withMayBeBought(error: unknown): never {
	if (!(error instanceof CallError) || error instanceof CancelledError) throw error;
	throw withNote(
		error,
		'Another worker may have made the purchase for this item before it ended: check the list of orders.',
	);
}

/**
 * A refusal, with what it was about. Without a connection, readers would wonder whether the purchase was made.
 *
 * @param balance of the account before it, in yuan
 */
export function notBought(
	failure: CallError,
	orderid: string | undefined,
	balance?: string,
): CallError {
	if (failure instanceof CancelledError) return failure;
	const text = describeFailure(failure);
	const meaning =
		failure instanceof ApiError ? codeMeaning(failure.endpoint, failure.code) : undefined;
	const has =
		meaning?.isLowBalance === true && balance !== undefined ? `It has ${balance} yuan.` : '';
	const about = orderid === undefined ? '' : `It was about order ${orderid}.`;
	const unsent =
		failure instanceof NetworkError
			? 'The request never left this n8n, so nothing was bought for this item.'
			: '';
	const description = [has, about, text.description, unsent].filter(Boolean).join(' ');
	return new DescribedError({ ...text, description });
}

/* Limits */

/**
 * The refusal of a run that would buy more than the user allows.
 *
 * @param earlier how many purchases the execution has made
 * @param wanted how many are to be made now
 * @returns undefined for a run that may begin
 */
export function refusalOfLargeRun(
	earlier: number,
	wanted: number,
	max: number,
): LargeRunError | undefined {
	if (earlier + wanted <= max) return undefined;
	const before =
		earlier === 0 ? '' : `, and this execution has made ${formatNumber(earlier)} of them before`;
	return new LargeRunError({
		message: `This run would make ${formatNumber(earlier + wanted)} purchases, and 'Max Orders per Run' allows ${formatNumber(max)}`,
		description: `Each input item is one purchase${before}. Give the node fewer items, or raise the option in 'Options'. ${earlier === 0 ? NOTHING_BOUGHT : 'Nothing more was bought.'}`,
	});
}

export function tooManyOrders(made: number, max: number, isDry: boolean): LimitReachedError {
	const did = isDry ? 'would have made' : 'has made';
	return new LimitReachedError({
		message: `'Max Orders per Run' allows ${formatNumber(max)}, and this execution ${did} ${formatNumber(made)}`,
		description: "Nothing was bought for this item. To allow more, raise the option in 'Options'.",
	});
}

export interface ProbableCost {
	/** In yuan; undefined where nothing tells it. */
	readonly probableCost: number | undefined;
	readonly isDry: boolean;
}

function withProbable({ probableCost }: ProbableCost): string {
	return probableCost === undefined
		? ''
		: `, and this one probably costs ${formatNumber(probableCost)}`;
}

/** @param spent in yuan, by the execution */
export function costBeyondBudget(
	max: number,
	spent: number,
	probable: ProbableCost,
): LimitReachedError {
	const did = probable.isDry ? 'would have spent' : 'has spent';
	return new LimitReachedError({
		message: `'${maxCostField.displayName}' is ${formatNumber(max)}, this execution ${did} ${formatNumber(spent)}${withProbable(probable)}`,
		description: "Nothing was bought for this item. To allow more, raise the budget in 'Options'.",
	});
}

export function costUnknown(max: number): LimitReachedError {
	return new LimitReachedError({
		message: `'${maxCostField.displayName}' is ${formatNumber(max)}, and the balance doesn't show what an earlier purchase of this execution cost`,
		description: `Nothing was bought for this item. Fill in '${expectedCostField.displayName}' in 'Options': such a purchase then counts with that.`,
	});
}

/** @param left in yuan, after what the balance does not show yet */
export function tooLowBalance(
	{ balance, left }: { readonly balance: string; readonly left: number },
	minimum: number,
	probable: ProbableCost,
): LimitReachedError {
	const other = Number(balance) === left ? '' : `, ${formatNumber(left)} after earlier purchases`;
	const keep =
		minimum === 0 ? '' : `; '${minimumBalanceField.displayName}' is ${formatNumber(minimum)}`;
	return new LimitReachedError({
		message: `The account has ${balance} yuan${other}${withProbable(probable)}${keep}`,
		description: `Nothing was bought for this item. Top up the account in the Kuaidaili member center${minimum === 0 ? '' : ', or lower the balance to keep'}.`,
	});
}

export const firstMayGoOver = `What this kind of order costs isn't known here yet, so the first purchase may go over your limits. To prevent that, fill in '${expectedCostField.displayName}' in 'Options'.`;

/* Reports */

/** Why a run that somebody started did not make a purchase that the same node made a moment ago. */
export function reasonForRepeatedClick({ record, at, label }: BookEntry): string {
	const what = typeof record?.orderid === 'string' ? `order ${record.orderid}` : label;
	const ago = durationInWords(Date.now() - at);
	return `This node bought it ${ago} ago, in another run started by hand (${what}), so nothing was bought.`;
}

function listed(entries: readonly BookEntry[]): string {
	return entries.map(({ label, itemIndex }) => `${label} (item ${itemIndex})`).join('; ');
}

/**
 * What a run has bought and may have bought, in whole sentences; empty where that is nothing.
 *
 * @param run such as "this run"
 */
export function purchasesInWords(entries: readonly BookEntry[], run: string): string {
	const paid = entries.filter(({ state }) => state === 'paid');
	const unclear = entries.filter(({ state }) => state !== 'paid');
	return [
		paid.length > 0 && `Bought and paid for in ${run}: ${listed(paid)}.`,
		unclear.length > 0 && `May have been bought in ${run}: ${listed(unclear)}.`,
	]
		.filter(Boolean)
		.join(' ');
}

/** What became of the items of a run. */
export interface RunCounts {
	readonly done: 'created' | 'renewed';
	readonly paid: readonly BookEntry[];
	readonly notDue: number;
	/** Passed for another reason. */
	readonly passed: number;
	readonly failed: number;
}

/** Such as "4 renewed (585 yuan), 30 not due, 4 failed". */
export function countsInWords({ done, paid, notDue, passed, failed }: RunCounts): string {
	const cost = paid.reduce((sum, entry) => sum + (entry.cost ?? NaN), 0);
	const yuan =
		Number.isNaN(cost) || cost === 0 ? '' : ` (${formatNumber(Number(cost.toFixed(2)))} yuan)`;
	const others: Array<[number, string]> = [
		[notDue, 'not due'],
		[passed, `not ${done} for other reasons`],
		[failed, 'failed'],
	];
	const parts = others
		.filter(([count]) => count > 0)
		.map(([count, what]) => `${formatNumber(count)} ${what}`);
	return `${[`${formatNumber(paid.length)} ${done}${yuan}`, ...parts].join(', ')}.`;
}

/** An order that ends soon and was not renewed. */
export interface LeftOrder {
	readonly orderid: string | undefined;
	/** Milliseconds since 1970. */
	readonly endsAt: number | undefined;
}

function soonest(orders: readonly LeftOrder[], localTime: LocalTime): string {
	const [first] = [...orders].sort((a, b) => (a.endsAt ?? Infinity) - (b.endsAt ?? Infinity));
	if (first?.endsAt === undefined) return '';
	const which = first.orderid === undefined ? 'One of them' : `Order ${first.orderid}`;
	return ` ${which} ends at ${localTime(first.endsAt)}.`;
}

/** @param orders that a limit kept from being renewed */
export function limitHint(
	orders: readonly LeftOrder[],
	limit: string,
	localTime: LocalTime,
): string {
	const named = orders.flatMap(({ orderid }) => orderid ?? []).slice(0, 10);
	const which = named.length === 0 ? '' : ` (${named.join(', ')})`;
	const count = orders.length === 1 ? '1 order was' : `${formatNumber(orders.length)} orders were`;
	return `${count} not renewed because of a limit${which}: ${limit}.${soonest(orders, localTime)}`;
}

/** @param orders that are not due, and end within a day */
export function lapsingHint(orders: readonly LeftOrder[], localTime: LocalTime): string {
	const count = orders.length === 1 ? '1 order ends' : `${formatNumber(orders.length)} orders end`;
	return `${count} within a day and ${orders.length === 1 ? 'is' : 'are'} not due yet.${soonest(orders, localTime)} If this workflow runs once a day, raise 'Expiring Within', or they end before its next run.`;
}
