import type { IDataObject } from 'n8n-workflow';

import type { RunResult } from './engine.mts';

/** The items of a run, whether it went well or not. */
export function records({ items }: Pick<RunResult, 'items'>): IDataObject[] {
	return items.map(({ json }) => json);
}

/** The items of a run that must have gone well. */
export function succeeded(run: RunResult): IDataObject[] {
	expect(run.error).toBeUndefined();
	return records(run);
}

/** Of each item, whether its order was renewed. */
export function renewed(run: RunResult): unknown[] {
	return records(run).map((record) => record.renewed);
}

/** Message and description of what stopped a run. */
export function textOf({ error }: RunResult): string {
	return `${error?.message}. ${error?.description}`;
}

/** The hints of a run, one in each line. */
export function hintsOf({ hints }: RunResult): string {
	return hints.map(({ message }) => message).join('\n');
}

/**
 * The message that n8n shows when a field rejects a value.
 *
 * @param shown the value as the message shows it, or 'empty'
 * @param item its index, where there are several
 */
export function refusalMessage(label: string, shown: string, item?: number): string {
	const why = shown === 'empty' ? 'is empty' : `can't be ${shown}`;
	return `'${label}' ${why}${item === undefined ? '' : ` [item ${item}]`}`;
}
