import { ownValue } from '../guards';
import type { ValueKind } from './valueKinds';

/** A list from the service in the editor, with a text field as the alternative. */
export interface LocatorSettings {
	/** The name of the method of the node that fills the list. */
	readonly method: string;
	/** What the empty list field says. */
	readonly listPlaceholder: string;
	/** The label of the other mode, such as "By Code". */
	readonly typedLabel: string;
	readonly typedPlaceholder: string;
}

/** The mode in which a value is typed. */
export const TYPED_MODE = 'code';

/** The same value, but picked from a list of the service or typed. */
export function resourceLocator(
	kind: ValueKind,
	settings: LocatorSettings,
	firstMode: 'list' | typeof TYPED_MODE = 'list',
): ValueKind {
	return {
		...kind,
		ifMissing: 'Choose one from the list.',
		property: {
			type: 'resourceLocator',
			// Marked as the editor marks it: it then knows the untouched value again, and takes the one of
			// another form of the field when that comes in its place
			default: { __rl: true, mode: firstMode, value: '' },
			modes: [
				{
					displayName: 'From List',
					name: 'list',
					type: 'list',
					placeholder: settings.listPlaceholder,
					typeOptions: { searchListMethod: settings.method, searchable: true },
				},
				{
					displayName: settings.typedLabel,
					name: TYPED_MODE,
					type: 'string',
					placeholder: settings.typedPlaceholder,
				},
			],
		},
	};
}

/** What was picked or typed; n8n passes it together with the mode. */
export function locatorValue(value: unknown): unknown {
	const isLocator = ownValue(value, '__rl') === true;
	return isLocator ? ownValue(value, 'value') : value;
}
