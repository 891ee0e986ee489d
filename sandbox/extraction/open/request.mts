import type { OpenProxyPlan } from '../../accounts/goods.mts';
import { isFormat, isSeparatorNumber } from '../../answers/layout.mts';
import type { ProxyFilter } from '../../catalogue/filter.mts';
import type { Anonymity } from '../../catalogue/openProxy.mts';
import type { ExtraFields } from './entry.mts';
import { PLANS } from './plans.mts';
import { openProxyRefusal } from './refusals.mts';

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
