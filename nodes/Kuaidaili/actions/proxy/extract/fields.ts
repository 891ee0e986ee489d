import type { INodeProperties } from 'n8n-workflow';

import {
	type Conditions,
	type FieldTexts,
	toProperty,
	type Field,
	InvalidFieldError,
} from '../../../../shared/fields/field';
import { choice, textKind, number } from '../../../../shared/fields/kinds';
import { orderProperty } from '../../../../shared/orders/orderField';
import { optionsCollection, orderedOptions } from '../../../parameters/callOptions';
import { PROXY_PRODUCTS, productField } from '../../../proxies/products';
import type { ProxyReport } from '../../../proxies/proxyPool';
import type { ItemGroup, TakenProxies } from '../../../proxies/takeProxies';
import { NUM, OPTION_PRESETS, OUTPUT } from '../../../proxies/products/product';
import {
	fieldsOf,
	includeSecretsField,
	loginField,
	nestedCollections,
	NO_LOGIN,
	optionFields,
	productReader,
	type ProxyRequest,
} from '../../../proxies/productFields';

const outputField: Field = {
	name: OUTPUT,
	displayName: 'Output',
	description: 'What the output items look like',
	required: true,
	kind: choice(
		[
			{
				name: 'All in One Item',
				value: 'allInOne',
				description: 'A single item with the count and a list of the proxies',
			},
			{
				name: 'Each Proxy as an Item',
				value: 'eachProxy',
				description: 'One item per proxy, ready for the next node',
			},
			{
				name: 'One Proxy for Each Input Item',
				value: 'forEachInput',
				description: 'The input items as they are, each with a proxy',
			},
		],
		{ preset: 'eachProxy' },
	),
};

/** The field of each item in which everything else about its proxy is put. */
export const PROXY_DETAILS = 'proxyDetails';

const FOR_EACH: Conditions = { [outputField.name]: ['forEachInput'] };

export const proxyFieldField: Field = {
	name: 'proxyField',
	displayName: 'Proxy Field',
	description: 'The field of each item in which the URL of its proxy is put',
	required: true,
	when: FOR_EACH,
	kind: {
		...textKind(
			"the name of a field, without a dot, but not 'error' or 'proxyDetails'",
			(text) => !['error', PROXY_DETAILS, '__proto__'].includes(text) && !text.includes('.'),
		),
		property: { type: 'string', default: 'proxyUrl' },
	},
};

const itemsPerProxyField: Field = {
	name: 'itemsPerProxy',
	displayName: 'Items per Proxy',
	description: 'How many items share a proxy',
	required: true,
	when: FOR_EACH,
	kind: number({ min: 1, max: 100_000, preset: 1 }),
};

/** The fields after those of the product, in the order of the editor. */
const AFTER_PRODUCT = [proxyFieldField, itemsPerProxyField];

/** The texts of options that were not added. */
const EXTRACT_PRESETS: FieldTexts = new Map([...OPTION_PRESETS, [loginField.name, 'inUrl']]);

/** The order of 'Options': by what they are about, each section beginning with what most want. */
const EXTRACT_OPTION_ORDER = [
	// Which proxies
	...['reuse', 'minimumSecondsLeft', 'filters', 'sessionPerItem', 'session', 'sessionMinutes'],
	...['region', 'area', 'continent', 'suffix', 'pt', 'sort'],
	// What comes out
	...['extraFields', 'login', 'includeSecrets'],
	// How many, and when
	'maxExtractionsPerRun',
	// Calls of the service
	...['timeout', 'format', 'sep'],
];

export const extractProperties: INodeProperties[] = [
	// Above 'Order', whose list depends on it
	toProperty(productField),
	orderProperty,
	toProperty(outputField),
	...Object.values(PROXY_PRODUCTS)
		.flatMap((product) => fieldsOf(product))
		.map(toProperty),
	...AFTER_PRODUCT.map(toProperty),
	orderedOptions(
		optionsCollection(optionFields(EXTRACT_PRESETS)),
		[...nestedCollections('filters'), ...nestedCollections('extraFields')],
		EXTRACT_OPTION_ORDER,
	),
];

const readExtractedProduct = productReader([outputField, ...AFTER_PRODUCT]);

export interface ExtractRequest extends ProxyRequest {
	readonly output: string | undefined;
	/** Whether a login is wanted that the model of an AI agent must not read. */
	readonly hidesLogin: boolean;
	readonly proxyField: string;
	readonly itemsPerProxy: number;
	/** The proxy that the item had, if it comes from an error output. */
	readonly failed?: ProxyReport;
}

/** Items that share the proxies of one extraction, by their indices. */
export interface ExtractGroup extends ItemGroup {
	readonly members: number[];
	readonly failed: ProxyReport[];
	request: ExtractRequest;
	taken?: Promise<TakenProxies>;
}

/** The checked request of an item: nothing has been sent when it throws InvalidFieldError. */
export function readExtractRequest(
	valueOf: (name: string) => unknown,
	isForAgent = false,
): ExtractRequest {
	// Replaced by what the items need
	const isForEach = valueOf(outputField.name) === 'forEachInput';
	const given = isForEach ? new Map([[NUM, '1']]) : undefined;
	const { reader, request } = readExtractedProduct(valueOf, given, EXTRACT_PRESETS);
	const wantsLogin = reader.textOf(loginField.name) === 'inUrl';
	const { username, password } = request.toLogin?.(NO_LOGIN, '') ?? NO_LOGIN;
	if (!wantsLogin && `${username}${password}` !== '') {
		throw new InvalidFieldError(
			loginField.displayName,
			'None',
			"Sessions, places and suffixes are part of the login. Choose 'In the URL', or clear those fields.",
		);
	}
	const includesSecrets = reader.textOf(includeSecretsField.name) !== undefined;
	const isSecret = wantsLogin && request.login !== undefined && !includesSecrets;
	const hidesLogin = isSecret && isForAgent;
	return {
		...request,
		wantsLogin: wantsLogin && !hidesLogin,
		hidesLogin,
		output: reader.textOf(outputField.name),
		proxyField: reader.textOf(proxyFieldField.name) ?? 'proxyUrl',
		itemsPerProxy: Number(reader.textOf(itemsPerProxyField.name) ?? 1),
	};
}
