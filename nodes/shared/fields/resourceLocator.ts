import { ownValue } from '../guards';
import type { ValueKind } from './valueKinds';

/** A text field. */
interface TypedSettings {
	/** The label of the mode, such as "By Code". */
	readonly typedLabel: string;
	readonly typedPlaceholder: string;
}

/** A list from the service in the editor, with a text field as the alternative. */
export interface LocatorSettings extends TypedSettings {
	/** The name of the method of the node that fills the list. */
	readonly method: string;
	/** What the empty list field says. */
	readonly listPlaceholder: string;
}

/** The mode in which a value is typed. */
export const TYPED_MODE = 'code';

/**
 * The same value, but picked or typed. Where there is no list it still is a locator, so that what was
 * picked before can be kept.
 */
function locator(kind: ValueKind, typed: TypedSettings, list?: LocatorSettings): ValueKind {
	return {
		...kind,
		property: {
			type: 'resourceLocator',
			default: { mode: list === undefined ? TYPED_MODE : 'list', value: '' },
			modes: [
				...(list === undefined
					? []
					: [
							{
								displayName: 'From List',
								name: 'list',
								type: 'list' as const,
								placeholder: list.listPlaceholder,
								typeOptions: { searchListMethod: list.method, searchable: true },
							},
						]),
				{
					displayName: typed.typedLabel,
					name: TYPED_MODE,
					type: 'string',
					placeholder: typed.typedPlaceholder,
				},
			],
		},
	};
}

/** The same value, but picked from a list of the service or typed. */
export function resourceLocator(kind: ValueKind, settings: LocatorSettings): ValueKind {
	return locator(kind, settings, settings);
}

/** The same where the service has no list. */
export function typedLocator(kind: ValueKind, settings: TypedSettings): ValueKind {
	return locator(kind, settings);
}

/** What was picked or typed; n8n passes it together with the mode. */
export function locatorValue(value: unknown): unknown {
	const isLocator = ownValue(value, '__rl') === true;
	return isLocator ? ownValue(value, 'value') : value;
}
