import { mapValues } from '../guards';
import { alphabetically, enumerated } from '../wording';

/*
 * What the service sells, and what it says of an order: codes with their names in the editor. Source:
 * specification of createorder and getaccountorders.
 */

export const PAY_TYPES = {
	PRE_PAY: 'Prepaid',
	PRE_PAY_IP: 'Pay per IP',
	POST_PAY: 'Pay-As-You-Go',
} as const;

export type PayType = keyof typeof PAY_TYPES;

export const PAY_TYPE_DESCRIPTIONS: Readonly<Record<PayType, string>> = {
	PRE_PAY: 'Paid up front for a fixed duration',
	PRE_PAY_IP: 'Paid up front for a number of IPs',
	POST_PAY: 'Charged by usage. The order runs until you close it.',
};

export const PRODUCTS = {
	DPS: { name: 'Private Proxy', payTypes: ['PRE_PAY', 'PRE_PAY_IP'] },
	KPS: { name: 'Dedicated Proxy', payTypes: ['PRE_PAY'] },
	OPS: { name: 'Open Proxy', payTypes: ['PRE_PAY'] },
	TPS: { name: 'Tunnel Proxy', payTypes: ['PRE_PAY', 'POST_PAY'] },
} as const satisfies Record<string, { name: string; payTypes: readonly PayType[] }>;

/** A product that createorder takes. */
type PurchasableProduct = keyof typeof PRODUCTS;

/** A product whose orders have proxies. */
export type ProductCode = PurchasableProduct | 'FPS' | 'SFPS' | 'TPS_PRO';

const PRODUCT_NAMES: Readonly<Record<ProductCode, string>> = {
	...mapValues(PRODUCTS, ({ name }) => name),
	// Not through createorder
	FPS: 'Overseas Dynamic Proxy',
	SFPS: 'Overseas Static Proxy',
	TPS_PRO: 'Tunnel Pro',
};

export function isProductCode(value: unknown): value is ProductCode {
	return typeof value === 'string' && Object.hasOwn(PRODUCT_NAMES, value);
}

export const PRODUCT_DESCRIPTIONS: Readonly<Record<ProductCode, string>> = {
	DPS: 'Short-lived IPs in China that you extract when you need them',
	FPS: 'Changing residential IPs abroad, by a tunnel or by extraction',
	KPS: 'Long-lived IPs in China, shared or yours alone',
	OPS: 'Public proxies in large numbers, mostly short-lived',
	SFPS: 'Residential IPs abroad that stay the same',
	TPS: 'One fixed address whose IP in China changes automatically',
	TPS_PRO: 'A tunnel in China with sessions, and a choice of region, province, and city',
};

/** Names in the member center; for searches only. */
export const CHINESE_PRODUCT_NAMES: Readonly<Record<ProductCode, string>> = {
	DPS: '私密代理',
	FPS: '海外动态代理 海外代理',
	KPS: '独享代理',
	OPS: '开放代理',
	SFPS: '海外静态代理 海外代理',
	TPS: '隧道代理',
	TPS_PRO: '隧道代理 Pro',
};

/** Names with their codes, as the editor offers them: the service's documentation and answers use the codes. */
export const PRODUCT_LABELS: Readonly<Record<ProductCode, string>> = mapValues(
	PRODUCT_NAMES,
	(name, code) => `${name} (${code})`,
);

/** An order of a product within a sentence, such as "an open proxy order". */
export function orderOf(code: string): string {
	const name = nameIn(PRODUCT_NAMES, code);
	const words = code === 'TPS_PRO' ? name : name.toLowerCase();
	return `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words} order`;
}

/**
 * The advice about an order of another product than the one in 'Product', as a whole sentence.
 *
 * @param ofOrder the codes that the order's product may have
 */
export function otherProductAdvice(ofOrder: readonly string[], chosen: string): string {
	const labels = ofOrder.map((code) => `'${nameIn(PRODUCT_LABELS, code)}'`);
	return `Set 'Product' to ${enumerated(labels)}, or choose ${orderOf(chosen)} in 'Order'.`;
}

/** The details of an order have another code for overseas static proxies than the list. */
const OTHER_CODES: Readonly<Record<string, string>> = { FPS_STATIC: 'SFPS' };

/** A code as the service documents it: some answers may have it in lower case; undefined where there is none. */
export function normalizedCode(code: unknown): string | undefined {
	const isText = typeof code === 'string' || typeof code === 'number';
	const text = isText ? String(code).trim().toUpperCase() : '';
	return text === '' ? undefined : text;
}

function nameIn(names: Readonly<Record<string, string>>, code: string): string {
	const listed = listedProduct(code) ?? '';
	return Object.hasOwn(names, listed) ? names[listed] : code;
}

export function productName(code: string): string {
	return nameIn(PRODUCT_NAMES, code);
}

export function payTypeName(code: string): string {
	return nameIn(PAY_TYPES, code);
}

/** The code that the editor offers, for any code of an answer. */
export function listedProduct(code: unknown): string | undefined {
	const normalized = normalizedCode(code);
	return normalized === undefined ? undefined : (OTHER_CODES[normalized] ?? normalized);
}

function isPurchasable(code: string): code is PurchasableProduct {
	return Object.hasOwn(PRODUCTS, code);
}

/** Codes in the order of their names, as the editor lists them. */
export const PRODUCT_CODES: readonly PurchasableProduct[] = Object.keys(PRODUCTS)
	.filter(isPurchasable)
	.sort((a, b) => alphabetically(PRODUCTS[a].name, PRODUCTS[b].name));

/** `outOfForce` has the words behind "the order" where it is not in force. */
export const ORDER_STATUSES: ReadonlyArray<Named<string> & { readonly outOfForce?: string }> = [
	{ value: 'VALID', name: 'Active' },
	{ value: 'ALL', name: 'All' },
	{ value: 'WAIT_PAY', name: 'Awaiting Payment', outOfForce: 'is awaiting payment' },
	{ value: 'FORBIDDEN', name: 'Banned', outOfForce: 'is banned' },
	{ value: 'CLOSED', name: 'Closed', outOfForce: 'is closed' },
	{ value: 'EXPIRED', name: 'Expired', outOfForce: 'has ended' },
	{ value: 'OPENING', name: 'Opening', outOfForce: 'is still being set up' },
	{ value: 'OWING', name: 'Payment Overdue', outOfForce: 'has an overdue payment' },
];

export const ACTIVE = 'VALID';

/** Whole numbers from `min` to `max` in steps; without `max` the service states none. */
export interface AmountRange {
	readonly min: number;
	readonly max?: number;
	readonly step?: number;
}

/** A value of the service with its name in the editor, as a choice there takes it. */
export interface Named<T extends number | string> {
	readonly value: T;
	readonly name: string;
	readonly description?: string;
}

/** The carriers that every endpoint knows; some endpoints know more. Sorted by name. */
export const CARRIERS: ReadonlyArray<Named<number>> = [
	{ value: 3, name: 'China Mobile' },
	{ value: 2, name: 'China Telecom' },
	{ value: 1, name: 'China Unicom' },
];

/** @returns undefined for codes that are no carrier, such as -1 where none is available */
export function carrierName(code: unknown): string | undefined {
	return CARRIERS.find(({ value }) => String(value) === String(code))?.name;
}
