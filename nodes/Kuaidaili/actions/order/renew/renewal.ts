import type { IDataObject } from 'n8n-workflow';

import { ApiError, DescribedError, unlessCancelled } from '../../../../shared/errors/callErrors';
import { InvalidFieldError } from '../../../../shared/fields/invalidFieldError';
import type { FieldReader } from '../../../../shared/fields/field';
import { withExpiry } from '../../../../shared/orders/orderState';
import {
	expiringWithin,
	readTimeWindow,
	type TimeWindow,
	trustedTime,
} from '../../../../shared/orders/timeLeft';
import {
	ipBalance,
	trafficLeft,
	orderExpiry,
	type OrderExpiry,
} from '../../../../shared/queries/order';
import { UNKNOWN_KEY_PAIR } from '../../../../shared/service/codes';
import type { LocalTime } from '../../../../shared/service/chinaTime';
import type { Query, RunQuery } from '../../../../shared/service/query';
import { formatNumber } from '../../../../shared/wording';
import type {
	Change,
	Pass,
	Purchase,
	PurchaseItem,
	PurchaseWords,
} from '../../../purchase/contract';
import { LATE_IN_WORDS } from '../../../purchase/words';
import { endOfTerm, lastsFromTo, shortestMs, termInWords, termOf, type OrderTerm } from '../term';

const DAY_MS = 86_400_000;

/** What a renewal adds to. */
export interface RenewalState {
	/** The end of the order in milliseconds since 1970, or how many IPs or MB are left; undefined for none. */
	readonly amount: number | undefined;
	/** As the output shows it. */
	readonly shown: IDataObject;
	/** When the service said so, in milliseconds since 1970. */
	readonly at: number;
	/** Of an order that ends. */
	readonly expiry?: OrderExpiry;
}

/** One kind of renewal, after its fields have been read and checked. */
export interface Renewal {
	readonly words: PurchaseWords;
	/** What is added, such as "1 month". */
	readonly amount: string;
	readonly isConditional: boolean;
	look(ask: RunQuery): Promise<RenewalState | undefined>;
	/** Undefined where it is renewed in any case. */
	readonly passes?: (state: RenewalState) => Pass | undefined;
	/** Such as "an end at 2026-06-18 12:01:43 (China time)". */
	inWords(amount: number): string;
	/** Whether the renewal turns the one amount into the other, at this moment. */
	explains(before: number, after: number, at: number): boolean;
	/** Whether any change since it was about to be sent shows that it was made. */
	readonly isProvedByChange: boolean;
	endAfterwards?(endsAt: number | undefined, now: number): number | undefined;
}

/** What the output says about the expiry of an order that was not renewed. */
export function shownExpiry({ expireTime, answeredAt }: OrderExpiry): IDataObject {
	return withExpiry({ expire_time: expireTime }, answeredAt);
}

export function stateOfExpiry(expiry: OrderExpiry): RenewalState {
	const { expiresAt: amount, answeredAt: at } = expiry;
	return { amount, shown: shownExpiry(expiry), at, expiry };
}

/** What two looks show of a renewal that was sent between them. */
export function compareStates(
	renewal: Pick<Renewal, 'inWords' | 'explains'>,
	orderid: string | undefined,
	before: RenewalState,
	after: RenewalState,
): Change {
	const { amount: was } = before;
	const { amount: is } = after;
	if (was === undefined || is === undefined) {
		const text = 'The node checked again afterwards and found nothing that could be compared.';
		return { kind: 'unexplained', text };
	}
	const found = `The node checked again afterwards and found ${renewal.inWords(is)}`;
	if (is === was) {
		return { kind: 'none', text: `${found}, as before, so it was probably not renewed.` };
	}
	if (!renewal.explains(was, is, before.at)) {
		const text = `${found} in place of ${renewal.inWords(was)}, which is not what this renewal would change.`;
		return { kind: 'unexplained', text };
	}
	const bought = boughtRenewal(orderid, { ...after.shown, renewed: true });
	return { kind: 'made', text: `${found}, as after this renewal.`, bought };
}

export function boughtRenewal(orderid: string | undefined, record: IDataObject) {
	return {
		record: orderid === undefined ? record : { orderid, ...record },
		label: `renewal of order ${orderid ?? '(the order of the credential)'}`,
	};
}

const TEST_EVENT =
	'This is a test event of Kuaidaili Trigger, so nothing was bought. A real event renews the order.';

/** @param pass of an order that has enough left */
function orTestEvent(
	{ isTest }: PurchaseItem,
	{ shown }: RenewalState,
	pass: Pass | undefined,
): Pass | undefined {
	if (pass !== undefined || !isTest) return pass;
	return { record: { renewed: false, reason: TEST_EVENT, ...shown } };
}

/* By time */

/** @param endedAt in words */
export function reasonForEnded(endedAt: string): string {
	return `The order ended at ${endedAt}, so nothing was bought. Order a new one with 'Order: Create'`;
}

const PREPAID_WORDS: PurchaseWords = {
	unclear: 'The order may have been renewed',
	what: 'prepaid renewal',
	howToFindOut: `To find out, look at the expiry time of the order, with 'Order: Get' or in the Kuaidaili member center. If it has not moved ${LATE_IN_WORDS} later, nothing was paid for this item, and a new run of the workflow can renew it. With 'Renew' set to 'Only If Expiring Within', that run checks by itself, and passes the order on if it was renewed.`,
};

/**
 * The output for an order that has more time left or ended more than a day ago, so that nobody misses it.
 *
 * @throws DescribedError for an order that does not end, and when the clocks differ
 */
export function passUnlessExpiring(
	{ amount: expiresAt, expiry, shown }: RenewalState,
	window: TimeWindow,
	localTime: LocalTime,
): Pass | undefined {
	if (expiresAt === undefined || expiry === undefined) {
		throw new DescribedError({
			message: "The order has no expiry time, so the node can't tell whether it is expiring",
			description:
				"Pay-as-you-go orders run until they are closed. To renew another kind of order, choose it in 'Order Type'. Nothing was bought for this item.",
		});
	}
	const now = trustedTime(expiry);
	if (now - expiresAt > DAY_MS) {
		return { record: { renewed: false, reason: reasonForEnded(localTime(expiresAt)), ...shown } };
	}
	if (expiresAt - now <= window.ms) return undefined;
	const reason = `The order has more than ${window.inWords} left, so nothing was bought`;
	return { record: { renewed: false, reason, ...shown }, endsAt: expiresAt };
}

/**
 * A renewed order must have more time left than the window, or the next run renews it again.
 *
 * @throws InvalidFieldError
 */
export function refuseShortTerm(window: TimeWindow, term: OrderTerm): void {
	const shortest = shortestMs(term);
	// A renewed order that had already ended may count from the renewal, so a term equal to the window is
	// too short
	if (shortest === 0 || shortest > window.ms) return;
	throw new InvalidFieldError(
		expiringWithin.amount.displayName,
		window.inWords,
		"The renewal adds no more than that, so a second run could renew again. Choose a shorter time here or a longer 'Duration'.",
	);
}

/** Whether an expiry moved as by this renewal; whether one that has passed counts is not documented. */
export function movedByTerm(
	before: number,
	after: number,
	sentAt: number,
	term: OrderTerm,
): boolean {
	const isTermAfter = (start: number): boolean => lastsFromTo(start, after, term);
	return after > before && (isTermAfter(before) || (sentAt > before && isTermAfter(sentAt)));
}

/** Says of an order that the service no longer knows that it has ended, where the account's list says so. */
function orderHasEnded(listed: OrderExpiry | undefined, localTime: LocalTime) {
	return (error: unknown): never => {
		const { expiresAt = Infinity, answeredAt = 0 } = listed ?? {};
		const isInvalid = error instanceof ApiError && error.code === UNKNOWN_KEY_PAIR;
		if (!isInvalid || expiresAt > answeredAt) throw error;
		throw new DescribedError({
			message: `Order ${error.orderid ?? ''} ended at ${localTime(expiresAt)}, and can't be renewed anymore`,
			description: `Nothing was bought for this item. Order a new one with 'Order: Create'. ${error.evidence}`,
			code: String(error.code),
		});
	};
}

/** @throws InvalidFieldError */
export function planPrepaid(reader: FieldReader, item: PurchaseItem) {
	const { check, localTime } = item;
	const term = termOf(reader.parameters.time_type, reader.parameters.time_number);
	const isConditional = reader.text('renewWhen') !== 'always';
	const window = isConditional
		? readTimeWindow(expiringWithin, (name) => reader.text(name))
		: undefined;
	if (check && window !== undefined && term !== undefined) refuseShortTerm(window, term);
	return (listed: OrderExpiry | undefined): Renewal => ({
		words: PREPAID_WORDS,
		amount: term === undefined ? '' : termInWords(term),
		isConditional,
		look: async (ask) => {
			// Without a condition, it is asked for the case that the answer gets lost only
			const failed = isConditional ? orderHasEnded(listed, localTime) : unlessCancelled;
			const expiry = await ask(orderExpiry).catch(failed);
			return expiry && stateOfExpiry(expiry);
		},
		...(window === undefined
			? {}
			: {
					passes: (state) => orTestEvent(item, state, passUnlessExpiring(state, window, localTime)),
				}),
		inWords: (amount) => `an end at ${localTime(amount)}`,
		explains: (before, after, at) => term !== undefined && movedByTerm(before, after, at, term),
		isProvedByChange: true,
		endAfterwards: (endsAt = 0, now) => term && endOfTerm(Math.max(endsAt, now), term),
	});
}

/* By IPs or traffic */

/** An order that is used up rather than ends. */
interface TopUp {
	/** Such as "IPs". */
	readonly unit: string;
	/** In the output, such as `ip_balance`. */
	readonly outputName: string;
	/** The service's name of the amount, and how much of the unit one of it adds. */
	readonly parameter: string;
	readonly factor: number;
	/** How much is left, in the unit. */
	readonly left: Query<number>;
	/** The label of the field with the limit. */
	readonly limitLabel: string;
	readonly words: PurchaseWords;
}

function topUpWords(goods: string, balance: string, operation: string): PurchaseWords {
	return {
		unclear: `The ${goods} may have been bought`,
		what: `more ${goods}`,
		howToFindOut: `To find out, look at the ${balance} of the order, with '${operation}' or in the Kuaidaili member center. If it has not grown ${LATE_IN_WORDS} later, nothing was paid for this item, and a new run of the workflow with this item alone can renew it.`,
	};
}

export const IP_TOP_UP: TopUp = {
	unit: 'IPs',
	outputName: 'ip_balance',
	parameter: 'dps.ip_count',
	factor: 1,
	left: ipBalance,
	limitLabel: 'IP Balance Below',
	words: topUpWords('IPs', 'IP balance', 'Order: Get IP Balance'),
};

export const TRAFFIC_TOP_UP: TopUp = {
	unit: 'MB',
	outputName: 'flow_left',
	parameter: 'fps.flow',
	// The service sells gigabytes and counts megabytes
	factor: 1024,
	left: trafficLeft,
	limitLabel: 'Traffic Below (MB)',
	words: topUpWords('traffic', 'traffic left', 'Order: Get Traffic'),
};

/**
 * A renewed order must have at least as much left as the limit, or the next run renews it again.
 *
 * @throws InvalidFieldError
 */
export function refuseSmallTopUp(fieldLabel: string, below: number, added: number): void {
	if (added >= below) return;
	throw new InvalidFieldError(
		fieldLabel,
		below,
		`The renewal adds only ${formatNumber(added)}, so a second run could renew again. Choose a lower number here, or buy more.`,
	);
}

/** @throws InvalidFieldError */
export function planTopUp(reader: FieldReader, topUp: TopUp, item: PurchaseItem) {
	const { factor, left, limitLabel, outputName, parameter, unit, words } = topUp;
	const added = Number(reader.parameters[parameter]) * factor;
	const limit = reader.text('balanceBelow');
	const isConditional = limit !== undefined;
	if (item.check && isConditional) refuseSmallTopUp(limitLabel, Number(limit), added);
	const passIfEnough = (state: RenewalState): Pass | undefined => {
		const { amount = 0, shown } = state;
		if (amount < Number(limit)) return undefined;
		const reason = `The order has ${formatNumber(amount)} ${unit} left, not less than ${formatNumber(Number(limit))}, so nothing was bought`;
		return { record: { renewed: false, reason, ...shown }, endsAt: Infinity };
	};
	return (): Renewal => ({
		words,
		amount: `${formatNumber(added)} ${unit}`,
		isConditional,
		look: async (ask) => {
			const amount = await (isConditional ? ask(left) : ask(left).catch(unlessCancelled));
			if (amount === undefined) return undefined;
			return { amount, shown: { [outputName]: amount }, at: Date.now() };
		},
		...(isConditional ? { passes: (state) => orTestEvent(item, state, passIfEnough(state)) } : {}),
		inWords: (amount) => `${formatNumber(amount)} ${unit} left`,
		// Some of what was added may be used already
		explains: (before, after) => after - before <= added && after - before >= added / 2,
		// What is left changes with each use
		isProvedByChange: false,
	});
}

/** A renewal as a purchase, with what is known of its order. */
export function renewalPurchase(
	renewal: Renewal,
	orderid: string | undefined,
): Pick<
	Purchase<RenewalState>,
	'words' | 'amount' | 'isConditional' | 'look' | 'passes' | 'stateKey' | 'compare' | 'traces'
> {
	const { words, amount, isConditional, passes, isProvedByChange } = renewal;
	return {
		...{ words, amount, isConditional, passes },
		look: async (ask) => await renewal.look(ask),
		stateKey: ({ amount: left }) => String(left),
		compare: (before, after) => compareStates(renewal, orderid, before, after),
		traces: ({ shown }) => [
			{
				orderid,
				before: isProvedByChange ? undefined : 'told by nothing',
				bought: boughtRenewal(orderid, { ...shown, renewed: true }),
			},
		],
	};
}
