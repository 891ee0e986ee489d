import type { INodePropertyOptions } from 'n8n-workflow';

import { list, type ValueKind } from './valueKinds';

/** What the service calls every value at once; the same as leaving the field out. */
const ALL = 'all';

/** Any number of the service's own values, sent as text with commas; none stands for all. */
export function severalOf(
	options: ReadonlyArray<INodePropertyOptions & { readonly value: string }>,
): ValueKind {
	const names = options.map(({ name, value }) => `${value} (${name})`);
	const isKnown = (entry: string) => entry === ALL || options.some(({ value }) => value === entry);
	return {
		...list(`${ALL}, or one or several of ${names.join(', ')}`, isKnown),
		property: { type: 'multiOptions', options: [...options], default: [] },
	};
}
