import type { INodeProperties } from 'n8n-workflow';

import { displayOptionsOf, type FieldTexts } from '../../shared/fields/conditions';
import { toCollection, toMembers, toProperty, type Field } from '../../shared/fields/field';
import { simpleText } from '../../shared/fields/valueKinds';
import { orderProperty } from '../../shared/orders/orderField';
import type { Item } from '../item/item';
import { readerWithOptions } from '../parameters/callOptions';
import { PROXY_PRODUCTS, productField } from './products';
import {
	maxExtractionsField,
	EVERY_REQUEST,
	NUM,
	ptField,
	refusedEveryRequest,
	reuseField,
	SESSION_MINUTES,
	sessionPerItemField,
	waitForNewOrderField,
	type ProxyProduct,
} from './products/product';
import { tunnelPro } from './products/tunnels';
import {
	collectionsOf,
	fieldsOf,
	membersOf,
	productReader,
	waitForCallersField,
	type ProxyRequest,
} from './productFields';

/** The pages decide how many are needed, each page has a session of its own, and all go by HTTP. */
const GIVEN: FieldTexts = new Map([
	[NUM, '1'],
	[sessionPerItemField.name, '1'],
	['session', ''],
	[ptField.name, '1'],
]);

/** Interval in minutes of a session for which none was chosen. */
const MINUTES_OF_SESSION = 10;

/** Other presets for pages than for extractions: redirects of a page, and pages of a session, need the same IP. */
function forPages(product: ProxyProduct, field: Field): Partial<INodeProperties> {
	if (field.name === reuseField.name) return { default: true };
	if (field.name !== SESSION_MINUTES) return {};
	if (product === tunnelPro) return { default: 1 };
	const kept = `With a Session Key, The Order's Setting means ${MINUTES_OF_SESSION} minutes.`;
	return { description: `How long an IP stays before it changes. ${kept}` };
}

/** Fields that stand in 'Options' of pages, and their presets. */
const OPTION_PRESETS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
	['filters', {}],
	['minimumSecondsLeft', 30],
	[reuseField.name, true],
]);

const ofProducts = Object.values(PROXY_PRODUCTS).flatMap((product) =>
	fieldsOf(product, GIVEN).map((field) => ({ field, more: forPages(product, field) })),
);

/** The fields that say which proxies a page is opened through, in the order of the editor. */
export const providerProperties: INodeProperties[] = [
	// Above 'Order', whose list depends on it
	toProperty(productField),
	orderProperty,
	...ofProducts
		.filter(({ field }) => !OPTION_PRESETS.has(field.name))
		.map(({ field, more }) => ({ ...toProperty(field), ...more })),
];

/** Others of them, which stand in 'Options'. */
export const providerOptionProperties: INodeProperties[] = [
	...ofProducts
		.filter(({ field }) => OPTION_PRESETS.has(field.name))
		.flatMap(({ field, more }) => {
			// In 'Options', a switch that was not added has no value to look at
			const conditions = Object.entries(field.when ?? {});
			const when = Object.fromEntries(conditions.filter(([name]) => name !== reuseField.name));
			return toMembers([{ ...field, when }]).map((member) => ({ ...member, ...more }));
		}),
	...collectionsOf('filters').map((collection) => ({
		...toCollection(collection),
		displayOptions: displayOptionsOf(collection.when, new Set()),
	})),
];

const SHARED_OPTIONS = [maxExtractionsField, waitForCallersField, waitForNewOrderField];

/** Fields for the operation's collection 'Options'. */
export const providerOptions: Field[] = membersOf('options').filter(({ name }) =>
	SHARED_OPTIONS.some((option) => option.name === name),
);

const readProduct = productReader([]);

/**
 * The interval of a session. Nobody says whether and when the order changes an IP by itself.
 *
 * @throws InvalidFieldError where it is to change with each request
 */
function keptMinutes(value: unknown): unknown {
	const text = simpleText(value);
	if (text === undefined) return MINUTES_OF_SESSION;
	if (text !== String(EVERY_REQUEST.value)) return value;
	throw refusedEveryRequest("Pages with a 'Session Key'", 'Session Key');
}

/**
 * Reads and checks the proxies that an item asks for: nothing has been sent when it throws.
 *
 * @param keepsIp whether several pages need the same IP
 * @throws InvalidFieldError
 */
export function readProviderRequest(item: Item, keepsIp = false): ProxyRequest {
	const parameter = readerWithOptions(item, OPTION_PRESETS);
	const valueOf = (name: string) => {
		const value = parameter(name);
		return keepsIp && name === SESSION_MINUTES ? keptMinutes(value) : value;
	};
	return { ...readProduct(valueOf, item.callOptions().check, GIVEN).request, keepsIp };
}
