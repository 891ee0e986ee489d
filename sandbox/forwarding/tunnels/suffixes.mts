/** What a suffix may say, by its name. */
export type SuffixForms = Readonly<Record<string, RegExp>>;

export type Suffixes = ReadonlyMap<string, string>;

/**
 * Reads `-region-US-area-New York`. Undefined when there is a name or a value in it that is not known,
 * or a name twice: what the service does then is not documented.
 */
export function readSuffixes(text: string, forms: SuffixForms): Suffixes | undefined {
	const [before, ...namesAndValues] = text.split(new RegExp(`-(${Object.keys(forms).join('|')})-`));
	if (before !== '') return undefined;

	const suffixes = new Map<string, string>();
	for (let index = 0; index < namesAndValues.length; index += 2) {
		const [name = '', value = ''] = namesAndValues.slice(index, index + 2);
		if (suffixes.has(name) || !forms[name]?.test(value)) return undefined;
		suffixes.set(name, value);
	}
	return suffixes;
}

/** Those that say where the exit shall be. */
export function placeIn(suffixes: Suffixes, names: readonly string[]): Record<string, string> {
	return Object.fromEntries([...suffixes].filter(([name]) => names.includes(name)));
}
