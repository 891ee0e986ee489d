import { isDeepStrictEqual } from 'node:util';

import type { INodeProperties } from 'n8n-workflow';

import { at, isRecord, readList, readString } from '../../harness/outsideData.mts';
import { nodeProperties } from '../../nodes/Kuaidaili/actions/resources.ts';
import { triggerProperties } from '../../nodes/KuaidailiTrigger/events/index.ts';

/** Values of fields, by their names. */
export type Values = Readonly<Record<string, unknown>>;

/** What the node says about one of its operations, as the editor gets it. */
export interface DescribedOperation {
	readonly resource: string;
	readonly resourceLabel: string;
	readonly operation: string;
	readonly label: string;
	readonly action: string;
	readonly description: string;
	/** Whether its resource opens with it. */
	readonly isPreset: boolean;
	/** What is chosen in the menus. */
	readonly menus: Values;
	/** Its fields, those included that other fields hide. */
	readonly properties: readonly INodeProperties[];
}

function hasValue({ displayOptions }: INodeProperties, name: string, value: string): boolean {
	return displayOptions?.show?.[name]?.includes(value) === true;
}

/** In the order of the menus. */
export const DESCRIBED_OPERATIONS: readonly DescribedOperation[] = nodeProperties
	.filter(({ name }) => name === 'operation')
	.flatMap((menu) => {
		const resource = readString(menu, 'displayOptions', 'show', 'resource', 0);
		const resources = readList(nodeProperties, 0, 'options');
		const resourceLabel = readString(
			resources.find((option) => at(option, 'value') === resource),
			'name',
		);
		return readList(menu, 'options').map((option) => {
			const operation = readString(option, 'value');
			return {
				resource,
				resourceLabel,
				operation,
				label: readString(option, 'name'),
				action: readString(option, 'action'),
				description: readString(option, 'description'),
				isPreset: menu.default === operation,
				menus: { resource, operation },
				properties: nodeProperties.filter(
					(property) =>
						hasValue(property, 'resource', resource) && hasValue(property, 'operation', operation),
				),
			};
		});
	});

/** @throws when the node has no such operation */
export function describedOperation({
	resource,
	operation,
}: Pick<DescribedOperation, 'resource' | 'operation'>): DescribedOperation {
	const found = DESCRIBED_OPERATIONS.find(
		(one) => one.resource === resource && one.operation === operation,
	);
	if (found === undefined) throw new Error(`The node has no ${resource}: ${operation}`);
	return found;
}

/** What the trigger says about one of its events. */
export interface DescribedEvent {
	readonly event: string;
	readonly label: string;
	/** n8n makes one of the label where the event has none. */
	readonly action: string | undefined;
	readonly properties: readonly INodeProperties[];
}

/** In the order of the menu. */
export const DESCRIBED_EVENTS: readonly DescribedEvent[] = readList(
	triggerProperties.find(({ name }) => name === 'event'),
	'options',
).map((option) => {
	const event = readString(option, 'value');
	return {
		event,
		label: readString(option, 'name'),
		action: isRecord(option) && 'action' in option ? readString(option, 'action') : undefined,
		properties: triggerProperties.filter((property) => hasValue(property, 'event', event)),
	};
});

/** A field of the node: its name, and that of the collection that it is in. */
export interface FieldPath {
	readonly collection?: string;
	readonly name: string;
	readonly displayName: string;
}

export function pathText({ collection, name }: FieldPath): string {
	return collection === undefined ? name : `${collection}.${name}`;
}

/** Every field, collections and what is in them included; variants of a field that share a name once. */
export function fieldPaths(properties: readonly INodeProperties[]): FieldPath[] {
	const paths = properties
		.filter(({ type }) => type !== 'notice')
		.flatMap(({ name, displayName, type, options = [] }): FieldPath[] => [
			{ name, displayName },
			...(type === 'collection' ? options : []).map((inside) => ({
				collection: name,
				name: inside.name,
				displayName: readString(inside, 'displayName'),
			})),
		]);
	return [...new Map(paths.map((path) => [pathText(path), path])).values()];
}

/** The same with what is in collections within collections, such as `options.filters.area`. */
export function nestedFieldPaths(
	properties: readonly INodeProperties[],
	within?: string,
): FieldPath[] {
	const paths = properties
		.filter(({ type }) => type !== 'notice')
		.flatMap(({ name, displayName, type, options = [] }): FieldPath[] => {
			const path = { collection: within, name, displayName };
			if (type !== 'collection') return [path];
			const inside = options.filter((one): one is INodeProperties => 'type' in one);
			return [path, ...nestedFieldPaths(inside, pathText(path))];
		});
	return [...new Map(paths.map((path) => [pathText(path), path])).values()];
}

/** A field in the panel, with the value that it has there. */
export interface ShownField {
	readonly property: INodeProperties;
	readonly value: unknown;
}

/** The fields that are there if the others have such values. */
function shownWith(
	properties: readonly INodeProperties[],
	given: Values,
	others: ReadonlyMap<string, unknown>,
): ShownField[] {
	const isThere = ({ displayOptions }: INodeProperties) =>
		Object.entries(displayOptions?.show ?? {}).every(([name, allowed = []]) =>
			allowed.some((value) => value === others.get(name)),
		);
	return properties
		.filter(isThere)
		.map((property) => ({ property, value: given[property.name] ?? property.default }));
}

/**
 * What the editor has to show, from top to bottom: a field that is not filled in has its preset. Its conditions
 * may name fields above and below it.
 *
 * @param given resource and operation, or the event, and further values
 */
export function shownFields(properties: readonly INodeProperties[], given: Values): ShownField[] {
	let shown: ShownField[] = [];
	for (let round = 0; round < properties.length + 2; round++) {
		const values = shown.map(({ property, value }): [string, unknown] => [property.name, value]);
		const next = shownWith(properties, given, new Map([...Object.entries(given), ...values]));
		if (isDeepStrictEqual(next, shown)) return shown;
		shown = next;
	}
	throw new Error('Fields show and hide each other in turn');
}

/** The values that a field offers. */
export function choicesOf({ type, options }: INodeProperties): unknown[] {
	if (type === 'boolean') return [false, true];
	return type === 'options' ? (options ?? []).map((option) => at(option, 'value')) : [];
}
