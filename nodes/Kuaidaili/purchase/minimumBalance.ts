import { readField, type Field } from '../../shared/fields/field';
import { InvalidFieldError } from '../../shared/fields/invalidFieldError';
import { typedAmount } from '../../shared/fields/valueKinds';
import type { KeyPair } from '../../shared/credential/kuaidailiCredential';
import { ownValue, type UnknownRecord } from '../../shared/guards';
import type { RunQuery } from '../../shared/service/query';
import { DescribedError } from '../../shared/transport/callErrors';
import { accountBalance } from '../../shared/orders/accountBalance';
import { formatNumber } from '../../shared/wording';

export const minimumBalanceField: Field = {
	name: 'minimumBalance',
	displayName: 'Minimum Balance to Keep',
	description:
		"Nothing is bought while the account has less than this. The price of the purchase is not checked. Needs a credential with the account's key pair.",
	kind: { ...typedAmount({ min: 0, max: 100_000_000 }, 100), hint: 'In yuan' },
};

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
