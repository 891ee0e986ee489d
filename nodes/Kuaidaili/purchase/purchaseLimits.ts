import type { IExecuteFunctions } from 'n8n-workflow';

import { readField, type Field } from '../../shared/fields/field';
import { typedAmount } from '../../shared/fields/valueKinds';
import { ownValue, type UnknownRecord } from '../../shared/guards';
import { DescribedError } from '../../shared/transport/callErrors';
import { formatNumber } from '../../shared/wording';
import { isTool } from '../isTool';
import type { PurchaseMemory } from './purchaseMemory';

/**
 * The option of an operation that spends money.
 *
 * @param preset also holds where the option is not there
 * @param howItCounts a whole sentence
 */
export function maxOrdersPerRunField(preset: number, howItCounts: string): Field {
	return {
		name: 'maxOrdersPerRun',
		displayName: 'Max Orders per Run',
		description: `The most purchases that this node makes in one execution of the workflow, all its runs together; ${formatNumber(preset)} without this option. ${howItCounts}`,
		kind: typedAmount({ min: 1, max: 10_000 }, preset),
	};
}

export const NOTHING_BOUGHT = 'Nothing was bought in this run.';

/** Ends a run before its first purchase, and says so. */
export class LargeRunError extends DescribedError {}

/** @throws InvalidFieldError */
export function readMaxOrders(field: Field, options: UnknownRecord): number {
	return Number(readField(field, ownValue(options, field.name)) ?? field.kind.property.default);
}

/**
 * The refusal of a run that would buy more than the user allows. It counts all runs of the node in this
 * execution, so that a loop or an AI agent cannot pass the limit by.
 *
 * @param wanted the number of items that are to be bought now
 * @returns undefined for a run that may begin
 */
export function refusalOfLargeRun(
	memory: PurchaseMemory,
	wanted: number,
	max: number,
): LargeRunError | undefined {
	const earlier = memory.count();
	if (earlier + wanted <= max) return undefined;
	const before =
		earlier === 0 ? '' : `, and this execution has made ${formatNumber(earlier)} of them before`;
	// With 'Retry On Fail' there may be purchases of the first try
	const bought = memory.ofThisRun().length === 0 ? NOTHING_BOUGHT : 'Nothing more was bought.';
	return new LargeRunError({
		message: `This run would make ${formatNumber(earlier + wanted)} purchases, and 'Max Orders per Run' allows ${formatNumber(max)}`,
		description: `Each input item is one purchase${before}. Give the node fewer items, or raise the option in 'Options'. ${bought}`,
	});
}

/**
 * Refuses a purchase when the execution has made as many as the user allows. Right before it is sent: other
 * calls of the same tool run side by side.
 *
 * @throws DescribedError
 */
export function refuseBeyondLimit(memory: PurchaseMemory, itemIndex: number, max: number): void {
	const made = memory.count(itemIndex);
	if (made < max) return;
	throw new DescribedError({
		message: `The limit was reached: 'Max Orders per Run' allows ${formatNumber(max)}, and this execution has made ${formatNumber(made)}`,
		description:
			"Nothing was bought for this item. Raise the option in 'Options', or run the workflow again for the items that are left.",
	});
}

/**
 * As a tool of an AI agent, n8n counts each retry as a new call of the tool: nothing would tell a retry
 * from a second order that the model wants.
 *
 * @throws DescribedError
 */
export function refuseRetryingTool(context: IExecuteFunctions): void {
	if (context.getNode().retryOnFail !== true || !isTool(context)) return;
	throw new DescribedError({
		message: "Turn off 'Retry On Fail' in the settings of this tool to buy something with it",
		description:
			'n8n would call the tool again after a failure, and could pay twice for one order. Nothing was bought.',
	});
}
