/** Whole numbers from `min` to `max` in steps; without `max` the service states none. */
export interface AmountRange {
	readonly min: number;
	readonly max?: number;
	/** Amounts are multiples of it. */
	readonly step?: number;
}
