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
import { describeFailure } from '../../shared/transport/describeFailure';
import { durationInWords, formatNumber } from '../../shared/wording';
import { LATE_MS, type BookEntry } from './book';
import type { Purchase } from './contract';
import { expectedCostField, maxCostField, minimumBalanceField } from './options';

/** How long an unclear purchase may still show up. */
export const LATE_IN_WORDS = durationInWords(LATE_MS);

export const NOTHING_BOUGHT = 'Nothing was bought in this run.';

/** Without those that are not there. */
export function joined(...sentences: Array<string | null | undefined>): string {
	return sentences.filter(Boolean).join(' ');
}

/* Unclear purchases */

/** With its own word for it, n8n gives an execution the status 'canceled': also one that only repeats it later. */
export const STOPPED = new DescribedError({
	message: 'The execution was stopped',
	description: '',
});

/** When and for whom a purchase was sent that may be unclear. */
export interface Sending {
	readonly itemIndex: number;
	/** Milliseconds since 1970; undefined for one that another worker sent. */
	readonly sentAt: number | undefined;
	readonly localTime: LocalTime;
	/** Whether an AI agent called the node; it often gets the message alone. */
	readonly byAgent: boolean;
}

/**
 * How a purchase whose outcome is unknown is named in lists, and its words.
 *
 * @param cause what happened; undefined where nobody was there any more to learn it
 * @param finding what a look at the service afterwards showed, as a whole sentence
 */
export function describeUnclear(
	{ words, orderid }: Pick<Purchase, 'words' | 'orderid'>,
	{ itemIndex, sentAt, localTime, byAgent }: Sending,
	cause: CallError | undefined,
	finding: string | undefined,
): { label: string; text: FailureText } {
	const what = orderid === undefined ? words.what : `${words.what} for order ${orderid}`;
	const when = sentAt === undefined ? 'by another worker' : `at ${localTime(sentAt)}`;
	const happened = cause && describeFailure(cause);
	const warning = byAgent ? '. Do not buy it again until a person has checked' : '';
	const description = joined(
		`Sent for item ${itemIndex} ${when}: ${what}.`,
		'The node does not send it a second time, because that could pay twice.',
		finding,
		words.howToFindOut,
		cause?.evidence,
	);
	return {
		label: `${what}, sent ${when}${finding === undefined ? '' : `: ${finding}`}`,
		text: {
			...happened,
			message: `${words.unclear}: ${happened?.message ?? 'n8n lost track of the request'}${warning}`,
			description,
		},
	};
}

/** What another purchase says that an unclear one may have made unnecessary. */
export function waitForUnclear({ text, at }: BookEntry, localTime: LocalTime): DescribedError {
	const { message = 'An earlier purchase is unclear', description } = text ?? {};
	const until = `Until ${localTime(at + LATE_MS)}, it may still show up. After that, the node goes by what Kuaidaili shows.`;
	return new DescribedError({
		message: `${message}. Nothing was bought this time`,
		description: joined(description, until),
	});
}

/* Failures */

/**
 * For `catch` of a call before a purchase, which would read as if the purchase itself had failed.
 *
 * @param mayBeBought by a worker that ended
 */
export function failedCheck(mayBeBought: boolean): (error: unknown) => never {
	const note = mayBeBought
		? 'Another worker may have made the purchase for this item before it ended: check the list of orders.'
		: 'This was only a check before the purchase; nothing was bought for this item.';
	return (error) => {
		// The texts of these say already that nothing was bought
		const isSaid = error instanceof DescribedError || error instanceof WrongKeyTypeError;
		const isPlain = error instanceof CancelledError || (isSaid && !mayBeBought);
		if (!(error instanceof CallError) || isPlain) throw error;
		const text = describeFailure(error);
		// Not as a note of the error itself: others may have waited for the same answer
		throw new DescribedError({ ...text, description: joined(text.description, note) });
	};
}

/**
 * A refusal, with what it was about. Without a connection, readers would wonder whether the purchase was made.
 *
 * @param balance of the account before it, in yuan
 */
export function notBought(failure: CallError, orderid?: string, balance?: string): CallError {
	if (failure instanceof CancelledError) return failure;
	const text = describeFailure(failure);
	const meaning =
		failure instanceof ApiError ? codeMeaning(failure.endpoint, failure.code) : undefined;
	const description = joined(
		meaning?.isLowBalance && balance !== undefined ? `It has ${balance} yuan.` : undefined,
		orderid === undefined ? undefined : `It was about order ${orderid}.`,
		text.description,
		failure instanceof NetworkError
			? 'The request never left this n8n, so nothing was bought for this item.'
			: undefined,
	);
	return new DescribedError({ ...text, description });
}

/* Limits */

/** A limit that the user set keeps purchases from being made. */
export class LimitReachedError extends DescribedError {
	constructor(message: string, advice: string, extent = 'Nothing was bought for this item.') {
		super({ message, description: `${extent} ${advice}` });
	}
}

/**
 * The refusal of a run that would buy more than the user allows.
 *
 * @param made how many purchases the execution has made
 * @param wanted how many are to be made now
 */
export function runTooLarge(made: number, wanted: number, max: number): LimitReachedError {
	const before =
		made === 0 ? '' : `, and this execution has made ${formatNumber(made)} of them before`;
	return new LimitReachedError(
		`This run would make ${formatNumber(made + wanted)} purchases, and 'Max Orders per Execution' allows ${formatNumber(max)}`,
		`Each input item is one purchase${before}. Give the node fewer items, or raise the option in 'Options'.`,
		made === 0 ? NOTHING_BOUGHT : 'Nothing more was bought.',
	);
}

export function tooManyOrders(made: number, max: number, isDry: boolean): LimitReachedError {
	return new LimitReachedError(
		`'Max Orders per Execution' allows ${formatNumber(max)}, and this execution ${isDry ? 'would have made' : 'has made'} ${formatNumber(made)}`,
		"To allow more, raise the option in 'Options'.",
	);
}

/** @param cost in yuan; undefined where nothing tells it */
function withProbable(cost: number | undefined): string {
	return cost === undefined ? '' : `, and this one probably costs ${formatNumber(cost)}`;
}

/** @param spent what this execution has spent, or would have, in yuan */
export function costBeyondBudget(
	max: number,
	spent: number,
	probableCost: number | undefined,
	isDry: boolean,
): LimitReachedError {
	return new LimitReachedError(
		`'${maxCostField.displayName}' is ${formatNumber(max)}, this execution ${isDry ? 'would have spent' : 'has spent'} ${formatNumber(spent)}${withProbable(probableCost)}`,
		"To allow more, raise the budget in 'Options'.",
	);
}

export function costUnknown(max: number): LimitReachedError {
	return new LimitReachedError(
		`'${maxCostField.displayName}' is ${formatNumber(max)}, and the balance doesn't show what an earlier purchase of this execution cost`,
		`Fill in '${expectedCostField.displayName}' in 'Options': such a purchase then counts with that.`,
	);
}

/** @param left in yuan, after what the balance does not show yet */
export function tooLowBalance(
	balance: string,
	left: number,
	minimum: number,
	probableCost: number | undefined,
): LimitReachedError {
	const other = Number(balance) === left ? '' : `, ${formatNumber(left)} after earlier purchases`;
	const keep =
		minimum === 0 ? '' : `; '${minimumBalanceField.displayName}' is ${formatNumber(minimum)}`;
	return new LimitReachedError(
		`The account has ${balance} yuan${other}${withProbable(probableCost)}${keep}`,
		`Top up the account in the Kuaidaili member center${minimum === 0 ? '' : ', or lower the balance to keep'}.`,
	);
}

/* Reports */

export const firstMayGoOver = `What this kind of order costs isn't known here yet, so the first purchase may go over your limits. To prevent that, fill in '${expectedCostField.displayName}' in 'Options'.`;

/** Why a run that somebody started did not make a purchase that the same node made a moment ago. */
export function reasonForRepeatedClick({ record, at, label }: BookEntry): string {
	const what = typeof record?.orderid === 'string' ? `order ${record.orderid}` : label;
	const ago = durationInWords(Date.now() - at);
	return `This node bought it ${ago} ago, in another run started by hand (${what}), so nothing was bought.`;
}

/**
 * What a run has bought and may have bought, in whole sentences; empty where that is nothing.
 *
 * @param run such as "this run"
 */
export function purchasesInWords(entries: readonly BookEntry[], run: string): string {
	const listed = (did: string, isPaid: boolean) => {
		const purchases = entries
			.filter(({ state }) => (state === 'paid') === isPaid)
			.map(({ label, itemIndex }) => `${label} (item ${itemIndex})`);
		return purchases.length === 0 ? undefined : `${did} in ${run}: ${purchases.join('; ')}.`;
	};
	return joined(listed('Bought and paid for', true), listed('May have been bought', false));
}

/** Such as "4 renewed (585 yuan), 30 not due, 4 failed." */
export function countsInWords(
	done: string,
	paid: readonly BookEntry[],
	others: Readonly<Record<string, number>>,
): string {
	const cost = paid.reduce((sum, entry) => sum + (entry.cost ?? NaN), 0);
	const yuan = cost > 0 ? ` (${formatNumber(Number(cost.toFixed(2)))} yuan)` : '';
	const parts = Object.entries(others)
		.filter(([, count]) => count > 0)
		.map(([what, count]) => `${formatNumber(count)} ${what}`);
	return `${[`${formatNumber(paid.length)} ${done}${yuan}`, ...parts].join(', ')}.`;
}

/** An order that ends soon and was not renewed. */
export interface LeftOrder {
	readonly orderid: string | undefined;
	/** Milliseconds since 1970. */
	readonly endsAt: number | undefined;
}

function ordersInWords({ length }: readonly LeftOrder[], one: string, several: string): string {
	return length === 1 ? `1 order ${one}` : `${formatNumber(length)} orders ${several}`;
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
	const count = ordersInWords(orders, 'was', 'were');
	return `${count} not renewed because of a limit${which}: ${limit}.${soonest(orders, localTime)}`;
}

/** @param orders that are not due, and end within a day */
export function lapsingHint(orders: readonly LeftOrder[], localTime: LocalTime): string {
	const count = ordersInWords(orders, 'ends within a day and is', 'end within a day and are');
	return `${count} not due yet.${soonest(orders, localTime)} If this workflow runs once a day, raise 'Expiring Within', or they end before its next run.`;
}
