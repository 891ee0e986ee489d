import { TEST_EVENT_REASONS } from '../../../run/testEvent';
import type { IDataObject } from 'n8n-workflow';

import {
	ApiError,
	DescribedError,
	InvalidResponseError,
	unlessCancelled,
} from '../../../../shared/api/errors';
import { excerpt } from '../../../../shared/api/cleanText';
import { InvalidFieldError } from '../../../../shared/fields/field';
import type { FieldReader } from '../../../../shared/fields/reader';
import { isCode, isRecord, ownValue, type UnknownRecord } from '../../../../shared/guards';
import {
	expiryOf,
	withOrderExpiry,
	hasEnded,
	payTypeOf,
	productOf,
	unknownStatusInWords,
	whyNotInForce,
} from '../../../../shared/orders/order';
import {
	expiringWithin,
	readTimeWindow,
	type TimeWindow,
} from '../../../../shared/orders/orderField';
import {
	allOrders,
	type AccountOrders,
	ipBalance,
	orderTraffic,
	trafficLeft,
	orderExpiry,
	orderInfo,
	type OrderExpiry,
} from '../../../../shared/orders/queries';
import { GET_ORDER_SECRET } from '../../../../shared/service/endpoints/account';
import { DAY_MS, type EpochMs, type LocalTime } from '../../../../shared/service/chinaTime';
import type { RunQuery } from '../../../../shared/api/call';
import type { Answered } from '../../../../shared/service/wireTypes';
import { formatNumber } from '../../../../shared/wording';
import {
	RECENT_IN_WORDS,
	notRenewed,
	parsePurchase,
	type PlanContext,
	type Purchase,
	type PurchaseOutput,
	type PurchaseWords,
} from '../../../purchase/types';
import {
	lastsFromTo,
	shortestMs,
	termInWords,
	termOf,
	type OrderTerm,
} from '../../../purchase/term';
import { CONDITIONS, ORDER_TYPES, OTHER_RENEWALS, type ChosenType, type OrderType } from './fields';

/** The state of an order that a renewal adds to. */
interface RenewalState extends Answered {
	/** The end of the order in milliseconds since 1970, or how many IPs or MB are left; undefined for none. */
	readonly amount: number | undefined;
	/** The state as the output shows it. */
	readonly shown: IDataObject;
}

/** How orders of one kind are renewed, after its fields have been read and checked. */
export interface Renewal
	extends Pick<Purchase<RenewalState>, 'parameters' | 'words' | 'amount' | 'term' | 'readState'> {
	/** Undefined where it is renewed in any case. */
	readonly skip?: (state: RenewalState) => PurchaseOutput | undefined;
	/** Such as "an end at 2026-06-18 12:01:43 (China time)". */
	readonly inWords: (amount: number) => string;
	/** Whether the renewal turns the one amount into the other, at this moment. */
	readonly explains: (before: number, after: number, at: EpochMs) => boolean;
}

export function stateOfExpiry({ expireTime, expiresAt, ...answered }: OrderExpiry): RenewalState {
	const shown = withOrderExpiry({ expire_time: expireTime }, answered.answeredAt);
	return { amount: expiresAt, shown, ...answered };
}

/**
 * A renewal as a purchase, with what is known of its order.
 *
 * @param isTest whether a test event asked for it, for which nothing is bought that depends on a condition
 */
export function renewalPurchase(
	renewal: Renewal,
	{ orderid, listed }: FoundOrder,
	isTest: boolean,
): Purchase<RenewalState> {
	const { skip, inWords } = renewal;
	const number = orderid === undefined ? {} : { orderid };
	return {
		...renewal,
		endsAt: listed?.amount,
		describe: ({ amount, shown }) => ({ record: shown, endsAt: amount }),
		skip:
			skip &&
			((state) =>
				skip(state) ?? (isTest ? notRenewed(TEST_EVENT_REASONS.renewed, state.shown) : undefined)),
		stateKey: ({ amount }) => String(amount),
		// An old answer, which a cache on the way may repeat, tells the end that the order had
		isShownBy:
			renewal.term &&
			((record, before) => {
				const end = expiryOf(record);
				const was = Number(before);
				// Without an end before, there is nothing to compare with
				if (Number.isNaN(was)) return true;
				return end !== undefined && renewal.explains(was, end, Date.now());
			}),
		compare(before, { amount: is, answeredAt, shown }) {
			const looked = 'The node checked again afterwards and found';
			const was = Number(before);
			if (Number.isNaN(was) || is === undefined) {
				return { kind: 'unseen', text: `${looked} nothing that could be compared.` };
			}
			const found = `${looked} ${inWords(is)}`;
			if (is === was) {
				return { kind: 'none', text: `${found}, as before, so it was probably not renewed.` };
			}
			if (!renewal.explains(was, is, answeredAt)) {
				const text = `${found} in place of ${inWords(was)}, which is not what this renewal would change.`;
				return { kind: 'unexplained', text };
			}
			return { kind: 'made', text: `${found}, as after this renewal.`, record: shown };
		},
		candidates: ({ shown }) => [{ ...number, ...shown }],
		read(answer) {
			const data = parsePurchase(answer);
			if (orderid !== undefined && data.orderid !== orderid) {
				throw new InvalidResponseError('is about another renewal', '');
			}
			return withOrderExpiry(data, answer.answeredAt);
		},
	};
}

/* What an order is */

/** An order to renew, as the account's list, or else the order itself, describes it. */
interface FoundOrder {
	/** Undefined where the key pair of an order renews it, and nobody says its number. */
	readonly orderid: string | undefined;
	/** Undefined where nothing says what it is. */
	readonly order: UnknownRecord | undefined;
	/** Its end; undefined where it has none, or nothing says it. */
	readonly listed: RenewalState | undefined;
}

/** The list of orders of each run. */
const lists = new WeakMap<PlanContext, Promise<AccountOrders | undefined>>();

/** An order of which a failed call says nothing is renewed as somebody chose. */
function unlessChosen(chosen: ChosenType) {
	return (error: unknown): undefined => {
		const isOutOfReach = error instanceof ApiError && error.endpoint === GET_ORDER_SECRET;
		if (chosen === 'automatic' || isOutOfReach) throw error;
		return unlessCancelled(error);
	};
}

/**
 * Asks the account's list, which is read once per run, or else the order itself.
 *
 * @param chosenOrder undefined for the order of the key pair
 */
export async function lookUpOrder(
	run: PlanContext,
	chosenOrder: string | undefined,
	chosen: ChosenType,
	ask: RunQuery,
): Promise<FoundOrder> {
	if (chosenOrder !== undefined) {
		// The order itself can be asked as well
		const fetch = async () => await allOrders(ask).catch(unlessCancelled);
		const reading = lists.get(run) ?? fetch();
		lists.set(run, reading);
		const list = await reading;
		const order = list?.orders.find(({ orderid }) => orderid === chosenOrder);
		if (list !== undefined && order !== undefined) {
			const warning = unknownStatusInWords(order);
			if (warning !== undefined) run.warnings.add(warning);
			const expiresAt = expiryOf(order);
			const expiry = {
				expireTime: String(order.expire_time),
				expiresAt,
				answeredAt: list.answeredAt,
			};
			const listed = expiresAt === undefined ? undefined : stateOfExpiry(expiry);
			return { orderid: chosenOrder, order, listed };
		}
	}
	const fields = { field_list: 'orderid,product,pay_type,status' };
	const reading = ask(orderInfo, fields);
	// Of the order of a key pair, it says the number, without which two renewals would not know of each other
	const answer = await (chosenOrder === undefined ? reading : reading.catch(unlessChosen(chosen)));
	const order = answer?.info;
	const number = ownValue(order, 'orderid');
	const orderid = chosenOrder ?? (isCode(number) ? String(number) : undefined);
	// Of several orders, those that end first are renewed first
	const expiry =
		chosenOrder === undefined || chosen === 'perIp' || chosen === 'traffic'
			? undefined
			: await ask(orderExpiry).catch(unlessCancelled);
	const listed = expiry?.expiresAt === undefined ? undefined : stateOfExpiry(expiry);
	return { orderid, order: isRecord(order) ? order : undefined, listed };
}

/** @throws DescribedError for an order of which 'Automatic' can't know what it is */
function refuseUnknownType({ order, orderid }: FoundOrder): never {
	const payType = payTypeOf(order);
	const which = orderid === undefined ? 'this order' : `order ${excerpt(orderid, [])}`;
	throw new DescribedError({
		message:
			payType === undefined
				? `Kuaidaili doesn't say what kind of order ${which} is`
				: `The node doesn't know the pay type '${excerpt(payType, [])}' of ${which}`,
		description:
			"Nothing was bought for this item. Look the order up in the Kuaidaili member center, and renew it there, or in a node of its own whose 'Order Type' says what it is.",
	});
}

const TYPES: ReadonlyMap<string, OrderType> = new Map([
	['PRE_PAY', 'prepaid'],
	['PRE_PAY_IP', 'perIp'],
]);

/**
 * How an order is renewed, and the output if nothing has to be bought. Chooses by what the order is: never by the
 * input item, which may be old or changed.
 *
 * @param allowed the chosen kind; with 'Automatic', those whose fields are filled in
 * @param ask with the key pair that each endpoint needs
 * @throws CallError, and DescribedError for an order of which 'Automatic' can't know what it is
 */
export async function chooseRenewal(
	found: FoundOrder,
	chosen: ChosenType,
	allowed: ReadonlyMap<OrderType, Renewal>,
	{ localTime }: PlanContext,
	ask: RunQuery,
): Promise<{ readonly renewal?: Renewal; readonly skip?: PurchaseOutput }> {
	const { order, listed } = found;
	const skipWith = (reason: string) => ({ skip: notRenewed(reason) });
	const outOfForce = order && whyNotInForce(order);
	if (outOfForce !== undefined) {
		const endedAt = hasEnded(order) ? expiryOf(order) : undefined;
		return skipWith(
			endedAt === undefined
				? `The order ${outOfForce}, so nothing was bought`
				: reasonForEnded(localTime(endedAt)),
		);
	}
	const payType = payTypeOf(order) ?? '';
	if (payType === 'POST_PAY') {
		return skipWith('Pay-as-you-go orders run until you close them, so nothing was bought');
	}
	const notDue = () => listed && allowed.get('prepaid')?.skip?.(listed);
	const isOverseas = productOf(order) === 'FPS';
	// Whether it is due by time doesn't depend on its traffic where that is not bought
	const skip = isOverseas && !allowed.has('traffic') ? notDue() : undefined;
	if (skip !== undefined) return { skip };
	// Neither list nor details say whether an overseas order is billed by time or by traffic
	const traffic = isOverseas ? await ask(orderTraffic).catch(unlessChosen(chosen)) : {};
	const byPayType = traffic === undefined ? undefined : TYPES.get(payType);
	const ofOrder = typeof traffic?.flow_left === 'number' ? 'traffic' : byPayType;
	const type = ofOrder ?? (chosen === 'automatic' ? refuseUnknownType(found) : chosen);
	const renewal = allowed.get(type);
	if (renewal !== undefined) return { renewal, skip: type === 'prepaid' ? notDue() : undefined };
	const but =
		chosen === 'automatic' && type !== 'prepaid'
			? `'${OTHER_RENEWALS[type].displayName}' is empty`
			: `'Order Type' is '${ORDER_TYPES[chosen].name}'`;
	return skipWith(`This is ${ORDER_TYPES[type].inWords}, and ${but}, so nothing was bought`);
}

/* By time */

/** @param endedAt in words */
function reasonForEnded(endedAt: string): string {
	return `The order ended at ${endedAt}, so nothing was bought. Order a new one with 'Order: Create'`;
}

const PREPAID_WORDS: PurchaseWords = {
	unclear: 'The order may have been renewed',
	what: 'prepaid renewal',
	howToFindOut: `To find out, look at the expiry time of the order, with 'Order: Get' or in the Kuaidaili member center. If it has not moved ${RECENT_IN_WORDS} later, nothing was paid for this item, and a new run of the workflow can renew it. With 'Renew' set to 'Only If Expiring Within', that run checks by itself, and passes the order on if it was renewed.`,
};

/**
 * The output for an order that has more time left or ended more than a day ago, so that nobody misses it.
 *
 * @throws DescribedError for an order that does not end
 */
export function skipUnlessExpiring(
	state: RenewalState,
	window: TimeWindow,
	localTime: LocalTime,
): PurchaseOutput | undefined {
	const { amount: expiresAt, shown } = state;
	if (expiresAt === undefined) {
		throw new DescribedError({
			message: "The order has no expiry time, so the node can't tell whether it is expiring",
			description:
				"Pay-as-you-go orders run until they are closed. To renew another kind of order, choose it in 'Order Type'. Nothing was bought for this item.",
		});
	}
	const now = state.answeredAt;
	if (now - expiresAt > DAY_MS) return notRenewed(reasonForEnded(localTime(expiresAt)), shown);
	if (expiresAt - now <= window.ms) return undefined;
	const reason = `The order has more than ${window.inWords} left, so nothing was bought`;
	return notRenewed(reason, shown, expiresAt);
}

/** Whether an expiry moved as by this renewal; whether one that has passed counts is not documented. */
export function movedByTerm(
	before: EpochMs,
	after: EpochMs,
	sentAt: EpochMs,
	term: OrderTerm,
): boolean {
	const isTermAfter = (start: EpochMs): boolean => lastsFromTo(start, after, term);
	return after > before && (isTermAfter(before) || (sentAt > before && isTermAfter(sentAt)));
}

/** @throws InvalidFieldError */
export function planPrepaid(reader: FieldReader, { localTime }: PlanContext): Renewal {
	const term = termOf(reader.parameters.time_type, reader.parameters.time_number);
	const window =
		reader.textOf('renewWhen') === 'always'
			? undefined
			: readTimeWindow((name) => reader.textOf(name));
	// Or the next run renews it again: an order that had ended may count from the renewal
	if (window !== undefined && term !== undefined && shortestMs(term) <= window.ms) {
		throw new InvalidFieldError(
			expiringWithin.amount.displayName,
			window.inWords,
			"The renewal adds no more than that, so a second run could renew again. Choose a shorter time here or a longer 'Duration'.",
		);
	}
	return {
		parameters: reader.parameters,
		words: PREPAID_WORDS,
		term,
		amount: term === undefined ? '' : termInWords(term),
		readState: async (ask) => stateOfExpiry(await ask(orderExpiry)),
		skip: window && ((state) => skipUnlessExpiring(state, window, localTime)),
		inWords: (amount) => `an end at ${localTime(amount)}`,
		explains: (before, after, at) => term !== undefined && movedByTerm(before, after, at, term),
	};
}

/* By IPs or traffic */

function topUpWords(goods: string, balance: string, operation: string): PurchaseWords {
	return {
		unclear: `The ${goods} may have been bought`,
		what: `more ${goods}`,
		howToFindOut: `To find out, look at the ${balance} of the order, with '${operation}' or in the Kuaidaili member center. If it has not grown ${RECENT_IN_WORDS} later, nothing was paid for this item, and a new run of the workflow with this item alone can renew it.`,
	};
}

/** Orders that are used up rather than end. `factor` is how much of the unit one of the parameter adds. */
const TOP_UPS = {
	perIp: {
		unit: 'IPs',
		soldIn: 'IPs',
		outputName: 'ip_balance',
		parameter: 'dps.ip_count',
		factor: 1,
		left: ipBalance,
		words: topUpWords('IPs', 'IP balance', 'Order: Get IP Balance'),
	},
	traffic: {
		unit: 'MB',
		soldIn: 'GB',
		outputName: 'flow_left',
		parameter: 'fps.flow',
		// The service sells gigabytes and counts megabytes
		factor: 1024,
		left: trafficLeft,
		words: topUpWords('traffic', 'traffic left', 'Order: Get Traffic'),
	},
};

/** @throws InvalidFieldError */
export function planTopUp(reader: FieldReader, kind: keyof typeof TOP_UPS): Renewal {
	const { factor, left, outputName, parameter, soldIn, unit, words } = TOP_UPS[kind];
	const sold = Number(reader.parameters[parameter]);
	const added = sold * factor;
	const limit = reader.textOf('balanceBelow');
	// Or the next run renews it again
	if (limit !== undefined && added < Number(limit)) {
		throw new InvalidFieldError(
			CONDITIONS[kind].limits[0].displayName,
			Number(limit),
			`The renewal adds only ${formatNumber(added)}, so a second run could renew again. Choose a lower number here, or buy more.`,
		);
	}
	const skipIfEnough = ({ amount = 0, shown }: RenewalState): PurchaseOutput | undefined => {
		if (amount < Number(limit)) return undefined;
		const reason = `The order has ${formatNumber(amount)} ${unit} left, not less than ${formatNumber(Number(limit))}, so nothing was bought`;
		return notRenewed(reason, shown, Infinity);
	};
	return {
		parameters: reader.parameters,
		words,
		amount: `${formatNumber(sold)} ${soldIn}`,
		async readState(ask) {
			const amount = await ask(left);
			return { amount, shown: { [outputName]: amount }, answeredAt: Date.now() };
		},
		skip: limit === undefined ? undefined : skipIfEnough,
		inWords: (amount) => `${formatNumber(amount)} ${unit} left`,
		// Some of what was added may be used already
		explains: (before, after) => after - before <= added && after - before >= added / 2,
	};
}
