import { readRequiredField, toProperty } from '../../../shared/fields/field';
import { EXCLUSIVE_UNIT_NOTE, unitField } from '../../parameters/durationFields';
import { optionsCollection } from '../../parameters/callOptions';
import { orderProperty } from '../../parameters/orderAccess';
import type { Operation } from '../operation';
import { setAutoRenew } from './setAutoRenew';

const timeTypeField = unitField(
	'time_type',
	'Time Unit',
	`For how long each automatic renewal lasts${EXCLUSIVE_UNIT_NOTE}`,
);

export const enableOperation: Operation = {
	option: {
		name: 'Enable',
		value: 'enable',
		action: 'Enable auto-renewal of an order',
		description:
			'Let the service renew the order by itself, paid from the account balance each time',
	},
	properties: [orderProperty, toProperty(timeTypeField), optionsCollection([])],
	async execute(context, itemIndex) {
		const value = context.getNodeParameter(timeTypeField.name, itemIndex, '');
		const record = await setAutoRenew(context, itemIndex, (check) =>
			readRequiredField(timeTypeField, value, { check }),
		);
		return { records: [record] };
	},
};
