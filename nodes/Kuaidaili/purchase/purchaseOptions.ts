import type { INodeProperties } from 'n8n-workflow';

import type { KeyPair } from '../../shared/credential/kuaidailiCredential';
import { readField, serviceField, type Field } from '../../shared/fields/field';
import { InvalidFieldError } from '../../shared/fields/invalidFieldError';
import { oneOrZero, typedAmount } from '../../shared/fields/valueKinds';
import { ownValue, type UnknownRecord } from '../../shared/guards';
import { formatNumber } from '../../shared/wording';
import { optionsCollection } from '../parameters/callOptions';

const purchaseNotice: INodeProperties = {
	displayName:
		'Each input item is one purchase, charged to the account balance without another confirmation. The API shows no price in advance; the member center does.',
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

export const minimumBalanceField: Field = {
	name: 'minimumBalance',
	displayName: 'Minimum Balance to Keep',
	description:
		"Nothing is bought while the account has less than this. The price of the purchase is not checked. Needs a credential with the account's key pair.",
	kind: { ...typedAmount({ min: 0, max: 100_000_000 }, 100), hint: 'In yuan' },
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
		description: `The most purchases that this node may make in one execution of the workflow, all its runs together. Without this option, ${formatNumber(preset)}. ${howItCounts}`,
		kind: typedAmount({ min: 1, max: 10_000 }, preset),
	};
}

/**
 * What an operation that spends money shows in the editor.
 *
 * @param options beside those that all of them have
 */
export function purchaseProperties(
	fields: readonly INodeProperties[],
	options: readonly Field[],
): INodeProperties[] {
	const all = [...options, isNotifyField, minimumBalanceField];
	return [purchaseNotice, ...fields, optionsCollection(all)];
}

/** @throws InvalidFieldError */
export function readMaxOrders(field: Field, options: UnknownRecord): number {
	return Number(readField(field, ownValue(options, field.name)) ?? field.kind.property.default);
}

/**
 * The balance below which nothing is bought; 0 without the option.
 *
 * @throws InvalidFieldError
 */
export function readMinimumBalance(options: UnknownRecord, { keyType }: KeyPair): number {
	const text = readField(minimumBalanceField, ownValue(options, minimumBalanceField.name));
	const minimum = Number(text ?? 0);
	if (minimum === 0 || keyType === 'account') return minimum;
	throw new InvalidFieldError(
		minimumBalanceField.displayName,
		minimum,
		"Only the account's key pair can read the balance. Use a credential with it, or remove the option.",
	);
}
