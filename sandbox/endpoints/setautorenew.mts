import type { Order } from '../accounts/order.mts';
import { success, OwnCodes } from '../answers/answer.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { OwnParameters } from '../orders/ownParameters.mts';
import { unitsFor } from '../orders/ranges.mts';
import { orderEndpoint } from './endpoint.mts';

// There is no code for a wrong value; the documented failure sample gives -1 for parameter errors.
const CODES = new OwnCodes({
	[-1]: '参数错误',
	[-3]: '订单类型错误',
});

/** Prepaid by time: what is paid by traffic or by count has nothing to renew at a date. */
function canRenewItself(order: Order): boolean {
	const paidByTraffic = order.product === 'FPS' && order.flowInGb !== undefined;
	return order.payType === 'PRE_PAY' && !paidByTraffic && order.renewal === 'possible';
}

export const setAutoRenew = orderEndpoint({
	path: '/api/setautorenew',
	hosts: ['base'],
	rules: () => [perSecond(1)],
	message: (code) => CODES.message(code),
	answer: ({ call, order, service }) => {
		if (!canRenewItself(order)) throw CODES.refusal(-3);
		const refusal = (name: string) => CODES.refusal(-1, name);
		const own = new OwnParameters(call.parameters, { missing: refusal, wrong: refusal });
		const enabled = own.flag('autorenew');
		// That exclusive ones do not renew by the day or week is documented for the other two endpoints.
		const units = unitsFor(order.product === 'KPS' && order.series === 'exclusive');
		const unit = enabled ? own.choice('time_type', units, 'MONTH') : order.autoRenewal.unit;
		if (service.settings.inapplicableParameters === 'refuse') own.nothingElse();

		order.autoRenewal = { enabled, unit };
		return success(
			'',
			enabled ? `autorenew by ${unit.toLowerCase()} enabled` : 'autorenew disabled',
		);
	},
});
