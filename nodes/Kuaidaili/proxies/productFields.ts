import {
	toProperty,
	type Field,
	type FieldCollection,
	FieldReader,
} from '../../shared/fields/field';
import type { Conditions, FieldTexts } from '../../shared/fields/conditions';
import { flag } from '../../shared/fields/valueKinds';
import { includeSecrets, OPTIONS_LABEL, type CallOptions } from '../parameters/callOptions';
import type { ExtractionSettings } from './extraction';
import { PRODUCTS, productField } from './products';
import { openProxy } from './products/openProxy';
import {
	maxExtractionsField,
	waitForNewOrderField,
	type Extraction,
	type ExtractProduct,
} from './products/product';

export const waitForCallersField: Field = {
	name: 'waitForCallers',
	displayName: 'Wait When Called from Too Many IPs',
	description:
		'Whether to wait up to 65 seconds, instead of failing, when calls for this order came from too many IP addresses within a minute',
	kind: flag,
};

export const includeSecretsField = includeSecrets(
	'Whether an AI agent that uses this node as its tool gets the user name and password of the proxies. Its model then reads them.',
);

type CollectionOf = (product: ExtractProduct) => FieldCollection;

export function filtersOf({ filters }: ExtractProduct): FieldCollection {
	return { name: 'filters', displayName: 'Filters', placeholder: 'Add filter', fields: filters };
}

export function extrasOf({ extras, extrasWhen }: ExtractProduct): FieldCollection {
	return {
		name: 'extraFields',
		displayName: 'Extra Fields',
		placeholder: 'Add field',
		fields: extras.filter(({ isAlwaysSent }) => isAlwaysSent !== true),
		when: extrasWhen,
	};
}

export function optionsOf(product: ExtractProduct): FieldCollection {
	const ofOrders = [waitForNewOrderField, includeSecretsField];
	const fields = [...product.options, waitForCallersField];
	return {
		name: 'options',
		displayName: OPTIONS_LABEL,
		placeholder: 'Add option',
		fields: product === openProxy ? fields : [...fields, ...ofOrders],
	};
}

/** The fields of a collection of all products, each with the products that have it. */
export function membersOf(collectionOf: CollectionOf): Field[] {
	const members = new Map<string, { field: Field; products: string[] }>();
	for (const product of PRODUCTS) {
		for (const field of collectionOf(product).fields) {
			const key = JSON.stringify(toProperty(field));
			const member = members.get(key) ?? { field, products: [] };
			member.products.push(product.value);
			members.set(key, member);
		}
	}
	return [...members.values()].map(({ field, products }) => ({
		...field,
		when: { [productField.name]: products, ...field.when },
	}));
}

/**
 * A collection of several products in the editor. Where an expression chooses the product, n8n keeps only
 * what the last collection of that name has in it: so each has the fields of all products.
 */
export function collectionsOf(collectionOf: CollectionOf): FieldCollection[] {
	const fields = membersOf(collectionOf);
	const groups = new Map<string, { collection: FieldCollection; products: string[] }>();
	for (const product of PRODUCTS) {
		const collection = collectionOf(product);
		if (collection.fields.length === 0) continue;
		const key = JSON.stringify(collection.when);
		const group = groups.get(key) ?? { collection, products: [] };
		group.products.push(product.value);
		groups.set(key, group);
	}
	return [...groups.values()].map(({ collection, products }) => ({
		...collection,
		fields,
		when: { [productField.name]: products, ...collection.when },
	}));
}

/** What is read for a product: its own fields, and those of others, to say that they don't belong here. */
export function collectionFor(
	product: ExtractProduct,
	collectionOf: CollectionOf,
): FieldCollection {
	const own = collectionOf(product);
	const names = new Set(own.fields.map(({ name }) => name));
	const others = new Map<string, Field>();
	for (const other of PRODUCTS) {
		for (const field of collectionOf(other).fields.filter(({ name }) => !names.has(name))) {
			const products = others.get(field.name)?.when?.[productField.name] ?? [];
			const when = { [productField.name]: [...products, other.value] };
			others.set(field.name, { ...field, when });
		}
	}
	return { ...own, fields: [...own.fields, ...others.values()] };
}

function isOf({ value }: ExtractProduct): Conditions {
	return { [productField.name]: [value] };
}

/** The field of every product that says how many proxies are wanted. */
const NUM = 'num';

/** The fields of a product outside its collections. */
export function fieldsOf(
	product: ExtractProduct,
	{ numWhen = {}, omitted = [] }: Pick<OwnFields, 'numWhen' | 'omitted'>,
): Field[] {
	const fields = product.fields.filter(({ name }) => !omitted.includes(name));
	return fields.map((field) => ({
		...field,
		when: { ...isOf(product), ...(field.name === NUM ? numWhen : {}), ...field.when },
	}));
}

/** Whether the product's 'Number of Proxies' would be shown, so that the extraction needs a number. */
function needsNum({ fields }: ExtractProduct, reader: FieldReader): boolean {
	return fields
		.filter(({ name, required }) => name === NUM && required === true)
		.some(({ when = {} }) =>
			Object.entries(when).every(([name, values]) =>
				values.some((value) => String(value) === reader.text(name)),
			),
		);
}

const DEFAULT_MAX_EXTRACTIONS = 1000;

/** Which proxies an item asks for. */
export interface ProxyRequest {
	readonly extraction: Extraction;
	readonly settings: ExtractionSettings;
	/** Whether their user names and passwords are wanted. */
	readonly wantsLogin: boolean;
	/** 0 sets no limit. */
	readonly maxExtractions: number;
}

/** The fields that an operation has besides those of the products. */
interface OwnFields {
	/** Those that the products' fields depend on. */
	readonly before: readonly Field[];
	readonly after: readonly Field[];
	/** Where the number of proxies is asked for. */
	readonly numWhen?: Conditions;
	/** Names of fields of the products that the operation doesn't have. */
	readonly omitted?: readonly string[];
	/** Values of such fields. */
	readonly given?: FieldTexts;
}

interface FieldsOfProduct {
	readonly fields: readonly Field[];
	readonly filters: FieldCollection;
	readonly extraFields: FieldCollection;
	readonly options: FieldCollection;
}

interface Entered {
	/** The value of a field for this item. */
	readonly valueOf: (name: string) => unknown;
	readonly callOptions: Pick<CallOptions, 'options' | 'check'>;
}

/** What was read of an item. */
interface ReadProduct {
	readonly reader: FieldReader;
	/** @param setNum as if it had been entered, where the product needs a number */
	readonly toRequest: (wantsLogin: boolean, setNum?: number) => ProxyRequest;
}

/**
 * How an operation reads the fields of the chosen product: made once, because a run may have thousands of items.
 * Nothing has been sent when it throws InvalidFieldError.
 */
export function productReader({
	before,
	after,
	given,
	...others
}: OwnFields): (entered: Entered) => ReadProduct {
	const known = new Map<ExtractProduct, FieldsOfProduct>();
	const fieldsToRead = (product: ExtractProduct): FieldsOfProduct => {
		const read = known.get(product) ?? {
			fields: [...before, ...fieldsOf(product, others), ...after],
			filters: collectionFor(product, filtersOf),
			extraFields: collectionFor(product, extrasOf),
			options: collectionFor(product, optionsOf),
		};
		known.set(product, read);
		return read;
	};
	return ({ valueOf, callOptions: { options, check } }) => {
		const reader = new FieldReader({ check, given }).read([productField], valueOf);
		const chosen = reader.text(productField.name);
		const product = PRODUCTS.find(({ value }) => value === chosen) ?? openProxy;
		const read = fieldsToRead(product);
		reader
			.read(read.fields, valueOf)
			.readCollection(read.filters, valueOf(read.filters.name))
			.readCollection(read.extraFields, valueOf(read.extraFields.name))
			.readCollection(read.options, options);
		const extras = product.extras.filter(
			({ name, isAlwaysSent }) => isAlwaysSent === true || reader.text(name) !== undefined,
		);
		return {
			reader,
			toRequest(wantsLogin, setNum) {
				if (setNum !== undefined && needsNum(product, reader))
					reader.parameters[NUM] = String(setNum);
				const limit = product.options.includes(maxExtractionsField)
					? Number(reader.text(maxExtractionsField.name) ?? DEFAULT_MAX_EXTRACTIONS)
					: 0;
				return {
					extraction: product.toExtraction(reader),
					settings: {
						extras: extras.map(({ output }) => output),
						waitForCallers: reader.text(waitForCallersField.name) !== undefined,
						waitForNewOrder: reader.text(waitForNewOrderField.name) !== undefined,
					},
					wantsLogin,
					maxExtractions: limit,
				};
			},
		};
	};
}
