import { isList, isRecord } from '../../../shared/guards';

/** A path in JSON, such as `data.items`, `list[0].url`, `items[*]`, or `$['a name']`; names may be in any script. */
const JSON_PATH =
	/^(?:[\p{L}\p{M}\p{N}_$@:-]+|\*|\[(?:\d{1,9}|\*|"[^"]*"|'[^']*')\])(?:\.(?:[\p{L}\p{M}\p{N}_$@:-]+|\*)|\[(?:\d{1,9}|\*|"[^"]*"|'[^']*')\])*$/u;

const STEP = /\[\s*(?:"([^"]*)"|'([^']*)')\s*\]|([^.[\]]+)/g;

/** A step to all parts of a list, or to all values of an object. */
const ALL_PARTS = '*';

export function isJsonPath(text: string): boolean {
	// As in `li::text` of another program's selectors
	return !text.includes('::') && JSON_PATH.test(text);
}

function stepsOf(path: string): string[] {
	const steps = Array.from(
		path.matchAll(STEP),
		([, double, single, bare]) => double ?? single ?? bare,
	);
	return steps[0] === '$' ? steps.slice(1) : steps;
}

/** Whether a path leads to all parts of something, rather than to one value. */
export function leadsToAll(path: string): boolean {
	return stepsOf(path).at(-1) === ALL_PARTS;
}

function valuesFrom(value: unknown, steps: readonly string[]): unknown[] {
	const [step, ...rest] = steps;
	if (step === undefined) return value === undefined ? [] : [value];
	if (isList(value)) {
		if (step === ALL_PARTS) return value.flatMap((each) => valuesFrom(each, rest));
		if (/^\d+$/.test(step)) return valuesFrom(value[Number(step)], rest);
		return value.flatMap((each) => (isRecord(each) ? valuesFrom(each, steps) : []));
	}
	if (!isRecord(value)) return [];
	// A name may hold periods itself
	for (let count = 1; count <= steps.length; count += 1) {
		const name = steps.slice(0, count).join('.');
		const found = Object.hasOwn(value, name) ? valuesFrom(value[name], steps.slice(count)) : [];
		if (found.length > 0) return found;
	}
	return step === ALL_PARTS ? Object.values(value).flatMap((each) => valuesFrom(each, rest)) : [];
}

/**
 * The values that a path leads to, such as `data.items` or `list[0].url`; `$` stands for the whole, and `*` for all parts.
 * A name that is asked of a list is asked of each of its records.
 */
export function valuesAt(value: unknown, path: string): unknown[] {
	return valuesFrom(value, stepsOf(path));
}
