import { isExpired, type Order, type ProxyOrder } from '../accounts/order.mts';
import { COMMON_CODES, OwnCodes } from '../answers/answer.mts';
import type { Service, WrongKey } from '../endpoints/endpoint.mts';

/** The codes of every extraction but that of open proxies. The wording is ours; only the meaning is documented. */
export const EXTRACTION_CODES = new OwnCodes({
	1: '今日提取数量已用完',
	// Of private proxies. Elsewhere, and in older texts, it is the code of an order that has expired.
	2: '订单提取数量已用完',
	3: '没有找到符合条件的代理',
	4: '账户未实名认证',
	[-1]: '无效请求',
	[-2]: '订单无效，新订单请在一分钟后使用',
	[-3]: '参数错误',
	[-4]: '提取失败',
	[-5]: '订单类型错误',
	[-6]: '您的IP不在已设置的IP白名单内',
	[-11]: '订单未支付',
	[-12]: '订单无效',
	[-13]: '订单已到期',
	[-14]: '订单被封禁',
	[-15]: '订单已过期',
	[-16]: '订单已退款',
	[-51]: '订单一分钟内的调用IP数超过限制',
});

/** Both codes were seen for the key of an account: one with a signature, the common one with a token. */
export const ACCOUNT_KEY: WrongKey = {
	code: -102,
	msg: COMMON_CODES.message(-102) ?? '',
	byDefault: ({ parameters }) => parameters.get('sign_type') === 'hmacsha1',
};

export type OrderOf<P extends ProxyOrder['product']> = Extract<ProxyOrder, { product: P }>;

function isOf<P extends ProxyOrder['product']>(order: Order, product: P): order is OrderOf<P> {
	return order.product === product;
}

/**
 * The order, if it is one of this product and may hand out proxies. The sequence of the checks is not
 * documented.
 */
export function checkedOrder<P extends ProxyOrder['product']>(
	order: Order,
	product: P,
	{ clock, settings }: Service,
): OrderOf<P> {
	if (!isOf(order, product)) throw EXTRACTION_CODES.refusal(-5);
	const now = clock.now();
	// More codes are listed for orders out of use, without saying which applies when.
	if (isExpired(order, now)) throw EXTRACTION_CODES.refusal(-13);
	if (order.status !== 'VALID') throw EXTRACTION_CODES.refusal(-12);
	const ageInSeconds = (now.getTime() - order.createdAt.getTime()) / 1000;
	// Switched off, the clock may go back behind the beginning of an order.
	const { newOrdersWaitSeconds } = settings;
	if (newOrdersWaitSeconds > 0 && ageInSeconds < newOrdersWaitSeconds) {
		throw EXTRACTION_CODES.refusal(-2);
	}
	return order;
}
