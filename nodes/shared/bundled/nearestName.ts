import { closest, distance } from 'fastest-levenshtein';

/**
 * The name that is most like a typed one, capitals aside.
 *
 * @param mostLetters letters that may be missing, be too many, or be others
 */
export function nearestName(
	typed: string,
	names: readonly string[],
	mostLetters: number,
): string | undefined {
	const byKey = new Map(names.map((name) => [name.toLowerCase(), name]));
	const nearest = closest(typed.toLowerCase(), [...byKey.keys()]);
	return distance(typed.toLowerCase(), nearest) > mostLetters ? undefined : byKey.get(nearest);
}
