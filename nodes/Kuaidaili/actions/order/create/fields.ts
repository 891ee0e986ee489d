import type { INodeProperties } from 'n8n-workflow';

import type { Conditions } from '../../../../shared/fields/conditions';
import { serviceField, toProperty, type ServiceField } from '../../../../shared/fields/field';
import { resourceLocator, typedLocator } from '../../../../shared/fields/resourceLocator';
import {
	choice,
	oneOrZero,
	rangeInWords,
	regionCode,
	typedAmount,
	type ValueKind,
} from '../../../../shared/fields/valueKinds';
import {
	DPS_FETCH_TYPES,
	DPS_LIFETIMES,
	EXCLUSIVE_TIME_UNITS,
	KPS_BANDWIDTHS,
	KPS_DYNAMIC,
	KPS_DYNAMIC_BANDWIDTHS,
	KPS_EXCLUSIVE,
	KPS_EXCLUSIVE_IPS,
	KPS_MODELS,
	KPS_SERIES,
	KPS_SHARED,
	KPS_SHARED_IPS,
	OPS_PLANS,
	PAY_TYPE_DESCRIPTIONS,
	PAY_TYPES,
	PRODUCT_CODES,
	PRODUCT_LABELS,
	PRODUCTS,
	TIME_UNITS,
	TPS_BANDWIDTHS,
	TPS_MAX_RPS,
	TPS_PERIODS,
	WHITELIST_SIZE,
	type PayType,
	type PrivateProxyLifetime,
} from '../../../../shared/service/orderTerms';
import { enumerated } from '../../../../shared/wording';
import { durationVariants } from '../../../parameters/durationFields';

function variant(
	when: Conditions,
	field: Omit<ServiceField, 'name'>,
	required = true,
): ServiceField {
	return { ...serviceField(field), when, required };
}

function payTypeOption(value: PayType) {
	return { value, name: PAY_TYPES[value], description: PAY_TYPE_DESCRIPTIONS[value] };
}

const productAndPayType = [
	variant(
		{},
		{
			serviceName: 'product',
			displayName: 'Product',
			description:
				'The proxy product to order. Tunnel Pro and overseas proxies can be ordered in the member center only: Kuaidaili documents no parameters for them.',
			kind: choice(
				PRODUCT_CODES.map((value) => ({ value, name: PRODUCT_LABELS[value] })),
				{ preset: 'TPS' },
			),
		},
	),
	// One field per product, so that each offers only the pay types that the product has
	...PRODUCT_CODES.map((code) =>
		variant(
			{ product: [code] },
			{
				serviceName: 'pay_type',
				displayName: 'Pay Type',
				description: 'How the order is charged to the account balance',
				kind: choice(PRODUCTS[code].payTypes.map(payTypeOption)),
			},
		),
	),
].map((field): ServiceField => ({ ...field, decides: true }));

function whitelistSize(product: 'DPS' | 'KPS'): ServiceField {
	return variant(
		{ product: [product] },
		{
			serviceName: `${product.toLowerCase()}.whiteip_count`,
			displayName: 'Whitelist Size',
			description: 'How many addresses may use the proxies without a password',
			kind: typedAmount(WHITELIST_SIZE, WHITELIST_SIZE.preset),
		},
	);
}

const tunnel: ServiceField[] = [
	variant(
		{ product: ['TPS'] },
		{
			serviceName: 'tps.period',
			displayName: 'IP Changes',
			description: 'How often the tunnel takes another IP address',
			kind: choice(TPS_PERIODS),
		},
	),
	variant(
		{ product: ['TPS'] },
		{
			serviceName: 'tps.max_rps',
			displayName: 'Max Requests per Second',
			description: 'How many requests per second may go through',
			kind: typedAmount(TPS_MAX_RPS, TPS_MAX_RPS.preset),
		},
	),
	...TPS_BANDWIDTHS.map(({ periods, range, preset }) =>
		variant(
			{ product: ['TPS'], tpsPeriod: periods },
			{
				serviceName: 'tps.max_bandwidth',
				displayName: 'Max Bandwidth',
				description: 'How much may go through in a second; the range depends on the IP changes',
				kind: { ...typedAmount(range, preset), hint: `${rangeInWords(range)} Mb/s` },
			},
		),
	),
];

interface LifetimeGroup {
	readonly when: Conditions;
	readonly lifetimes: readonly PrivateProxyLifetime[];
}

const lifetimeGroups: readonly LifetimeGroup[] = [
	...DPS_FETCH_TYPES.map(({ value }) => ({
		when: { product: ['DPS'], payType: ['PRE_PAY'], dpsFetchType: [value] },
		lifetimes: DPS_LIFETIMES.filter(({ fetchType }) => fetchType === value),
	})),
	{
		when: { product: ['DPS'], payType: ['PRE_PAY_IP'] },
		lifetimes: DPS_LIFETIMES.filter(({ payType }) => payType === 'PRE_PAY_IP'),
	},
];

/** One field per range, shown for all lifetimes of the group that have it. */
function ipCounts({ when, lifetimes }: LifetimeGroup): ServiceField[] {
	const ranges = new Set(lifetimes.map(({ range }) => rangeInWords(range)));
	return [...ranges].map((words) => {
		const sameRange = lifetimes.filter(({ range }) => rangeInWords(range) === words);
		const [{ range, payType }] = sameRange;
		const isPerDay = payType === 'PRE_PAY';
		return variant(
			{ ...when, dpsPeriod: sameRange.map(({ value }) => value) },
			{
				serviceName: 'dps.ip_count',
				displayName: isPerDay ? 'IPs per Day' : 'Number of IPs',
				description: isPerDay
					? 'How many IPs may be extracted each day; the range depends on the lifetime'
					: 'How many IPs to buy; the range depends on the lifetime',
				kind: typedAmount(range),
			},
		);
	});
}

/** Such as "3 to 5 Minutes, 10 to 30 Minutes, or 3 to 4 Hours". Who looks for one finds out here where it is. */
function lifetimesOf(fetchType: number): string {
	const lifetimes = DPS_LIFETIMES.filter((lifetime) => lifetime.fetchType === fetchType);
	return enumerated(lifetimes.map(({ name }) => name));
}

const privateProxy: ServiceField[] = [
	variant(
		{ product: ['DPS'], payType: ['PRE_PAY'] },
		{
			serviceName: 'dps.fetch_type',
			displayName: 'Extraction',
			description: DPS_FETCH_TYPES.map(
				({ name, purpose, value }) => `${name} ${purpose}; lifetimes: ${lifetimesOf(value)}.`,
			).join(' '),
			kind: choice(
				DPS_FETCH_TYPES.map((type) => ({
					...type,
					description: `${type.description}. Lifetimes: ${lifetimesOf(type.value)}.`,
				})),
			),
		},
	),
	...lifetimeGroups.map(({ when, lifetimes }) =>
		variant(when, {
			serviceName: 'dps.period',
			displayName: 'Lifetime',
			description:
				'dpsFetchType' in when
					? "How long each proxy works. 'Extraction' decides which lifetimes there are."
					: 'How long each proxy works',
			kind: choice(lifetimes),
		}),
	),
	...lifetimeGroups.flatMap(ipCounts),
	whitelistSize('DPS'),
];

function bandwidth(when: Conditions, values: readonly number[]): ServiceField {
	return variant(when, {
		serviceName: 'kps.max_bandwidth',
		displayName: 'Max Bandwidth',
		description: 'Of each IP; the dynamic model has 1 Mb/s only',
		kind: choice(values.map((value) => ({ value, name: `${value} Mb/s` }))),
	});
}

const shared = { product: ['KPS'], kpsSerie: [KPS_SHARED] };
const exclusive = { product: ['KPS'], kpsSerie: [KPS_EXCLUSIVE] };
const STATIC_MODELS = KPS_MODELS.map(({ value }) => value).filter((value) => value !== KPS_DYNAMIC);

const CITY_BY_CODE = { typedLabel: 'By Code', typedPlaceholder: 'e.g. 3301' };

const cityFromList = resourceLocator(regionCode, {
	method: 'searchCitiesForOrder',
	listPlaceholder: 'Any city',
	...CITY_BY_CODE,
});

function city(when: Conditions, kind: ValueKind): ServiceField {
	const description =
		'Where the IPs are; empty for any city. A code has 2 to 4 digits, such as 3301 for Hangzhou.';
	return variant(when, { serviceName: 'kps.city', displayName: 'City', description, kind }, false);
}

const dedicated: ServiceField[] = [
	variant(
		{ product: ['KPS'] },
		{
			serviceName: 'kps.serie',
			displayName: 'Series',
			description: 'Shared IPs have other users too; exclusive IPs are yours alone',
			kind: choice(KPS_SERIES),
		},
	),
	variant(shared, {
		serviceName: 'kps.model',
		displayName: 'Model',
		description: 'Dynamic IPs change from time to time; static IPs stay',
		kind: choice(KPS_MODELS),
	}),
	city(exclusive, cityFromList),
	city({ ...shared, kpsModel: STATIC_MODELS }, cityFromList),
	// The service has no list for these
	city({ ...shared, kpsModel: [KPS_DYNAMIC] }, typedLocator(regionCode, CITY_BY_CODE)),
	bandwidth({ ...shared, kpsModel: [KPS_DYNAMIC] }, KPS_DYNAMIC_BANDWIDTHS),
	bandwidth({ ...shared, kpsModel: STATIC_MODELS }, KPS_BANDWIDTHS),
	bandwidth(exclusive, KPS_BANDWIDTHS),
	variant(shared, {
		serviceName: 'kps.ip_count',
		displayName: 'Number of IPs',
		description: 'At least 1; the most depends on what is left in the city',
		kind: typedAmount(KPS_SHARED_IPS),
	}),
	variant(exclusive, {
		serviceName: 'kps.ip_count',
		displayName: 'Number of IPs',
		description: 'How many IPs to order',
		kind: typedAmount(KPS_EXCLUSIVE_IPS),
	}),
	whitelistSize('KPS'),
];

const open: ServiceField[] = [
	variant(
		{ product: ['OPS'] },
		{
			serviceName: 'ops.plan',
			displayName: 'Plan',
			description: 'How many open proxies may be extracted, and how fast',
			kind: choice(OPS_PLANS),
		},
	),
];

const PREPAID = { payType: ['PRE_PAY'] };

const duration = durationVariants(
	{
		timeType: 'prepay.time_type',
		timeNumber: 'prepay.time_number',
		isAutoRenew: 'prepay.is_auto_renew',
		autoRenewUnit: 'prepay.auto_renew_unit',
	},
	PREPAID,
	[
		{
			units: TIME_UNITS,
			when: { ...PREPAID, product: PRODUCT_CODES.filter((code) => code !== 'KPS') },
		},
		{ units: TIME_UNITS, when: { ...PREPAID, ...shared } },
		{ units: EXCLUSIVE_TIME_UNITS, when: { ...PREPAID, ...exclusive } },
	],
);

const otherFields = [...tunnel, ...privateProxy, ...dedicated, ...open, ...duration];

/** All fields of an order, in the order of the editor; each after those that decide about it. */
export const ORDER_FIELDS: readonly ServiceField[] = [...productAndPayType, ...otherFields];

const payAsYouGoNotice: INodeProperties = {
	displayName:
		"A pay-as-you-go order is charged by use, and runs until you close it with 'Order: Close' or in the member center.",
	name: 'payAsYouGoNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { product: ['TPS'], payType: ['POST_PAY'] } },
};

/** The same in the editor. */
export const orderProperties: readonly INodeProperties[] = [
	...productAndPayType.map(toProperty),
	payAsYouGoNotice,
	...otherFields.map(toProperty),
];

export const isCouponField: ServiceField = serviceField({
	serviceName: 'is_coupon',
	displayName: 'Use Coupon',
	description:
		'Whether to pay with the best coupon that fits. Without one the order is placed all the same.',
	kind: { ...oneOrZero, property: { type: 'boolean', default: true } },
});
