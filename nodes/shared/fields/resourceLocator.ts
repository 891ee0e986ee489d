import type { INodePropertyMode } from 'n8n-workflow';

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

function typedMode({ typedLabel, typedPlaceholder }: TypedSettings): INodePropertyMode {
	return {
		displayName: typedLabel,
		name: TYPED_MODE,
		type: 'string',
		placeholder: typedPlaceholder,
	};
}

/** The same value, but picked from a list of the service or typed. */
export function resourceLocator(kind: ValueKind, settings: LocatorSettings): ValueKind {
	return {
		...kind,
		property: {
			type: 'resourceLocator',
			default: { mode: 'list', value: '' },
			modes: [
				{
					displayName: 'From List',
					name: 'list',
					type: 'list',
					placeholder: settings.listPlaceholder,
					typeOptions: { searchListMethod: settings.method, searchable: true },
				},
				typedMode(settings),
			],
		},
	};
}

/** The same where the service has no list; as a locator, so that what was picked before can be kept. */
export function typedLocator(kind: ValueKind, settings: TypedSettings): ValueKind {
	return {
		...kind,
		property: {
			type: 'resourceLocator',
			default: { mode: TYPED_MODE, value: '' },
			modes: [typedMode(settings)],
		},
	};
}

/** What was picked or typed; n8n passes it together with the mode. */
export function locatorValue(value: unknown): unknown {
	const isLocator = ownValue(value, '__rl') === true;
	return isLocator ? ownValue(value, 'value') : value;
}
