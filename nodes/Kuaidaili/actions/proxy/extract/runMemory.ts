import { memoryOfRuns } from '../../../nodeRun';
import type { Extracted } from './extractProxies';
import { RunQuota } from './runQuota';

/** What a run of the node used up; it lives on while n8n repeats the run for 'Retry On Fail'. */
export class RunMemory {
	readonly quota = new RunQuota();

	private readonly extracted = new Map<string, Extracted>();

	/** @param key the item, and everything that decides about what is extracted for it */
	async once(key: string, extract: () => Promise<Extracted>): Promise<Extracted> {
		const known = this.extracted.get(key);
		if (known !== undefined) return known;
		const extracted = await extract();
		this.extracted.set(key, extracted);
		return extracted;
	}
}

/** The memory of this run, or of the one that n8n repeats with it. */
export const runMemoryOf = memoryOfRuns(() => new RunMemory());
