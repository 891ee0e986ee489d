import type { OpenProxyPlan } from '../accounts/order.mts';
import { isFormat, isSeparatorNumber, OwnCodes } from '../answers/answer.mts';
import {
	type Anonymity,
	type OpenProxy,
	type ProxyFilter,
	regionText,
} from '../catalogue/openProxies.mts';
import { OwnParameters } from '../orders/ownParameters.mts';
import { isAskedFor } from './entry.mts';

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
export const OPEN_PROXY_CODES = new OwnCodes({
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
});

export interface OpenProxyRequest {
	num: number;
	filter: ProxyFilter;
	dedup: boolean;
	order: 'random' | 'fastest first' | 'last checked first';
	fields: ExtraFields;
}

const ORDERS = ['random', 'fastest first', 'last checked first'] as const;

/** Reads the parameters of getproxy, or throws the code that names what the plan does not allow. */
export function readOpenProxyRequest(
	parameters: ReadonlyMap<string, string>,
	planName: OpenProxyPlan,
): OpenProxyRequest {
	const plan = PLANS[planName];
	checkLayout(parameters, plan.hasExtras);

	// Which code the absence of `num` has is not documented: "invalid request" here, so that it can be
	// told from a value that is wrong.
	const own = new OwnParameters(parameters, {
		missing: (name) => OPEN_PROXY_CODES.refusal(-1, name),
		wrong: (name) => OPEN_PROXY_CODES.refusal(-3, name),
	});
	const num = own.number('num', { least: 1, most: 999_999_999, step: 1 });
	if (num > plan.maxPerCall) throw OPEN_PROXY_CODES.refusal(plan.codeAboveMax);

	const quality = own.choice('quality', [0, 1, 2], 0);
	if (quality > plan.highestQuality) throw OPEN_PROXY_CODES.refusal(quality === 2 ? -32 : -31);

	// Both orders are for VIP and SVIP; the code only speaks of the speed.
	const sort = own.choice('sort', [0, 1, 2], 0);
	if (sort > 0 && !plan.hasExtras) throw OPEN_PROXY_CODES.refusal(-24);

	const fields = {
		region: isAskedFor(own, 'f_loc'),
		anonymity: isAskedFor(own, 'f_an'),
		protocol: isAskedFor(own, 'f_pr'),
		speed: isAskedFor(own, 'f_sp'),
	};
	if (Object.values(fields).includes(true) && !plan.hasExtras) throw OPEN_PROXY_CODES.refusal(-25);

	return {
		num,
		filter: readFilter(own, quality),
		dedup: isAskedFor(own, 'dedup'),
		order: ORDERS[sort],
		fields,
	};
}

function checkLayout(parameters: ReadonlyMap<string, string>, mayAskForJsonAndXml: boolean): void {
	const format = parameters.get('format') ?? 'text';
	if (!isFormat(format)) throw OPEN_PROXY_CODES.refusal(-3);
	if (format !== 'text' && !mayAskForJsonAndXml) {
		throw OPEN_PROXY_CODES.refusal(-26, undefined, 'text');
	}
	if (!isSeparatorNumber(parameters.get('sep') ?? '1')) throw OPEN_PROXY_CODES.refusal(-3);
}

const ANONYMITIES: ReadonlyArray<readonly [parameter: string, Anonymity]> = [
	['an_ha', 'high'],
	['an_an', 'anonymous'],
	['an_tr', 'transparent'],
];

function readFilter(own: OwnParameters, quality: number): ProxyFilter {
	return {
		areas: list(own, 'area'),
		areasExcluded: list(own, 'area_ex'),
		ports: list(own, 'port').map(toPort),
		portsExcluded: list(own, 'port_ex').map(toPort),
		addressStarts: list(own, 'ipstart').map(toAddressStart),
		addressStartsExcluded: list(own, 'ipstart_ex').map(toAddressStart),
		anonymities: ANONYMITIES.flatMap(([name, each]) => (isAskedFor(own, name) ? [each] : [])),
		carrier: own.choice('carrier', [0, 1, 2, 3, 4, 5, 6], 0),
		quality,
		// HTTPS proxies do HTTP too and POST proxies do GET too, so only the second choice selects.
		needsHttps: own.optionalChoice('protocol', [1, 2]) === 2,
		needsPost: own.optionalChoice('method', [1, 2]) === 2,
	};
}

/** An empty list asks for nothing in particular, an empty element is malformed. */
function list(own: OwnParameters, name: string): string[] {
	const text = own.optionalText(name) ?? '';
	if (text === '') return [];
	const elements = text.split(',').map((element) => element.trim());
	if (elements.includes('')) throw OPEN_PROXY_CODES.refusal(-3, name);
	return elements;
}

function toPort(text: string): number {
	const port = Number(text);
	if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65535) throw OPEN_PROXY_CODES.refusal(-3);
	return port;
}

function toAddressStart(text: string): string {
	const parts = text.split('.');
	const wellFormed = parts.every(
		(part, index) =>
			(/^\d{1,3}$/.test(part) && Number(part) <= 255) ||
			(part === '' && index > 0 && index === parts.length - 1),
	);
	if (!wellFormed || parts.length > 4) throw OPEN_PROXY_CODES.refusal(-3);
	return text;
}
