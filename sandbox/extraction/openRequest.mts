import type { OpenProxyPlan } from '../accounts/order.mts';
import { type Format, isFormat, isSeparatorNumber, Refusal } from '../answers/answer.mts';
import {
	type Anonymity,
	type OpenProxy,
	type ProxyFilter,
	regionText,
} from '../catalogue/openProxies.mts';

interface ExtraFields {
	region: boolean;
	anonymity: boolean;
	protocol: boolean;
	speed: boolean;
}

const ANONYMITY_TEXTS: Readonly<Record<Anonymity, string>> = {
	high: '高匿名',
	anonymous: '匿名',
	transparent: '透明',
};

/**
 * One proxy as the service would list it: the address, then what was asked for, in the order of the
 * f_ parameters. How the real values are worded, and in which unit the speed is, nobody documents.
 */
export function entryOf(proxy: OpenProxy, fields: ExtraFields): string {
	const parts = [`${proxy.address}:${proxy.port}`];
	if (fields.region) parts.push(regionText(proxy.region));
	if (fields.anonymity) parts.push(ANONYMITY_TEXTS[proxy.anonymity]);
	if (fields.protocol) parts.push(proxy.supportsHttps ? 'HTTPS' : 'HTTP');
	if (fields.speed) parts.push(proxy.responseSeconds.toFixed(2));
	return parts.join(',');
}

export interface Plan {
	intervalMs: number;
	maxPerCall: number;
	codeAboveMax: -23 | -35 | -45;
	highestQuality: 0 | 1 | 2;
	/** Sorting, extra fields, json and xml. */
	hasExtras: boolean;
}

export const PLANS: Readonly<Record<OpenProxyPlan, Plan>> = {
	regular: {
		intervalMs: 5000,
		maxPerCall: 500,
		codeAboveMax: -23,
		highestQuality: 0,
		hasExtras: false,
	},
	VIP: {
		intervalMs: 1000,
		maxPerCall: 1000,
		codeAboveMax: -35,
		highestQuality: 1,
		hasExtras: true,
	},
	SVIP: {
		intervalMs: 200,
		maxPerCall: 2000,
		codeAboveMax: -45,
		highestQuality: 2,
		hasExtras: true,
	},
};

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

export interface OpenProxyRequest {
	num: number;
	filter: ProxyFilter;
	dedup: boolean;
	order: 'random' | 'fastest first' | 'last checked first';
	fields: ExtraFields;
}

type Parameters = ReadonlyMap<string, string>;

const ORDERS = ['random', 'fastest first', 'last checked first'] as const;

/** Reads the parameters of getproxy, or throws the code that names what the plan does not allow. */
export function readOpenProxyRequest(
	parameters: Parameters,
	planName: OpenProxyPlan,
): OpenProxyRequest {
	const plan = PLANS[planName];
	checkLayout(parameters, plan.hasExtras);

	const num = readNum(parameters);
	if (num > plan.maxPerCall) throw openProxyRefusal(plan.codeAboveMax);

	const quality = choice(parameters, 'quality', 0, 2) ?? 0;
	if (quality > plan.highestQuality) throw openProxyRefusal(quality === 2 ? -32 : -31);

	// Both orders are for VIP and SVIP; the code only speaks of the speed.
	const sort = choice(parameters, 'sort', 0, 2) ?? 0;
	if (sort > 0 && !plan.hasExtras) throw openProxyRefusal(-24);

	const fields = {
		region: flag(parameters, 'f_loc'),
		anonymity: flag(parameters, 'f_an'),
		protocol: flag(parameters, 'f_pr'),
		speed: flag(parameters, 'f_sp'),
	};
	if (Object.values(fields).includes(true) && !plan.hasExtras) throw openProxyRefusal(-25);

	return {
		num,
		filter: readFilter(parameters, quality),
		dedup: flag(parameters, 'dedup'),
		order: ORDERS[sort] ?? 'random',
		fields,
	};
}

function checkLayout(parameters: Parameters, mayAskForJsonAndXml: boolean): void {
	const format = parameters.get('format') ?? 'text';
	if (!isFormat(format)) throw openProxyRefusal(-3);
	if (format !== 'text' && !mayAskForJsonAndXml) throw openProxyRefusal(-26, 'text');
	if (!isSeparatorNumber(parameters.get('sep') ?? '1')) throw openProxyRefusal(-3);
}

// The only required parameter. Which code its absence has is not documented: "invalid request" here,
// so that it can be told from a value that is wrong.
function readNum(parameters: Parameters): number {
	const text = parameters.get('num');
	if (text === undefined) throw openProxyRefusal(-1);
	if (!/^[1-9]\d{0,8}$/.test(text)) throw openProxyRefusal(-3);
	return Number(text);
}

function readFilter(parameters: Parameters, quality: number): ProxyFilter {
	// HTTPS proxies do HTTP too and POST proxies do GET too, so only the second choice selects.
	const protocol = choice(parameters, 'protocol', 1, 2);
	const method = choice(parameters, 'method', 1, 2);
	return {
		areas: list(parameters, 'area'),
		areasExcluded: list(parameters, 'area_ex'),
		ports: list(parameters, 'port').map(toPort),
		portsExcluded: list(parameters, 'port_ex').map(toPort),
		addressStarts: list(parameters, 'ipstart').map(toAddressStart),
		addressStartsExcluded: list(parameters, 'ipstart_ex').map(toAddressStart),
		anonymities: readAnonymities(parameters),
		carrier: choice(parameters, 'carrier', 0, 6) ?? 0,
		quality,
		needsHttps: protocol === 2,
		needsPost: method === 2,
	};
}

function readAnonymities(parameters: Parameters): Anonymity[] {
	const asked: Anonymity[] = [];
	if (flag(parameters, 'an_ha')) asked.push('high');
	if (flag(parameters, 'an_an')) asked.push('anonymous');
	if (flag(parameters, 'an_tr')) asked.push('transparent');
	return asked;
}

/** "Fixed 1" parameters: sent as 1 or not at all. Whether the service minds a 0 is not documented. */
function flag(parameters: Parameters, name: string): boolean {
	const text = parameters.get(name);
	if (text !== undefined && text !== '1') throw openProxyRefusal(-3);
	return text === '1';
}

function choice(
	parameters: Parameters,
	name: string,
	first: number,
	last: number,
): number | undefined {
	const text = parameters.get(name);
	if (text === undefined) return undefined;
	if (!/^\d$/.test(text)) throw openProxyRefusal(-3);
	const value = Number(text);
	if (value < first || value > last) throw openProxyRefusal(-3);
	return value;
}

/** An empty list asks for nothing in particular, an empty element is malformed. */
function list(parameters: Parameters, name: string): string[] {
	const text = parameters.get(name);
	if (text === undefined || text === '') return [];
	const elements = text.split(',').map((element) => element.trim());
	if (elements.includes('')) throw openProxyRefusal(-3);
	return elements;
}

function toPort(text: string): number {
	const port = Number(text);
	if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65535) throw openProxyRefusal(-3);
	return port;
}

function toAddressStart(text: string): string {
	const parts = text.split('.');
	const wellFormed = parts.every(
		(part, index) =>
			(/^\d{1,3}$/.test(part) && Number(part) <= 255) ||
			(part === '' && index > 0 && index === parts.length - 1),
	);
	if (!wellFormed || parts.length > 4) throw openProxyRefusal(-3);
	return text;
}
