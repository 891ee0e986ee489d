import type { INodeProperties } from 'n8n-workflow';

import { type FieldTexts, toProperty, type Field } from '../../shared/fields/field';
import { orderProperty } from '../../shared/orders/orderField';
import { isEmpty } from '../../shared/guards';
import type { Item } from '../run/item';
import { PROXY_PRODUCTS, productField } from './products';
import {
	EVERY_REQUEST,
	minimumSecondsLeftField,
	NUM,
	OPTION_PRESETS,
	ptField,
	refusedEveryRequest,
	reuseField,
	SESSION_MINUTES,
	sessionPerItemField,
} from './products/product';
import { tunnelPro } from './products/tunnels';
import {
	fieldsOf,
	includeSecretsField,
	loginField,
	nestedCollections,
	optionFields,
	productReader,
	type ProxyRequest,
} from './productFields';

/** The pages decide how many are needed, each has a session of its own and half a minute, and all go by HTTP. */
const GIVEN: FieldTexts = new Map([
	[NUM, '1'],
	[sessionPerItemField.name, '1'],
	['session', ''],
	[ptField.name, '1'],
	[minimumSecondsLeftField.name, '30'],
]);

/** Interval in minutes of a session for which none was chosen. */
const MINUTES_OF_SESSION = 10;

/** The texts of options that were not added: what is there is used, as it was paid for. */
const PAGE_PRODUCT_PRESETS: FieldTexts = new Map([...OPTION_PRESETS, [reuseField.name, '1']]);

/** Redirects of a page, and pages of a session, need the same IP. */
const TUNNEL_PRO_MINUTES = '1';

/** The fields that say which proxies a page is opened through, in the order of the editor. */
export const providerProperties: INodeProperties[] = [
	// Above 'Order', whose list depends on it
	toProperty(productField),
	orderProperty,
	...Object.values(PROXY_PRODUCTS)
		.flatMap((product) => fieldsOf(product))
		.filter(({ name }) => !GIVEN.has(name))
		.map(toProperty),
];

/** Others of them, which stand in 'Options'. */
export const providerOptionProperties: INodeProperties[] = nestedCollections('filters');

/** Options that pages don't have: given ones, and those of how proxies come out of an extraction. */
const NOT_FOR_PAGES = new Set([
	...GIVEN.keys(),
	...[loginField.name, includeSecretsField.name],
	...['format', 'sep', 'sort'],
]);

/** An option as pages have it. */
function forPages(field: Field): Field {
	if (field.name !== SESSION_MINUTES) return field;
	const { kind, when = {} } = field;
	if (when[productField.name]?.includes(tunnelPro.code)) {
		const property = { ...kind.property, default: Number(TUNNEL_PRO_MINUTES) };
		return { ...field, kind: { ...kind, property } };
	}
	const kept = `With a Session Key, The Order's Setting means ${MINUTES_OF_SESSION} minutes.`;
	return { ...field, description: `How long an IP stays before it changes. ${kept}` };
}

/** Fields for the operation's collection 'Options'. */
export const providerOptions: Field[] = optionFields(PAGE_PRODUCT_PRESETS)
	.filter(({ name }) => !NOT_FOR_PAGES.has(name))
	.map(forPages);

const readProduct = productReader([]);

/** The texts of options that were not added to an item. */
function presetsOf(item: Item, keepsIp: boolean): FieldTexts {
	const isTunnelPro = item.parameter(productField.name) === tunnelPro.code;
	if (!isTunnelPro && !keepsIp) return PAGE_PRODUCT_PRESETS;
	// An added one is left out only where it says no interval
	const isAdded = Object.hasOwn(item.callOptions().options, SESSION_MINUTES);
	const minutes = isTunnelPro && !isAdded ? TUNNEL_PRO_MINUTES : String(MINUTES_OF_SESSION);
	return new Map([...PAGE_PRODUCT_PRESETS, [SESSION_MINUTES, minutes]]);
}

/**
 * Reads and checks the proxies that an item asks for: nothing has been sent when it throws.
 *
 * @param keepsIp whether several pages need the same IP
 * @throws InvalidFieldError
 */
export function readProviderRequest(item: Item, keepsIp = false): ProxyRequest {
	const { options } = item.callOptions();
	const { [SESSION_MINUTES]: entered, ...others } = options;
	// Of any other type, reading the field refuses it
	const isText = typeof entered === 'string' || typeof entered === 'number';
	const isEveryRequest = isText && String(entered).trim() === String(EVERY_REQUEST.value);
	if (keepsIp && isEveryRequest) {
		throw refusedEveryRequest("Pages with a 'Session Key'", 'Session Key');
	}
	// Nobody says whether and when the order changes an IP by itself
	const isUnsaid = keepsIp && isEmpty(entered);
	const valueOf = (name: string) =>
		isUnsaid && name === 'options' ? others : item.parameter(name);
	const presets = presetsOf(item, keepsIp);
	return { ...readProduct(valueOf, GIVEN, presets).request, keepsIp };
}
