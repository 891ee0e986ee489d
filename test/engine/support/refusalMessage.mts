/**
 * What n8n shows when a field rejects a value.
 *
 * @param shown the value as the message shows it, or 'empty'
 */
export function refusalMessage(label: string, shown: string, item = 0): string {
	const why = shown === 'empty' ? '' : ', which cannot be used';
	return `'${label}' is ${shown}${why} [item ${item}]`;
}
