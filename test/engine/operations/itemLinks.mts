import type { INodeExecutionData } from 'n8n-workflow';

/** The input items that the output items are linked to. */
export function links(items: readonly INodeExecutionData[]) {
	return items.map(({ pairedItem }) => pairedItem);
}

export function linkedTo(...inputItems: number[]) {
	return inputItems.map((item) => ({ item }));
}
