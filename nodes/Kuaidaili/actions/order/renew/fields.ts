import { readCollection, FieldReader } from '../../../../shared/fields/reader';
import {
	serviceField,
	type Field,
	type FieldCollection,
	type ServiceField,
	InvalidFieldError,
} from '../../../../shared/fields/field';
import { choice, rangeInWords, number, type ChoiceOption } from '../../../../shared/fields/kinds';
import { ownValue } from '../../../../shared/guards';
import { expiringWithin, type OrderFilter } from '../../../../shared/orders/orderField';
import { FPS_FLOWS, PER_IP_RENEWALS, TIME_UNITS } from '../../../../shared/service/orderTerms';
import type { AmountRange } from '../../../../shared/service/products';
import { durationVariants, EXCLUSIVE_UNIT_NOTE } from '../../../parameters/durationFields';

/** The choices of 'Order Type', by their values, and which orders they are about. */
export const ORDER_TYPES = {
	automatic: {
		name: 'Automatic',
		description: 'Finds out what each order is. Takes lists of all kinds of orders.',
		orders: { payTypes: ['PRE_PAY', 'PRE_PAY_IP'] },
	},
	traffic: {
		name: 'Overseas Order by Traffic',
		description: 'Adds traffic to an overseas dynamic order',
		orders: { products: ['FPS'] },
		inWords: 'an overseas order by traffic',
	},
	perIp: {
		name: 'Pay-per-IP Order',
		description: 'Adds IPs to a pay-per-IP private proxy order',
		orders: { products: ['DPS'], payTypes: ['PRE_PAY_IP'] },
		inWords: 'a pay-per-IP order',
	},
	prepaid: {
		name: 'Prepaid Order',
		description: 'Extends a prepaid order',
		orders: { payTypes: ['PRE_PAY'] },
		inWords: 'a prepaid order',
	},
} as const;

export type ChosenType = keyof typeof ORDER_TYPES;

/** The kind of a renewal: time, IPs, or traffic. */
export type OrderType = Exclude<ChosenType, 'automatic'>;

function balanceBelow(displayName: string, goods: string, max: number, preset: number): Field {
	return {
		name: 'balanceBelow',
		displayName,
		description: `The order is renewed when it has ${goods} left than this`,
		kind: number({ min: 1, max, preset, costsMoney: true }),
	};
}

/**
 * The conditions under which orders of a kind are renewed: what 'Renew' offers beside 'Always', and the fields that
 * belong to it.
 */
export const CONDITIONS = {
	prepaid: {
		value: 'expiring',
		name: 'Only If Expiring Within',
		description:
			'Checks the expiry first. Orders with more time left pass through at no cost, so a workflow that runs twice renews once.',
		limits: [expiringWithin.amount, expiringWithin.unit],
	},
	perIp: {
		value: 'ipBalanceBelow',
		name: 'Only If IP Balance Below',
		description: 'Checks first how many IPs are left. Orders with enough pass through at no cost.',
		limits: [balanceBelow('IP Balance Below', 'fewer IPs', 1_000_000, 100)],
	},
	traffic: {
		value: 'trafficBelow',
		name: 'Only If Traffic Below',
		description:
			'Checks first how much traffic is left. Orders with enough pass through at no cost.',
		limits: [balanceBelow('Traffic Below (MB)', 'less traffic', 10_000_000, 500)],
	},
};

/**
 * The choice of a renewal's kind. A field of the node, not of the service: the service knows it from the order, the
 * editor does not, and each kind has other fields.
 */
export const renewalOfField: Field = {
	name: 'renewalOf',
	displayName: 'Order Type',
	description:
		'The kind of orders to renew. A prepaid order gets more time, the others get more IPs or traffic. Orders of other kinds pass through at no cost.',
	kind: choice(Object.entries(ORDER_TYPES).map(([value, type]) => ({ ...type, value }))),
	required: true,
};

const RENEW_WHEN = 'renewWhen';

/** Settings of 'Order Type' that show the fields of prepaid orders. */
const FOR_PREPAID = ['automatic', 'prepaid'] as const;

const ALWAYS: ChoiceOption = {
	name: 'Always',
	value: 'always',
	description: 'Renews every time. A workflow that runs twice renews twice.',
};

/** Fields for the condition of a renewal: each kind of order offers only what can be asked for it. */
const RENEW_WHEN_FIELDS = Object.entries(CONDITIONS).flatMap(
	([type, { limits, ...condition }]): Field[] => {
		const renewalOf = type === 'prepaid' ? FOR_PREPAID : [type];
		const when = { renewalOf, [RENEW_WHEN]: [condition.value] };
		return [
			{
				name: RENEW_WHEN,
				displayName: 'Renew',
				description: `When to renew ${type === 'prepaid' ? 'a prepaid order' : 'the order'}`,
				kind: choice([condition, ALWAYS]),
				when: { renewalOf },
				required: true,
			},
			...limits.map((field) => ({ ...field, when, required: true })),
		];
	},
);

/** The choice of the range of 'IPs to Add'. It is the node's own, too: the service knows the order's lifetime. */
const lifetimeField: Field = {
	name: 'proxyLifetime',
	displayName: 'Lifetime',
	description: "How long the order's proxies work. It determines how many IPs can be added.",
	kind: choice(Object.entries(PER_IP_RENEWALS).map(([value, { name }]) => ({ name, value }))),
	required: true,
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
	{ renewalOf: FOR_PREPAID },
	[{ units: TIME_UNITS, when: { renewalOf: FOR_PREPAID } }],
);

function ipCount(range: AmountRange, hint = rangeInWords(range)): ServiceField {
	return serviceField({
		serviceName: 'dps.ip_count',
		displayName: 'IPs to Add',
		description: 'How many IPs to add; the range depends on the lifetime',
		kind: { ...number({ ...range, costsMoney: true }), hint },
	});
}

const perIp = Object.entries(PER_IP_RENEWALS).map(
	([lifetime, { range }]): ServiceField => ({
		...ipCount(range),
		when: { renewalOf: ['perIp'], [lifetimeField.name]: [lifetime] },
		required: true,
	}),
);

const traffic: ServiceField = serviceField({
	serviceName: 'fps.flow',
	displayName: 'Traffic to Add',
	description: 'How much traffic to add',
	kind: choice(FPS_FLOWS.map((value) => ({ name: `${value} GB`, value }))),
});

export function isChosenType(value: unknown): value is ChosenType {
	return typeof value === 'string' && Object.hasOwn(ORDER_TYPES, value);
}

/** The orders that are renewed in one of these ways; all where that is an expression. */
export function renewableOrders(renewalOf: unknown): OrderFilter {
	return isChosenType(renewalOf) ? ORDER_TYPES[renewalOf].orders : {};
}

/** The text of the button; n8n shows nothing else of an empty section. */
const ADD_TO_RENEW = 'Add field to renew these orders';

const NO_OTHERS = 'Leave this empty to let them pass through at no cost.';

/** How 'Automatic' renews what isn't prepaid. The fields are those of the chosen kind of order. */
export const OTHER_RENEWALS = {
	perIp: {
		name: 'perIpRenewal',
		displayName: 'Pay-per-IP Orders',
		placeholder: ADD_TO_RENEW,
		description: `How to renew pay-per-IP private proxy orders. ${NO_OTHERS}`,
		fields: [
			...CONDITIONS.perIp.limits,
			ipCount(
				PER_IP_RENEWALS.minutes.range,
				`${rangeInWords(PER_IP_RENEWALS.minutes.range)}; for a lifetime of hours, ${rangeInWords(PER_IP_RENEWALS.hours.range)}`,
			),
			lifetimeField,
		],
		when: { renewalOf: ['automatic'] },
	},
	traffic: {
		name: 'trafficRenewal',
		displayName: 'Overseas Orders by Traffic',
		placeholder: ADD_TO_RENEW,
		description: `How to renew overseas dynamic orders that are billed by traffic. ${NO_OTHERS}`,
		fields: [...CONDITIONS.traffic.limits, traffic],
		when: { renewalOf: ['automatic'] },
	},
} as const satisfies Readonly<Record<string, FieldCollection>>;

/**
 * Reads such a section as if its kind of order was chosen, to be renewed only if little is left.
 *
 * @returns undefined where it is empty
 * @throws InvalidFieldError
 */
export function readOtherRenewal(
	kind: keyof typeof OTHER_RENEWALS,
	valueOf: (name: string) => unknown,
): FieldReader | undefined {
	const { name: section, displayName, fields: members } = OTHER_RENEWALS[kind];
	const entered = readCollection(valueOf(section), displayName);
	if (Object.keys(entered).length === 0) return undefined;
	const missing = members.find(
		(field) => field !== lifetimeField && !Object.hasOwn(entered, field.name),
	);
	if (missing !== undefined) {
		throw new InvalidFieldError(
			displayName,
			'',
			`Add it there, or remove all fields of '${displayName}': these orders then pass through at no cost.`,
			`'${missing.displayName}' is missing in '${displayName}'`,
		);
	}
	const texts = new Map([
		['renewalOf', kind],
		[RENEW_WHEN, CONDITIONS[kind].value],
	]);
	// A section holds only what was added to it
	const fields = { [lifetimeField.name]: lifetimeField.kind.property.default, ...entered };
	return new FieldReader(texts).read(RENEWAL_FIELDS, (name) => ownValue(fields, name));
}

/** All fields of a renewal but the order, each after those that decide about it. */
export const RENEWAL_FIELDS: readonly Field[] = [
	renewalOfField,
	...RENEW_WHEN_FIELDS,
	{ ...lifetimeField, when: { renewalOf: ['perIp'] } },
	...prepaid,
	...perIp,
	{ ...traffic, when: { renewalOf: ['traffic'] }, required: true },
];
