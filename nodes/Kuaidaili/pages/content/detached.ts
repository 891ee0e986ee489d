import { isList, isRecord, mapValues } from '../../../shared/guards';

/** V8 copies shorter parts of a text by itself. */
const SHORTEST_SLICE = 13;

/** Copy of a text that keeps nothing else in memory: a part of a text, also within others, holds the whole of it. */
export function detached(text: string): string {
	if (text.length < SHORTEST_SLICE) return text;
	// Not by UTF-8, which has no half characters
	const encoding = /^[\0-\xff]*$/.test(text) ? 'latin1' : 'utf16le';
	return Buffer.from(text, encoding).toString(encoding);
}

/** Detaches all texts in lists and records. */
export function detachedParts(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
	const copyOf = (part: unknown): unknown => {
		if (typeof part === 'string') return detached(part);
		if (isList(part)) return part.map(copyOf);
		return isRecord(part) ? mapValues(part, copyOf) : part;
	};
	return mapValues(value, copyOf);
}
