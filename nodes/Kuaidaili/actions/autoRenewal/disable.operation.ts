import { SET_AUTO_RENEW } from '../../../shared/service/endpoints/order';
import { settingQuery } from '../../../shared/api/call';
import { callOperation, querying } from '../../run/operation';

export const autoRenewalDisable = callOperation({
	option: {
		name: 'Disable',
		value: 'disable',
		action: 'Disable auto-renewal',
		description: 'Turn off automatic renewal of an order, so that it expires',
	},
	orders: { payTypes: ['PRE_PAY'] },
	skipsTestEvents: true,
	work: querying(settingQuery(SET_AUTO_RENEW, { autorenew: '0' })),
	toResult: (message, { orderRecord }) => ({
		records: [{ ...orderRecord, enabled: false, message }],
	}),
});
