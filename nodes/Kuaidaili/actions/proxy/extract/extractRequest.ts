import type { Field, FieldCollection } from '../../../../shared/fields/field';
import { FieldReader } from '../../../../shared/fields/readFields';
import type { CallOptions } from '../../../parameters/callOptions';
import {
	collectionFor,
	extrasOf,
	filtersOf,
	includeSecretsField,
	optionsOf,
	waitForCallersField,
} from './collections';
import { mostPerRunField, waitForNewOrderField } from './commonFields';
import type { ExtractionSettings } from './extractProxies';
import {
	AFTER_PRODUCT,
	fieldsOf,
	itemsPerProxyField,
	loginField,
	NUM,
	proxyFieldField,
} from './fields';
import { outputField } from './output';
import type { Extraction, ExtractProduct } from './product';
import { PRODUCTS, productField } from './products';
import { openProxy } from './products/openProxy';
import { hasWishes, refuseWishesWithoutLogin } from './tunnelFields';

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
	/** Whether they may be shown to the model of an AI agent. */
	readonly includesSecrets: boolean;
	readonly proxyField: string;
	readonly itemsPerProxy: number;
	readonly mostPerRun: number;
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

/**
 * What an item asks for, checked: nothing has been sent when it throws.
 *
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
