/**
 * Such as 100,000: the editor and the messages are in English. Not by the formatter of the runtime:
 * to load its tables would take longer than to load this package.
 */
export function formatNumber(value: number): string {
	const [whole, ...fraction] = String(value).split('.');
	// Such as Infinity and 1e+21
	if (!/^-?\d+$/.test(whole)) return String(value);
	return [whole.replace(/\B(?=(?:\d{3})+$)/g, ','), ...fraction].join('.');
}

/** Such as "a, b, or c". */
export function enumerated(texts: readonly string[]): string {
	if (texts.length < 3) return texts.join(' or ');
	return `${texts.slice(0, -1).join(', ')}, or ${texts.at(-1)}`;
}

/** Such as "1 day" and "2.1 days". */
export function plural(count: number, one: string, several = `${one}s`): string {
	return `${formatNumber(count)} ${count === 1 ? one : several}`;
}

/** Such as "2 hours 5 minutes"; the two largest units. */
export function durationInWords(ms: number): string {
	const seconds = Math.round(Math.abs(ms) / 1000);
	const parts: Array<[number, string]> = [
		[Math.floor(seconds / 86_400), 'day'],
		[Math.floor(seconds / 3600) % 24, 'hour'],
		[Math.floor(seconds / 60) % 60, 'minute'],
		[seconds % 60, 'second'],
	];
	const largest = parts.filter(([count]) => count > 0).slice(0, 2);
	if (largest.length === 0) return plural(0, 'second');
	return largest.map(([count, unit]) => plural(count, unit)).join(' ');
}

/** The texts that there are, one after the other. */
export function sentences(...texts: ReadonlyArray<string | undefined>): string {
	return texts.filter(Boolean).join(' ');
}

/** The order of texts in English, whatever their case, for `sort`; by code units for the same reason. */
export function alphabetically(a: string, b: string): number {
	const [first, second] = [a.toLowerCase(), b.toLowerCase()];
	return first < second ? -1 : Number(first > second);
}
