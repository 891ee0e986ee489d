import { readRequiredField, toProperty, type Field } from '../../shared/fields/field';
import { wholeNumber } from '../../shared/fields/valueKinds';
import { askAccountBalance } from '../../shared/orders/accountBalance';
import { tellCrossing } from './crossing';
import type { TriggerEvent } from './event';

const lineField: Field = {
	name: 'balanceBelow',
	displayName: 'Below (Yuan)',
	description: 'The balance of the account, in yuan, below which the workflow starts',
	kind: wholeNumber(1, 100_000_000, 100),
};

export const accountBalanceBelow: TriggerEvent = {
	option: {
		name: 'Account Balance Below',
		value: 'accountBalanceBelow',
		description: "When the account's money falls below a line; again after it was recharged",
	},
	properties: [toProperty(lineField)],
	nothing: 'There is no balance',
	async look(caller, valueOf, before) {
		const line = Number(readRequiredField(lineField, valueOf(lineField.name), true));
		const balance = await askAccountBalance(caller);
		const record = { ...balance, below: line };
		const subject = [caller.credential.secretId];
		const watched = { subject, value: balance.balanceNumber, line };
		return {
			news: (stored) => tellCrossing(watched, { before, stored }, record),
			sample: () => [record],
		};
	},
};
