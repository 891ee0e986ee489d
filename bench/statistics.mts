/** Two times, or sizes, that were taken one right after the other. */
export interface Pair {
	readonly ours: number;
	readonly other: number;
}

/** How much of the other's time ours takes. */
export interface Ratio {
	readonly ratio: number;
	/** The middle half of the pairs lies between these two. */
	readonly low: number;
	readonly high: number;
	readonly pairs: number;
}

/** The value below which the share `share` of the values lies, between two of them where it falls there. */
export function quantile(values: readonly number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	const position = (sorted.length - 1) * share;
	const below = sorted[Math.floor(position)];
	const above = sorted[Math.ceil(position)];
	if (below === undefined || above === undefined) throw new Error('There are no values');
	return below + (above - below) * (position - Math.floor(position));
}

export function median(values: readonly number[]): number {
	return quantile(values, 0.5);
}

/**
 * The median of the ratios of the pairs, not the ratio of two medians: what slows the machine down for
 * a while slows down both halves of a pair.
 */
export function ratioOf(pairs: readonly Pair[]): Ratio {
	const ratios = pairs.map(({ ours, other }) => ours / other);
	return {
		ratio: median(ratios),
		low: quantile(ratios, 0.25),
		high: quantile(ratios, 0.75),
		pairs: ratios.length,
	};
}
