import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

/** A field of the node: its name, and that of the collection that it is in. */
export interface FieldPath {
	readonly collection?: string;
	readonly name: string;
	readonly displayName: string;
}

function isField(
	entry: INodeProperties | INodePropertyCollection | INodePropertyOptions,
): entry is INodeProperties {
	return 'type' in entry && 'displayName' in entry;
}

function isOf(property: INodeProperties, resource: string, operation: string): boolean {
	const { resource: resources = [], operation: operations = [] } =
		property.displayOptions?.show ?? {};
	return resources.includes(resource) && operations.includes(operation);
}

/** Every field that an operation has, collections and what is in them included. */
export function fieldPaths(
	properties: readonly INodeProperties[],
	resource: string,
	operation: string,
): FieldPath[] {
	const own = properties.filter(
		(property) => property.type !== 'notice' && isOf(property, resource, operation),
	);
	const paths = own.flatMap(({ name, displayName, type, options = [] }): FieldPath[] => [
		{ name, displayName },
		...(type === 'collection' ? options.filter(isField) : []).map((inside) => ({
			collection: name,
			name: inside.name,
			displayName: inside.displayName,
		})),
	]);
	// Several variants of a field share a name
	return [...new Map(paths.map((path) => [pathText(path), path])).values()];
}

export function pathText({ collection, name }: FieldPath): string {
	return collection === undefined ? name : `${collection}.${name}`;
}
