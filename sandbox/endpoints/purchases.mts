import type { Account } from '../accounts/account.mts';
import {
	newDedicatedProxyOrder,
	newOpenProxyOrder,
	newOrderNumber,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
} from '../accounts/newOrder.mts';
import { type DedicatedProxies, isExpired, type Order } from '../accounts/order.mts';
import { COMMON_CODES, OwnCodes, success } from '../answers/answer.mts';
import { OwnParameters } from '../orders/ownParameters.mts';
import { priceOfAddresses, priceOfFlow, priceOfTerm, pricePerDay } from '../orders/prices.mts';
import {
	ADDRESSES_BOUGHT,
	FLOWS_IN_GB,
	PAID_QUANTITY_LASTS,
	readAutoRenewal,
	readTerm,
	unitsFor,
} from '../orders/ranges.mts';
import {
	CREATE_CODES,
	type NewOrder,
	readNewOrder,
	type SoldGoods,
} from '../orders/readNewOrder.mts';
import { citiesWith, type DedicatedCity, sharedCount, takeFromStock } from '../orders/stock.mts';
import { addTerm, type Term, writtenExpiry } from '../time/chinaTime.mts';
import { accountEndpoint, orderEndpoint, type Service, requested } from './endpoint.mts';
import { writtenOrderNumber } from './orders.mts';

/** Where the proxies will be: any city of the region that has enough of them. */
function chooseCity(goods: DedicatedProxies, { stock, random }: Service): string {
	const cities = citiesWith(stock, goods.city, goods);
	if (cities.length === 0) throw CREATE_CODES.refusal(-61);
	// Nothing is said about a maximum that depends on the city for exclusive ones.
	const count = (city: DedicatedCity) =>
		goods.series === 'shared' ? sharedCount(city, goods.maxBandwidth) : Infinity;
	const large = cities.filter((city) => count(city) >= goods.ipCount);
	const chosen = large[Math.floor(random() * large.length)];
	if (!chosen) throw CREATE_CODES.refusal(-62);
	return chosen.code;
}

/** Of a pay-as-used tunnel it is what gets frozen: the price of a day. That too is invented. */
function priceOf({ term }: NewOrder, goods: SoldGoods): number {
	if (term) return priceOfTerm(goods, term);
	return goods.product === 'DPS' ? priceOfAddresses(goods.ipCount) : pricePerDay(goods);
}

function expiryOf({ term, payType }: NewOrder, now: Date): Date | undefined {
	if (term) return addTerm(now, term);
	return payType === 'PRE_PAY_IP' ? addTerm(now, PAID_QUANTITY_LASTS) : undefined;
}

function newOrder(wanted: NewOrder, goods: SoldGoods, account: Account, service: Service): Order {
	const { payType, autoRenewal } = wanted;
	const now = service.clock.now();
	const expiresAt = expiryOf(wanted, now);
	const orderId = newOrderNumber(service.settings.orderNumbers);
	const name = `sandbox-order-${orderId}`;
	const common = { orderId, payType, expiresAt, autoRenewal };
	switch (goods.product) {
		case 'TPS':
			return newTunnelProxyOrder(name, account, now, { ...goods, ...common });
		case 'DPS':
			return newPrivateProxyOrder(name, account, now, { ...goods, ...common });
		case 'KPS':
			return newDedicatedProxyOrder(name, account, now, { ...goods, ...common });
		case 'OPS':
			return newOpenProxyOrder(name, account, now, { ...goods, ...common });
	}
}

export const createOrder = accountEndpoint({
	path: '/api/createorder',
	hosts: ['base'],
	callsPerSecond: 1,
	codes: CREATE_CODES,
	wrongKey: { code: -3, msg: CREATE_CODES.message(-3) ?? '', byDefault: true },
	// From here to the answer nothing waits, so no other call comes between the check of the balance
	// and the order.
	answer: (use) => {
		const { account, call, service } = use;
		const wanted = requested(use, CREATE_CODES, { missing: -1, wrong: -2 }, readNewOrder);
		const goods =
			wanted.goods.product === 'KPS'
				? { ...wanted.goods, city: chooseCity(wanted.goods, service) }
				: wanted.goods;

		const amountInFen = priceOf(wanted, goods);
		const order = newOrder(wanted, goods, account, service);
		const { orderId } = order;
		if (!service.ledger.take(account, { kind: 'create', orderId, amountInFen }, call)) {
			throw CREATE_CODES.refusal(-4);
		}
		if (goods.product === 'KPS') takeFromStock(service.stock, goods);
		service.authentication.store.addOrder(order);

		const data = { orderid: writtenOrderNumber(order, service.settings) };
		// Nobody here has one, and what coupons of the service are like is not documented.
		return success(
			wanted.wantsCoupon ? { ...data, warning: 'no available coupon' } : data,
			'create order success',
		);
	},
});

const RENEW_CODES = new OwnCodes({
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

/** Overseas static orders don't renew themselves, and how they are renewed by hand is not documented. */
const NOT_RENEWABLE: ReadonlyArray<Order['product']> = ['SFPS', 'TOP_UP'];

function checkRenewable({ payType, product }: Order): void {
	if (payType === 'POST_PAY') throw RENEW_CODES.refusal(-3);
	if (NOT_RENEWABLE.includes(product)) throw RENEW_CODES.refusal(-7);
}

function readRenewal(own: OwnParameters, order: Order, now: Date): Renewal {
	if (order.product === 'DPS' && order.payType === 'PRE_PAY_IP') {
		const range = ADDRESSES_BOUGHT.get(order.period);
		if (!range) throw RENEW_CODES.refusal(-7);
		const count = own.number('dps.ip_count', range);
		return {
			priceInFen: priceOfAddresses(count),
			expiresAt: atLeast(order, addTerm(now, PAID_QUANTITY_LASTS)),
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
			expiresAt: atLeast(order, addTerm(now, PAID_QUANTITY_LASTS)),
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

/** Renewing beyond this, counted from now, fails. The real bound is not published. */
const LONGEST_TERM: Term = { unit: 'YEAR', number: 3 };

function checkDuration(expiresAt: Date, now: Date): void {
	if (expiresAt > addTerm(now, LONGEST_TERM)) throw RENEW_CODES.refusal(-6);
}

export const renewOrder = orderEndpoint({
	path: '/api/reneworder',
	hosts: ['base'],
	callsPerSecond: 1,
	codes: RENEW_CODES,
	// Nothing waits in here either: see createorder.
	answer: (use) => {
		const { call, order, service } = use;
		checkRenewable(order);
		const now = service.clock.now();
		const renewal = requested(use, RENEW_CODES, { missing: -1, wrong: -2 }, (own) => {
			own.flag('is_notify', true);
			return readRenewal(own, order, now);
		});
		checkDuration(renewal.expiresAt, now);

		const { orderId, account } = order;
		const payment = { kind: 'renew', orderId, amountInFen: renewal.priceInFen } as const;
		if (!service.ledger.take(account, payment, call)) throw RENEW_CODES.refusal(-5);
		order.expiresAt = renewal.expiresAt;
		renewal.apply();
		return success(dataOf(order, service), 'renew order success');
	},
});

function dataOf(order: Order, { settings }: Service) {
	const data = {
		orderid: writtenOrderNumber(order, settings),
		expire_time: writtenExpiry(order),
	};
	return order.product === 'DPS' && order.payType === 'PRE_PAY_IP'
		? { ...data, ip_balance: order.ipBalance }
		: data;
}

// There is no code for a wrong value; the documented failure sample gives -1 for parameter errors.
const AUTO_RENEW_CODES = new OwnCodes({
	[-1]: '参数错误',
	[-3]: '订单类型错误',
});

/** Prepaid by time: what is paid by traffic or by count has nothing to renew at a date. */
function canRenewItself(order: Order): boolean {
	const paidByTraffic = order.product === 'FPS' && order.flowInGb !== undefined;
	return order.payType === 'PRE_PAY' && !paidByTraffic && !NOT_RENEWABLE.includes(order.product);
}

export const setAutoRenew = orderEndpoint({
	path: '/api/setautorenew',
	hosts: ['base'],
	callsPerSecond: 1,
	codes: AUTO_RENEW_CODES,
	answer: (use) => {
		const { order } = use;
		if (!canRenewItself(order)) throw AUTO_RENEW_CODES.refusal(-3);
		// That exclusive ones do not renew by the day or week is documented for the other two endpoints.
		const units = unitsFor(order.product === 'KPS' && order.series === 'exclusive');
		const { enabled, unit } = requested(use, AUTO_RENEW_CODES, { missing: -1, wrong: -1 }, (own) =>
			own.flag('autorenew')
				? { enabled: true, unit: own.choice('time_type', units, 'MONTH') }
				: { enabled: false, unit: order.autoRenewal.unit },
		);
		order.autoRenewal = { enabled, unit };
		return success(
			'',
			enabled ? `autorenew by ${unit.toLowerCase()} enabled` : 'autorenew disabled',
		);
	},
});

const CLOSE_CODES = new OwnCodes({
	[-2]: '订单状态错误',
	[-3]: '订单类型错误',
	// The service's text names the wrong kind of key: it is the one of the order that is needed.
	[-4]: '请使用账户密钥',
});

export const closeOrder = orderEndpoint({
	path: '/api/closeorder',
	hosts: ['base'],
	callsPerSecond: 1,
	codes: CLOSE_CODES,
	wrongKey: { code: -4, msg: CLOSE_CODES.message(-4) ?? '', byDefault: true },
	// It has a code of its own for the states that get -102 elsewhere.
	servesUnusableOrders: true,
	answer: ({ order, service }) => {
		if (isExpired(order, service.clock.now())) throw COMMON_CODES.refusal(-102);
		if (order.payType !== 'POST_PAY') throw CLOSE_CODES.refusal(-3);
		// Whether an order that owes money can be closed is not documented.
		if (order.status !== 'VALID') throw CLOSE_CODES.refusal(-2);
		// No money moves: what is frozen is released by a settlement, which never comes here.
		order.status = 'CLOSED';
		return success('', 'order closed');
	},
});
