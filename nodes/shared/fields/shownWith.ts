import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

/**
 * Shows fields only with these values of other fields, in addition to their own conditions.
 * n8n's `updateDisplayOptions` does the same for any options, but would take up a third of the loading time
 * of this package.
 */
export function shownWith(
	show: Required<IDisplayOptions>['show'],
	properties: readonly INodeProperties[],
): INodeProperties[] {
	return properties.map((property) => {
		const { displayOptions } = property;
		return {
			...property,
			displayOptions: { ...displayOptions, show: { ...displayOptions?.show, ...show } },
		};
	});
}
