import { OwnCodes } from '../orders/ownCodes.mts';

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
