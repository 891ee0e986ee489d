import type { INodeProperties } from 'n8n-workflow';

import { readCollection, readField } from '../../shared/fields/reader';
import { toCollection, type Field } from '../../shared/fields/field';
import { toggle, number } from '../../shared/fields/kinds';
import { ownValue, type UnknownRecord } from '../../shared/guards';

export interface CallOptions {
	/** The options as they were entered; the operation reads its own. */
	readonly options: UnknownRecord;
	readonly timeoutMs: number;
}

export const OPTIONS_LABEL = 'Options';

const DEFAULT_TIMEOUT_SECONDS = 30;

const timeoutField: Field = {
	name: 'timeout',
	displayName: 'API Timeout (Seconds)',
	description:
		'How many seconds to wait for Kuaidaili. Calls that only read data or change a setting are tried up to three times within this time.',
	kind: number({ min: 1, max: 600, preset: DEFAULT_TIMEOUT_SECONDS }),
};

/** The collection 'Options': the operation's own options and the common one, sorted by label. */
export function optionsCollection(own: readonly Field[]): INodeProperties {
	return toCollection({
		name: 'options',
		displayName: OPTIONS_LABEL,
		placeholder: 'Add option',
		fields: [...own, timeoutField],
	});
}

/**
 * 'Options' with others that are no fields, such as collections, in the order of these names.
 */
export function orderedOptions(
	collection: INodeProperties,
	others: readonly INodeProperties[],
	names: readonly string[],
): INodeProperties {
	const fields = (collection.options ?? []).filter((option) => 'type' in option);
	const placeOf = ({ name }: INodeProperties) => names.indexOf(name);
	const options = [...fields, ...others].sort((a, b) => placeOf(a) - placeOf(b));
	return { ...collection, options };
}

export function readCallOptions(value: unknown): CallOptions {
	const options = readCollection(value, OPTIONS_LABEL);
	const { timeout } = options;
	const seconds = timeout === undefined ? undefined : readField(timeoutField, timeout);
	return { options, timeoutMs: Number(seconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000 };
}

/**
 * Reads the fields of an item, some of which stand in 'Options' and have a preset where they were not added.
 *
 * @param presets of those, by their names
 * @returns the value of a field by its name
 */
export function readerWithOptions(
	item: { parameter(name: string): unknown; callOptions(): CallOptions },
	presets: ReadonlyMap<string, unknown>,
) {
	return (name: string): unknown => {
		if (!presets.has(name)) return item.parameter(name);
		const { options } = item.callOptions();
		return Object.hasOwn(options, name) ? ownValue(options, name) : presets.get(name);
	};
}

export function includeSecrets(description: string): Field {
	return {
		name: 'includeSecrets',
		displayName: 'Include Secrets',
		description,
		kind: toggle({ preset: true, sendsOff: false }),
	};
}
