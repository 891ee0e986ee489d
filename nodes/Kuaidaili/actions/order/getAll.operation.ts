import { serviceField, type Field, type FieldCollection } from '../../../shared/fields/field';
import { choice, namedOptions, number } from '../../../shared/fields/kinds';
import { accountOrders, type AccountOrder } from '../../../shared/orders/queries';
import {
	byExpiry,
	expiryOf,
	unreadableExpiryError,
	hasEnded,
	isInForce,
	productOf,
	statusOf,
	orderItem,
} from '../../../shared/orders/order';
import { DAY_MS, HOUR_MS } from '../../../shared/service/chinaTime';
import {
	ACTIVE,
	ORDER_STATUSES,
	PAY_TYPES,
	PRODUCT_DESCRIPTIONS,
	PRODUCT_LABELS,
} from '../../../shared/service/products';
import { callOperation, querying, type CallContext } from '../../run/operation';
import { isSimplified, simplifiedOrder, simplifyField } from './simplify';

const statusField = serviceField({
	serviceName: 'status',
	displayName: 'Status',
	description: 'Only orders with this status',
	required: true,
	kind: choice(ORDER_STATUSES, { preset: ACTIVE }),
});

/** One for each unit: two filters that belong together would be added one without the other. */
const EXPIRING_WITHIN: ReadonlyArray<Field & { readonly unitMs: number }> = [
	{
		name: 'expiringWithinDays',
		displayName: 'Expiring Within (Days)',
		description: 'Only orders that expire within this many days',
		kind: number({ min: 1, max: 10_000, preset: 3 }),
		required: true,
		unitMs: DAY_MS,
	},
	{
		name: 'expiringWithinHours',
		displayName: 'Expiring Within (Hours)',
		description: 'Only orders that expire within this many hours',
		kind: number({ min: 1, max: 10_000, preset: 12 }),
		required: true,
		unitMs: HOUR_MS,
	},
];

const ORDER_LIST_FILTERS: FieldCollection = {
	name: 'filters',
	displayName: 'Filters',
	placeholder: 'Add filter',
	fields: [
		...EXPIRING_WITHIN,
		serviceField({
			serviceName: 'pay_type',
			displayName: 'Pay Type',
			description: 'Only orders with this pay type',
			// Those that expire, which most workflows are about
			kind: choice(namedOptions(PAY_TYPES), { preset: 'PRE_PAY' }),
		}),
		{
			// Not left to the service, which has two codes for one of them and doesn't say which it takes
			name: 'product',
			displayName: 'Product',
			description: 'Only orders for this product',
			kind: choice(namedOptions(PRODUCT_LABELS, PRODUCT_DESCRIPTIONS)),
		},
	],
};

/** How long orders may last; Infinity without a filter. */
function longestMs({ textOf }: CallContext): number {
	const limits = EXPIRING_WITHIN.map(
		({ name, unitMs }) => Number(textOf(name) ?? Infinity) * unitMs,
	);
	return Math.min(...limits);
}

/** Ended orders no longer expire; pay-as-you-go orders never do. */
function expiresWithin(order: AccountOrder, ms: number, now: number): boolean {
	if (ms === Infinity) return true;
	const expiry = expiryOf(order);
	return expiry !== undefined && expiry >= now && expiry - now <= ms;
}

const LONG_ENDED_MS = DAY_MS;

/** The rank in the list: orders in force first, ended ones last, also where only their end tells. */
function rankOf(order: AccountOrder, now: number): number {
	const isOver = hasEnded(order) || statusOf(order) === 'CLOSED';
	if (isOver || (expiryOf(order) ?? Infinity) < now - LONG_ENDED_MS) return 2;
	return isInForce(order) ? 0 : 1;
}

/** Active orders first, the soonest to end on top; ended ones last, the latest on top. */
function byUrgency(now: number): (a: AccountOrder, b: AccountOrder) => number {
	return (a, b) => {
		const [first, second] = [rankOf(a, now), rankOf(b, now)];
		if (first !== second) return first - second;
		return first === 2 ? byExpiry(b, a) : byExpiry(a, b);
	};
}

export const orderGetAll = callOperation({
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many orders',
		description: "List the account's orders: active ones first, soonest to expire on top",
	},
	work: querying(accountOrders),
	fields: [statusField],
	listOf: 'orders',
	filters: ORDER_LIST_FILTERS,
	options: [simplifyField],
	toResult(list, context) {
		const { answeredAt: now } = list;
		const product = context.textOf('product');
		const orders = list.orders.filter(
			(order) => product === undefined || productOf(order) === product,
		);
		const toItem = isSimplified(context, context.item.isForAgent) ? simplifiedOrder : orderItem;
		const longest = longestMs(context);
		const wanted = orders.filter((order) => expiresWithin(order, longest, now));
		return {
			records: wanted.sort(byUrgency(now)).map((order) => toItem(order, now)),
			failure: longest === Infinity ? undefined : unreadableExpiryError(orders),
		};
	},
	hintForNone: "No orders match. Choose another 'Status', or remove some of the 'Filters'.",
});
