import type { INodeProperties } from 'n8n-workflow';

import { isRecord, type UnknownRecord } from '../guards';
import { alphabetically } from '../wording';
import { displayOptionsOf, type Conditions } from './conditions';
import { InvalidFieldError } from './invalidFieldError';
import { locatorValue } from './resourceLocator';
import { isNotAccepted, type ValueKind } from './valueKinds';

/**
 * The single definition of a field: how the editor shows it, what it accepts, and what is sent. Several
 * fields may share a name, with different conditions and ranges.
 */
export interface Field {
	/** The name in n8n, for expressions. */
	readonly name: string;
	readonly displayName: string;
	readonly description: string;
	readonly placeholder?: string;
	readonly kind: ValueKind;
	/** The values of other fields that make it visible. */
	readonly when?: Conditions;
	/** Whether it needs a value when it is visible, or, in a collection, when it was added. */
	readonly required?: boolean;
	/** Whether it decides which other fields there are; it is then checked even with 'Skip Local Checks'. */
	readonly decides?: true;
}

/** A field that is a parameter of the service. */
export interface ServiceField extends Field {
	/** The service's own name, such as `tps.max_rps`. */
	readonly serviceName: string;
}

export function isServiceField(field: Field): field is ServiceField {
	return 'serviceName' in field;
}

/** `tps.max_rps` → `tpsMaxRps`, so that users who know the service's name can guess the expression. */
export function parameterName(serviceName: string): string {
	return serviceName.replace(/[._]([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}

/** Completes a parameter of the service with the name that follows from the service's own. */
export function serviceField<T extends Omit<ServiceField, 'name'>>(field: T): T & ServiceField {
	return { ...field, name: parameterName(field.serviceName) };
}

function optionsOf({ property, conditionsOfValue }: ValueKind) {
	if (conditionsOfValue === undefined) return {};
	const options = property.options?.map((option) => {
		const value: unknown = Reflect.get(option, 'value');
		// The editor looks for the values of an option at the top of the node, also within a collection
		const displayOptions = displayOptionsOf(conditionsOfValue.get(String(value)), new Set());
		return displayOptions === undefined ? option : { ...option, displayOptions };
	});
	return { options };
}

function property(field: Field, siblings?: ReadonlySet<string>): INodeProperties {
	const { displayName, name, description, placeholder, kind, when } = field;
	const displayOptions = displayOptionsOf(when, siblings);
	return {
		displayName,
		name,
		...kind.property,
		...optionsOf(kind),
		...(placeholder === undefined ? {} : { placeholder }),
		description,
		...(kind.hint === undefined ? {} : { hint: kind.hint }),
		...(displayOptions === undefined ? {} : { displayOptions }),
	};
}

/** The field in the editor. */
export function toProperty(field: Field): INodeProperties {
	return property(field);
}

/** The fields of one collection in the editor. */
export function toMembers(fields: readonly Field[]): INodeProperties[] {
	const siblings = new Set(fields.map(({ name }) => name));
	return fields.map((field) => property(field, siblings));
}

function refusal({ displayName, kind }: Field, value: unknown, advice?: string): InvalidFieldError {
	const description = [`Allowed: ${kind.allowed}.`, advice].filter(Boolean).join(' ');
	return new InvalidFieldError(displayName, value, description);
}

export interface ReadOptions {
	/** False accepts values that the service doesn't document; true by default. */
	readonly check?: boolean;
}

/**
 * The text to send for a value, `undefined` when the field is to be left out.
 *
 * @throws InvalidFieldError
 */
export function readField(
	field: Field,
	value: unknown,
	{ check = true }: ReadOptions = {},
): string | undefined {
	const entered = locatorValue(value);
	const text = field.kind.toText(entered);
	if (text === undefined) return undefined;
	if (isNotAccepted(text)) throw refusal(field, entered);
	if (check && !field.kind.accepts(text)) throw refusal(field, entered, field.kind.advice?.(text));
	return text;
}

/** The same for a value that has to be there. */
export function readRequiredField(field: Field, value: unknown, options?: ReadOptions): string {
	const text = readField(field, value, options);
	if (text === undefined) {
		throw refusal(field, locatorValue(value), field.kind.ifMissing);
	}
	return text;
}

/**
 * A limit of a collection. One that was added but has no value, such as an expression that finds nothing, is an
 * error: it must never mean "no limit".
 *
 * @returns undefined where it was not added
 * @throws InvalidFieldError
 */
export function readLimit(
	field: Field,
	collection: Readonly<Record<string, unknown>>,
): number | undefined {
	if (!Object.hasOwn(collection, field.name)) return undefined;
	return Number(readRequiredField(field, Reflect.get(collection, field.name)));
}

/** Whether the value would change anything if it were sent. */
export function isSet(field: Field, value: unknown): boolean {
	const text = field.kind.toText(value);
	return text !== undefined && text !== field.kind.neutral;
}

/** Optional fields under one heading in the editor, which the user adds one by one. */
export interface FieldCollection {
	/** The name in n8n, for expressions. */
	readonly name: string;
	readonly displayName: string;
	/** On the button that adds one. */
	readonly placeholder: string;
	readonly description?: string;
	readonly fields: readonly Field[];
	/** The values of other fields that make it visible. */
	readonly when?: Conditions;
}

/** The collection in the editor, its fields in the order of their labels. */
export function toCollection(collection: FieldCollection): INodeProperties {
	const { name, displayName, placeholder, description, fields, when } = collection;
	const displayOptions = displayOptionsOf(when);
	return {
		displayName,
		name,
		type: 'collection',
		placeholder,
		default: {},
		...(description === undefined ? {} : { description }),
		...(displayOptions === undefined ? {} : { displayOptions }),
		options: toMembers(fields).sort((a, b) => alphabetically(a.displayName, b.displayName)),
	};
}

/**
 * A collection of fields as n8n passes it; an expression may have replaced it with anything.
 *
 * @throws InvalidFieldError
 */
export function readCollection(value: unknown, label: string): UnknownRecord {
	if (value === undefined || value === null || value === '') return {};
	if (isRecord(value)) return value;
	throw new InvalidFieldError(label, value, 'Allowed: an object with the fields of this section.');
}
