import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import { alphabetically } from '../wording';

/** Values of other fields, by their names in n8n, that make something visible. All have to match. */
export type Conditions = Readonly<Record<string, ReadonlyArray<string | number | boolean>>>;

/** Entered values as the texts that are sent for them, by the names of the fields in n8n. */
export type FieldTexts = ReadonlyMap<string, string>;

export function hasValueOf(name: string, values: Conditions[string], texts: FieldTexts): boolean {
	const text = texts.get(name);
	for (const value of values) {
		// A switch in the editor is true or false, and 1 or 0 for the service
		if (String(typeof value === 'boolean' ? Number(value) : value) === text) return true;
	}
	return false;
}

export function conditionsHold(conditions: Conditions, texts: FieldTexts): boolean {
	for (const [name, values] of Object.entries(conditions)) {
		if (!hasValueOf(name, values, texts)) return false;
	}
	return true;
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

const LONGEST_SHOWN_VALUE = 60;

const FOUND_NOTHING = 'If the field is an expression, it found nothing for this item.';

/** The length of a text that is searched: longer than what is shown, and short enough for any pattern. */
const LONGEST_SEARCHED_TEXT = 1000;

/** Patterns of logins and keys, in whatever field they were entered. */
const SECRETS: ReadonlyArray<readonly [pattern: RegExp, shown: string]> = [
	[/\/\/[^\s/"]*@/g, '//***@'],
	[/(?<![^\s"])(?!mailto:)[^\s/"]*:[^\s/"]*@/g, '***@'],
	// Behind the address of a proxy, however it is set apart, or before it
	[/(?<![\w.-])(((?:[\w-]+\.)+[\w-]+|\[[\da-f:.]+\]):\d+)(?!\d)[^/?#"][^"]*/gi, '$1 ***'],
	// Not a moment with its time zone, such as 2026-03-31T00:00:00.000-05:00
	[/(?<![^\s"])(?!\d{4}-\d\d-\d\dT)[^\s/":]+:[^\s/":]+:(?=(?:[\w-]+\.)+[\w-]+:\d)/g, '***:'],
	// The user name of a proxy
	[/(?<=^|[^\w/.-]|\/\/)[tdf]\d{8,}(?![\w.])[^"]*/g, '***'],
	// Keys mix letters and digits
	[/(?<![\w/.-])(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{16,}(?![\w.])/gi, '***'],
	[/("pass\w*":)"[^"]*"/gi, '$1"***"'],
];

/** A value in a message, without what may be secret in it. */
export function shortLine(text: string): string {
	const line = text.slice(0, LONGEST_SEARCHED_TEXT).replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
	const safe = SECRETS.reduce((all, [pattern, shown]) => all.replace(pattern, shown), line);
	const characters = Array.from(safe);
	return characters.length > LONGEST_SHOWN_VALUE
		? `${characters.slice(0, LONGEST_SHOWN_VALUE).join('')}…`
		: safe;
}

function shown(value: unknown): string {
	let text: string | undefined;
	try {
		// JSON cannot represent NaN
		text = ['bigint', 'number'].includes(typeof value) ? String(value) : JSON.stringify(value);
	} catch {
		text = 'a value that cannot be shown';
	}
	return shortLine(text ?? String(value));
}

export class InvalidFieldError extends Error {
	/** The allowed values and the advice, in whole sentences. */
	readonly description: string;

	/** @param message what is wrong, where the value does not say it */
	constructor(
		readonly fieldLabel: string,
		value: unknown,
		allowed: string,
		message?: string,
	) {
		const isMissing = value === undefined || value === null;
		const isWrong = isMissing || value === '' ? 'is empty' : `can't be ${shown(value)}`;
		super(message ?? `'${fieldLabel}' ${isWrong}`);
		this.name = 'InvalidFieldError';
		this.description = isMissing ? `${allowed} ${FOUND_NOTHING}` : allowed;
	}
}

/** The error for a field whose value may be secret: nothing of it is shown. */
export function secretFieldError(fieldLabel: string, allowed: string): InvalidFieldError {
	const message = `'${fieldLabel}' holds something that cannot be used`;
	return new InvalidFieldError(fieldLabel, '', allowed, message);
}

/** Thrown for a value that has no sensible text. */
export class NoTextError extends Error {}

/**
 * The values that a field takes, such as:
 *
 *     const share: ValueKind = { property: { type: 'number', default: 1 }, allowed: 'a whole number, 1 to 100',
 *       toText: simpleText, accepts: (text) => /^[1-9]\d?$|^100$/.test(text) }
 */
export interface ValueKind {
	readonly property: Pick<
		INodeProperties,
		'type' | 'default' | 'options' | 'typeOptions' | 'modes'
	>;
	/** A note that is read while typing, such as a range; the editor shows it below the field. */
	readonly hint?: string;
	/** Continues "Allowed: …". */
	readonly allowed: string;
	/** The value that says "nothing in particular"; the same as leaving the field out. */
	readonly neutral?: string;
	/** The values of other fields that make a single choice visible, by the text of the choice. */
	readonly conditionsOfValue?: ReadonlyMap<string, Conditions | undefined>;
	/**
	 * The text to send, whatever its range; undefined where nothing was entered and nothing is to be sent. Throws
	 * NoTextError.
	 */
	toText(value: unknown): string | undefined;
	/** The advice about a text that is not accepted, as a whole sentence; undefined where `allowed` says it all. */
	advice?(text: string): string | undefined;
	/** The advice where a required value is missing, as a whole sentence. */
	readonly ifMissing?: string;
	/** Whether the service documents this text as acceptable. */
	accepts(text: string): boolean;
}

/**
 * The single definition of a field: how the editor shows it, what it accepts, and what is sent. Several
 * fields may share a name, with different conditions and ranges.
 */
export interface Field {
	readonly name: string;
	readonly displayName: string;
	readonly description: string;
	readonly placeholder?: string;
	readonly kind: ValueKind;
	readonly when?: Conditions;
	/** Whether it needs a value when it is visible, or, in a collection, when it was added. */
	readonly required?: boolean;
	/** Whether no error may repeat its value. */
	readonly isSecret?: true;
	/** The service's own name, such as `tps.max_rps`, of a field that is sent. */
	readonly serviceName?: string;
}

export type ServiceField = Field & { readonly serviceName: string };

/** `tps.max_rps` → `tpsMaxRps`, so that users who know the service's name can guess the expression. */
export function parameterName(serviceName: string): string {
	return serviceName.replace(/[._]([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}

export function serviceField<T extends Omit<ServiceField, 'name'>>(field: T): T & ServiceField {
	return { ...field, name: parameterName(field.serviceName) };
}

function property(field: Field, siblings?: ReadonlySet<string>): INodeProperties {
	const { displayName, name, description, placeholder, kind, when } = field;
	return {
		displayName,
		name,
		...kind.property,
		placeholder,
		description,
		hint: kind.hint,
		displayOptions: displayOptionsOf(when, siblings),
	};
}

export function toProperty(field: Field): INodeProperties {
	return property(field);
}

export function toMembers(fields: readonly Field[]): INodeProperties[] {
	const siblings = new Set(fields.map(({ name }) => name));
	return fields.map((field) => property(field, siblings));
}

export interface FieldCollection {
	readonly name: string;
	readonly displayName: string;
	readonly placeholder: string;
	readonly description?: string;
	readonly fields: readonly Field[];
	readonly when?: Conditions;
}

/** The collection in the editor, its fields in the order of their labels. */
export function toCollection({ fields, when, ...texts }: FieldCollection): INodeProperties {
	return {
		...texts,
		type: 'collection',
		default: {},
		displayOptions: displayOptionsOf(when),
		options: toMembers(fields).sort((a, b) => alphabetically(a.displayName, b.displayName)),
	};
}
