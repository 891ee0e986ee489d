import type { Conditions } from '../../../../shared/fields/conditions';
import { serviceField, type ServiceField } from '../../../../shared/fields/field';
import { typedAmount } from '../../../../shared/fields/valueKinds';
import { WHITELIST_SIZE } from '../../../../shared/service/orderTerms';

/** A field that is there under these conditions; others of its name have other values. */
export function variant(
	when: Conditions,
	field: Omit<ServiceField, 'name'>,
	required = true,
): ServiceField {
	return { ...serviceField(field), when, required };
}

export function whitelistSize(product: 'DPS' | 'KPS'): ServiceField {
	return variant(
		{ product: [product] },
		{
			serviceName: `${product.toLowerCase()}.whiteip_count`,
			displayName: 'Whitelist Size',
			description: 'How many addresses may use the proxies without a password',
			kind: typedAmount(WHITELIST_SIZE, WHITELIST_SIZE.preset),
		},
	);
}
