import { serviceField, type Field, type ServiceField } from '../../../../shared/fields/field';
import { choice, typedAmount, type ChoiceOption } from '../../../../shared/fields/valueKinds';
import { expiringWithin } from '../../../../shared/orders/timeWindow';
import type { OrderFilter } from '../../../../shared/orders/usableOrders';
import { FPS_FLOWS, PER_IP_RENEWALS, TIME_UNITS } from '../../../../shared/service/orderTerms';
import { durationVariants, EXCLUSIVE_UNIT_NOTE } from '../../../parameters/durationFields';
import { ORDER_TYPES } from './orderType';

/**
 * What is renewed. A field of the node, not of the service: the service knows it from the order, the
 * editor does not, and each kind has other fields.
 */
export const renewalOfField: Field = {
	name: 'renewalOf',
	displayName: 'Order Type',
	description:
		'The kind of order to renew. A prepaid order gets more time, the others get more IPs or traffic.',
	kind: choice(
		[
			{
				name: ORDER_TYPES.traffic,
				value: 'traffic',
				description: 'Adds traffic to an overseas dynamic order',
			},
			{
				name: ORDER_TYPES.perIp,
				value: 'perIp',
				description: 'Adds IPs to a pay-per-IP private proxy order',
			},
			{
				name: ORDER_TYPES.prepaid,
				value: 'prepaid',
				description: 'Extends a prepaid order',
			},
		],
		{ preset: 'prepaid' },
	),
	required: true,
	decides: true,
};

const RENEW_WHEN = 'renewWhen';

const ALWAYS: ChoiceOption = {
	name: 'Always',
	value: 'always',
	description: 'Renews every time. A workflow that runs twice renews twice.',
};

/** One per kind of order: each offers only what can be asked for that kind. */
function renewWhen(renewalOf: string, condition: ChoiceOption): Field {
	return {
		name: RENEW_WHEN,
		displayName: 'Renew',
		description: 'When to renew the order',
		kind: choice([condition, ALWAYS]),
		when: { renewalOf: [renewalOf] },
		required: true,
		decides: true,
	};
}

const onlyExpiring = { renewalOf: ['prepaid'], [RENEW_WHEN]: ['expiring'] };

const BALANCE_BELOW = 'balanceBelow';

/** When to renew, by what is renewed. */
const RENEW_WHEN_FIELDS: readonly Field[] = [
	renewWhen('prepaid', {
		name: 'Only If Expiring Within',
		value: 'expiring',
		description:
			'Checks the expiry first. Orders with more time left pass through at no cost, so a workflow that runs twice renews once.',
	}),
	renewWhen('perIp', {
		name: 'Only If IP Balance Below',
		value: 'ipBalanceBelow',
		description: 'Checks first how many IPs are left. Orders with enough pass through at no cost.',
	}),
	renewWhen('traffic', {
		name: 'Only If Traffic Below',
		value: 'trafficBelow',
		description:
			'Checks first how much traffic is left. Orders with enough pass through at no cost.',
	}),
	{ ...expiringWithin.amount, when: onlyExpiring, required: true },
	{ ...expiringWithin.unit, when: onlyExpiring, required: true },
	{
		name: BALANCE_BELOW,
		displayName: 'IP Balance Below',
		description: 'The order is renewed when it has fewer IPs left than this',
		kind: typedAmount({ min: 1, max: 1_000_000 }, 100),
		when: { renewalOf: ['perIp'], [RENEW_WHEN]: ['ipBalanceBelow'] },
		required: true,
	},
	{
		name: BALANCE_BELOW,
		displayName: 'Traffic Below (MB)',
		description: 'The order is renewed when it has less traffic left than this',
		kind: typedAmount({ min: 1, max: 10_000_000 }, 500),
		when: { renewalOf: ['traffic'], [RENEW_WHEN]: ['trafficBelow'] },
		required: true,
	},
];

/** Which range 'Number of IPs' has. A field of the node too; the service knows the order's lifetime. */
const lifetimeField: Field = {
	name: 'proxyLifetime',
	displayName: 'Lifetime',
	description: "How long the order's proxies work. It determines how many IPs can be added.",
	kind: choice(Object.entries(PER_IP_RENEWALS).map(([value, { name }]) => ({ name, value }))),
	when: { renewalOf: ['perIp'] },
	required: true,
	decides: true,
};

const prepaid = durationVariants(
	{
		timeType: 'time_type',
		timeNumber: 'time_number',
		isAutoRenew: 'is_auto_renew',
		autoRenewUnit: 'auto_renew_unit',
		mayLeaveAutoRenew: true,
		unitNote: EXCLUSIVE_UNIT_NOTE,
	},
	{ renewalOf: ['prepaid'] },
	[{ units: TIME_UNITS, when: { renewalOf: ['prepaid'] } }],
);

const perIp = Object.entries(PER_IP_RENEWALS).map(
	([lifetime, { range }]): ServiceField => ({
		...serviceField({
			serviceName: 'dps.ip_count',
			displayName: 'Number of IPs',
			description: 'How many IPs to add; the range depends on the lifetime',
			kind: typedAmount(range),
		}),
		when: { renewalOf: ['perIp'], [lifetimeField.name]: [lifetime] },
		required: true,
	}),
);

const traffic: ServiceField = serviceField({
	serviceName: 'fps.flow',
	displayName: 'Traffic',
	description: 'How much traffic to add',
	kind: choice(FPS_FLOWS.map((value) => ({ name: `${value} GB`, value }))),
});

/** Which orders are renewed in one of these ways. */
export function renewableOrders(renewalOf: unknown): OrderFilter {
	switch (renewalOf) {
		case 'perIp':
			return { products: ['DPS'], payTypes: ['PRE_PAY_IP'] };
		case 'prepaid':
			return { payTypes: ['PRE_PAY'] };
		case 'traffic':
			return { products: ['FPS'] };
		default:
			return {};
	}
}

/** All fields of a renewal but the order, each after those that decide about it. */
export const RENEWAL_FIELDS: readonly Field[] = [
	renewalOfField,
	...RENEW_WHEN_FIELDS,
	lifetimeField,
	...prepaid,
	...perIp,
	{ ...traffic, when: { renewalOf: ['traffic'] }, required: true },
];
