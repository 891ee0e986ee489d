import type { FieldReader } from '../../../../shared/fields/readFields';
import { withExpiry } from '../../../../shared/orders/expiry';
import { orderExpiry, type OrderExpiry } from '../../../../shared/orders/orderExpiry';
import { expiringWithin, readTimeWindow } from '../../../../shared/orders/timeWindow';
import { unlessCancelled } from '../../../../shared/transport/callErrors';
import type { Finding } from '../../../purchase/purchase';
import type { PurchaseWords } from '../../../purchase/unclearPurchase';
import type { PurchaseItem } from '../../operation';
import { insteadOfTest } from './insteadOfTest';
import { listedOrder, type ListedOrder } from './listedOrder';
import { isExpiring, notYetExpiring, orderHasEnded, shownExpiry } from './notYetExpiring';
import { refuseOtherType, refuseOtherTypeOf } from './orderType';
import type { Renewal } from './renewal';
import { movedByTerm, type RenewalTerm } from './renewedExpiry';
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
		showsWithinMs: SHOWS_WITHIN_MS,
	};
	if (!isConditional) {
		// Asked for the case that the answer gets lost only
		return { ...common, look: async (ask) => await ask(orderExpiry).catch(unlessCancelled) };
	}
	const window = readTimeWindow(expiringWithin, (name) => reader.text(name));
	if (check && term !== undefined) refuseShortTerm(window, term);
	const insteadOfBuying = (expiry: OrderExpiry) =>
		notYetExpiring(expiry, window) ?? insteadOfTest(json, shownExpiry(expiry));
	let listed: ListedOrder | undefined;
	return {
		...common,
		async prepare(ask) {
			if (orderid === undefined) return undefined;
			listed = await listedOrder(run, ask, orderid);
			refuseOtherType(listed?.order, 'prepaid', orderid);
			const instead = listed?.expiry && insteadOfBuying(listed.expiry);
			return instead && { orderid, ...instead };
		},
		async look(ask) {
			const expiry = await ask(orderExpiry).catch(orderHasEnded(orderid, listed?.expiry));
			// An order of another type would be let through, for a reason that is none
			if (listed === undefined && !isExpiring(expiry, window)) {
				await refuseOtherTypeOf(ask, 'prepaid', orderid);
			}
			return expiry;
		},
		insteadOfBuying,
	};
}

/** @returns what the expiry shows of a renewal that was sent between two looks */
function compareExpiry(
	before: OrderExpiry,
	{ expiresAt, expireTime, answeredAt }: OrderExpiry,
	term: RenewalTerm | undefined,
	mayBeAnothers: boolean,
): Finding {
	const looked = 'The node looked again right afterwards:';
	if (before.expiresAt === undefined || expiresAt === undefined) {
		return { state: 'unclear', text: `${looked} the order has no expiry that could tell.` };
	}
	const ends = `${expireTime} (China time)`;
	if (expiresAt === before.expiresAt) {
		return {
			state: 'notMade',
			text: `${looked} the order still ends at ${ends}, so it was probably not renewed.`,
		};
	}
	const now = `${looked} the order now ends at ${ends},`;
	if (term === undefined || !movedByTerm(before.expiresAt, expiresAt, before.answeredAt, term)) {
		return {
			state: 'unclear',
			text: `${now} which is not what this renewal would add. Look what else renewed it.`,
		};
	}
	if (mayBeAnothers) {
		return {
			state: 'unclear',
			text: `${now} as after this renewal, but that may also come from an earlier one whose answer was unclear.`,
		};
	}
	return {
		state: 'made',
		text: `${now} as after this renewal.`,
		bought(orderid) {
			const record = { expire_time: expireTime, renewed: true, verified: true };
			const named = orderid === undefined ? record : { orderid, ...record };
			return {
				record: withExpiry(named, answeredAt),
				label: `renewal of order ${orderid ?? '(the order of the credential)'}`,
			};
		},
	};
}
