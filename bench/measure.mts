import type { Ratio } from './statistics.mts';

/** What was measured, with whatever else a reader may want to know. */
export type Measured = Ratio & Readonly<Record<string, unknown>>;

export interface Measure {
	readonly name: string;
	/** What is divided by what, for people. */
	readonly compares: string;
	/** The ratio must not be larger. */
	readonly goal: number;
	measure(say: (line: string) => void): Promise<Measured>;
}
