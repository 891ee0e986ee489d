/**
 * What n8n shows when a field rejects a value.
 *
 * @param shown the value as the message shows it, or 'empty'
 */
export function refusalMessage(label: string, shown: string, item = 0): string {
	const why = shown === 'empty' ? 'is empty' : `can't be ${shown}`;
	return `'${label}' ${why} [item ${item}]`;
}
