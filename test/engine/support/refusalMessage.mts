/**
 * What n8n shows when a field rejects a value.
 *
 * @param shown the value as the message shows it, or 'empty'
 * @param item its index, where there are several
 */
export function refusalMessage(label: string, shown: string, item?: number): string {
	const why = shown === 'empty' ? 'is empty' : `can't be ${shown}`;
	return `'${label}' ${why}${item === undefined ? '' : ` [item ${item}]`}`;
}
