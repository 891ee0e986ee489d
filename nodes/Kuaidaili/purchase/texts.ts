import {
	CallError,
	CancelledError,
	DescribedError,
	WrongKeyTypeError,
} from '../../shared/errors/callErrors';
import type { LocalTime } from '../../shared/service/chinaTime';
import { formatNumber, plural, sentences } from '../../shared/wording';
import type { LedgerEntry } from './ledger';
import { orderNumberOf, type PurchaseOutput } from './types';

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

/* Limits */

/** A limit that the user set keeps purchases from being made. */
export class LimitReachedError extends DescribedError {
	constructor(message: string, advice: string, extent = 'Nothing was bought for this item.') {
		super({ message, description: `${extent} ${advice}` });
	}
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

/* Reports */

/** What was bought, or may have been, in a run such as "this run"; empty where that is nothing. */
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
