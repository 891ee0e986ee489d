/** As it is where it is not well encoded, such as a password with a bare percent sign. */
export function percentDecoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}
