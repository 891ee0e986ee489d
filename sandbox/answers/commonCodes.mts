import { Refusal } from './answer.mts';

/** The codes every endpoint can give. The wording is ours; only the meaning is documented. */
const COMMON_MESSAGES = {
	[-101]: '缺少secret_id参数',
	[-102]: '订单无效或已过期',
	[-103]: '缺少signature参数',
	[-104]: 'signature错误',
	[-105]: '不支持的sign_type',
	[-106]: '请使用POST方法',
	[-107]: 'secret token已过期',
	[-108]: '您的IP不在API白名单内',
	[-109]: '系统错误',
	[-110]: '缺少timestamp参数',
	[-111]: 'timestamp格式错误',
	[-112]: 'timestamp已过期',
	[-113]: 'nonce格式错误',
	[-114]: '重复请求',
	[-120]: '调用频率超过限制',
	[-121]: '该账户必须使用hmacsha1签名',
	[-122]: 'signature必须是secret token',
	[-123]: '密钥类型错误',
} as const;

export type CommonCode = keyof typeof COMMON_MESSAGES;

const MESSAGES = new Map<number, string>(
	Object.entries(COMMON_MESSAGES).map(([code, message]) => [Number(code), message]),
);

export function isCommonCode(code: number): boolean {
	return MESSAGES.has(code);
}

export function commonMessage(code: number): string | undefined {
	return MESSAGES.get(code);
}

export function commonRefusal(code: CommonCode): Refusal {
	return new Refusal(code, COMMON_MESSAGES[code]);
}
