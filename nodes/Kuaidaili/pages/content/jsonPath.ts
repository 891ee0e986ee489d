import { isList, isRecord, ownValue } from '../../../shared/guards';

/**
 * The values that a path leads to, such as `data.items` or `list[0].url`; `$` stands for the whole. A name that is asked
 * of a list is asked of each of its records.
 */
export function valuesAt(value: unknown, path: string): unknown[] {
	const steps = path.match(/[^.[\]]+/g) ?? [];
	let values = [value];
	for (const [index, step] of steps.entries()) {
		if (step === '$' && index === 0) continue;
		values = values.flatMap((held) => {
			if (!isList(held)) return isRecord(held) ? [ownValue(held, step)] : [];
			if (/^\d+$/.test(step)) return [held[Number(step)]];
			return held.map((each) => ownValue(each, step));
		});
		values = values.filter((found) => found !== undefined);
	}
	return values;
}
