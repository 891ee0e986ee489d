import type { INodeProperties } from 'n8n-workflow';

import type { KeyPair } from '../../shared/api/sign';
import { DescribedError } from '../../shared/api/errors';
import { readField, readLimit } from '../../shared/fields/reader';
import {
	serviceField,
	type Field,
	type FieldCollection,
	type ValueKind,
} from '../../shared/fields/field';
import { toggle, number } from '../../shared/fields/kinds';
import { ownValue, type UnknownRecord } from '../../shared/guards';
import { formatNumber } from '../../shared/wording';
import { OPTIONS_LABEL, optionsCollection } from '../parameters/callOptions';

/** Options of an item about money; all amounts in yuan. */
export interface MoneyOptions {
	/** The most purchases of an execution. */
	readonly maxOrders: number;
	/** The balance that has to stay on the account; 0 for any. */
	readonly minimumBalance: number;
	/** The most that the purchases of an execution may cost together; undefined without a limit. */
	readonly maxCost: number | undefined;
	/** The most that one purchase costs; set wherever one of the two limits is. */
	readonly expectedCost: number | undefined;
	readonly hasLimit: boolean;
	readonly reportsCost: boolean;
	/** Whether the balance is read before and after each purchase. */
	readonly readsBalance: boolean;
	readonly dryRun: boolean;
}

const purchaseNotice: INodeProperties = {
	displayName:
		"Each input item can be one purchase, charged to the account balance without asking. Prices are on Kuaidaili's website only. As a tool of an AI agent, set every field yourself: don't let the model fill it in.",
	name: 'purchaseNotice',
	type: 'notice',
	default: '',
};

const yuan = (min: number): ValueKind =>
	number({ min, max: 100_000_000, decimals: 2, preset: 100, costsMoney: true });
const NEEDS_ACCOUNT = "Needs a credential with the account's key pair.";
const NEEDS_EXPECTED_COST = "Needs 'Expected Cost', and a credential with the account's key pair.";

/** A parameter of both createorder and reneworder. */
const isNotifyField = serviceField({
	serviceName: 'is_notify',
	displayName: 'Kuaidaili Notifies You',
	description: 'Whether Kuaidaili notifies you of the purchase',
	kind: toggle({ preset: true }),
});

const dryRunField: Field = {
	name: 'dryRun',
	displayName: 'Dry Run',
	description:
		'Whether to do everything but the purchase. The output says what would be bought, or why nothing would be bought.',
	kind: toggle({ preset: true }),
	// An expression without a value must not buy
	required: true,
};

export const minimumBalanceField: Field = {
	name: 'minimumBalance',
	displayName: 'Balance to Keep (Yuan)',
	description: `Nothing is bought that could leave the account with less than this. ${NEEDS_EXPECTED_COST}`,
	kind: yuan(0),
};

export const maxCostField: Field = {
	name: 'maxCostPerRun',
	displayName: 'Budget per Execution (Yuan)',
	description: `What this node's purchases in one execution may cost together. ${NEEDS_EXPECTED_COST}`,
	kind: yuan(1),
};

export const expectedCostField: Field = {
	name: 'expectedCost',
	displayName: 'Expected Cost (Yuan)',
	description:
		"What the most expensive of these orders costs. Kuaidaili's API has no prices, so the budget and the balance to keep need it.",
	kind: yuan(1),
};

const reportCostField: Field = {
	name: 'reportCost',
	displayName: 'Report Cost',
	description: `Whether the output says what each purchase cost, by the account balance before and after it. On without this option. ${NEEDS_ACCOUNT}`,
	kind: toggle({ preset: true }),
};

/** `preset` also holds where the option is not there; `howItCounts` is a whole sentence. */
export function maxOrdersPerRunField(preset: number, howItCounts: string): Field {
	return {
		name: 'maxOrdersPerRun',
		displayName: 'Max Orders per Execution',
		description: `How many purchases this node may make in one execution, across all its runs; ${formatNumber(preset)} without this option. ${howItCounts}`,
		kind: number({ min: 1, max: 10_000, preset, costsMoney: true }),
	};
}

const OPTIONS = [
	dryRunField,
	isNotifyField,
	maxCostField,
	minimumBalanceField,
	expectedCostField,
	reportCostField,
];

/** The properties in the editor of an operation that spends money; `options` are those that not all of them have. */
export function purchaseProperties(
	fields: readonly INodeProperties[],
	options: readonly Field[],
): INodeProperties[] {
	return [purchaseNotice, ...fields, optionsCollection([...options, ...OPTIONS])];
}

/** The options among those of `purchaseProperties` that are parameters of the service. */
export function sentOptions(
	options: readonly Field[],
): Pick<FieldCollection, 'displayName' | 'fields'> {
	const fields = [...options, ...OPTIONS].filter(({ serviceName }) => serviceName !== undefined);
	return { displayName: OPTIONS_LABEL, fields };
}

/** @throws InvalidFieldError, and DescribedError for a limit that can't be kept */
export function readMoneyOptions(
	maxOrdersField: Field,
	options: UnknownRecord,
	{ keyType }: KeyPair,
): MoneyOptions {
	const isOfAccount = keyType === 'account';
	const expectedCost = readLimit(expectedCostField, options);
	const [minimumBalance = 0, maxCost] = [minimumBalanceField, maxCostField].map((field) => {
		const limit = readLimit(field, options);
		if (limit === undefined || limit === 0) return limit;
		const { displayName } = field;
		if (!isOfAccount) {
			throw new DescribedError({
				message: `An order's key pair can't read the account's balance, so '${displayName}' can't be kept`,
				description:
					"Use a credential with the account's key pair and choose the order in 'Order', or remove the option.",
			});
		}
		if (expectedCost === undefined) {
			throw new DescribedError({
				message: `'${displayName}' needs '${expectedCostField.displayName}'`,
				description: `Kuaidaili's API has no prices, so without it nobody knows whether the next purchase keeps to the limit. In 'Options', add '${expectedCostField.displayName}', with what the most expensive of these orders costs.`,
			});
		}
		return limit;
	});
	const hasLimit = minimumBalance > 0 || maxCost !== undefined;
	const isReported = readField(reportCostField, ownValue(options, reportCostField.name)) !== '0';
	const reportsCost = isReported && isOfAccount;
	return {
		maxOrders: readLimit(maxOrdersField, options) ?? Number(maxOrdersField.kind.property.default),
		minimumBalance,
		maxCost,
		expectedCost,
		hasLimit,
		reportsCost,
		readsBalance: hasLimit || reportsCost,
		dryRun: readLimit(dryRunField, options) === 1,
	};
}
