import type { INodeProperties } from 'n8n-workflow';

import type { Conditions } from '../../../../shared/fields/conditions';
import { toProperty, type Field } from '../../../../shared/fields/field';
import { toCollection, type FieldCollection } from '../../../../shared/fields/fieldCollection';
import { FieldReader } from '../../../../shared/fields/readFields';
import { choice, text, wholeNumber } from '../../../../shared/fields/valueKinds';
import { orderProperty } from '../../../../shared/orders/orderField';
import { optionsCollection, type CallOptions } from '../../../parameters/callOptions';
import {
	collectionFor,
	collectionsOf,
	extrasOf,
	filtersOf,
	includeSecretsField,
	membersOf,
	optionsOf,
	waitForCallersField,
} from './collections';
import { mostPerRunField, waitForNewOrderField } from './commonFields';
import type { ExtractionSettings } from './extractProxies';
import { outputField } from './output';
import type { Extraction, ExtractProduct } from './product';
import { PRODUCTS, productField } from './products';
import { openProxy } from './products/openProxy';
import { hasWishes, refuseWishesWithoutLogin } from './tunnelFields';

/** All but open proxies, which serve everybody. */
const WITH_LOGIN: Conditions = {
	[productField.name]: PRODUCTS.filter((product) => product !== openProxy).map(
		({ value }) => value,
	),
};

const loginField: Field = {
	name: 'login',
	displayName: 'Login',
	description:
		"Whether the proxies come with their user name and password. n8n saves those with the execution. Clients on the order's whitelist need none.",
	required: true,
	when: WITH_LOGIN,
	kind: choice([
		{
			name: 'In the URL',
			value: 'inUrl',
			description: 'In the URL of the proxy, and as fields of their own',
		},
		{ name: 'None', value: 'none', description: "For clients on the order's whitelist" },
	]),
};

const FOR_EACH_INPUT: Conditions = { [outputField.name]: ['forEachInput'] };

const proxyFieldField: Field = {
	name: 'proxyField',
	displayName: 'Proxy Field',
	description: 'The field of each item in which the URL of its proxy is put',
	required: true,
	when: FOR_EACH_INPUT,
	kind: {
		...text(
			"the name of a field, but not 'error' or 'proxyDetails'",
			(text) => !['error', 'proxyDetails', '__proto__'].includes(text),
		),
		property: { type: 'string', default: 'proxyUrl' },
	},
};

const itemsPerProxyField: Field = {
	name: 'itemsPerProxy',
	displayName: 'Items per Proxy',
	description: 'How many items share a proxy',
	required: true,
	when: FOR_EACH_INPUT,
	kind: wholeNumber(1, 100_000, 1),
};

function isOf({ value }: ExtractProduct): Conditions {
	return { [productField.name]: [value] };
}

const NUM = 'num';

/** Where each input item gets a proxy, their number says how many are needed. */
const NUM_IS_GIVEN: Conditions = { [outputField.name]: ['eachProxy', 'allInOne'] };

function fieldsOf(product: ExtractProduct): Field[] {
	return product.fields.map((field) => ({
		...field,
		when: { ...isOf(product), ...(field.name === NUM ? NUM_IS_GIVEN : {}), ...field.when },
	}));
}

/** Whether the product would have asked how many proxies are wanted. */
function needsNum({ fields }: ExtractProduct, reader: FieldReader): boolean {
	return fields
		.filter(({ name, required }) => name === NUM && required === true)
		.some(({ when = {} }) =>
			Object.entries(when).every(([name, values]) =>
				values.some((value) => String(value) === reader.text(name)),
			),
		);
}

const AFTER_PRODUCT = [proxyFieldField, itemsPerProxyField, loginField];

/** The fields in the editor. */
export const extractProperties: INodeProperties[] = [
	// Above 'Order', whose list depends on it
	toProperty(productField),
	orderProperty,
	toProperty(outputField),
	...PRODUCTS.flatMap(fieldsOf).map(toProperty),
	...AFTER_PRODUCT.map(toProperty),
	...[filtersOf, extrasOf].flatMap(collectionsOf).map(toCollection),
	optionsCollection(membersOf(optionsOf)),
];

interface FieldsOfProduct {
	readonly fields: readonly Field[];
	readonly filters: FieldCollection;
	readonly extraFields: FieldCollection;
	readonly options: FieldCollection;
}

/** Made once for each product: a run may have thousands of items. */
const fieldsRead = new Map<ExtractProduct, FieldsOfProduct>();

function fieldsToRead(product: ExtractProduct): FieldsOfProduct {
	const read = fieldsRead.get(product) ?? {
		fields: [outputField, ...fieldsOf(product), ...AFTER_PRODUCT],
		filters: collectionFor(product, filtersOf),
		extraFields: collectionFor(product, extrasOf),
		options: collectionFor(product, optionsOf),
	};
	fieldsRead.set(product, read);
	return read;
}

const DEFAULT_MOST_PER_RUN = 1000;

/** What was entered for an item. */
export interface ExtractRequest {
	readonly extraction: Extraction;
	readonly settings: ExtractionSettings;
	readonly output: string | undefined;
	/** Whether the output has user names and passwords. */
	readonly wantsLogin: boolean;
	/** Whether a model may read them. */
	readonly includesSecrets: boolean;
	readonly proxyField: string;
	readonly itemsPerProxy: number;
	readonly mostPerRun: number;
}

/**
 * @param valueOf the value of a field for this item
 * @throws InvalidFieldError
 */
export function readExtractRequest(
	valueOf: (name: string) => unknown,
	{ options, check }: Pick<CallOptions, 'options' | 'check'>,
): ExtractRequest {
	const reader = new FieldReader({ check }).read([productField], valueOf);
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
	const isForEach = reader.text(outputField.name) === 'forEachInput';
	if (isForEach && needsNum(product, reader)) reader.parameters[NUM] = '1';
	const extraction = product.toExtraction(reader);
	const wantsLogin = reader.text(loginField.name) === 'inUrl';
	const { wishes = {}, wishesWith } = extraction;
	if (!wantsLogin && (wishesWith !== undefined || hasWishes(wishes))) {
		refuseWishesWithoutLogin(loginField.displayName);
	}
	return {
		extraction,
		settings: {
			extras: extras.map(({ output }) => output),
			waitForCallers: reader.text(waitForCallersField.name) !== undefined,
			waitForNewOrder: reader.text(waitForNewOrderField.name) !== undefined,
		},
		output: reader.text(outputField.name),
		wantsLogin,
		includesSecrets: reader.text(includeSecretsField.name) !== undefined,
		proxyField: reader.text(proxyFieldField.name) ?? 'proxyUrl',
		itemsPerProxy: Number(reader.text(itemsPerProxyField.name) ?? 1),
		mostPerRun: product.options.includes(mostPerRunField)
			? Number(reader.text(mostPerRunField.name) ?? DEFAULT_MOST_PER_RUN)
			: 0,
	};
}
