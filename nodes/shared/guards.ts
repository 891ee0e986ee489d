import type { IDataObject } from 'n8n-workflow';

/* Guards for data from outside: parameters, credentials, answers of the service. */

export type UnknownRecord = Record<string, unknown>;

export function isRecord(value: unknown): value is UnknownRecord {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A record as n8n puts it out and saves it; empty for anything else. */
export function toDataObject(value: unknown): IDataObject {
	const isDataObject = (data: unknown): data is IDataObject => isRecord(data);
	return isDataObject(value) ? value : {};
}

/** `Array.isArray` alone makes the elements `any`. */
export function isList(value: unknown): value is unknown[] {
	return Array.isArray(value);
}

/**
 * A property of a record, and undefined of anything else. Only own ones: `constructor` and its kind must
 * never be found by a name from outside.
 */
export function ownValue(value: unknown, name: string): unknown {
	return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Codes are texts on one endpoint and numbers on another. */
export function isCode(value: unknown): value is string | number {
	return (typeof value === 'string' && value !== '') || Number.isSafeInteger(value);
}

/** Whether nothing was entered or answered: white space is nothing. */
export function isEmpty(value: unknown): boolean {
	return (
		value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
	);
}

export function isOneOf<T extends string>(value: unknown, allowed: readonly T[]): value is T {
	const values: readonly unknown[] = allowed;
	return values.includes(value);
}

/** Whether a text has no half characters, such as a cut-off emoji, which cannot be sent or be part of a URL. */
export function isWellFormed(text: string): boolean {
	return !/\p{Surrogate}/u.test(text);
}

/** A property of anything, also of an Error or a class instance; undefined where there is none. */
export function propertyOf(value: unknown, name: string): unknown {
	return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** The decoded text, or the text as it is where it is not well encoded, such as a password with a bare percent sign. */
export function percentDecoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

export function mapValues<K extends string, V, T>(
	record: Readonly<Record<K, V>>,
	toValue: (value: V, key: K) => T,
): Record<K, T>;
// `Object.fromEntries` loses the type of the keys
export function mapValues(
	record: Readonly<Record<string, unknown>>,
	toValue: (value: unknown, key: string) => unknown,
): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(record).map(([key, value]) => [key, toValue(value, key)]),
	);
}

/**
 * A record of the service as output. Its fields keep the service's names, except for `error`: n8n treats
 * an item with that field as failed and would run the node again.
 */
export function toRecord(data: UnknownRecord): IDataObject {
	const entries = Object.entries(data).map(([name, value]) => [
		name === 'error' ? 'service_error' : name,
		value,
	]);
	return toDataObject(Object.fromEntries(entries));
}

/** The service names places and carriers in Chinese only; the English name gets a field of its own. */
export function withEnglishName(
	data: UnknownRecord,
	field: 'carrier' | 'country' | 'province' | 'city',
	english: string | undefined,
): IDataObject {
	return toRecord(english === undefined ? data : { ...data, [field]: english });
}
