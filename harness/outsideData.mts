/** Reads values of unknown origin, and says what was expected when they are something else. */

export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Follows a path of keys and indexes. Anything missing on the way gives undefined. */
export function at(value: unknown, ...path: ReadonlyArray<string | number>): unknown {
	let current = value;
	for (const step of path) {
		if (Array.isArray(current) && typeof step === 'number') current = current[step];
		else if (isRecord(current) && typeof step === 'string') current = current[step];
		else return undefined;
	}
	return current;
}

export function readString(value: unknown, ...path: ReadonlyArray<string | number>): string {
	const found = at(value, ...path);
	if (typeof found === 'string') return found;
	throw new Error(`Expected text in '${path.join('.')}', found ${excerpt(found)}`);
}

export function readList(value: unknown, ...path: ReadonlyArray<string | number>): unknown[] {
	const found = at(value, ...path);
	if (Array.isArray(found)) return found;
	throw new Error(`Expected a list in '${path.join('.')}', found ${excerpt(found)}`);
}

/** Enough of a value to recognise it in a message. */
export function excerpt(value: unknown): string {
	const text = JSON.stringify(value) ?? String(value);
	return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
