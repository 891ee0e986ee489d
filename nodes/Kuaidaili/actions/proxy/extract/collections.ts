import { toProperty, type Field, type FieldCollection } from '../../../../shared/fields/field';
import { flag } from '../../../../shared/fields/valueKinds';
import { includeSecrets, OPTIONS_LABEL } from '../../../parameters/callOptions';
import { waitForNewOrderField } from './commonFields';
import type { ExtractProduct } from './product';
import { PRODUCTS, productField } from './products';
import { openProxy } from './products/openProxy';

export const waitForCallersField: Field = {
	name: 'waitForCallers',
	displayName: 'Wait When Too Many Addresses Call',
	description:
		'Whether to wait, up to 65 seconds, when Kuaidaili refuses because calls for this order came from too many different IP addresses within a minute. Otherwise the node stops with an error.',
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
