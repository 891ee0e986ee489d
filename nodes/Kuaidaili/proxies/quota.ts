import type { IExecuteFunctions } from 'n8n-workflow';

import { LimitError } from '../../shared/fields/invalidFieldError';
import { formatNumber } from '../../shared/wording';
import { maxExtractionsField } from './products/product';

/** How many proxies a node has used up in an execution, or may have: across all its runs. */
export class ExtractionQuota {
	constructor(private asked = 0) {}

	get count(): number {
		return this.asked;
	}

	/**
	 * How many of them may be asked for.
	 *
	 * @param max 0 sets no limit
	 */
	allowed(count: number, max: number): number {
		return max > 0 ? Math.max(0, Math.min(count, max - this.asked)) : count;
	}

	/** @throws LimitError when that many more are too many; nothing was asked for then */
	take(count: number, max: number): void {
		if (this.allowed(count, max) < count) {
			const before =
				this.asked === 0
					? ''
					: `, and this node has already asked for ${formatNumber(this.asked)} in this execution`;
			const more = this.asked === 0 ? '' : 'more ';
			const noun = `${more}${count === 1 ? 'proxy is' : 'proxies are'}`;
			throw new LimitError(
				maxExtractionsField.displayName,
				max,
				`${formatNumber(count)} ${noun} needed${before}. Use fewer, or raise the limit in 'Options'.`,
			);
		}
		this.asked += count;
	}

	/** Corrects what was taken when it is known how many are used up, or may be. */
	settle(taken: number, spent: number): void {
		this.asked += spent - taken;
	}
}

/* By n8n's data of the node in an execution, which a tool has as well. */
const quotas = new WeakMap<object, ExtractionQuota>();

/** What a node has used up so far in this execution. */
export function quotaOf(context: IExecuteFunctions): ExtractionQuota {
	const execution: object = context.getContext('node');
	const quota = quotas.get(execution) ?? new ExtractionQuota();
	quotas.set(execution, quota);
	return quota;
}
