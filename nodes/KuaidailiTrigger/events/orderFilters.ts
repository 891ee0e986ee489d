import type { INodeProperties } from 'n8n-workflow';

import { readCollection } from '../../shared/fields/field';
import { InvalidFieldError } from '../../shared/fields/invalidFieldError';
import { namedOptions } from '../../shared/fields/valueKinds';
import { isList, ownValue, type UnknownRecord } from '../../shared/guards';
import type { AccountOrder } from '../../shared/queries/account';
import { payTypeOf, productOf } from '../../shared/orders/orderState';
import { PAY_TYPES, PRODUCT_LABELS } from '../../shared/service/products';

/** A filter by one field of an order; none chosen means all. */
interface FilterField {
	readonly name: string;
	readonly displayName: string;
	readonly description: string;
	readonly codeOf: (order: AccountOrder) => string | undefined;
	readonly names: Readonly<Record<string, string>>;
}

/** Pay-as-you-go orders run until they are closed, so no event is about them. */
const PAY_TYPES_THAT_END = Object.fromEntries(
	Object.entries(PAY_TYPES).filter(([code]) => code !== 'POST_PAY'),
);

const FILTERS: readonly FilterField[] = [
	{
		name: 'payTypes',
		displayName: 'Pay Types',
		description: 'Only orders with these pay types. Leave empty for all.',
		codeOf: payTypeOf,
		names: PAY_TYPES_THAT_END,
	},
	{
		name: 'products',
		displayName: 'Products',
		description: 'Only orders for these products. Leave empty for all.',
		codeOf: productOf,
		names: PRODUCT_LABELS,
	},
];

export const orderFilters: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	options: FILTERS.map(({ name, displayName, description, names }) => ({
		displayName,
		name,
		type: 'multiOptions',
		options: namedOptions(names),
		default: [],
		description,
	})),
};

function chosenIn(collection: UnknownRecord, { name, displayName, names }: FilterField): unknown[] {
	const chosen = ownValue(collection, name) ?? [];
	if (isList(chosen)) return chosen;
	throw new InvalidFieldError(
		displayName,
		chosen,
		`Allowed: a list of codes, such as ["${Object.keys(names)[0]}"].`,
	);
}

export function readOrderFilters(value: unknown): (order: AccountOrder) => boolean {
	const collection = readCollection(value, 'Filters');
	const filters = FILTERS.map((filter) => ({ ...filter, chosen: chosenIn(collection, filter) }));
	return (order) =>
		filters.every(({ chosen, codeOf }) => chosen.length === 0 || chosen.includes(codeOf(order)));
}
