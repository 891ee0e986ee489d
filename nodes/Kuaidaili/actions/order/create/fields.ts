import type { INodeProperties } from 'n8n-workflow';

import {
	serviceField,
	toProperty,
	type Field,
	type ServiceField,
} from '../../../../shared/fields/field';
import { choice, oneOrZero, rangeInWords, typedAmount } from '../../../../shared/fields/valueKinds';
import {
	DURATIONS,
	OPS_PLANS,
	TPS_BANDWIDTHS,
	TPS_MAX_RPS,
	TPS_PERIODS,
} from '../../../../shared/service/orderTerms';
import {
	PAY_TYPE_DESCRIPTIONS,
	PAY_TYPES,
	PRODUCT_CODES,
	PRODUCT_DESCRIPTIONS,
	PRODUCT_LABELS,
	PRODUCTS,
	type PayType,
} from '../../../../shared/service/products';
import { durationVariants } from '../../../parameters/durationFields';
import { DEDICATED_PROXY_FIELDS, EXCLUSIVE, SHARED } from './dedicatedProxyFields';
import { PRIVATE_PROXY_FIELDS, variant } from './privateProxyFields';

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
				'What to order. Tunnel Pro and overseas proxies can be ordered in the member center only.',
			kind: choice(
				PRODUCT_CODES.map((value) => ({
					value,
					name: PRODUCT_LABELS[value],
					description: PRODUCT_DESCRIPTIONS[value],
				})),
				// Nothing is bought that nobody chose
				{ preset: '' },
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

/** When to place the order: fields of the node, not of the service. */
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
		]),
		required: true,
		decides: true,
	},
	{
		name: 'fewerThan',
		displayName: 'Fewer Active Orders Than',
		description:
			'The order is placed when the account has fewer active orders of this product and pay type than this',
		kind: typedAmount({ min: 1, max: 10_000 }, 1),
		when: { createWhen: ['fewerThan'] },
		required: true,
	},
];

const tunnel: ServiceField[] = [
	variant(
		{ product: ['TPS'] },
		{
			serviceName: 'tps.period',
			displayName: 'IP Change Interval',
			description: 'How long the tunnel keeps an IP before it switches to another one',
			kind: choice(TPS_PERIODS),
		},
	),
	variant(
		{ product: ['TPS'] },
		{
			serviceName: 'tps.max_rps',
			displayName: 'Max Requests per Second',
			description: 'The most requests per second that the tunnel lets through',
			kind: typedAmount(TPS_MAX_RPS, TPS_MAX_RPS.preset),
		},
	),
	...TPS_BANDWIDTHS.map(({ periods, range, preset }) =>
		variant(
			{ product: ['TPS'], tpsPeriod: periods },
			{
				serviceName: 'tps.max_bandwidth',
				displayName: 'Max Bandwidth',
				description: "The bandwidth of the tunnel; the range depends on 'IP Change Interval'",
				kind: { ...typedAmount(range, preset), hint: rangeInWords(range, 'Mb/s') },
			},
		),
	),
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
	...tunnel,
	...PRIVATE_PROXY_FIELDS,
	...DEDICATED_PROXY_FIELDS,
	...open,
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

/** The same fields as the editor shows them. */
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
	kind: { ...oneOrZero, property: { type: 'boolean', default: true } },
	// An expression without a value must not pay the full price
	required: true,
});
