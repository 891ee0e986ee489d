/** A record with the same keys, and other values. */
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
