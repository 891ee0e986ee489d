import { toProperty, type Field, FieldReader } from '../../../../shared/fields/field';
import { choice, flag, text } from '../../../../shared/fields/valueKinds';
import { orderProperty } from '../../../../shared/orders/orderField';
import { PRODUCT_DESCRIPTIONS, PRODUCT_LABELS } from '../../../../shared/service/products';
import { optionsCollection } from '../../../parameters/callOptions';
import type { Item } from '../../../operation';
import { readProxyAddress } from '../proxyAddress';

const OPEN = 'OPS';

export const productField: Field = {
	name: 'product',
	displayName: 'Product',
	description: 'The product of the order. Kuaidaili checks no others.',
	required: true,
	decides: true,
	kind: choice(
		[
			{ name: PRODUCT_LABELS.OPS, value: OPEN, description: PRODUCT_DESCRIPTIONS.OPS },
			{ name: PRODUCT_LABELS.DPS, value: 'DPS', description: PRODUCT_DESCRIPTIONS.DPS },
		],
		{ preset: 'DPS' },
	),
};

const anyText = text('the URL or the address of a proxy', () => true);

const proxyField: Field = {
	name: 'proxy',
	displayName: 'Proxy',
	description:
		'The proxy to check: its URL, its address, or an object that holds either. Only the address is sent, without the login.',
	kind: {
		...anyText,
		property: { ...anyText.property, default: '={{ $json.proxyUrl }}' },
	},
};

const onlyValidField: Field = {
	name: 'onlyValid',
	displayName: 'Only Valid',
	description: 'Whether to leave out the items whose proxy does not work',
	kind: { ...flag, property: { type: 'boolean', default: false } },
};

/** The fields in the editor. */
export const checkProperties = [
	// Above 'Order', whose list depends on it
	toProperty(productField),
	orderProperty,
	toProperty(proxyField),
	toProperty(onlyValidField),
	optionsCollection([]),
];

/** What is to be checked for one item. */
export interface CheckRequest {
	readonly isOpen: boolean;
	/** `host:port` */
	readonly address: string;
	readonly onlyValid: boolean;
}

/** @throws InvalidFieldError */
export function readCheckRequest(item: Item): CheckRequest {
	const { check } = item.callOptions();
	const valueOf = (name: string): unknown => item.parameter(name);
	const reader = new FieldReader({ check }).read([productField, onlyValidField], valueOf);
	return {
		isOpen: reader.text(productField.name) === OPEN,
		address: readProxyAddress(valueOf(proxyField.name), proxyField.displayName),
		onlyValid: reader.text(onlyValidField.name) !== undefined,
	};
}
