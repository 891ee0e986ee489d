import { readRequiredField, toProperty, type Field } from '../../shared/fields/field';
import { wholeNumber } from '../../shared/fields/valueKinds';
import { accountBalance } from '../../shared/orders/accountBalance';
import { runQuery } from '../../shared/transport/runQuery';
import { emitCrossing } from './crossing';
import type { TriggerEvent } from './event';

const lineField: Field = {
	name: 'balanceBelow',
	displayName: 'Below (Yuan)',
	description: 'The workflow starts when the account balance drops below this amount, in yuan',
	kind: wholeNumber(1, 100_000_000, 100),
};

export const accountBalanceBelow: TriggerEvent = {
	option: {
		name: 'Account Balance Below',
		value: 'accountBalanceBelow',
		action: 'On low account balance',
		description: 'When the account balance drops below a limit, and again after you top up',
	},
	properties: [toProperty(lineField)],
	nothing: 'There is no balance',
	async fetchSnapshot(caller, valueOf, before) {
		const line = Number(readRequiredField(lineField, valueOf(lineField.name)));
		const balance = await runQuery(caller, accountBalance);
		const record = { ...balance, below: line };
		const subject = [caller.credential.secretId];
		const watched = { subject, value: balance.balanceNumber, line };
		return {
			poll: (stored) => emitCrossing(watched, { before, stored }, record),
			sample: () => [record],
		};
	},
};
