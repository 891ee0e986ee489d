import type { FieldReader } from '../../../../shared/fields/readFields';
import { orderExpiry, type OrderExpiry } from '../../../../shared/orders/orderExpiry';
import { expiringWithin, readTimeWindow } from '../../../../shared/orders/timeWindow';
import { unlessCancelled } from '../../../../shared/errors/callErrors';
import type { PurchaseItem, PurchaseWords } from '../../../purchase/contract';
import { skippedForTestEvent } from './skippedForTestEvent';
import { expiringInItem, listedOrder, type ListedOrder } from './listedOrder';
import { isExpiring, notYetExpiring, orderHasEnded, shownExpiry } from './notYetExpiring';
import { refuseOtherType, refuseOtherTypeOf } from './orderType';
import type { Renewal } from './renewal';
import { compareExpiry, excessOfExpiry, type RenewalTerm } from './renewedExpiry';
import { refuseShortTerm } from './renewWhen';

/** A renewal whose answer was lost may still be under way. */
const SHOWS_WITHIN_MS = 2000;

const WORDS: PurchaseWords = {
	unclear: 'The order may have been renewed',
	what: 'prepaid renewal',
	howToFindOut:
		"To find out, look at the expiry time of the order, with 'Order: Get' or in the Kuaidaili member center.",
	otherwise:
		"If it has not moved a few minutes later, nothing was paid for this item, and a new run of the workflow can renew it. With 'Renew' set to 'Only If Expiring Within', that run looks by itself, and lets the order through if it was renewed.",
};

function termOf({ parameters }: FieldReader): RenewalTerm | undefined {
	const { time_type: timeType, time_number: timeNumber } = parameters;
	const isKnown = timeType !== undefined && timeNumber !== undefined;
	return isKnown ? { timeType, timeNumber: Number(timeNumber) } : undefined;
}

/**
 * A renewal by time: the expiry of the order moves.
 *
 * @throws InvalidFieldError
 */
export function planPrepaid(
	reader: FieldReader,
	{ check, run, json }: PurchaseItem,
	orderid: string | undefined,
): Renewal<OrderExpiry> {
	const term = termOf(reader);
	const isConditional = reader.text('renewWhen') !== 'always';
	const common = {
		words: WORDS,
		compare: (before: OrderExpiry, after: OrderExpiry, mayBeAnothers: boolean) =>
			compareExpiry(before, after, term, mayBeAnothers),
		excess: (before: OrderExpiry, after: OrderExpiry) => excessOfExpiry(before, after, term),
		showsWithinMs: SHOWS_WITHIN_MS,
	};
	if (!isConditional) {
		// Asked for the case that the answer gets lost only
		return { ...common, look: async (ask) => await ask(orderExpiry).catch(unlessCancelled) };
	}
	const window = readTimeWindow(expiringWithin, (name) => reader.text(name));
	if (check && term !== undefined) refuseShortTerm(window, term);
	const insteadOfBuying = (expiry: OrderExpiry) =>
		notYetExpiring(expiry, window) ?? skippedForTestEvent(json, shownExpiry(expiry));
	let listed: ListedOrder | undefined;
	return {
		...common,
		async prepare(ask) {
			if (orderid === undefined) return undefined;
			listed =
				expiringInItem(json, orderid, window, Date.now()) ?? (await listedOrder(run, ask, orderid));
			refuseOtherType(listed?.order, 'prepaid', orderid);
			const instead = listed?.expiry && insteadOfBuying(listed.expiry);
			return instead && { orderid, ...instead };
		},
		async look(ask) {
			const expiry = await ask(orderExpiry).catch(orderHasEnded(orderid, listed?.expiry));
			// An order of another type would be skipped as 'not yet expiring', which is not the reason
			if (listed === undefined && !isExpiring(expiry, window)) {
				await refuseOtherTypeOf(ask, 'prepaid', orderid);
			}
			return expiry;
		},
		insteadOfBuying,
	};
}
