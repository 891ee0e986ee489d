import type { INodeProperties } from 'n8n-workflow';

import type { KeyPair } from '../../shared/credential/kuaidailiCredential';
import { DescribedError } from '../../shared/errors/callErrors';
import { readField, readLimit, serviceField, type Field } from '../../shared/fields/field';
import { switchedOn, typedAmount, type ValueKind } from '../../shared/fields/valueKinds';
import { ownValue, type UnknownRecord } from '../../shared/guards';
import { formatNumber } from '../../shared/wording';
import { optionsCollection } from '../parameters/callOptions';

/** What the options of an item say about money. */
export type MoneyOptions = Readonly<ReturnType<typeof readMoneyOptions>>;

const purchaseNotice: INodeProperties = {
	displayName:
		"Each input item can be one purchase, charged to the account balance without asking. Prices are on Kuaidaili's website only. As a tool of an AI agent, set every field yourself: don't let the model fill it in.",
	name: 'purchaseNotice',
	type: 'notice',
	default: '',
};

const yuan = (min: number): ValueKind => typedAmount({ min, max: 100_000_000 }, 100);
const NEEDS_ACCOUNT = "Needs a credential with the account's key pair.";

/** The same for createorder and reneworder. */
export const isNotifyField = serviceField({
	serviceName: 'is_notify',
	displayName: 'Kuaidaili Notifies You',
	description: 'Whether Kuaidaili notifies you of the purchase',
	kind: switchedOn,
});

const dryRunField: Field = {
	name: 'dryRun',
	displayName: 'Dry Run',
	description:
		'Whether to do everything but the purchase. The output says what would be bought and what it probably costs, or why nothing would be bought.',
	kind: switchedOn,
	// An expression without a value must not buy
	required: true,
};

export const minimumBalanceField: Field = {
	name: 'minimumBalance',
	displayName: 'Balance to Keep (Yuan)',
	description: `Nothing is bought if the account would probably have less than this afterwards. ${NEEDS_ACCOUNT}`,
	kind: yuan(0),
};

export const maxCostField: Field = {
	name: 'maxCostPerRun',
	displayName: 'Budget per Execution (Yuan)',
	description: `What this node's purchases in one execution may cost. Each counts with its probable cost before it is made. ${NEEDS_ACCOUNT}`,
	kind: yuan(1),
};

export const expectedCostField: Field = {
	name: 'expectedCost',
	displayName: 'Expected Cost (Yuan)',
	description:
		'What one purchase costs at most, for the budget and the balance to keep. Without it, what the same kind of order cost here within a day counts; the first one of a kind can go over.',
	kind: yuan(1),
};

const reportCostField: Field = {
	name: 'reportCost',
	displayName: 'Report Cost',
	description: `Whether the output says what each purchase cost, by the account balance before and after it. On without this option. ${NEEDS_ACCOUNT}`,
	kind: switchedOn,
};

/** `preset` also holds where the option is not there; `howItCounts` is a whole sentence. */
export function maxOrdersPerRunField(preset: number, howItCounts: string): Field {
	return {
		name: 'maxOrdersPerRun',
		displayName: 'Max Orders per Execution',
		description: `How many purchases this node may make in one execution, across all its runs; ${formatNumber(preset)} without this option. ${howItCounts}`,
		kind: typedAmount({ min: 1, max: 10_000 }, preset),
	};
}

const OPTIONS = [
	...[dryRunField, isNotifyField, maxCostField],
	...[minimumBalanceField, expectedCostField, reportCostField],
];

/** What an operation that spends money shows in the editor; `options` are those that not all of them have. */
export function purchaseProperties(
	fields: readonly INodeProperties[],
	options: readonly Field[],
): INodeProperties[] {
	return [purchaseNotice, ...fields, optionsCollection([...options, ...OPTIONS])];
}

/**
 * All amounts in yuan; `maxCost` and `expectedCost` are undefined where they are not limited or known.
 *
 * @throws InvalidFieldError, and DescribedError for a limit that can't be kept
 */
export function readMoneyOptions(
	maxOrdersField: Field,
	options: UnknownRecord,
	{ keyType }: KeyPair,
) {
	const isOfAccount = keyType === 'account';
	const [minimumBalance = 0, maxCost] = [minimumBalanceField, maxCostField].map((field) => {
		const limit = readLimit(field, options);
		if (isOfAccount || limit === undefined || limit === 0) return limit;
		throw new DescribedError({
			message: `An order's key pair can't read the account's balance, so '${field.displayName}' can't be kept`,
			description:
				"Nothing was bought. Use a credential with the account's key pair and choose the order in 'Order', or remove the option.",
		});
	});
	const reported = readField(reportCostField, ownValue(options, reportCostField.name)) !== '0';
	const reportsCost = reported && isOfAccount;
	const hasLimit = minimumBalance > 0 || maxCost !== undefined;
	return {
		maxOrders: readLimit(maxOrdersField, options) ?? Number(maxOrdersField.kind.property.default),
		...{ minimumBalance, maxCost, hasLimit, reportsCost, readsBalance: hasLimit || reportsCost },
		expectedCost: readLimit(expectedCostField, options),
		dryRun: readLimit(dryRunField, options) === 1,
	};
}
