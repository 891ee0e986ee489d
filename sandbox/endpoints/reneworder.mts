import type { Order } from '../accounts/order.mts';
import { success, OwnCodes } from '../answers/answer.mts';
import { perSecond } from '../limits/rateLimits.mts';
import { OwnParameters } from '../orders/ownParameters.mts';
import { priceOfAddresses, priceOfFlow, priceOfTerm } from '../orders/prices.mts';
import {
	ADDRESSES_BOUGHT,
	FLOWS_IN_GB,
	PAID_ADDRESSES_LAST,
	PAID_FLOW_LASTS,
	readAutoRenewal,
	readTerm,
	unitsFor,
} from '../orders/ranges.mts';
import { writtenExpiry, addTerm, type Term } from '../time/chinaTime.mts';
import { orderEndpoint, type Service } from './endpoint.mts';
import { writtenOrderNumber } from './orderNumber.mts';

const CODES = new OwnCodes({
	[-1]: '缺少参数',
	[-2]: '参数错误',
	[-3]: '后付费订单不能续费',
	[-4]: '虚拟订单号不能续费',
	[-5]: '账户余额不足',
	[-6]: '超过最大可续费时长',
	[-7]: '订单类型错误',
});

/** What a renewal costs and what the order gets for it. */
interface Renewal {
	priceInFen: number;
	expiresAt: Date;
	apply: () => void;
}

function checkRenewable({ payType, renewal }: Order): void {
	if (payType === 'POST_PAY') throw CODES.refusal(-3);
	if (renewal === 'virtual number') throw CODES.refusal(-4);
	if (renewal === 'wrong type') throw CODES.refusal(-7);
}

function readRenewal(own: OwnParameters, order: Order, now: Date): Renewal {
	if (order.product === 'DPS' && order.payType === 'PRE_PAY_IP') {
		const range = ADDRESSES_BOUGHT.get(order.period);
		if (!range) throw CODES.refusal(-7);
		const count = own.number('dps.ip_count', range);
		return {
			priceInFen: priceOfAddresses(count),
			expiresAt: atLeast(order, addTerm(now, PAID_ADDRESSES_LAST)),
			apply: () => {
				order.ipCount += count;
				order.ipBalance = (order.ipBalance ?? 0) + count;
			},
		};
	}
	if (order.product === 'FPS' && order.flowInGb !== undefined) {
		const flowBefore = order.flowInGb;
		const flow = own.choice('fps.flow', FLOWS_IN_GB);
		return {
			priceInFen: priceOfFlow(flow),
			expiresAt: atLeast(order, addTerm(now, PAID_FLOW_LASTS)),
			apply: () => {
				order.flowInGb = flowBefore + flow;
			},
		};
	}
	return readTimeRenewal(own, order, now);
}

function readTimeRenewal(own: OwnParameters, order: Order, now: Date): Renewal {
	const units = unitsFor(order.product === 'KPS' && order.series === 'exclusive');
	const term = readTerm(own, '', units);
	// Off when it is not sent: 0 is documented as the default, also for an order that has it on.
	const autoRenewal = readAutoRenewal(own, '', units);
	return {
		priceInFen: priceOfTerm(order, term),
		expiresAt: addTerm(order.expiresAt ?? now, term),
		apply: () => {
			order.autoRenewal = autoRenewal;
		},
	};
}

/** What is bought by count has an end too, which a purchase never brings nearer. */
function atLeast({ expiresAt }: Order, date: Date): Date {
	return expiresAt && expiresAt > date ? expiresAt : date;
}

function checkDuration(expiresAt: Date, now: Date, longestTerm: Term): void {
	if (expiresAt > addTerm(now, longestTerm)) throw CODES.refusal(-6);
}

export const renewOrder = orderEndpoint({
	path: '/api/reneworder',
	hosts: ['base'],
	rules: () => [perSecond(1)],
	message: (code) => CODES.message(code),
	// Nothing waits in here either: see createorder.
	answer: ({ call, order, service }) => {
		checkRenewable(order);
		const own = new OwnParameters(call.parameters, {
			missing: (name) => CODES.refusal(-1, name),
			wrong: (name) => CODES.refusal(-2, name),
		});
		const now = service.clock.now();
		const notify = own.flag('is_notify', true);
		const renewal = readRenewal(own, order, now);
		if (service.settings.inapplicableParameters === 'refuse') own.nothingElse();
		checkDuration(renewal.expiresAt, now, service.settings.longestTerm);

		const { orderId, account } = order;
		const payment = { kind: 'renew', orderId, amountInFen: renewal.priceInFen } as const;
		if (!service.ledger.take(account, payment, call)) throw CODES.refusal(-5);
		order.expiresAt = renewal.expiresAt;
		order.notify = notify;
		renewal.apply();
		return success(dataOf(order, service), 'renew order success');
	},
});

function dataOf(order: Order, { settings }: Service) {
	const data = {
		orderid: writtenOrderNumber(order, settings),
		expire_time: writtenExpiry(order, settings.expiryForm),
	};
	return order.product === 'DPS' && order.payType === 'PRE_PAY_IP'
		? { ...data, ip_balance: order.ipBalance }
		: data;
}
