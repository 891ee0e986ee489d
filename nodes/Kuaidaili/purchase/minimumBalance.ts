import { readField, type Field } from '../../shared/fields/field';
import { InvalidFieldError } from '../../shared/fields/invalidFieldError';
import { wholeNumber } from '../../shared/fields/valueKinds';
import { ownValue, type UnknownRecord } from '../../shared/guards';
import { DescribedError } from '../../shared/transport/callErrors';
import { accountBalance } from '../../shared/orders/accountBalance';
import type { Caller } from '../../shared/transport/callService';
import { runQuery } from '../../shared/transport/runQuery';
import { formatNumber } from '../../shared/wording';

export const minimumBalanceField: Field = {
	name: 'minimumBalance',
	displayName: 'Minimum Balance to Keep',
	description:
		"In yuan. Nothing is bought while the account has less than this. Needs a credential with the account's key pair; the price itself is not known before.",
	kind: wholeNumber(0, 100_000_000, 100),
};

/** The balance below which nothing is bought; 0 without the option. Throws InvalidFieldError. */
export function readMinimumBalance(options: UnknownRecord): number {
	return Number(readField(minimumBalanceField, ownValue(options, minimumBalanceField.name)) ?? 0);
}

/**
 * Refuses a purchase while the account has less than the user wants to keep.
 *
 * @param account undefined where the credential holds the key pair of an order, which may not ask
 * @throws InvalidFieldError, DescribedError, and what `callService` throws; nothing was bought then
 */
export async function refuseBelowMinimum(
	account: Caller | undefined,
	minimum: number,
): Promise<void> {
	if (minimum === 0) return;
	if (account === undefined) {
		throw new InvalidFieldError(
			minimumBalanceField.displayName,
			minimum,
			"Only the account's key pair can read the balance. Use a credential with it, or remove the option.",
		);
	}
	const { balance, balanceNumber } = await runQuery(account, accountBalance);
	if (balanceNumber >= minimum) return;
	throw new DescribedError({
		message: `The account has ${balance} yuan, less than the ${formatNumber(minimum)} of '${minimumBalanceField.displayName}'`,
		description:
			'Nothing was bought for this item. Recharge the account in the Kuaidaili member center, or lower the option.',
	});
}
