import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { KeyPair } from '../../shared/credential/kuaidailiCredential';
import { readField, readLimit, serviceField, type Field } from '../../shared/fields/field';
import { InvalidFieldError } from '../../shared/fields/invalidFieldError';
import { oneOrZero, typedAmount } from '../../shared/fields/valueKinds';
import { ownValue, type UnknownRecord } from '../../shared/guards';
import type { AccountBalance } from '../../shared/queries/account';
import { DescribedError } from '../../shared/errors/callErrors';
import { formatNumber } from '../../shared/wording';
import { isRetriedTool } from '../nodeRun';
import { optionsCollection } from '../parameters/callOptions';

const purchaseNotice: INodeProperties = {
	displayName:
		"Each input item can be one purchase, charged to the account balance without asking. Prices are in the member center only. In an AI agent's tool, fill in every field yourself.",
	name: 'purchaseNotice',
	type: 'notice',
	default: '',
};

/** The same for createorder and reneworder. */
export const isNotifyField = serviceField({
	serviceName: 'is_notify',
	displayName: 'Notify',
	description: 'Whether Kuaidaili notifies you of the purchase',
	kind: { ...oneOrZero, property: { type: 'boolean', default: true } },
});

const dryRunField: Field = {
	name: 'dryRun',
	displayName: 'Dry Run',
	description:
		'Whether to do everything but the purchase. The output says what would be bought, or why nothing would be.',
	kind: { ...oneOrZero, property: { type: 'boolean', default: true } },
	// An expression without a value must not buy
	required: true,
};

const minimumBalanceField: Field = {
	name: 'minimumBalance',
	displayName: 'Minimum Balance to Keep',
	description:
		"Nothing is bought while the account has less than this. The price of the purchase is not checked. Needs a credential with the account's key pair.",
	kind: { ...typedAmount({ min: 0, max: 100_000_000 }, 100), hint: 'In yuan' },
};

const maxCostField: Field = {
	name: 'maxCostPerRun',
	displayName: 'Max Cost per Run',
	description:
		"Nothing more is bought once this node's purchases in one execution have cost this much. The last one may go over it. Needs a credential with the account's key pair.",
	kind: { ...typedAmount({ min: 1, max: 100_000_000 }, 100), hint: 'In yuan' },
};

const reportCostField: Field = {
	name: 'reportCost',
	displayName: 'Report Cost',
	description:
		"Whether the output says what each purchase cost, by the account balance before and after it. On without this option. Needs a credential with the account's key pair.",
	kind: { ...oneOrZero, property: { type: 'boolean', default: true } },
};

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
		description: `How many purchases this node may make in one execution, across all its runs; ${formatNumber(preset)} without this option. ${howItCounts}`,
		kind: typedAmount({ min: 1, max: 10_000 }, preset),
	};
}

/**
 * What an operation that spends money shows in the editor.
 *
 * @param options besides those that all of them have
 */
export function purchaseProperties(
	fields: readonly INodeProperties[],
	options: readonly Field[],
): INodeProperties[] {
	const own = [dryRunField, isNotifyField, maxCostField, minimumBalanceField, reportCostField];
	const all = [...options, ...own];
	return [purchaseNotice, ...fields, optionsCollection(all)];
}

/** @throws InvalidFieldError */
export function readMaxOrders(field: Field, options: UnknownRecord): number {
	return readLimit(field, options) ?? Number(field.kind.property.default);
}

/** @throws InvalidFieldError */
export function readDryRun(options: UnknownRecord): boolean {
	return readLimit(dryRunField, options) === 1;
}

/**
 * The balance below which nothing is bought; 0 without the option.
 *
 * @throws InvalidFieldError
 */
export function readMinimumBalance(options: UnknownRecord, keys: KeyPair): number {
	const minimum = readLimit(minimumBalanceField, options) ?? 0;
	if (minimum > 0) refuseUnreadableBalance(minimumBalanceField, minimum, keys);
	return minimum;
}

/**
 * What the purchases of an execution may have cost before another is made; undefined without the option.
 *
 * @throws InvalidFieldError
 */
export function readMaxCost(options: UnknownRecord, keys: KeyPair): number | undefined {
	const max = readLimit(maxCostField, options);
	if (max !== undefined) refuseUnreadableBalance(maxCostField, max, keys);
	return max;
}

/** @throws InvalidFieldError */
function refuseUnreadableBalance(
	{ displayName }: Field,
	limit: number,
	{ keyType }: KeyPair,
): void {
	if (keyType === 'account') return;
	throw new InvalidFieldError(
		displayName,
		limit,
		"Only the account's key pair can read the balance. Use a credential with it, or remove the option.",
	);
}

/** Whether the output says what purchases cost. Throws InvalidFieldError. */
export function readReportCost(options: UnknownRecord, { keyType }: KeyPair): boolean {
	const isOff = readField(reportCostField, ownValue(options, reportCostField.name)) === '0';
	return !isOff && keyType === 'account';
}

export const NOTHING_BOUGHT = 'Nothing was bought in this run.';

/** Ends a run before its first purchase; its text says so. */
export class LargeRunError extends DescribedError {}

/** How many purchases the runs of the node made in this execution. */
interface PurchaseCounts {
	/** All of them, so that a loop or an AI agent cannot get around the limit. */
	readonly inExecution: number;
	/** Those of the run itself: with 'Retry On Fail', the first try may have made some. */
	readonly inRun: number;
}

/**
 * The refusal of a run that would buy more than the user allows.
 *
 * @param wanted the number of items that are to be bought now
 * @returns undefined for a run that may begin
 */
export function refusalOfLargeRun(
	made: PurchaseCounts,
	wanted: number,
	max: number,
): LargeRunError | undefined {
	const earlier = made.inExecution;
	if (earlier + wanted <= max) return undefined;
	const before =
		earlier === 0 ? '' : `, and this execution has made ${formatNumber(earlier)} of them before`;
	const bought = made.inRun === 0 ? NOTHING_BOUGHT : 'Nothing more was bought.';
	return new LargeRunError({
		message: `This run would make ${formatNumber(earlier + wanted)} purchases, and 'Max Orders per Run' allows ${formatNumber(max)}`,
		description: `Each input item is one purchase${before}. Give the node fewer items, or raise the option in 'Options'. ${bought}`,
	});
}

/**
 * The refusal of a purchase when the execution has made as many as the user allows. To be asked for right
 * before it is sent: other calls of the same tool run side by side.
 */
export function refusalBeyondLimit(
	made: number,
	max: number,
	did: 'has made' | 'would have made' = 'has made',
): DescribedError | undefined {
	if (made < max) return undefined;
	return new DescribedError({
		message: `The limit was reached: 'Max Orders per Run' allows ${formatNumber(max)}, and this execution ${did} ${formatNumber(made)}`,
		description:
			"Nothing was bought for this item. Raise the option in 'Options', or run the workflow again for the items that are left.",
	});
}

/**
 * Refuses a purchase when those before have cost as much as the user allows.
 *
 * @param spent in yuan, with what else was charged meanwhile
 * @throws DescribedError
 */
export function refuseAboveMaxCost(spent: number, max: number): void {
	if (spent < max) return;
	throw new DescribedError({
		message: `The limit was reached: '${maxCostField.displayName}' allows ${formatNumber(max)} yuan, and the account balance fell by ${spent} yuan during the purchases of this execution`,
		description:
			"Whatever else was charged to the account meanwhile counts, too. Nothing was bought for this item. Raise the option in 'Options', or run the workflow again for the items that are left.",
	});
}

/**
 * The refusal where a limit can't be kept, because the balance does not show what a purchase has cost.
 */
export function refusalOfUnknownCost(maxCost: number | undefined): DescribedError {
	const { displayName } = maxCost === undefined ? minimumBalanceField : maxCostField;
	return new DescribedError({
		message: `'${displayName}' can't be checked, because the account balance is not lower than before an earlier purchase of this execution`,
		description:
			'The account was topped up meanwhile, or the balance is out of date, such as from a cache. Nothing was bought for this item. In a few minutes, run the workflow again for the items that are left.',
	});
}

/**
 * Refuses a purchase while the account has less than the user wants to keep.
 *
 * @throws DescribedError
 */
export function refuseBelowMinimum(
	{ balance, balanceNumber }: AccountBalance,
	minimum: number,
): void {
	if (balanceNumber >= minimum) return;
	throw new DescribedError({
		message: `The account has ${balance} yuan, less than the ${formatNumber(minimum)} of '${minimumBalanceField.displayName}'`,
		description:
			'Nothing was bought for this item. Recharge the account in the Kuaidaili member center, or lower the option.',
	});
}

/** @throws DescribedError */
export function refuseRetryingTool(context: IExecuteFunctions): void {
	if (!isRetriedTool(context)) return;
	throw new DescribedError({
		message: "Turn off 'Retry On Fail' in the settings of this tool to buy something with it",
		description:
			'n8n would call the tool again after a failure, and could pay twice for one order. Nothing was bought.',
	});
}
