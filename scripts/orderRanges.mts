import {
	DPS_FETCH_TYPES,
	DPS_LIFETIMES,
	DURATIONS,
	FPS_FLOWS,
	KPS_BANDWIDTHS,
	KPS_DYNAMIC_BANDWIDTHS,
	KPS_EXCLUSIVE_IPS,
	KPS_MODELS,
	KPS_SERIES,
	KPS_SHARED_IPS,
	OPS_PLANS,
	PER_IP_RENEWALS,
	TPS_BANDWIDTHS,
	TPS_MAX_RPS,
	TPS_PERIODS,
	WHITELIST_SIZE,
	type PrivateProxyLifetime,
} from '../nodes/shared/service/orderTerms.ts';
import { mapValues } from '../nodes/shared/guards.ts';
import { PAY_TYPES, PRODUCT_CODES, PRODUCTS } from '../nodes/shared/service/products.ts';
import { rangeInWords } from '../nodes/shared/fields/kinds.ts';
import { table } from './markdown.mts';

function names(values: ReadonlyArray<{ name: string }>): string {
	return values.map(({ name }) => name).join(', ');
}

function productRows(): string[][] {
	return PRODUCT_CODES.map((code) => {
		const { name, payTypes } = PRODUCTS[code];
		return [`${name} (${code})`, payTypes.map((payType) => PAY_TYPES[payType]).join(', ')];
	});
}

function lifetimeMode({ payType, fetchType }: PrivateProxyLifetime): string {
	const extraction = DPS_FETCH_TYPES.find(({ value }) => value === fetchType)?.name;
	return extraction === undefined ? PAY_TYPES[payType] : `${PAY_TYPES[payType]}, ${extraction}`;
}

/** The minutes of the professional edition differ in nothing but their number. */
const isProfessional = ({ range }: PrivateProxyLifetime): boolean => range.max === undefined;

/** Lifetimes with the same numbers of IPs share a row. */
function lifetimeRows(): string[][] {
	const standard = DPS_LIFETIMES.filter((lifetime) => !isProfessional(lifetime));
	const professional = DPS_LIFETIMES.filter(isProfessional);
	const shared = new Map<string, PrivateProxyLifetime[]>();
	for (const lifetime of standard) {
		const key = `${lifetimeMode(lifetime)} ${rangeInWords(lifetime.range)}`;
		shared.set(key, [...(shared.get(key) ?? []), lifetime]);
	}
	return [
		...[...shared.values()].map((lifetimes) => [
			lifetimeMode(lifetimes[0]),
			lifetimes
				.map(({ name, value }) => `${name} (${value})`)
				.join(', ')
				.replace(/(?<=, )Standard: /g, ''),
			rangeInWords(lifetimes[0].range),
		]),
		[
			lifetimeMode(professional[0]),
			`Professional: ${professional.length} lifetimes from 1 minute on (${professional[0].value} … ${professional.at(-1)?.value})`,
			'the service states no range',
		],
	];
}

const DURATION_NAMES: Readonly<Record<string, string>> = {
	...mapValues(PRODUCTS, ({ name }) => `${name}, prepaid`),
	KPS_SHARED: 'Dedicated Proxy, shared',
	KPS_EXCLUSIVE: 'Dedicated Proxy, exclusive',
};

/** Products with the same durations share a row. */
function durationRows(): string[][] {
	const products = new Map<string, string[]>();
	for (const [product, units] of Object.entries(DURATIONS)) {
		const durations = units
			.map(({ name, range }) => rangeInWords(range, `${name.toLowerCase()}s`))
			.join(', ');
		products.set(durations, [...(products.get(durations) ?? []), DURATION_NAMES[product]]);
	}
	return [...products].map(([durations, names]) => [
		names.join('; '),
		'Duration of an order or renewal',
		durations,
	]);
}

function otherRows(): string[][] {
	return [
		['Tunnel Proxy', 'IP Change Interval', names(TPS_PERIODS)],
		['Tunnel Proxy', 'Max Requests per Second', rangeInWords(TPS_MAX_RPS)],
		...TPS_BANDWIDTHS.map(({ periods, range }) => {
			const shown = TPS_PERIODS.filter(({ value }) => periods.includes(value));
			return [
				'Tunnel Proxy',
				`Max Bandwidth (Mb/s), IP changes: ${shown.length > 1 ? `${shown[0].name} to ${shown.at(-1)?.name}` : names(shown)}`,
				rangeInWords(range),
			];
		}),
		['Dedicated Proxy', 'Series', names(KPS_SERIES)],
		['Dedicated Proxy, shared', 'Model', names(KPS_MODELS)],
		['Dedicated Proxy', 'Max Bandwidth, in Mb/s', KPS_BANDWIDTHS.join(', ')],
		['Dedicated Proxy, dynamic', 'Max Bandwidth, in Mb/s', KPS_DYNAMIC_BANDWIDTHS.join(', ')],
		[
			'Dedicated Proxy, shared',
			'Number of IPs',
			`${rangeInWords(KPS_SHARED_IPS)}, as many as are left`,
		],
		['Dedicated Proxy, exclusive', 'Number of IPs', rangeInWords(KPS_EXCLUSIVE_IPS)],
		['Dedicated Proxy, Private Proxy', 'Whitelist Size', rangeInWords(WHITELIST_SIZE)],
		['Open Proxy', 'Plan', names(OPS_PLANS)],
		...durationRows(),
		...Object.values(PER_IP_RENEWALS).map(({ name, range }) => [
			'Renewal of a pay-per-IP order',
			`Number of IPs, lifetime ${name}`,
			rangeInWords(range),
		]),
		['Renewal of an overseas order', 'Traffic in GB', FPS_FLOWS.join(', ')],
	];
}

/** What can be ordered, as the tables of docs/order-values.md. */
export function orderRanges(): string {
	return [
		table(['Product', 'Pay types'], productRows()),
		table(['Private Proxy', 'Lifetime', 'Number of IPs'], lifetimeRows()),
		table(['For', 'Field', 'Allowed'], otherRows()),
	].join('\n\n');
}
