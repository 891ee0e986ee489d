import type { Field } from '../../../shared/fields/field';
import { choice, namedOptions } from '../../../shared/fields/kinds';
import {
	isProductCode,
	PRODUCT_DESCRIPTIONS,
	PRODUCT_LABELS,
	type ProductCode,
} from '../../../shared/service/products';
import type { ProxyProduct } from './product';
import { dedicatedProxy } from './dedicatedProxy';
import { openProxy } from './openProxy';
import { overseasDynamic, overseasStatic } from './overseas';
import { privateProxy } from './privateProxy';
import { DOMESTIC_STATUSES, type ProxyStatuses } from '../proxyStatuses';
import { tunnel, tunnelPro } from './tunnels';

/** All products, in the order of the menu. */
export const PROXY_PRODUCTS: Readonly<Record<ProductCode, ProxyProduct>> = {
	KPS: dedicatedProxy,
	OPS: openProxy,
	FPS: overseasDynamic,
	SFPS: overseasStatic,
	DPS: privateProxy,
	TPS: tunnel,
	TPS_PRO: tunnelPro,
};

const CODES = Object.keys(PROXY_PRODUCTS);

export const productField: Field = {
	name: 'product',
	displayName: 'Product',
	description:
		'The product of the order. When a request through one of its proxies fails, see <a href="https://github.com/n8n-nodes-kuaidaili/n8n-nodes-kuaidaili/blob/main/docs/failing-requests.md" target="_blank">what its status means</a>.',
	required: true,
	kind: choice(namedOptions(PRODUCT_LABELS, PRODUCT_DESCRIPTIONS, CODES), { preset: 'DPS' }),
};

/** The statuses that the proxies of a product answer with; those of most products for an unknown code. */
export function statusesOf(product: string): ProxyStatuses {
	return isProductCode(product) ? PROXY_PRODUCTS[product].statuses : DOMESTIC_STATUSES;
}
