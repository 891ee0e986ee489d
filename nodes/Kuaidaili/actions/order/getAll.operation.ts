import type { INodeProperties } from 'n8n-workflow';

import {
	readField,
	readRequiredField,
	serviceField,
	toProperty,
} from '../../../shared/fields/field';
import { readCollection } from '../../../shared/fields/readCollection';
import { choice, namedOptions } from '../../../shared/fields/valueKinds';
import { ownValue, type UnknownRecord } from '../../../shared/guards';
import { fetchAccountOrders, type AccountOrder } from '../../../shared/orders/accountOrders';
import { byExpiry, expiryOf, withExpiry } from '../../../shared/orders/expiry';
import { expiringWithin, readTimeWindow } from '../../../shared/orders/timeWindow';
import {
	IN_FORCE,
	ORDER_STATUSES,
	PAY_TYPES,
	PRODUCT_NAMES,
} from '../../../shared/service/orderTerms';
import { executionCaller } from '../../../shared/transport/nodeCaller';
import { optionsCollection, readCallOptions } from '../../parameters/callOptions';
import { listLengthProperties, readListLength } from '../../parameters/listLength';
import { toRecord } from '../../../shared/toRecord';
import type { Operation } from '../operation';

const statusField = serviceField({
	serviceName: 'status',
	displayName: 'Status',
	description: 'Only orders in this state',
	kind: choice(ORDER_STATUSES, { preset: IN_FORCE }),
});

const SERVICE_FILTERS = [
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
];

const filters: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	options: [
		toProperty(expiringWithin.amount),
		toProperty(expiringWithin.unit),
		...SERVICE_FILTERS.map(toProperty),
	],
};

const NONE = "No order matches. Choose another 'Status', or remove some of the 'Filters'.";

/** How long orders may last; Infinity without the filter. */
function longestMs(entered: UnknownRecord): number {
	const { amount, unit } = expiringWithin;
	if (!Object.hasOwn(entered, amount.name)) return Infinity;
	const withUnit: UnknownRecord = { [unit.name]: 'days', ...entered };
	return readTimeWindow(expiringWithin, (name) => ownValue(withUnit, name)).ms;
}

/** Ended orders no longer expire; orders that are paid as used never do. */
function expiresWithin(order: AccountOrder, ms: number, now: number): boolean {
	if (ms === Infinity) return true;
	const expiry = expiryOf(order);
	return expiry !== undefined && expiry >= now && expiry - now <= ms;
}

export const getAllOperation: Operation = {
	option: {
		name: 'Get Many',
		value: 'getAll',
		action: 'Get many orders',
		description: 'List the orders of the account, those that expire first at the top',
	},
	properties: [toProperty(statusField), ...listLengthProperties, filters, optionsCollection([])],
	async execute(context, itemIndex) {
		const valueOf = (name: string): unknown => context.getNodeParameter(name, itemIndex, '');
		const { timeoutMs, check } = readCallOptions(valueOf('options'));
		const status = readRequiredField(statusField, valueOf(statusField.name), { check });
		const parameters: Record<string, string> = { [statusField.serviceName]: status };
		const entered = readCollection(valueOf('filters'), 'Filters');
		for (const field of SERVICE_FILTERS) {
			const text = readField(field, ownValue(entered, field.name), { check });
			if (text !== undefined) parameters[field.serviceName] = text;
		}
		const longest = longestMs(entered);
		const length = readListLength(context, itemIndex);
		const caller = await executionCaller(context, itemIndex, timeoutMs);
		const { orders, answeredAt } = await fetchAccountOrders(caller, parameters);
		const wanted = orders
			.filter((order) => expiresWithin(order, longest, answeredAt))
			.sort(byExpiry);
		return {
			records: wanted.slice(0, length).map((order) => toRecord(withExpiry(order, answeredAt))),
			hint: wanted.length === 0 ? NONE : undefined,
		};
	},
};
