import type { INodeProperties } from 'n8n-workflow';

import { readField, readRequiredField, toProperty, type ServiceField } from './field';

/** Values of other fields, by their names in n8n, under which a field is there. All must match. */
export type Conditions = Readonly<Record<string, ReadonlyArray<string | number | boolean>>>;

/** A field that exists under conditions. Several variants may share a name, with other ranges each. */
export interface FieldVariant extends ServiceField {
	readonly when: Conditions;
	/** Whether the service needs a value. */
	readonly required: boolean;
	/** Whether it decides which other fields there are; it is then checked even with 'Skip Local Checks'. */
	readonly decides?: true;
}

/** The fields in the editor, each shown under its conditions. */
export function variantProperties(variants: readonly FieldVariant[]): INodeProperties[] {
	return variants.map((variant) => {
		const show = Object.fromEntries(
			Object.entries(variant.when).map(([name, values]) => [name, [...values]]),
		);
		const property = toProperty(variant);
		return Object.keys(show).length === 0 ? property : { ...property, displayOptions: { show } };
	});
}

/** A switch in the editor is true or false, and 1 or 0 for the service. */
function sentAs(value: string | number | boolean): string {
	return typeof value === 'boolean' ? String(Number(value)) : String(value);
}

type Texts = ReadonlyMap<string, string>;

function holds([name, values]: [string, Conditions[string]], texts: Texts): boolean {
	return values.some((value) => texts.get(name) === sentAs(value));
}

function appliesStrictly({ when }: FieldVariant, texts: Texts): boolean {
	return Object.entries(when).every((condition) => holds(condition, texts));
}

/**
 * With 'Skip Local Checks' a condition also holds for a value that no variant names, such as a new
 * lifetime: what was entered for it must not be dropped in silence.
 */
function appliesToNewValues(
	{ when }: FieldVariant,
	variants: readonly FieldVariant[],
	texts: Texts,
): boolean {
	const isNew = (name: string): boolean =>
		texts.has(name) &&
		!variants.some(({ when: others }) => name in others && holds([name, others[name]], texts));
	return Object.entries(when).every((condition) => holds(condition, texts) || isNew(condition[0]));
}

/**
 * The parameters to send: of each field the variant whose conditions hold. A value left over in a field
 * that is not there is not looked at.
 *
 * @param variants a field comes after those that its conditions name
 * @param valueOf the value of a field for this item
 * @param check false with 'Skip Local Checks'
 * @param given texts of fields that conditions name and that are not sent themselves
 * @returns texts by the service's names
 * @throws InvalidFieldError
 */
export function readVariants(
	variants: readonly FieldVariant[],
	valueOf: (name: string) => unknown,
	check: boolean,
	given: ReadonlyMap<string, string> = new Map(),
): Record<string, string> {
	const texts = new Map(given);
	const parameters: Record<string, string> = {};
	for (const variant of variants) {
		const isThere = appliesStrictly(variant, texts);
		const mayBeThere = isThere || (!check && appliesToNewValues(variant, variants, texts));
		if (!mayBeThere || texts.has(variant.name)) continue;
		const value = valueOf(variant.name);
		// What other fields depend on has to be known in any case
		const isChecked = check || variant.decides === true;
		const text =
			variant.required && isThere
				? readRequiredField(variant, value, { check: isChecked })
				: readField(variant, value, { check: isChecked });
		if (text === undefined) continue;
		texts.set(variant.name, text);
		parameters[variant.serviceName] = text;
	}
	return parameters;
}
