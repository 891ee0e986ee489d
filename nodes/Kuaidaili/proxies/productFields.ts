import type { INodeProperties } from 'n8n-workflow';

import {
	displayOptionsOf,
	hasValueOf,
	type FieldTexts,
	toCollection,
	toProperty,
	type Field,
	type FieldCollection,
} from '../../shared/fields/field';
import { FieldReader, readCollection } from '../../shared/fields/reader';
import { fingerprintOf } from '../../shared/api/sign';
import { ownValue } from '../../shared/guards';
import { choice } from '../../shared/fields/kinds';
import { includeSecrets, OPTIONS_LABEL } from '../parameters/callOptions';
import type { ProductCode } from '../../shared/service/products';
import type { ExtraName } from './entries';
import { PROXY_PRODUCTS, productField } from './products';
import { openProxy } from './products/openProxy';
import {
	extrasIn,
	maxExtractionsField,
	ptField,
	type Extraction,
	type ProxyProduct,
} from './products/product';

export const loginField: Field = {
	name: 'login',
	displayName: 'Login',
	description:
		"Whether the proxies come with their user name and password. n8n saves those with the execution. Clients on the order's whitelist need none.",
	required: true,
	kind: choice([
		{
			name: 'In the URL',
			value: 'inUrl',
			description: 'In the URL of the proxy, and as fields of their own',
		},
		{ name: 'None', value: 'none', description: "For clients on the order's whitelist" },
	]),
};

export const includeSecretsField = includeSecrets(
	'Whether an AI agent that uses this node as its tool gets the user name and password of the proxies. Its model then reads them.',
);

/** The collections that products have fields in. The first two stand within the third, each where its first field is. */
const COLLECTIONS = {
	filters: { name: 'filters', displayName: 'Filters', placeholder: 'Add filter' },
	extraFields: { name: 'extraFields', displayName: 'Extra Fields', placeholder: 'Add field' },
	options: { name: 'options', displayName: OPTIONS_LABEL, placeholder: 'Add option' },
} as const;

function fieldsIn(name: keyof typeof COLLECTIONS, product: ProxyProduct): readonly Field[] {
	if (name === 'filters') return product.filters ?? [];
	if (name === 'extraFields') return product.extras ?? [];
	// All but open proxies, which serve everybody
	const ofOrders = product === openProxy ? [] : [loginField, includeSecretsField];
	return [...product.options, ...ofOrders];
}

function asInEditor(field: Field): string {
	return JSON.stringify(toProperty(field));
}

/** The fields of all products, each once, and shown for those that have it. */
function shared(of: (product: ProxyProduct) => readonly Field[], keyOf: (one: Field) => string) {
	const groups = new Map<string, { one: Field; products: string[] }>();
	for (const product of Object.values(PROXY_PRODUCTS)) {
		for (const one of of(product)) {
			const group = groups.get(keyOf(one)) ?? { one, products: [] };
			group.products.push(product.code);
			groups.set(keyOf(one), group);
		}
	}
	return [...groups.values()].map(({ one, products }) => ({
		...one,
		when: { [productField.name]: products, ...one.when },
	}));
}

/** The fields of a collection of all products. */
function membersOf(name: keyof typeof COLLECTIONS, keyOf = asInEditor): Field[] {
	return shared((product) => fieldsIn(name, product), keyOf);
}

/**
 * A collection of several products within 'Options'. Where an expression chooses the product, n8n keeps only
 * what the last collection of that name has in it: so each has the fields of all products.
 */
export function nestedCollections(name: 'filters' | 'extraFields'): INodeProperties[] {
	const fields = membersOf(name);
	const firsts = shared(
		(product) => fieldsIn(name, product).slice(0, 1),
		({ when }) => JSON.stringify(when),
	);
	return firsts.map(({ when }) => ({
		...toCollection({ ...COLLECTIONS[name], fields }),
		displayOptions: displayOptionsOf(when, new Set()),
	}));
}

/**
 * The options of all products, as the editor shows them. It can't look at an option that was not added, so a condition
 * on one holds there where its preset meets it.
 */
export function optionFields(presets: FieldTexts): Field[] {
	return membersOf('options').map((field) => {
		const conditions = Object.entries(field.when ?? {});
		const asked = conditions.filter(([name, values]) => !hasValueOf(name, values, presets));
		return { ...field, when: Object.fromEntries(asked) };
	});
}

/**
 * A collection as it is read for a product: its own fields, and those of others, to say that they don't belong here.
 */
function collectionFor(product: ProxyProduct, name: keyof typeof COLLECTIONS): FieldCollection {
	const own = fieldsIn(name, product);
	const names = new Set(own.map((field) => field.name));
	const others = membersOf(name, (field) => field.name).filter((field) => !names.has(field.name));
	return { ...COLLECTIONS[name], fields: [...own, ...others] };
}

/** The fields of a product on the first screen. */
export function fieldsOf({ code, fields }: ProxyProduct): Field[] {
	return fields.map((field) => ({
		...field,
		when: { [productField.name]: [code], ...field.when },
	}));
}

/** The proxies that an item asks for, of whatever product. */
export interface ProxyRequest extends Extraction {
	readonly product: ProductCode;
	/**
	 * Whether the service counts what it hands out, or never hands it out again. No more may be asked for
	 * than the output will have.
	 */
	readonly usesQuota: boolean;
	/** The extra values that each entry will have, in their order. */
	readonly extras: readonly ExtraName[];
	/** Whether 'Filters' may narrow down what comes. */
	readonly hasFilters: boolean;
	readonly scheme: 'http' | 'socks5';
	/** Whether several pages asked for the same IP, so that a session is sent in any case. */
	readonly keepsIp?: boolean;
	/** Whether their user names and passwords are wanted. */
	readonly wantsLogin: boolean;
	/** The most proxies of an execution; 0 sets no limit. */
	readonly maxExtractions: number;
}

export const NO_LOGIN = { username: '', password: '' };

/** Items with equal settings can share an extraction, or a source of proxies. */
export function settingsOf(request: ProxyRequest): string {
	return fingerprintOf({
		...request,
		endpoint: request.endpoint.path,
		toLogin: request.toLogin?.(NO_LOGIN, ''),
		// Of each item
		proxyField: undefined,
		failed: undefined,
	});
}

/** @param others the operation's own fields */
function readableFields(product: ProxyProduct, others: readonly Field[]) {
	return {
		product,
		fields: [...fieldsOf(product), ...others],
		collections: Object.values(COLLECTIONS).map(({ name }) => collectionFor(product, name)),
	};
}

/**
 * Makes the reader of the chosen product's fields: once for each operation, because a run may have thousands of items.
 * Nothing has been sent when it throws InvalidFieldError.
 *
 * @param others the operation's own fields
 */
export function productReader(others: readonly Field[]) {
	const fieldsOfProduct = new Map<string | undefined, ReturnType<typeof readableFields>>(
		Object.values(PROXY_PRODUCTS).map((product) => [product.code, readableFields(product, others)]),
	);
	return (
		valueOf: (name: string) => unknown,
		/** Texts in place of those that were entered. */
		given?: FieldTexts,
		/** Texts of options that were not added. */
		presets?: FieldTexts,
	) => {
		const reader = new FieldReader(given).read([productField], valueOf);
		const chosen = reader.textOf(productField.name);
		const readable = fieldsOfProduct.get(chosen);
		// Nothing else is read from a choice
		if (readable === undefined) throw new Error(`There is no product ${chosen}`);
		const { product, fields, collections } = readable;
		reader.read(fields, valueOf);
		const options = readCollection(valueOf(COLLECTIONS.options.name), OPTIONS_LABEL);
		for (const one of collections) {
			const value = one.name === COLLECTIONS.options.name ? options : ownValue(options, one.name);
			reader.readCollection(one, value, presets);
		}
		const limit =
			reader.textOf(maxExtractionsField.name) ?? maxExtractionsField.kind.property.default;
		const extraction = product.toExtraction(reader);
		const request: ProxyRequest = {
			...extraction,
			product: product.code,
			usesQuota: extraction.endpoint.kind === 'quota',
			extras: extrasIn(extraction.parameters),
			hasFilters: product.filters !== undefined,
			scheme: reader.textOf(ptField.name) === '2' ? 'socks5' : 'http',
			wantsLogin: true,
			maxExtractions: product.options.includes(maxExtractionsField) ? Number(limit) : 0,
		};
		return { reader, request };
	};
}
