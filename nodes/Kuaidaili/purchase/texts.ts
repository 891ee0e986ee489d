import type { IDataObject } from 'n8n-workflow';

import {
	CallError,
	CancelledError,
	DescribedError,
	WrongKeyTypeError,
} from '../../shared/api/errors';
import type { LocalTime } from '../../shared/service/chinaTime';
import { formatNumber, plural, sentences } from '../../shared/wording';
import type { LedgerEntry } from './ledger';
import { LATE_IN_WORDS, LATE_MS, orderNumberOf, type PurchaseOutput } from './types';

export const NOTHING_BOUGHT = 'Nothing was bought in this run.';

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
		const text = error.describe();
		// Not as a note of the error itself: others may have waited for the same answer
		throw new DescribedError({ ...text, description: sentences(text.description, note) });
	};
}

/**
 * The error where somebody asks by hand for what was bought for another item a short while ago.
 *
 * @param entry undefined where another worker has it
 */
export function anotherItem(entry: LedgerEntry | undefined, localTime: LocalTime): DescribedError {
	const until = localTime((entry?.at ?? Date.now()) + LATE_MS);
	const isSure = entry?.state === 'paid';
	const what = entry === undefined ? 'on another worker' : entry.label;
	return new DescribedError({
		message: `This node ${isSure ? 'bought' : 'may have bought'} the same for another item in the last ${LATE_IN_WORDS} (${what})`,
		description: `Nothing was bought for this item, because this run may be a repetition of that one. If the item needs an order of its own, run it again after ${until}.`,
	});
}

/** The error where another worker was asked for the same purchase, and nobody knows what became of it. */
export function atWorkElsewhere(): DescribedError {
	return new DescribedError({
		message: `This node sent the same purchase in the last ${LATE_IN_WORDS}, in another execution on another worker`,
		description:
			"Nothing was bought this time. Look up in the list of the workflow's executions what became of it.",
	});
}

/**
 * The error of a retry of an execution that left nothing, where another execution has bought the same for the same item.
 *
 * @param entry undefined where that was on another worker
 */
export function retryOfUnknown(
	entry: LedgerEntry | undefined,
	localTime: LocalTime,
): DescribedError {
	const what = entry === undefined ? '' : ` (${entry.label})`;
	const until =
		entry === undefined ? `in ${LATE_IN_WORDS}` : `after ${localTime(entry.at + LATE_MS)}`;
	return new DescribedError({
		message: `This node bought the same for this item in the last ${LATE_IN_WORDS}, in another execution${what}, and n8n can't tell whether this one retries that`,
		description: `Nothing was bought, because the execution that was retried ended before it came to this node. If you want to buy it again, retry ${until}, or start the workflow by hand.`,
	});
}

/** The error where another run is renewing the order, and its end has not moved yet. */
export function beingRenewed(orderid: string | undefined): DescribedError {
	return new DescribedError({
		message: `Another run of this node sent a renewal of ${orderid === undefined ? 'this order' : `order ${orderid}`} in the last ${LATE_IN_WORDS}, and Kuaidaili doesn't show yet what became of it`,
		description:
			'Nothing was bought this time, because an order is never renewed twice from the same end. The next run goes by what Kuaidaili shows then.',
	});
}

/** @param when in words; undefined where another worker renewed it */
export function renewedFromThisEnd(when?: string): string {
	return `This node renewed the order from this end already${when === undefined ? '' : `, at ${when}`}, and Kuaidaili may show that late, so nothing was bought`;
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
			? `Until ${localTime(at + LATE_MS)}, it may still show up. After that, a retry goes by what Kuaidaili shows.`
			: undefined;
	return new DescribedError({
		...text,
		message,
		description: sentences(shown, description, until),
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

/** The refusal of renewals of which a limit would hold back some, where nobody knows which of them end first. */
export function endsUnknown(unknown: number, due: number, allowed: number): LimitReachedError {
	return new LimitReachedError(
		`Up to ${formatNumber(due)} orders are due, 'Max Orders per Execution' allows ${formatNumber(Math.max(0, allowed))} more, and it can't be read when ${plural(unknown, 'order ends', 'of them end')}`,
		"Otherwise those that end first could be the ones that are not renewed. Try again in a few minutes, or raise the option in 'Options'.",
		NOTHING_BOUGHT,
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

/** A text about the purchases of a run such as "this run", unclear ones included; empty where there are none. */
export function purchasesInWords(entries: readonly LedgerEntry[], run: string): string {
	const listed = (did: string, isPaid: boolean) => {
		const purchases = entries
			.filter(({ state }) => (state === 'paid') === isPaid)
			.map(({ label, itemIndex }) => `${label} (item ${itemIndex})`);
		return purchases.length === 0 ? undefined : `${did} in ${run}: ${purchases.join('; ')}.`;
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

/** Such as " for 58 yuan", or ", probably for 58 yuan" in a dry run; empty where it isn't known. */
export function costInWords({ cost, probableCost }: IDataObject): string {
	if (typeof cost === 'number') return ` for ${formatNumber(cost)} yuan`;
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

/** @param orders that a limit kept from being renewed */
export function limitHint(orders: readonly PurchaseOutput[], localTime: LocalTime): string {
	const named = orders.flatMap(({ record }) => orderNumberOf(record) ?? []).slice(0, 10);
	const more =
		orders.length > named.length ? ` and ${formatNumber(orders.length - named.length)} more` : '';
	const which = named.length === 0 ? '' : ` (${named.join(', ')}${more})`;
	const count = plural(orders.length, 'order was', 'orders were');
	return `${count} not renewed because of a limit${which}: ${orders[0].limit}.${soonest(orders, localTime)}`;
}

/** @param orders that are not due, and end within a day */
export function lapsingHint(orders: readonly PurchaseOutput[], localTime: LocalTime): string {
	const [one, several] = ['order ends within a day and is', 'orders end within a day and are'];
	return `${plural(orders.length, one, several)} not due yet.${soonest(orders, localTime)} If this workflow runs once a day, raise 'Expiring Within', or they end before its next run.`;
}
