import { isEmpty, isRecord, type UnknownRecord, ownValue } from '../guards';
import { sentences } from '../wording';
import {
	type Conditions,
	conditionsHold,
	type Field,
	type FieldCollection,
	type FieldTexts,
	hasValueOf,
	InvalidFieldError,
	secretFieldError,
} from './field';

export function locatorValue(value: unknown): unknown {
	const isLocator = ownValue(value, '__rl') === true;
	return isLocator ? ownValue(value, 'value') : value;
}

function fieldRefusal(field: Field, value: unknown, advice?: string): InvalidFieldError {
	const { displayName, kind, isSecret } = field;
	const allowed = sentences(`Allowed: ${kind.allowed}.`, advice);
	if (isSecret === true && !isEmpty(value)) return secretFieldError(displayName, allowed);
	return new InvalidFieldError(displayName, value, allowed);
}

/** The text of a value, whatever its range; undefined when the field is to be left out. Throws InvalidFieldError. */
function enteredText(field: Field, value: unknown): string | undefined {
	const entered = locatorValue(value);
	try {
		return field.kind.toText(entered);
	} catch {
		throw fieldRefusal(field, entered);
	}
}

/** The text to send for a value, `undefined` when the field is to be left out. Throws InvalidFieldError. */
export function readField(field: Field, value: unknown): string | undefined {
	const text = enteredText(field, value);
	if (text === undefined || field.kind.accepts(text)) return text;
	throw fieldRefusal(field, locatorValue(value), field.kind.advice?.(text));
}

export function readRequiredField(field: Field, value: unknown): string {
	const text = readField(field, value);
	if (text === undefined) {
		throw fieldRefusal(field, locatorValue(value), field.kind.ifMissing);
	}
	return text;
}

/**
 * A limit of a collection. One that was added but has no value, such as an expression that finds nothing, is an
 * error: it must never mean "no limit".
 *
 * @returns undefined where it was not added
 */
export function readLimit(
	field: Field,
	collection: Readonly<Record<string, unknown>>,
): number | undefined {
	if (!Object.hasOwn(collection, field.name)) return undefined;
	return Number(readRequiredField(field, Reflect.get(collection, field.name)));
}

/** A collection of fields as n8n passes it; an expression may have replaced it with anything. */
export function readCollection(value: unknown, label: string): UnknownRecord {
	if (value === undefined || value === null || value === '') return {};
	if (isRecord(value)) return value;
	throw new InvalidFieldError(label, value, 'Allowed: an object with the fields of this section.');
}

/**
 * Reads the fields of one item. A field is read only where those that its conditions name let it be there.
 */
export class FieldReader {
	readonly parameters: Record<string, string> = {};

	private readonly texts: Map<string, string>;

	private readonly fieldsRead = new Map<string, Field>();

	/** @param given the texts of fields that conditions name and that are read elsewhere */
	constructor(private readonly given: FieldTexts = new Map()) {
		this.texts = new Map(given);
	}

	/** The text of a field that was read, by its name in n8n; undefined when it is left out. */
	readonly textOf = (name: string): string | undefined => this.texts.get(name);

	/**
	 * Reads fields that always have a value in n8n, so the value of a hidden field means nothing and is
	 * ignored. Each is read after those that its conditions name, and else in the order of the editor.
	 */
	read(fields: readonly Field[], valueOf: (name: string) => unknown): this {
		const reached = new Set<Field>();
		const readOne = (field: Field): void => {
			const { name, when = {} } = field;
			if (reached.has(field)) return;
			reached.add(field);
			for (const other of fields) if (other.name in when) readOne(other);
			if (!this.texts.has(name) && conditionsHold(when, this.texts))
				this.take(field, valueOf(name));
		};
		fields.forEach(readOne);
		return this;
	}

	/**
	 * Reads fields that the user added one by one, so none is ignored: one that the service would not
	 * understand is rejected.
	 *
	 * @param presets texts of fields that were not added
	 */
	readCollection(
		{ displayName, fields }: Pick<FieldCollection, 'displayName' | 'fields'>,
		value: unknown,
		presets: FieldTexts = new Map(),
	): this {
		const entered = readCollection(value, displayName);
		// Of several fields with one name, the first whose conditions hold
		const done = new Set(this.given.keys());
		for (const field of fields) {
			const { name, when = {} } = field;
			if (done.has(name) || !conditionsHold(when, this.texts)) continue;
			done.add(name);
			if (Object.hasOwn(entered, name)) this.take(field, entered[name]);
			else this.keep(field, presets.get(name));
		}
		for (const field of fields) {
			const { name, when } = field;
			if (done.has(name) || !Object.hasOwn(entered, name)) continue;
			done.add(name);
			const text = enteredText(field, entered[name]);
			// Where the service does not know the parameter, a value that changes nothing is left out
			if (text === undefined || text === field.kind.neutral) continue;
			// First what the chosen value needs, which may be more
			this.refuseUnless(field.kind.conditionsOfValue?.get(text), field, entered[name]);
			this.refuseUnless(when, field, entered[name]);
		}
		return this;
	}

	private take(field: Field, value: unknown): void {
		const text = (field.required === true ? readRequiredField : readField)(field, value);
		// Expressions can give any value of a choice
		const conditions = field.kind.conditionsOfValue?.get(text ?? '');
		if (conditions !== undefined) this.refuseUnless(conditions, field, value);
		this.keep(field, text);
	}

	private keep(field: Field, text: string | undefined): void {
		this.fieldsRead.set(field.name, field);
		if (text === undefined) return;
		this.texts.set(field.name, text);
		if (field.serviceName !== undefined) this.parameters[field.serviceName] = text;
	}

	private refuseUnless(conditions: Conditions = {}, field: Field, value: unknown): void {
		for (const [name, values] of Object.entries(conditions)) {
			if (hasValueOf(name, values, this.texts)) continue;
			const deciding = this.fieldsRead.get(name);
			const label = `'${deciding?.displayName ?? name}'`;
			const allowed = values.map((one) => nameOfValue(deciding, String(one))).join(' or ');
			const current = nameOfValue(deciding, this.texts.get(name) ?? '');
			throw new InvalidFieldError(
				field.displayName,
				value,
				`It works only when ${label} is ${allowed}, but ${label} is ${current}. Remove it, or change ${label}.`,
			);
		}
	}
}

function nameOfValue(field: Field | undefined, text: string): string {
	const options = field?.kind.property.options ?? [];
	const option = options.find((one) => String(Reflect.get(one, 'value')) === text);
	return option?.name ?? (text || 'empty');
}
