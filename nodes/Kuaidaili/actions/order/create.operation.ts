import { TEST_EVENT_REASONS } from '../../run/testEvent';
import type { IDataObject } from 'n8n-workflow';

import { DescribedError, InvalidResponseError } from '../../../shared/api/errors';
import { FieldReader } from '../../../shared/fields/reader';
import { InvalidFieldError } from '../../../shared/fields/field';
import { ownValue, toRecord } from '../../../shared/guards';
import {
	kindOfOrder,
	readableOrder,
	byExpiry,
	expiryOf,
	isInForce,
	payTypeOf,
	productOf,
	statusOf,
	unknownStatusInWords,
} from '../../../shared/orders/order';
import { lastsFromTo, termOf, type OrderTerm } from '../../purchase/term';
import { allOrders, type AccountOrder, type AccountOrders } from '../../../shared/orders/queries';
import { dedicatedCities, ipsLeftIn, questionFor } from '../../../shared/orders/places';
import type { EpochMs, LocalTime } from '../../../shared/service/chinaTime';
import { CREATE_ORDER } from '../../../shared/service/endpoints/purchase';
import {
	isProductCode,
	PAY_TYPES,
	payTypeName,
	productName,
} from '../../../shared/service/products';
import type { RunQuery } from '../../../shared/api/call';
import type { FlatParameters } from '../../../shared/service/wireTypes';
import { formatNumber, plural } from '../../../shared/wording';
import type { Item } from '../../run/item';
import {
	RECENT_IN_WORDS,
	parsePurchase,
	type Change,
	type PlacedOrder,
	type PlanContext,
	type Purchase,
	type PurchaseOutput,
	type PurchasePlan,
	type PurchaseWords,
} from '../../purchase/types';
import { maxOrdersPerRunField, purchaseProperties, sentOptions } from '../../purchase/options';
import { costInWords, endInWords } from '../../purchase/texts';
import { CREATE_WHEN_FIELDS, isCouponField, ORDER_FIELDS, orderProperties } from './create/fields';
import { purchaseOperation } from '../../purchase/purchaseOperation';

const maxNewOrdersField = maxOrdersPerRunField(
	1,
	'With more input items than that, nothing is bought.',
);

const CREATE_OPTIONS = [isCouponField, maxNewOrdersField];

function wordsFor(product: string, payType: string, onceKey?: string): PurchaseWords {
	const name = productName(product);
	const lookedUp = `To find out, look for an order of the product ${name} from that time, with 'Order: Get Many' and 'Status' set to 'All', or in the order list of the Kuaidaili member center.`;
	return {
		unclear: 'The order may have been placed',
		what: `${name} (${product}), ${payTypeName(payType)}`,
		howToFindOut: `${lookedUp} If there is none ${RECENT_IN_WORDS} later, nothing was bought for this item, and a new run of the workflow with this item alone${onceKey === undefined ? '' : ' and another key'} can buy it.`,
	};
}

/* Dedicated IPs */

const LOOK_ELSEWHERE = "Choose another city, or leave 'City' empty for any.";

/**
 * Refuses an order of more dedicated IPs than the chosen city has left. Asks the service, since the
 * number changes from minute to minute.
 *
 * @param parameters of createorder, checked already
 * @throws InvalidFieldError and what `runQuery` throws; nothing was bought in either case
 */
export async function refuseMoreIpsThanLeft(
	ask: RunQuery,
	parameters: FlatParameters,
): Promise<void> {
	const city = parameters['kps.city'];
	const question = questionFor(parameters);
	if (parameters.product !== 'KPS' || city === undefined || question === undefined) return;

	const cities = await ask(dedicatedCities, { ...question, city });
	// The code may be that of a province, which stands for all its cities
	const there = cities.filter(({ code }) => String(code).startsWith(city));
	if (there.length === 0) {
		throw new InvalidFieldError('City', city, `No such IPs are left there. ${LOOK_ELSEWHERE}`);
	}
	const counts = there.map(ipsLeftIn).filter((count) => count !== undefined);
	const left = counts.reduce((sum, count) => sum + count, 0);
	const wanted = Number(parameters['kps.ip_count']);
	if (counts.length < there.length || wanted <= left) return;
	const place = there.length === 1 ? `${there[0].name} (${city})` : `the cities of ${city}`;
	throw new InvalidFieldError(
		'Number of IPs',
		wanted,
		`Allowed: ${formatNumber(left)} at most, because no more are left in ${place}. ${LOOK_ELSEWHERE}`,
	);
}

/* The account's orders */

/** A new order, as its fields describe it. */
export interface NewOrder {
	readonly product: string;
	readonly payType: string;
	/** How long a prepaid order lasts; undefined where it is not known. */
	readonly term: OrderTerm | undefined;
	readonly localTime: LocalTime;
}

function orderNumbersOf(orders: readonly AccountOrder[]): string {
	return orders.map(({ orderid }) => orderid).join(', ');
}

/** The service gives some products other codes than it sells them by, so an unknown one could be of any kind. */
function hasUnknownKind(order: AccountOrder): boolean {
	return !isProductCode(productOf(order)) || !Object.hasOwn(PAY_TYPES, payTypeOf(order) ?? '');
}

function isLike({ product, payType }: NewOrder) {
	return (order: AccountOrder) => productOf(order) === product && payTypeOf(order) === payType;
}

/** Whether an order is paid and has not ended, as far as the list says. */
function isActive(order: AccountOrder, now: EpochMs): boolean {
	if ((expiryOf(order) ?? Infinity) <= now) return false;
	return isInForce(order) || statusOf(order) === 'OPENING';
}

/**
 * The output if there are enough active orders of a kind. Those that were placed from here count by their number,
 * whatever the list calls them, and for a day also where it doesn't have them yet.
 *
 * @throws DescribedError where orders of an unknown kind decide
 */
function skipIfEnough(
	wanted: NewOrder,
	fewerThan: number,
	{ orders, answeredAt }: AccountOrders,
	placed: readonly PlacedOrder[],
): PurchaseOutput | undefined {
	const active = orders.filter((order) => isActive(order, answeredAt));
	const placedHere = new Map(placed.map(({ orderid, isOfKind }) => [orderid, isOfKind]));
	const isWanted = isLike(wanted);
	const listed = active.filter(
		(order) => isWanted(order) || placedHere.get(order.orderid) === true,
	);
	const numbers = new Set(orders.map(({ orderid }) => orderid));
	const unlisted = placed.filter(
		({ isOfKind, orderid }) => isOfKind && (orderid === undefined || !numbers.has(orderid)),
	);
	const count = listed.length + unlisted.length;
	const unknown = active.filter(
		(order) =>
			!listed.includes(order) && hasUnknownKind(order) && placedHere.get(order.orderid) !== false,
	);
	if (count < fewerThan && count + unknown.length >= fewerThan) {
		throw new DescribedError({
			message: `The node can't tell whether another order is needed: the product or pay type of ${unknown.length === 1 ? 'order' : 'orders'} ${orderNumbersOf(unknown)} is unknown`,
			description: `Nothing was bought for this item. Look ${unknown.length === 1 ? 'it' : 'them'} up in the Kuaidaili member center, and raise 'Fewer Active Orders Than' by the number of those that are of another kind, or set 'Create' to 'Always'.`,
		});
	}
	if (count < fewerThan) return undefined;
	const [{ orderid } = { orderid: undefined }] = unlisted;
	const longest = [...listed].sort(byExpiry).at(-1) ?? (orderid === undefined ? {} : { orderid });
	const has = plural(count, 'active order');
	const reason = `The account has ${has} of this kind, not fewer than ${formatNumber(fewerThan)}, so nothing was bought`;
	return { record: { ...toRecord(readableOrder(longest, answeredAt)), created: false, reason } };
}

/** Whether an order ends when one would that was placed just now. Only prepaid orders have a term. */
function endsAfterTerm(
	order: AccountOrder,
	{ payType, term }: NewOrder,
	placedAt: EpochMs,
): boolean {
	if (payType !== 'PRE_PAY') return true;
	const expiresAt = expiryOf(order);
	return term !== undefined && expiresAt !== undefined && lastsFromTo(placedAt, expiresAt, term);
}

/**
 * Looks for the one order that is new, paid, and of the same product, pay type, and term.
 *
 * @param before the numbers of the orders that were there
 */
export function findNewOrder(
	wanted: NewOrder,
	before: string,
	after: AccountOrders,
	placed: readonly PlacedOrder[],
): Change {
	const old = new Set([...before.split(','), ...placed.map(({ orderid }) => orderid)]);
	const isFresh = ({ orderid }: AccountOrder) => !old.has(orderid);
	const fresh = after.orders.filter(isFresh);
	const unexplained = (orders: readonly AccountOrder[], but: string): Change => ({
		kind: 'unexplained',
		text: `The order list has what may be this order (${orderNumbersOf(orders)}), ${but}`,
	});
	const similar = fresh.filter(isLike(wanted));
	const unknown = fresh.filter(hasUnknownKind);
	if (similar.length === 0 && unknown.length > 0) {
		return unexplained(unknown, 'but without a known product or pay type.');
	}
	if (similar.length === 0) {
		const others =
			fresh.length === 0 ? '' : ` There are new orders of another kind: ${orderNumbersOf(fresh)}.`;
		return {
			kind: fresh.length === 0 ? 'none' : 'others',
			text: `The node checked the order list afterwards and found no new order like this one; it may still appear.${others}`,
		};
	}
	const candidates = similar.filter((order) => endsAfterTerm(order, wanted, after.answeredAt));
	if (candidates.length > 1) return unexplained(candidates, 'but only one of them can be.');
	const [order] = candidates;
	if (order === undefined) {
		const expiresAt = expiryOf(similar[0]);
		const end =
			expiresAt === undefined
				? 'but without an expiry that could be compared.'
				: `but it ends at ${wanted.localTime(expiresAt)}, which is not what was ordered.`;
		return unexplained(similar, end);
	}
	if (!isActive(order, after.answeredAt)) {
		const status = JSON.stringify(ownValue(order, 'status'));
		return unexplained([order], `but not as one that is paid and active; its status is ${status}.`);
	}
	const { orderid } = order;
	const text = `The order list has what may be this order (${orderid}).`;
	return { kind: 'made', text, record: { orderid } };
}

/** Adds what only the list of orders has: when the new orders end. */
async function completeOrders(bought: readonly IDataObject[], ask: RunQuery): Promise<void> {
	const { orders, answeredAt } = await allOrders(ask);
	for (const record of bought) {
		const order = orders.find(({ orderid }) => orderid === record.orderid);
		const expireTime = ownValue(order, 'expire_time');
		if (typeof expireTime !== 'string' || expireTime === '') continue;
		Object.assign(record, readableOrder({ expire_time: expireTime }, answeredAt));
	}
}

/* The operation */

/** Such as "Ordered 1 Private Proxy order (965102959536478) for 37.5 yuan, until 2026-12-30". */
function tellOrder(record: IDataObject): string {
	const { created, wouldCreate, orderid, productName: product, reason } = record;
	const goods = typeof product === 'string' ? `${product} order` : 'order';
	if (wouldCreate === true) {
		return `1 ${goods} would be placed${costInWords(record)}${endInWords(record.wouldEndAt)}`;
	}
	const number = typeof orderid === 'string' ? ` (${orderid})` : '';
	if (created === true) {
		return `Ordered 1 ${goods}${number}${costInWords(record)}${endInWords(record.expiresAt)}`;
	}
	return `No ${goods} was placed${typeof reason === 'string' ? `: ${reason}` : ''}`;
}

function planOrder(item: Item, { localTime, warnings }: PlanContext): PurchasePlan {
	const { options } = item.callOptions();
	const { parameter } = item;
	const reader = new FieldReader()
		.read(ORDER_FIELDS, parameter)
		.read(CREATE_WHEN_FIELDS, parameter)
		.readCollection(sentOptions(CREATE_OPTIONS), options);
	const { parameters } = reader;
	const fewerThan = reader.textOf('fewerThan');
	const onceKey = reader.textOf('onceKey');
	const { product = '', pay_type: payType = '' } = parameters;
	const term = termOf(parameters['prepay.time_type'], parameters['prepay.time_number']);
	const isConditional = fewerThan !== undefined;
	const wanted: NewOrder = { product, payType, term, localTime };
	const purchase: Purchase<AccountOrders> = {
		parameters,
		term,
		words: wordsFor(product, payType, onceKey),
		readState: async (ask) => await allOrders(ask),
		skip: isConditional
			? (list, placed) => {
					for (const order of list.orders.filter(isLike(wanted))) {
						const warning = unknownStatusInWords(order);
						if (warning !== undefined) warnings.add(warning);
					}
					return skipIfEnough(wanted, Number(fewerThan), list, placed);
				}
			: undefined,
		stateKey: ({ orders }) => orders.map(({ orderid }) => orderid).join(),
		compare: (before, after, placed) => findNewOrder(wanted, before, after, placed),
		candidates: ({ orders, answeredAt }) =>
			orders
				.filter((order) => isLike(wanted)(order) && isActive(order, answeredAt))
				.map(({ orderid }) => ({ orderid })),
		orders: ({ orders }) => orders.map(({ orderid }) => orderid),
		read(answer, before, placed) {
			const record = parsePurchase(answer);
			const old = [...(before ?? '').split(','), ...placed.map(({ orderid }) => orderid)];
			// A cache on the way may repeat an old answer
			if (old.includes(record.orderid)) {
				throw new InvalidResponseError('names an order that was there before', '');
			}
			return record;
		},
	};
	return {
		ordered: parameters,
		isConditional,
		onceKey,
		preview: kindOfOrder({ product, pay_type: payType }),
		async decide(ask, mayBeBought) {
			if (item.isTest)
				return { skip: { record: { created: false, reason: TEST_EVENT_REASONS.created } } };
			if (!mayBeBought) await refuseMoreIpsThanLeft(ask, parameters);
			return { purchase };
		},
	};
}

export const orderCreate = purchaseOperation({
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create order (charges your account in yuan)',
		description:
			'Buy a new order. The price, in yuan, is charged to the account balance right away.',
	},
	properties: purchaseProperties(orderProperties, CREATE_OPTIONS),
	done: 'created',
	endpoint: CREATE_ORDER,
	maxOrdersField: maxNewOrdersField,
	plan: planOrder,
	tell: tellOrder,
	complete: completeOrders,
});
