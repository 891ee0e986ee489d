import type { Field } from '../../../shared/fields/field';
import { choice, namedOptions } from '../../../shared/fields/valueKinds';
import { PRODUCT_DESCRIPTIONS, PRODUCT_LABELS } from '../../../shared/service/products';
import type { ExtractProduct } from './product';
import { dedicatedProxy } from './dedicatedProxy';
import { openProxy } from './openProxy';
import { overseasDynamic, overseasStatic } from './overseas';
import { privateProxy } from './privateProxy';
import { tunnel, tunnelPro } from './tunnels';

/** In the order of the menu. */
export const PRODUCTS: readonly ExtractProduct[] = [
	dedicatedProxy,
	openProxy,
	overseasDynamic,
	overseasStatic,
	privateProxy,
	tunnel,
	tunnelPro,
];

const CODES = PRODUCTS.map(({ value }) => value);

export const productField: Field = {
	name: 'product',
	displayName: 'Product',
	description:
		'The product of the order. When a request through one of its proxies fails, see <a href="https://github.com/n8n-nodes-kuaidaili/n8n-nodes-kuaidaili/blob/main/docs/failing-requests.md" target="_blank">what its status means</a>.',
	required: true,
	decides: true,
	kind: choice(namedOptions(PRODUCT_LABELS, PRODUCT_DESCRIPTIONS, CODES), { preset: 'DPS' }),
};
