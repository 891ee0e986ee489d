import { OwnCodes } from './ownCodes.mts';

/** The codes createorder can give. The wording is ours; only the meaning is documented. */
export const CREATE_CODES = new OwnCodes({
	[-1]: '缺少参数',
	[-2]: '参数错误',
	[-3]: '请使用账户密钥',
	[-4]: '账户余额不足',
	[-5]: '订单类型错误',
	[-61]: '没有可用的IP',
	[-62]: 'kps.ip_count超过最大值',
	[-71]: '不满足开通后付费隧道订单的条件',
	[-72]: '开通后付费隧道订单出错',
});
