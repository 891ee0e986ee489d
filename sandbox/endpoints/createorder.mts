import type { Account } from '../accounts/account.mts';
import type { DedicatedProxies, Order } from '../accounts/order.mts';
import {
	newDedicatedProxyOrder,
	newOpenProxyOrder,
	newOrderNumber,
	newPrivateProxyOrder,
	newTunnelProxyOrder,
} from '../accounts/newOrder.mts';
import { success } from '../answers/answer.mts';
import { perSecond } from '../limits/rateLimits.mts';
import {
	bestCoupon,
	priceWith,
	useUp,
	priceOfAddresses,
	priceOfTerm,
	pricePerDay,
} from '../orders/prices.mts';
import {
	CREATE_CODES,
	readNewOrder,
	type NewOrder,
	type SoldGoods,
} from '../orders/readNewOrder.mts';
import { citiesWith, sharedCount, takeFromStock, type DedicatedCity } from '../orders/stock.mts';
import { OwnParameters } from '../orders/ownParameters.mts';
import { PAID_ADDRESSES_LAST } from '../orders/ranges.mts';
import { addTerm } from '../time/chinaTime.mts';
import { accountEndpoint, type Service } from './endpoint.mts';
import { writtenOrderNumber } from './orderNumber.mts';

function checkPayAsUsed({ payType }: NewOrder, { payAsUsed }: Account): void {
	if (payType !== 'POST_PAY') return;
	if (payAsUsed === 'conditions not met') throw CREATE_CODES.refusal(-71);
	if (payAsUsed === 'fails') throw CREATE_CODES.refusal(-72);
}

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
	return payType === 'PRE_PAY_IP' ? addTerm(now, PAID_ADDRESSES_LAST) : undefined;
}

function newOrder(wanted: NewOrder, goods: SoldGoods, account: Account, service: Service): Order {
	const { payType, autoRenewal, notify } = wanted;
	const now = service.clock.now();
	const expiresAt = expiryOf(wanted, now);
	const orderId = newOrderNumber(service.settings.orderNumbers);
	const name = `sandbox-order-${orderId}`;
	const common = { orderId, payType, expiresAt, autoRenewal, notify };
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
	rule: perSecond(1),
	message: (code) => CREATE_CODES.message(code),
	wrongKey: { code: -3, msg: CREATE_CODES.message(-3) ?? '', byDefault: true },
	// From here to the answer nothing waits, so no other call comes between the check of the balance
	// and the order.
	answer: ({ account, call, service }) => {
		const own = new OwnParameters(call.parameters, {
			missing: (name) => CREATE_CODES.refusal(-1, name),
			wrong: (name) => CREATE_CODES.refusal(-2, name),
		});
		const wanted = readNewOrder(own);
		if (service.settings.inapplicableParameters === 'refuse') own.nothingElse();
		checkPayAsUsed(wanted, account);
		const goods =
			wanted.goods.product === 'KPS'
				? { ...wanted.goods, city: chooseCity(wanted.goods, service) }
				: wanted.goods;

		const price = priceOf(wanted, goods);
		const coupon = wanted.wantsCoupon ? bestCoupon(account, price) : undefined;
		const amountInFen = priceWith(coupon, price);
		const order = newOrder(wanted, goods, account, service);
		const { orderId } = order;
		if (!service.ledger.take(account, { kind: 'create', orderId, amountInFen }, call)) {
			throw CREATE_CODES.refusal(-4);
		}
		useUp(account, coupon);
		if (goods.product === 'KPS') takeFromStock(service.stock, goods);
		service.authentication.store.addOrder(order);

		const data = { orderid: writtenOrderNumber(order, service.settings) };
		const withoutCoupon = wanted.wantsCoupon && !coupon;
		return success(
			withoutCoupon ? { ...data, warning: 'no available coupon' } : data,
			'create order success',
		);
	},
});
