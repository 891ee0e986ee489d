import { ownValue } from '../guards';
import { conditionsHold, hasValueOf, type Conditions, type FieldTexts } from './conditions';
import {
	isServiceField,
	isSet,
	readCollection,
	readField,
	readRequiredField,
	type Field,
	type FieldCollection,
	type ReadOptions,
} from './field';
import { InvalidFieldError } from './invalidFieldError';

interface ReaderOptions extends ReadOptions {
	/** Of fields that conditions name and that are read elsewhere. */
	readonly given?: FieldTexts;
}

const readingOrders = new WeakMap<readonly Field[], readonly Field[]>();

/** Each after those that its conditions name, and else as in the editor. */
function inReadingOrder(fields: readonly Field[]): readonly Field[] {
	const known = readingOrders.get(fields);
	if (known !== undefined) return known;
	const ordered: Field[] = [];
	const left = new Set(fields);
	const isWaiting = (name: string) => [...left].some((other) => other.name === name);
	while (left.size > 0) {
		const isReady = ({ when = {} }: Field) => !Object.keys(when).some(isWaiting);
		const next = [...left].find(isReady);
		if (next === undefined) throw new Error('Fields depend on each other');
		left.delete(next);
		ordered.push(next);
	}
	readingOrders.set(fields, ordered);
	return ordered;
}

/**
 * Reads the fields of one item. A field is read only where those that its conditions name let it be there.
 */
export class FieldReader {
	/** What is to be sent, by the service's names. */
	readonly parameters: Record<string, string> = {};

	private readonly texts: Map<string, string>;

	private readonly fieldsRead = new Map<string, Field>();

	private readonly check: boolean;

	constructor({ check = true, given = new Map() }: ReaderOptions = {}) {
		this.check = check;
		this.texts = new Map(given);
	}

	/** The text of a field that was read, by its name in n8n; undefined when it is left out. */
	text(name: string): string | undefined {
		return this.texts.get(name);
	}

	/**
	 * Reads fields that always have a value in n8n, so the value of a hidden field means nothing and is
	 * ignored.
	 *
	 * @param valueOf the value of a field for this item
	 * @throws InvalidFieldError
	 */
	read(fields: readonly Field[], valueOf: (name: string) => unknown): this {
		for (const field of inReadingOrder(fields)) {
			const isThere = conditionsHold(field.when ?? {}, this.texts);
			const mayBeThere = isThere || (!this.check && this.isThereForNewValues(field, fields));
			if (!mayBeThere || this.texts.has(field.name)) continue;
			const value = valueOf(field.name);
			if (this.check) this.refuseOtherwiseConditional(field, value);
			const isRequired = field.required === true && isThere;
			this.take(field, (isRequired ? readRequiredField : readField)(field, value, this.how(field)));
		}
		return this;
	}

	/**
	 * Reads fields that the user added one by one, so none is ignored: one that the service would not
	 * understand is rejected.
	 *
	 * @param value of the collection
	 * @throws InvalidFieldError
	 */
	readCollection(
		{ displayName, fields }: Pick<FieldCollection, 'displayName' | 'fields'>,
		value: unknown,
	): this {
		const entered = readCollection(value, displayName);
		for (const field of fields) {
			const given = ownValue(entered, field.name);
			// Where the service does not know the parameter, a value that changes nothing is left out
			if (!isSet(field, given) && !conditionsHold(field.when ?? {}, this.texts)) continue;
			if (this.check && isSet(field, given)) {
				this.refuseOtherwiseConditional(field, given);
				this.refuseUnless(field.when, field, given);
			}
			const isRequired = field.required === true && Object.hasOwn(entered, field.name);
			this.take(field, (isRequired ? readRequiredField : readField)(field, given, this.how(field)));
		}
		return this;
	}

	/** Fields that others depend on, and the node's own fields, are always checked. */
	private how(field: Field): ReadOptions {
		return { check: this.check || field.decides === true || !isServiceField(field) };
	}

	private take(field: Field, text: string | undefined): void {
		this.fieldsRead.set(field.name, field);
		if (text === undefined) return;
		this.texts.set(field.name, text);
		if (isServiceField(field)) this.parameters[field.serviceName] = text;
	}

	/**
	 * With 'Skip Local Checks', a condition also holds for a value that no field mentions, such as a new
	 * lifetime: what the user entered for it must not be dropped silently.
	 */
	private isThereForNewValues({ when = {} }: Field, fields: readonly Field[]): boolean {
		const isNew = (name: string): boolean =>
			this.texts.has(name) &&
			!fields.some(
				({ when: others = {} }) => name in others && hasValueOf(name, others[name], this.texts),
			);
		return Object.entries(when).every(
			([name, values]) => hasValueOf(name, values, this.texts) || isNew(name),
		);
	}

	/** Older editors offer all values of a choice, and expressions can give any. */
	private refuseOtherwiseConditional(field: Field, value: unknown): void {
		const { conditionsOfValue } = field.kind;
		if (conditionsOfValue === undefined) return;
		const text = readField(field, value, { check: false }) ?? '';
		this.refuseUnless(conditionsOfValue.get(text), field, value);
	}

	/** @throws InvalidFieldError */
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

/** As the editor shows it, where the field is a choice. */
function nameOfValue(field: Field | undefined, text: string): string {
	const options = field?.kind.property.options ?? [];
	const option = options.find((one) => String(Reflect.get(one, 'value')) === text);
	return option?.name ?? (text || 'empty');
}

/**
 * The parameters to send.
 *
 * @param valueOf the value of a field for this item
 * @returns texts by the service's names
 * @throws InvalidFieldError
 */
export function readFields(
	fields: readonly Field[],
	valueOf: (name: string) => unknown,
	options?: ReaderOptions,
): Record<string, string> {
	return new FieldReader(options).read(fields, valueOf).parameters;
}
