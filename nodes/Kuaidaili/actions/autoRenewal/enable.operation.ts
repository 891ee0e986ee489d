import { SET_AUTO_RENEW } from '../../../shared/service/endpoints/order';
import { settingQuery } from '../../../shared/api/call';
import { EXCLUSIVE_UNIT_NOTE, unitField } from '../../parameters/durationFields';
import { callOperation, querying } from '../../run/operation';

const timeTypeField = unitField(
	'time_type',
	'Time Unit',
	`For how long each automatic renewal lasts${EXCLUSIVE_UNIT_NOTE}`,
);

export const autoRenewalEnable = callOperation({
	option: {
		name: 'Enable',
		value: 'enable',
		action: 'Enable auto-renewal (charges your account at each renewal)',
		description:
			'Turn on automatic renewal of an order by Kuaidaili. Each renewal is charged to the account balance.',
	},
	orders: { payTypes: ['PRE_PAY'] },
	skipsTestEvents: true,
	work: querying(settingQuery(SET_AUTO_RENEW, { autorenew: '1' })),
	fields: [{ ...timeTypeField, required: true }],
	toResult: (message, { orderRecord, textOf }) => ({
		records: [{ ...orderRecord, enabled: true, unit: textOf(timeTypeField.name), message }],
	}),
});
