import type { IDataObject } from 'n8n-workflow';

/* Guards for data from outside: parameters, credentials, answers of the service. */

export type UnknownRecord = Record<string, unknown>;

export function isRecord(value: unknown): value is UnknownRecord {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same for n8n: what an item or the data of an execution consists of. */
export function isDataObject(value: unknown): value is IDataObject {
	return isRecord(value);
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

export function isOneOf<T extends string>(value: unknown, allowed: readonly T[]): value is T {
	return allowed.some((one) => one === value);
}

/** Whether a text has no half characters, such as a cut-off emoji, which cannot be sent or be part of a URL. */
export function isWellFormed(text: string): boolean {
	return !/\p{Surrogate}/u.test(text);
}

/** A property of anything, also of an Error or a class instance; undefined where there is none. */
export function propertyOf(value: unknown, name: string): unknown {
	return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
