import type { INodeProperties } from 'n8n-workflow';

import { InvalidFieldError } from '../../shared/fields/invalidFieldError';
import { readCollection } from '../../shared/fields/readCollection';
import { namedOptions } from '../../shared/fields/valueKinds';
import { isList, ownValue } from '../../shared/guards';
import type { AccountOrder } from '../../shared/orders/accountOrders';
import { PRODUCT_NAMES } from '../../shared/service/orderTerms';

const PRODUCTS_LABEL = 'Products';

export const orderFilters: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	options: [
		{
			displayName: PRODUCTS_LABEL,
			name: 'products',
			type: 'multiOptions',
			options: namedOptions(PRODUCT_NAMES),
			default: [],
			description: 'Only orders of these products; none chosen means all',
		},
	],
};

/**
 * Whether an order passes the filters.
 *
 * @throws InvalidFieldError
 */
export function readOrderFilters(value: unknown): (order: AccountOrder) => boolean {
	const products = ownValue(readCollection(value, 'Filters'), 'products') ?? [];
	if (!isList(products)) {
		throw new InvalidFieldError(PRODUCTS_LABEL, products, 'Allowed: a list of products.');
	}
	return (order) => products.length === 0 || products.includes(ownValue(order, 'product'));
}
