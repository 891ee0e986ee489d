import { LimitError } from '../../shared/fields/invalidFieldError';
import { formatNumber } from '../../shared/wording';
import { memoryOfRuns } from '../nodeRun';
import type { Extracted } from './extraction';
import { maxExtractionsField } from './products/product';

/** How many proxies a run of the node has used up, or may have. */
export class RunQuota {
	private asked = 0;

	/** What may be used up, without a period; undefined where that is nothing. */
	get inWords(): string | undefined {
		if (this.asked === 0) return undefined;
		const noun = this.asked === 1 ? 'proxy' : 'proxies';
		return `Up to ${formatNumber(this.asked)} ${noun} of this run may have been extracted and counted`;
	}

	/** @throws LimitError when that many more are too many; nothing was asked for then */
	take(count: number, most: number): void {
		if (most > 0 && this.asked + count > most) {
			const before =
				this.asked === 0 ? '' : `, and this run has asked for ${formatNumber(this.asked)} before`;
			throw new LimitError(
				maxExtractionsField.displayName,
				most,
				`This item needs ${formatNumber(count)} proxies${before}. Ask for fewer, or raise the limit in 'Options'.`,
			);
		}
		this.asked += count;
	}

	/** What was asked for and is known not to be used up. */
	giveBack(count: number): void {
		this.asked -= count;
	}
}

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
