import { Refusal, TooFast } from '../../answers/answer.mts';
import type { Format } from '../../answers/layout.mts';

/** The codes getproxy can give. The wording is ours; only the meaning is documented. */
const MESSAGES = {
	2: '订单已过期',
	3: '没有找到符合条件的代理',
	[-1]: '无效请求',
	[-2]: '无效订单',
	[-3]: '参数错误',
	[-4]: '提取失败',
	[-5]: '独享代理订单不能提取开放代理',
	[-6]: '私密代理订单不能提取开放代理',
	[-7]: '隧道代理订单不能提取开放代理',
	[-11]: '订单未支付',
	[-12]: '订单无效',
	[-13]: '订单已到期',
	[-14]: '订单被封禁',
	[-15]: '订单已过期',
	[-16]: '订单已退款',
	[-20]: '提取超时',
	[-21]: '使用去重时每5秒只能提取一次',
	[-22]: '提取频率过快',
	[-23]: '普通订单每次最多提取500个',
	[-24]: '按速度排序仅限VIP订单',
	[-25]: '附加信息仅限VIP订单',
	[-26]: 'json和xml格式仅限VIP订单',
	[-31]: '普通订单不能提取稳定代理',
	[-32]: '仅SVIP订单可以提取非常稳定的代理',
	[-33]: '该接口仅限SVIP订单使用',
	[-35]: 'VIP订单每次最多提取1000个',
	[-45]: 'SVIP订单每次最多提取2000个',
	[-51]: '订单每分钟提取IP数超过限制',
} as const;

export type OpenProxyCode = keyof typeof MESSAGES;

const BY_NUMBER = new Map<number, string>(
	Object.entries(MESSAGES).map(([code, message]) => [Number(code), message]),
);

export function openProxyMessage(code: number): string | undefined {
	return BY_NUMBER.get(code);
}

export function openProxyRefusal(code: OpenProxyCode, fixedFormat?: Format): Refusal {
	return new Refusal(code, MESSAGES[code], fixedFormat);
}

export function minuteCapReached(): TooFast {
	return new TooFast(-51, MESSAGES[-51]);
}
