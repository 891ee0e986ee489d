import type { IExecuteFunctions } from 'n8n-workflow';

import { LimitError } from '../../shared/fields/invalidFieldError';
import { formatNumber } from '../../shared/wording';
import { maxExtractionsField } from './products/product';

/** How many proxies a node has used up in an execution, or may have: across all its runs. */
export class ExtractionQuota {
	constructor(public count = 0) {}

	/**
	 * How many of them may be asked for.
	 *
	 * @param max 0 sets no limit
	 */
	allowed(count: number, max: number): number {
		return max > 0 ? Math.max(0, Math.min(count, max - this.count)) : count;
	}

	/** @throws LimitError when that many more are too many; nothing was asked for then */
	take(count: number, max: number): void {
		if (this.allowed(count, max) < count) {
			const are = count === 1 ? 'proxy is' : 'proxies are';
			const needed =
				this.count === 0
					? `${are} needed`
					: `more ${are} needed, and this node has already asked for ${formatNumber(this.count)} in this execution`;
			throw new LimitError(
				maxExtractionsField.displayName,
				max,
				`${formatNumber(count)} ${needed}. Use fewer, or raise the limit in 'Options'.`,
			);
		}
		this.count += count;
	}

	/** Corrects what was taken when it is known how many are used up, or may be. */
	settle(taken: number, spent: number): void {
		this.count += spent - taken;
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
