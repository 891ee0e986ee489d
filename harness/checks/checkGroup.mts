import type { Check } from './report.mts';

/** Claims that belong together, proved on what is set up for them. */
export interface CheckGroup<Setup> {
	/** Named when the group breaks off before its claims are through. */
	readonly name: string;
	run(setup: Setup, check: Check): Promise<void>;
}
