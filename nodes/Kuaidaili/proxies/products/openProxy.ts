import type { Field } from '../../../shared/fields/field';
import { areaNames, choice, toggle, list } from '../../../shared/fields/kinds';
import { isOneOf } from '../../../shared/guards';
import { CARRIERS } from '../../../shared/service/products';
import {
	GET_NEW_PROXY,
	GET_NEW_PROXY_SVIP,
	GET_PROXY,
	GET_PROXY_SVIP,
} from '../../../shared/service/endpoints/openProxy';
import { formatNumber } from '../../../shared/wording';
import {
	extrasOf,
	filterPair,
	formatFields,
	numField,
	parameter,
	takeTotal,
	type ProxyProduct,
} from './product';
import { COMMON_STATUSES, proxyStatus, type ProxyStatuses } from '../proxyStatuses';

export const PLAN_NAMES = ['regular', 'vip', 'svip'] as const;

/** Limits that depend on the plan of an order. Source: documentation of getproxy. */
export const PLANS = {
	regular: { displayName: 'Regular', endpoint: GET_PROXY, cap: 500, intervalMs: 5000 },
	vip: { displayName: 'VIP', endpoint: GET_PROXY, cap: 1000, intervalMs: 1000 },
	svip: { displayName: 'SVIP', endpoint: GET_PROXY_SVIP, cap: 2000, intervalMs: 200 },
} as const;

/** With `dedup` the service allows one extraction per 5 seconds, whatever the plan. */
const DEDUP_INTERVAL_MS = 5000;

/** A field of the node: the service knows the plan from the order, the editor does not. */
const planField: Field = {
	name: 'plan',
	displayName: 'Plan',
	description:
		"The plan of the open proxy order. You find it on the order's page in the member center.",
	required: true,
	kind: choice(
		PLAN_NAMES.map((value) => ({
			name: PLANS[value].displayName,
			value,
			description: `Up to ${formatNumber(PLANS[value].cap)} proxies per call`,
		})),
	),
};

const PAID = { [planField.name]: ['vip', 'svip'] };
const SVIP = { [planField.name]: ['svip'] };

const openProxyNum = numField(
	'How many proxies to extract, from 1 to 100,000. Numbers above the per-call limit (Regular 500, VIP 1,000, SVIP 2,000) are fetched in several calls.',
	[100_000, 10],
);

const ports = list(
	'ports from 1 to 65535, separated by commas, such as 8080,3128',
	(text) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535,
);
const ipPrefixes = list(
	'first parts of IPv4 addresses, separated by commas, such as 120.52.,113.',
	(text) =>
		/^\d{1,3}(\.\d{1,3}){0,3}\.?$/.test(text) &&
		text.split('.').every((part) => Number(part) <= 255),
);
const carriers = choice(
	[
		{ name: 'All', value: 0 },
		...CARRIERS,
		{ name: 'Cloud Provider', value: 6 },
		{ name: 'Education Network', value: 5 },
		{ name: 'Railway Network', value: 4 },
	],
	{ neutral: '0' },
);
const stability = choice(
	[
		{ name: 'Any', value: 0 },
		{ name: 'Fairly Stable', value: 1 },
		{ name: 'Stable (SVIP Only)', value: 2, when: SVIP },
	],
	{ neutral: '0' },
);

const ANONYMITIES = [
	['an_an', 'Anonymous', 'anonymous'],
	['an_ha', 'High', 'high-anonymity'],
	['an_tr', 'Transparent', 'transparent'],
] as const;

const FILTERS = [
	...ANONYMITIES.map(([serviceName, name, kind]) =>
		parameter(
			serviceName,
			`Anonymity: ${name}`,
			`Whether to extract ${kind} proxies. Can be combined with the other two anonymity filters.`,
			toggle({ preset: true, sendsOff: false }),
		),
	),
	...filterPair(
		'area',
		'Areas',
		'proxies in these countries, provinces, or cities: names in English or Chinese, separated by commas',
		areaNames('countries, provinces, or cities'),
		{ placeholders: ['e.g. Beijing,Shanghai', 'e.g. Taiwan'], required: true },
	),
	parameter('carrier', 'Carrier', "Only proxies in this carrier's network", carriers),
	...filterPair(
		'ipstart',
		'IP Prefixes',
		'proxies whose IP address starts with one of these prefixes, separated by commas',
		ipPrefixes,
		{ placeholders: ['e.g. 120.52.,113.', 'e.g. 120.52.'] },
	),
	parameter(
		'method',
		'Method',
		'Only proxies that support this HTTP method',
		choice([
			{ name: 'GET', value: 1 },
			{ name: 'POST (and GET)', value: 2 },
		]),
	),
	...filterPair('port', 'Ports', 'proxies on these ports, separated by commas', ports, {
		placeholders: ['e.g. 8080,3128', 'e.g. 80'],
	}),
	parameter(
		'protocol',
		'Protocol',
		'Only proxies that support this protocol',
		choice([
			{ name: 'HTTP', value: 1 },
			{ name: 'HTTPS (and HTTP)', value: 2 },
		]),
	),
	parameter(
		'dedup',
		'Skip Already Extracted',
		'Whether to leave out proxies that this order has already extracted today. Kuaidaili then allows one call per 5 seconds.',
		toggle({ preset: true, sendsOff: false }),
	),
	parameter('quality', 'Stability', 'Only proxies with at least this stability', stability, {
		when: PAID,
	}),
];

const sortField = parameter(
	'sort',
	'Sort',
	'Which proxies come first',
	choice(
		[
			{ name: 'Default', value: 0 },
			{ name: 'Fastest First', value: 1 },
			{ name: 'Most Recently Checked First', value: 2 },
		],
		{ neutral: '0' },
	),
	{ when: PAID },
);

const ORDER_PACE = 'the order allows no more requests at the moment';

/** Statuses of open proxies, which mean other things by the same numbers. Source: the service's page of open proxies. */
const OPEN_PROXY_STATUSES: ProxyStatuses = {
	407: proxyStatus(
		'service',
		"this n8n's IP address is not on the order's whitelist",
		['White IP Failed'],
		'Allow it in the member center: open proxies know no login, and their whitelist is not in the API.',
	),
	429: proxyStatus('busyOrder', ORDER_PACE, [
		'Frequency Over Limit',
		'Domain Frequency Over Limit',
		'Connection Over Max',
	]),
	440: proxyStatus(
		'service',
		'more IP addresses use the order than it allows',
		['Over White IP Count'],
		'Use the order from fewer machines, or remove addresses in the member center.',
	),
	441: proxyStatus(
		'service',
		'binary data was posted to more than ten sites within two hours',
		['Binary Post Forbidden'],
		"Wait two hours, or choose another product in 'Product'.",
	),
	443: proxyStatus(
		'service',
		"Kuaidaili blocks this n8n's IP address for a while",
		['IP Forbidden'],
		"Try again later with lower 'Requests per Second' in 'Options'.",
	),
	444: proxyStatus('service', 'Kuaidaili does not allow downloading this content', [
		'Download Forbidden',
	]),
	445: proxyStatus('service', 'Kuaidaili does not allow this request', ['Access Forbidden']),
	447: COMMON_STATUSES[447],
	449: proxyStatus(
		'service',
		'it reaches pages in China only',
		['Foreign Access Forbidden'],
		"For pages elsewhere, choose an overseas product in 'Product'.",
	),
	502: proxyStatus('proxy', 'it failed', [
		'Proxy Exception',
		'Proxy Unexpect Error',
		'Proxy Bad Server',
	]),
	503: COMMON_STATUSES[503],
};

/** Proxies that everybody may use, from a pool that changes from minute to minute. */
export const openProxy = {
	code: 'OPS',
	statuses: OPEN_PROXY_STATUSES,
	fields: [planField, openProxyNum],
	filters: FILTERS,
	extras: extrasOf(['region', 'anonymity', 'protocol', 'responseTime'], PAID),
	options: [...formatFields(PAID), sortField],
	toExtraction(reader) {
		const { parameters } = reader;
		const total = takeTotal(openProxyNum, reader);
		const planName = reader.textOf(planField.name);
		const plan = isOneOf(planName, PLAN_NAMES) ? planName : 'regular';
		// JSON shows where an answer ends, which text does not; only regular orders cannot have it
		if (plan !== 'regular') parameters.format ??= 'json';
		else if (parameters.format === 'text') delete parameters.format;
		const isDeduplicated = 'dedup' in parameters;
		const { endpoint, cap, intervalMs } = PLANS[plan];
		const deduplicated = plan === 'svip' ? GET_NEW_PROXY_SVIP : GET_NEW_PROXY;
		return {
			endpoint: isDeduplicated ? deduplicated : endpoint,
			parameters,
			total,
			cap,
			intervalMs: isDeduplicated ? DEDUP_INTERVAL_MS : intervalMs,
			repeatsBecause: ['1', '2'].includes(parameters.sort)
				? "With 'Sort', every call starts with the same ones."
				: undefined,
		};
	},
} satisfies ProxyProduct;
