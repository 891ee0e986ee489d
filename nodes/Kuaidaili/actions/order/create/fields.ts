import type { INodeProperties } from 'n8n-workflow';

import {
	region,
	choice,
	namedOptions,
	placeOf,
	rangeInWords,
	resourceLocator,
	simpleText,
	textKind,
	toggle,
	TYPED_MODE,
	number,
} from '../../../../shared/fields/kinds';
import {
	type Conditions,
	NoTextError,
	serviceField,
	toProperty,
	type Field,
	type ServiceField,
	type ValueKind,
} from '../../../../shared/fields/field';
import {
	DPS_FETCH_TYPES,
	DPS_LIFETIMES,
	DURATIONS,
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
	TPS_BANDWIDTHS,
	TPS_MAX_RPS,
	TPS_PERIODS,
	WHITELIST_SIZE,
} from '../../../../shared/service/orderTerms';
import {
	PAY_TYPE_DESCRIPTIONS,
	PAY_TYPES,
	PRODUCT_CODES,
	PRODUCT_DESCRIPTIONS,
	PRODUCT_LABELS,
	PRODUCTS,
} from '../../../../shared/service/products';
import { durationVariants } from '../../../parameters/durationFields';

/** A field that is there under these conditions; others of its name have other values. */
function variant(
	when: Conditions,
	serviceName: string,
	displayName: string,
	description: string,
	kind: ValueKind,
): ServiceField {
	return { ...serviceField({ serviceName, displayName, description, kind }), when, required: true };
}

const productAndPayType = [
	variant(
		{},
		'product',
		'Product',
		'What to order. Tunnel Pro and overseas proxies can be ordered in the member center only.',
		// Nothing is bought that nobody chose
		choice(namedOptions(PRODUCT_LABELS, PRODUCT_DESCRIPTIONS, PRODUCT_CODES), { preset: '' }),
	),
	// One field per product, so that each offers only the pay types that the product has
	...PRODUCT_CODES.map((code) => {
		const payTypes = namedOptions(PAY_TYPES, PAY_TYPE_DESCRIPTIONS, PRODUCTS[code].payTypes);
		const description = 'How the order is charged to the account balance';
		return variant({ product: [code] }, 'pay_type', 'Pay Type', description, choice(payTypes));
	}),
];

const LONGEST_KEY = 200;

const onceKeyKind: ValueKind = {
	...textKind(
		`a text of 1 to ${LONGEST_KEY} characters, or a whole number of up to 15 digits`,
		({ length }) => length > 0 && length <= LONGEST_KEY,
	),
	toText(value) {
		// Two long numbers may have become one on their way
		if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new NoTextError();
		return simpleText(value);
	},
};

/** Fields that say when to place the order; they are the node's, not the service's. */
export const CREATE_WHEN_FIELDS: readonly Field[] = [
	{
		name: 'createWhen',
		displayName: 'Create',
		description: 'When to place the order',
		kind: choice([
			{
				name: 'Always',
				value: 'always',
				description: 'Orders every time. A workflow that runs twice orders twice.',
			},
			{
				name: 'Only If Fewer Active Orders Than',
				value: 'fewerThan',
				description:
					'Counts the active orders of this product and pay type first. With enough of them, nothing is bought, so a workflow that runs twice orders once.',
			},
			{
				name: 'Once per Key',
				value: 'oncePerKey',
				description:
					'Orders once for each key, such as the number of an order in your shop, however often a webhook or an agent asks',
			},
		]),
		required: true,
	},
	{
		name: 'fewerThan',
		displayName: 'Fewer Active Orders Than',
		description:
			'The order is placed when the account has fewer active orders of this product and pay type than this',
		kind: number({ min: 1, max: 10_000, preset: 1, costsMoney: true }),
		when: { createWhen: ['fewerThan'] },
		required: true,
	},
	{
		name: 'onceKey',
		displayName: 'Key',
		placeholder: 'e.g. {{ $json.orderNumber }}',
		description:
			'This node orders once for each key, whoever asks. The same key with another order is an error.',
		kind: onceKeyKind,
		when: { createWhen: ['oncePerKey'] },
		required: true,
	},
];

function whitelistSize(product: 'DPS' | 'KPS'): ServiceField {
	return variant(
		{ product: [product] },
		`${product.toLowerCase()}.whiteip_count`,
		'Whitelist Size',
		'How many addresses may use the proxies without a password',
		number({ ...WHITELIST_SIZE, preset: WHITELIST_SIZE.preset, costsMoney: true }),
	);
}

/* Tunnel proxies */

const TUNNEL_ORDER = { product: ['TPS'] };

const tunnelOrder: readonly ServiceField[] = [
	variant(
		TUNNEL_ORDER,
		'tps.period',
		'IP Change Interval',
		'How long the tunnel keeps an IP before it switches to another one',
		choice(TPS_PERIODS),
	),
	variant(
		TUNNEL_ORDER,
		'tps.max_rps',
		'Max Requests per Second',
		'The most requests per second that the tunnel lets through',
		number({ ...TPS_MAX_RPS, preset: TPS_MAX_RPS.preset, costsMoney: true }),
	),
	...TPS_BANDWIDTHS.map(({ periods, range, preset }) =>
		variant(
			{ ...TUNNEL_ORDER, tpsPeriod: periods },
			'tps.max_bandwidth',
			'Max Bandwidth',
			"The bandwidth of the tunnel; the range depends on 'IP Change Interval'",
			{ ...number({ ...range, preset, costsMoney: true }), hint: rangeInWords(range, 'Mb/s') },
		),
	),
];

/* Private proxies */

const PREPAID_PRIVATE = { product: ['DPS'], payType: ['PRE_PAY'] };
const ofFetchType = (value: number) => DPS_LIFETIMES.filter(({ fetchType }) => fetchType === value);

/** Lifetimes, and when they are offered. */
const lifetimeGroups = [
	...DPS_FETCH_TYPES.map(({ value }) => ({
		when: { ...PREPAID_PRIVATE, dpsFetchType: [value] },
		lifetimes: ofFetchType(value),
		lifetimeNote: ". 'Extraction' decides which lifetimes there are.",
		label: 'IPs per Day',
		description: 'How many IPs may be extracted each day; the range depends on the lifetime',
	})),
	{
		when: { product: ['DPS'], payType: ['PRE_PAY_IP'] },
		lifetimes: DPS_LIFETIMES.filter(({ payType }) => payType === 'PRE_PAY_IP'),
		lifetimeNote: '',
		label: 'Number of IPs',
		description: 'How many IPs to buy; the range depends on the lifetime',
	},
];

/** One field per range, shown for all lifetimes of the group that have it. */
const ipCounts = lifetimeGroups.flatMap(({ when, lifetimes, label, description }) => {
	const ranges = new Set(lifetimes.map(({ range }) => rangeInWords(range)));
	return [...ranges].map((words) => {
		const same = lifetimes.filter(({ range }) => rangeInWords(range) === words);
		const conditions = { ...when, dpsPeriod: same.map(({ value }) => value) };
		return variant(
			conditions,
			'dps.ip_count',
			label,
			description,
			number({ ...same[0].range, costsMoney: true }),
		);
	});
});

/** The lifetimes for two lines of a menu, such as "3 to 5, 10 to 30, 30 to 60 minutes, 3 to 4 hours". */
function lifetimesInShort(fetchType: number): string {
	const names = ofFetchType(fetchType).map(({ name }) => name.toLowerCase());
	return names.join(', ').replace(/ minutes(?=,[^,]* minutes)/g, '');
}

const privateProxyOrder: readonly ServiceField[] = [
	variant(
		PREPAID_PRIVATE,
		'dps.fetch_type',
		'Extraction',
		'When the IPs of a day can be taken. It decides which lifetimes there are.',
		choice(
			DPS_FETCH_TYPES.map((type) => ({
				...type,
				description: `${type.description}; lifetimes: ${lifetimesInShort(type.value)}`,
			})),
		),
	),
	...lifetimeGroups.map(({ when, lifetimes, lifetimeNote }) => {
		const description = `How long each proxy works${lifetimeNote}`;
		return variant(when, 'dps.period', 'Lifetime', description, choice(lifetimes));
	}),
	...ipCounts,
	whitelistSize('DPS'),
];

/* Dedicated proxies */

const SHARED = { product: ['KPS'], kpsSerie: [KPS_SHARED] };
const EXCLUSIVE = { product: ['KPS'], kpsSerie: [KPS_EXCLUSIVE] };
const SHARED_DYNAMIC = { ...SHARED, kpsModel: [KPS_DYNAMIC] };
const STATIC_MODELS = KPS_MODELS.map(({ value }) => value).filter((value) => value !== KPS_DYNAMIC);
const SHARED_STATIC = { ...SHARED, kpsModel: STATIC_MODELS };

function bandwidth(when: Conditions, values: readonly number[]): ServiceField {
	const description = 'The bandwidth of each IP. Dynamic IPs have 1 Mb/s only.';
	const kind = choice(values.map((value) => ({ value, name: `${value} Mb/s` })));
	return variant(when, 'kps.max_bandwidth', 'Max Bandwidth', description, kind);
}

const CITY_LOCATOR = {
	method: 'searchCitiesForOrder',
	listPlaceholder: 'Any city',
	typedLabel: 'Name',
	typedPlaceholder: 'e.g. Hangzhou or 3301',
};
const cityFromList = resourceLocator(region, CITY_LOCATOR);

function city(when: Conditions, kind: ValueKind): ServiceField {
	const description = 'Where the IPs are; empty for any city';
	return { ...variant(when, 'kps.city', 'City', description, placeOf(kind)), required: false };
}

const dedicatedProxyOrder: readonly ServiceField[] = [
	variant(
		{ product: ['KPS'] },
		'kps.serie',
		'Series',
		'Whether other customers use the same IPs',
		choice(KPS_SERIES),
	),
	variant(SHARED, 'kps.model', 'Model', 'Whether the IPs change', choice(KPS_MODELS)),
	city(EXCLUSIVE, cityFromList),
	city(SHARED_STATIC, cityFromList),
	// The service has no list for these. The editor can leave a city that was picked for another model only
	// while there is a list, which says so
	city(SHARED_DYNAMIC, resourceLocator(region, CITY_LOCATOR, TYPED_MODE)),
	bandwidth(SHARED_DYNAMIC, KPS_DYNAMIC_BANDWIDTHS),
	bandwidth(SHARED_STATIC, KPS_BANDWIDTHS),
	bandwidth(EXCLUSIVE, KPS_BANDWIDTHS),
	variant(
		SHARED,
		'kps.ip_count',
		'Number of IPs',
		'How many IPs to order. The maximum is what the city has left.',
		number({ ...KPS_SHARED_IPS, costsMoney: true }),
	),
	variant(
		EXCLUSIVE,
		'kps.ip_count',
		'Number of IPs',
		'How many IPs to order',
		number({ ...KPS_EXCLUSIVE_IPS, costsMoney: true }),
	),
	whitelistSize('KPS'),
];

/* Open proxies */

const open = variant(
	{ product: ['OPS'] },
	'ops.plan',
	'Plan',
	'How many open proxies may be extracted, and how fast',
	choice(OPS_PLANS),
);

/* For how long */

const PREPAID = { payType: ['PRE_PAY'] };

/** Products that last equally long share their fields. */
const unitsByProduct = [...new Set([DURATIONS.DPS, DURATIONS.OPS, DURATIONS.TPS])].map((units) => {
	const product = (['OPS', 'DPS', 'TPS'] as const).filter((code) => DURATIONS[code] === units);
	return { units, when: { ...PREPAID, product } };
});

const duration = durationVariants(
	{
		timeType: 'prepay.time_type',
		timeNumber: 'prepay.time_number',
		isAutoRenew: 'prepay.is_auto_renew',
		autoRenewUnit: 'prepay.auto_renew_unit',
	},
	PREPAID,
	[
		...unitsByProduct,
		{ units: DURATIONS.KPS_SHARED, when: { ...PREPAID, ...SHARED } },
		{ units: DURATIONS.KPS_EXCLUSIVE, when: { ...PREPAID, ...EXCLUSIVE } },
	],
);

const otherFields = [
	...tunnelOrder,
	...privateProxyOrder,
	...dedicatedProxyOrder,
	open,
	...duration,
];

/** All fields of an order, in the order of the editor. */
export const ORDER_FIELDS: readonly ServiceField[] = [...productAndPayType, ...otherFields];

const payAsYouGoNotice: INodeProperties = {
	displayName:
		"A pay-as-you-go order is charged by use, and runs until you close it with 'Order: Close' or in the member center.",
	name: 'payAsYouGoNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { product: ['TPS'], payType: ['POST_PAY'] } },
};

/** The fields of an order as the editor shows them. */
export const orderProperties: readonly INodeProperties[] = [
	...productAndPayType.map(toProperty),
	...CREATE_WHEN_FIELDS.map(toProperty),
	payAsYouGoNotice,
	...otherFields.map(toProperty),
];

export const isCouponField: ServiceField = serviceField({
	serviceName: 'is_coupon',
	displayName: 'Use Coupon',
	description:
		'Whether to pay with the best coupon that fits. If none does, the order is placed anyway.',
	kind: toggle({ preset: true }),
	// An expression without a value must not pay the full price
	required: true,
});
