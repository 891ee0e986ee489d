import type { IExecuteFunctions } from 'n8n-workflow';

import { readField, type Field } from '../../shared/fields/field';
import { wholeNumber } from '../../shared/fields/valueKinds';
import { ownValue, type UnknownRecord } from '../../shared/guards';
import { DescribedError } from '../../shared/transport/callErrors';
import { isTool, type PurchaseMemory } from './purchaseMemory';
import { formatNumber } from '../../shared/wording';

const DEFAULT_MAX_ORDERS = 10;

export const maxOrdersPerRunField: Field = {
	name: 'maxOrdersPerRun',
	displayName: 'Max Orders per Run',
	description:
		'The most purchases that this node makes in one execution of the workflow, all its items and repetitions together. A larger run is refused before anything is bought.',
	kind: wholeNumber(1, 10_000, DEFAULT_MAX_ORDERS),
};

/**
 * Refuses a run that would buy more than the user allows. It counts all runs of the node in this
 * execution, so that a loop or an AI agent cannot pass the limit by.
 *
 * @throws DescribedError
 */
export function refuseLargeRun(
	context: IExecuteFunctions,
	memory: PurchaseMemory,
	options: UnknownRecord,
): void {
	const value = ownValue(options, maxOrdersPerRunField.name) ?? DEFAULT_MAX_ORDERS;
	const max = Number(readField(maxOrdersPerRunField, value) ?? DEFAULT_MAX_ORDERS);
	const earlier = memory.countOfOtherRuns();
	const now = context.getInputData().length;
	if (earlier + now <= max) return;
	const before =
		earlier === 0 ? '' : `, and this execution has made ${formatNumber(earlier)} of them before`;
	throw new DescribedError({
		message: `This run would make ${formatNumber(earlier + now)} purchases, and '${maxOrdersPerRunField.displayName}' allows ${formatNumber(max)}`,
		description: `Each input item is one purchase${before}. Nothing was bought for this item. Give the node fewer items, or raise the option.`,
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
