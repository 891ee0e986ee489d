import { serviceField } from '../../../shared/fields/field';
import type { FieldCollection } from '../../../shared/fields/fieldCollection';
import { choice, namedOptions } from '../../../shared/fields/valueKinds';
import { accountOrders, type AccountOrder } from '../../../shared/orders/accountOrders';
import { byExpiry, expiryOf, withExpiry } from '../../../shared/orders/expiry';
import { expiringWithin, readTimeWindow } from '../../../shared/orders/timeWindow';
import {
	IN_FORCE,
	ORDER_STATUSES,
	PAY_TYPES,
	PRODUCT_NAMES,
} from '../../../shared/service/orderTerms';
import { toRecord } from '../../../shared/toRecord';
import { callOperation, type Asked } from '../callOperation';

const statusField = serviceField({
	serviceName: 'status',
	displayName: 'Status',
	description: 'Only orders in this state',
	required: true,
	kind: choice(ORDER_STATUSES, { preset: IN_FORCE }),
});

const FILTERS: FieldCollection = {
	name: 'filters',
	displayName: 'Filters',
	placeholder: 'Add filter',
	fields: [
		{ ...expiringWithin.amount, required: true },
		expiringWithin.unit,
		serviceField({
			serviceName: 'pay_type',
			displayName: 'Pay Type',
			description: 'Only orders that are paid in this way',
			kind: choice(namedOptions(PAY_TYPES)),
		}),
		serviceField({
			serviceName: 'product',
			displayName: 'Product',
			description: 'Only orders of this product',
			kind: choice(namedOptions(PRODUCT_NAMES)),
		}),
	],
};

/** How long orders may last; Infinity without the filter. */
function longestMs({ text }: Asked): number {
	const { amount, unit } = expiringWithin;
	if (text(amount.name) === undefined) return Infinity;
	const valueOf = (name: string) => text(name) ?? (name === unit.name ? 'days' : undefined);
	return readTimeWindow(expiringWithin, valueOf).ms;
}

/** Ended orders no longer expire; orders that are paid as used never do. */
function expiresWithin(order: AccountOrder, ms: number, now: number): boolean {
	if (ms === Infinity) return true;
	const expiry = expiryOf(order);
	return expiry !== undefined && expiry >= now && expiry - now <= ms;
}

export const getAllOperation = callOperation({
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many orders',
		description: 'List the orders of the account, those that expire first at the top',
	},
	query: accountOrders,
	fields: [statusField],
	isList: true,
	filters: FILTERS,
	toResult({ orders, answeredAt }, asked) {
		const longest = longestMs(asked);
		const wanted = orders
			.filter((order) => expiresWithin(order, longest, answeredAt))
			.sort(byExpiry);
		return { records: wanted.map((order) => toRecord(withExpiry(order, answeredAt))) };
	},
	hintForNone: "No order matches. Choose another 'Status', or remove some of the 'Filters'.",
});
