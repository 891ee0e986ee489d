import type { IDataObject } from 'n8n-workflow';

import {
	CallError,
	CancelledError,
	DescribedError,
	NetworkError,
	WrongKeyTypeError,
} from '../../shared/api/errors';
import { shortLine } from '../../shared/fields/field';
import type { LocalTime } from '../../shared/service/chinaTime';
import { formatNumber, plural, sentences } from '../../shared/wording';
import type { LedgerEntry } from './ledger';
import { HOLD_IN_WORDS, type Claim } from './records';
import {
	RECENT_IN_WORDS,
	RECENT_MS,
	orderNumberOf,
	type PurchaseOutput,
	type PurchaseWords,
} from './types';

export const NOTHING_BOUGHT = 'Nothing was bought in this run.';

/* Failures */

const SEE_EXECUTIONS = "The list of the workflow's executions has what became of it.";

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
		const text = error.describe();
		// Not as a note of the error itself: others may have waited for the same answer
		throw new DescribedError({ ...text, description: sentences(text.description, note) });
	};
}

/** The error where somebody asks by hand for what was bought for another item a short while ago. */
export function anotherItem(
	{ at, label, state }: LedgerEntry,
	localTime: LocalTime,
): DescribedError {
	const until = localTime(at + RECENT_MS);
	return new DescribedError({
		message: `This node ${state === 'paid' ? 'bought' : 'may have bought'} the same for another item in the last ${RECENT_IN_WORDS} (${label})`,
		description: `Nothing was bought for this item, because this run may be a repetition of that one. If the item needs an order of its own, run it again after ${until}.`,
	});
}

/** The error where another execution, of another process or some minutes ago, has sent the purchase, or is at work on it. */
export function sentElsewhere(
	what: string,
	{ kind, until }: Claim,
	{ howToFindOut }: PurchaseWords,
	localTime: LocalTime,
): DescribedError {
	const end = until === undefined ? undefined : localTime(until);
	const isBought = kind === 'bought';
	return new DescribedError({
		message: `Another run of this node sent the same in the last ${HOLD_IN_WORDS}: ${what}`,
		description: sentences(
			`Nothing was bought this time${isBought ? ', because this run may be a repetition of that one' : ''}. ${SEE_EXECUTIONS}`,
			...(isBought
				? [`If the item needs an order of its own, run it again after ${end}.`]
				: [end && `Until ${end}, nothing replaces it.`, howToFindOut]),
		),
	});
}

export function keyWasUsed(orderid: string | undefined): string {
	const which = orderid === undefined ? '' : ` (order ${orderid})`;
	return `This node bought it for the same key before${which}, so nothing was bought`;
}

export function keyOfOtherGoods(key = ''): DescribedError {
	return new DescribedError({
		message: `The key '${shortLine(key)}' was used for another order`,
		description:
			'This node bought something else for it, or with another credential, so nothing was bought for this item. Each order needs a key of its own.',
	});
}

/** The error where the key was used, and nothing says what came of it. */
export function keyIsUnclear(what: string): DescribedError {
	return new DescribedError({
		message: `Another run of this node sent an order for the same key, and nothing shows what came of it: ${what}`,
		description: `Nothing was bought this time. ${SEE_EXECUTIONS} Its 'Retry' looks again. If nothing was bought, use another key.`,
	});
}

/** The error where an earlier purchase may show up that this one may not be made beside. */
export function pendingBefore(
	{ at, text }: LedgerEntry,
	endsByItself: boolean,
	localTime: LocalTime,
): DescribedError {
	const { message = 'An earlier purchase is unclear', description } = text ?? {};
	const until = `Until ${localTime(at + RECENT_MS)}, it may still show up. After that, the node goes by what Kuaidaili shows.`;
	return new DescribedError({
		message: `${message}. Nothing was bought this time`,
		description: sentences(description, endsByItself ? until : undefined),
	});
}

export function renewedLately(): string {
	return `The order was renewed less than ${RECENT_IN_WORDS} ago from here, so nothing was bought`;
}

/** @param when in words; undefined where another worker renewed it */
export function renewedFromThisEnd(when?: string): string {
	return `This node renewed the order from this end already${when === undefined ? '' : `, at ${when}`}, and Kuaidaili may show that late, so nothing was bought`;
}

/** @param orders that may be the one that was bought */
export function mayBeOf(orders: readonly string[]): string {
	if (orders.length === 0) return '';
	return `The order list has what may be this order (${orders.join(', ')}), but it may also be somebody else's.`;
}

export function boughtInAnotherRun(orderid = ''): string {
	return `This node bought it meanwhile, in another run (order ${orderid}), so nothing was bought`;
}

/** The error where a purchase that was unclear before still is. */
export function stillUnclear(
	{ at, text }: LedgerEntry,
	shown: string | undefined,
	localTime: LocalTime,
): DescribedError {
	const { message = 'An earlier purchase is unclear', description } = text ?? {};
	const until =
		shown === undefined
			? `Until ${localTime(at + RECENT_MS)}, it may still show up. After that, a retry goes by what Kuaidaili shows.`
			: undefined;
	return new DescribedError({
		...text,
		message,
		description: sentences(shown, description, until),
	});
}

/**
 * A refusal, with what it was about. Without a connection, readers would wonder whether it was bought.
 *
 * @param balance of the account in yuan, where it is known
 */
export function notBought(
	failure: CallError,
	preview: IDataObject,
	balance: string | undefined,
): CallError {
	if (failure instanceof CancelledError) return failure;
	const orderid = orderNumberOf(preview);
	const text = failure.describe();
	const isLow = failure.meaning?.isLowBalance === true;
	const description = sentences(
		isLow && balance !== undefined ? `It has ${balance} yuan.` : undefined,
		orderid === undefined ? undefined : `It was about order ${orderid}.`,
		text.description,
		failure instanceof NetworkError
			? 'The request never left this n8n, so nothing was bought for this item.'
			: undefined,
	);
	return new DescribedError({ ...text, description });
}

/**
 * The error of an order that was renewed, as far as anybody knows, and that ends within a day all the same.
 *
 * @param end in words; undefined where it can't be read
 */
export function unmovedBeforeItsEnd(
	orderid: string | undefined,
	end: string | undefined,
): DescribedError {
	const which = orderid === undefined ? 'The order' : `Order ${orderid}`;
	return new DescribedError({
		message: `${which} was renewed, and still ends ${end === undefined ? 'at a time that nobody can read' : `at ${end}`}`,
		description:
			'Kuaidaili confirmed the renewal, and its end has not moved, so this node does not pay a second time. Look the order up in the Kuaidaili member center before it ends; if it was not renewed, renew it there.',
	});
}

/* Limits */

/** A limit that the user set keeps purchases from being made. */
export class LimitReachedError extends DescribedError {
	/** @param advice what the user can do to have it bought */
	constructor(
		message: string,
		readonly advice: string,
		extent = 'Nothing was bought for this item.',
	) {
		super({ message, description: `${extent} ${advice}` });
	}
}

export function maxOrdersReached(made: number, max: number, isDry: boolean): LimitReachedError {
	return new LimitReachedError(
		`'Max Orders per Execution' allows ${formatNumber(max)}, and this execution ${isDry ? 'would have' : 'has'} made ${formatNumber(made)}`,
		"To allow more, raise the option in 'Options'.",
	);
}

/** The refusal of a run that would make more purchases than the user allows, with those `made` before it. */
export function runTooLarge(made: number, wanted: number, max: number): LimitReachedError {
	const before =
		made === 0 ? '' : `, and this execution has made ${formatNumber(made)} of them before`;
	return new LimitReachedError(
		`This run would make ${formatNumber(made + wanted)} purchases, and 'Max Orders per Execution' allows ${formatNumber(max)}`,
		`Each input item is one purchase${before}. Give the node fewer items, or raise the option in 'Options'.`,
		made === 0 ? NOTHING_BOUGHT : 'Nothing more was bought.',
	);
}

/**
 * The error of an order that a limit keeps from being renewed, and that ends within a day.
 *
 * @param end in words; undefined where it can't be read, so that it may be as soon
 */
export function heldBackBeforeItsEnd(
	orderid: string | undefined,
	end: string | undefined,
	{ message: limit, advice }: LimitReachedError,
): DescribedError {
	const which = orderid === undefined ? 'The order' : `Order ${orderid}`;
	return new DescribedError({
		message: `${which} ${end === undefined ? 'may end soon' : `ends at ${end}`}, and was not renewed because of a limit`,
		description: `${limit}. ${advice} Run the workflow again before the order ends.`,
	});
}

/* Reports */

/** A text about the purchases of this run, unclear ones included; empty where there are none. */
export function purchasesInWords(entries: readonly LedgerEntry[]): string {
	const listed = (did: string, isPaid: boolean) => {
		const purchases = entries
			.filter(({ state }) => (state === 'paid') === isPaid)
			.map(({ label, itemIndex }) => `${label} (item ${itemIndex})`);
		return purchases.length === 0 ? undefined : `${did} in this run: ${purchases.join('; ')}.`;
	};
	return sentences(listed('Bought and paid for', true), listed('May have been bought', false));
}

/**
 * Such as "4 renewed (585 yuan), 30 not due, 4 failed.", or "4 would be renewed (probably 585 yuan)."
 *
 * @param costs of what was bought, in yuan
 * @param probableCosts of what a dry run would buy
 */
export function countsInWords(
	done: string,
	costs: readonly unknown[],
	probableCosts: readonly unknown[],
	others: Readonly<Record<string, number>>,
): string {
	const inYuan = (how: string, all: readonly unknown[]) => {
		const yuan = all.reduce<number>((sum, one) => sum + (typeof one === 'number' ? one : NaN), 0);
		return yuan > 0 ? ` (${how}${formatNumber(Number(yuan.toFixed(2)))} yuan)` : '';
	};
	const wanted = `would be ${done}${inYuan('probably ', probableCosts)}`;
	const counts = { [wanted]: probableCosts.length, ...others };
	const parts = Object.entries(counts)
		.filter(([, count]) => count > 0)
		.map(([what, count]) => `${formatNumber(count)} ${what}`);
	const bought = `${formatNumber(costs.length)} ${done}${inYuan('', costs)}`;
	const isDry = costs.length === 0 && probableCosts.length > 0;
	return `${[...(isDry ? [] : [bought]), ...parts].join(', ')}.`;
}

/**
 * Such as " for 58 yuan", " for 58 yuan (expected: 40)" where that was a surprise, or ", probably for 58 yuan" in a dry
 * run; empty where it isn't known.
 */
export function costInWords({ cost, expectedCost, probableCost }: IDataObject): string {
	const expected =
		typeof expectedCost === 'number' ? ` (expected: ${formatNumber(expectedCost)})` : '';
	if (typeof cost === 'number') return ` for ${formatNumber(cost)} yuan${expected}`;
	return typeof probableCost === 'number'
		? `, probably for ${formatNumber(probableCost)} yuan`
		: '';
}

/** Such as ", until 2026-12-30"; empty where it isn't known. */
export function endInWords(endsAt: unknown): string {
	return typeof endsAt === 'string' ? `, until ${endsAt.slice(0, 10)}` : '';
}

/** Why a dry run says no price, in HTML, and the balance that it would be paid from, in yuan. */
export function noPricesHint(balance: unknown): string {
	const has =
		typeof balance === 'number' ? ` The account balance is ${formatNumber(balance)} yuan.` : '';
	return `Kuaidaili's API has no prices; <a href="https://www.kuaidaili.com/pricing/" target="_blank">its website</a> has them.${has}`;
}

function soonest(orders: readonly PurchaseOutput[], localTime: LocalTime): string {
	const [first] = [...orders].sort((a, b) => (a.endsAt ?? Infinity) - (b.endsAt ?? Infinity));
	if (first?.endsAt === undefined) return '';
	const orderid = orderNumberOf(first.record);
	const which = orderid === undefined ? 'One of them' : `Order ${orderid}`;
	return ` ${which} ends at ${localTime(first.endsAt)}.`;
}

const MOST_NAMED = 10;

/** The first ten, and how many more there are. */
export function firstTen(names: readonly unknown[], separator = ', '): string {
	const left = names.length - MOST_NAMED;
	const more = left > 0 ? ` and ${formatNumber(left)} more` : '';
	return `${names.slice(0, MOST_NAMED).join(separator)}${more}`;
}

/** Such as " (965102959536478, 965102959536479)"; empty where no number is known. */
function orderNumbersInWords(orders: readonly PurchaseOutput[]): string {
	const numbers = orders.flatMap(({ record }) => orderNumberOf(record) ?? []);
	return numbers.length === 0 ? '' : ` (${firstTen(numbers)})`;
}

/** @param orders that a limit kept from being renewed */
export function limitHint(orders: readonly PurchaseOutput[], localTime: LocalTime): string {
	const count = plural(orders.length, 'order was', 'orders were');
	return `${count} not renewed because of a limit${orderNumbersInWords(orders)}: ${orders[0].limit}.${soonest(orders, localTime)}`;
}

/** @param orders that were renewed, as far as anybody knows, and whose end has not moved */
export function unmovedHint(orders: readonly PurchaseOutput[], localTime: LocalTime): string {
	const count = plural(
		orders.length,
		'order was renewed and still ends',
		'orders were renewed and still end',
	);
	return `${count} as before${orderNumbersInWords(orders)}.${soonest(orders, localTime)} Kuaidaili confirmed it; look up in its member center whether the end moves.`;
}

/** @param orders that are not due, and end within a day */
export function lapsingHint(orders: readonly PurchaseOutput[], localTime: LocalTime): string {
	const [one, several] = ['order ends within a day and is', 'orders end within a day and are'];
	return `${plural(orders.length, one, several)} not due yet.${soonest(orders, localTime)} If this workflow runs once a day, raise 'Expiring Within', or they end before its next run.`;
}
