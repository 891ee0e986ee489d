import type { IExecuteFunctions } from 'n8n-workflow';

import { accountBalance } from '../../shared/orders/accountBalance';
import type { RunQuery } from '../../shared/service/query';
import { DescribedError } from '../../shared/transport/callErrors';
import { formatNumber } from '../../shared/wording';
import { isTool } from '../nodeRun';
import type { PurchaseMemory } from './purchaseMemory';
import { minimumBalanceField } from './purchaseOptions';

export const NOTHING_BOUGHT = 'Nothing was bought in this run.';

/** Ends a run before its first purchase; its text says so. */
export class LargeRunError extends DescribedError {}

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
 * Refuses a purchase while the account has less than the user wants to keep.
 *
 * @param ask with the key pair of the account
 * @throws DescribedError, and what `callService` throws; nothing was bought then
 */
export async function refuseBelowMinimum(ask: RunQuery, minimum: number): Promise<void> {
	if (minimum === 0) return;
	const { balance, balanceNumber } = await ask(accountBalance);
	if (balanceNumber >= minimum) return;
	throw new DescribedError({
		message: `The account has ${balance} yuan, less than the ${formatNumber(minimum)} of '${minimumBalanceField.displayName}'`,
		description:
			'Nothing was bought for this item. Recharge the account in the Kuaidaili member center, or lower the option.',
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
