import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

/** Values of other fields, by their names in n8n, that make something visible. All have to match. */
export type Conditions = Readonly<Record<string, ReadonlyArray<string | number | boolean>>>;

/** Entered values as the texts that are sent for them, by the names of the fields in n8n. */
export type FieldTexts = ReadonlyMap<string, string>;

/** A switch in the editor is true or false, and 1 or 0 for the service. */
function sentAs(value: string | number | boolean): string {
	return typeof value === 'boolean' ? String(Number(value)) : String(value);
}

export function hasValueOf(name: string, values: Conditions[string], texts: FieldTexts): boolean {
	return values.some((value) => texts.get(name) === sentAs(value));
}

export function conditionsHold(conditions: Conditions, texts: FieldTexts): boolean {
	return Object.entries(conditions).every(([name, values]) => hasValueOf(name, values, texts));
}

/**
 * The conditions as n8n writes them.
 *
 * @param siblings names of the fields of the same collection; others stand at the top of the node
 */
export function displayOptionsOf(
	conditions: Conditions = {},
	siblings?: ReadonlySet<string>,
): IDisplayOptions | undefined {
	const entries = Object.entries(conditions);
	if (entries.length === 0) return undefined;
	const path = (name: string): string =>
		siblings === undefined || siblings.has(name) ? name : `/${name}`;
	return {
		show: Object.fromEntries(entries.map(([name, values]) => [path(name), [...values]])),
	};
}

/**
 * Shows fields only with these values of other fields, in addition to their own conditions.
 * n8n's `updateDisplayOptions` does the same for any options, but would take up a third of the loading time
 * of this package.
 *
 * These values come first: n8n shows a field as soon as it meets a condition on a field whose value is an
 * expression, and skips the conditions after it.
 */
export function shownWith(
	show: Required<IDisplayOptions>['show'],
	properties: readonly INodeProperties[],
): INodeProperties[] {
	return properties.map((property) => {
		const { displayOptions } = property;
		return {
			...property,
			displayOptions: { ...displayOptions, show: { ...show, ...displayOptions?.show } },
		};
	});
}
