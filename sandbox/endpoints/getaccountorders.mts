import type { Order } from '../accounts/order.mts';
import { Refusal, success } from '../answers/answer.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { OwnParameters } from '../orders/ownParameters.mts';
import { writtenExpiry } from '../time/chinaTime.mts';
import { accountEndpoint, type Service } from './endpoint.mts';
import { orderFields, WRITTEN_STATES } from './orderFields.mts';

const PAY_TYPES = ['PRE_PAY', 'PRE_PAY_IP', 'POST_PAY'] as const;

// The list of product codes is documented as incomplete; these occur elsewhere in the documentation.
const PRODUCTS = ['TPS', 'TPS_PRO', 'DPS', 'KPS', 'OPS', 'FPS', 'SFPS', 'FPS_STATIC'] as const;

// Codes of this endpoint are not documented; -2 is what a wrong value gets from most of the others.
function wrong(name: string): Refusal {
	return new Refusal(-2, `参数错误: ${name}`);
}

function expiryField(order: Order, { settings }: Service) {
	if (order.payType === 'POST_PAY' && settings.payAsUsedExpiry === 'absent') return {};
	return { expire_time: writtenExpiry(order, settings.expiryForm) };
}

function isShown({ createdAt }: Order, { clock, settings }: Service): boolean {
	const lagMs = settings.newOrderLagSeconds * 1000;
	return lagMs === 0 || createdAt.getTime() + lagMs <= clock.milliseconds();
}

export const getAccountOrders = accountEndpoint({
	path: '/api/getaccountorders',
	hosts: ['base'],
	rule: perSecond(1),
	answer: ({ account, call, service }) => {
		const own = new OwnParameters(call.parameters, { missing: wrong, wrong });
		const status = own.choice('status', ['ALL', ...WRITTEN_STATES], 'VALID');
		const payType = own.optionalChoice('pay_type', PAY_TYPES);
		const product = own.optionalChoice('product', PRODUCTS);
		if (service.settings.inapplicableParameters === 'refuse') own.nothingElse();

		const list = service.authentication.store
			.ordersOf(account)
			// Whether top-ups are listed is not documented.
			.filter((order) => order.product !== 'TOP_UP')
			.filter((order) => isShown(order, service))
			.map((order) => ({
				...orderFields(order, service, 'SFPS'),
				...expiryField(order, service),
			}))
			.filter(
				(order) =>
					(status === 'ALL' || status === order.status) &&
					(payType ?? order.pay_type) === order.pay_type &&
					(product ?? order.product) === order.product,
			);
		return success(list);
	},
});
