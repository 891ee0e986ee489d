import { toCollection, toProperty } from '../../../shared/fields/field';
import { FieldReader } from '../../../shared/fields/readFields';
import { ownValue, type UnknownRecord } from '../../../shared/guards';
import { expiryOf, withExpiry } from '../../../shared/orders/expiry';
import { orderProperty } from '../../../shared/orders/orderField';
import { InvalidResponseError } from '../../../shared/errors/callErrors';
import { RENEW_ORDER } from '../../../shared/service/endpoints/purchase';
import type { FlatParameters, ServiceAnswer } from '../../../shared/service/query';
import { OPTIONS_LABEL } from '../../parameters/callOptions';
import {
	parsePurchase,
	type Bought,
	type DeferredPurchase,
	type PurchaseItem,
	type PurchaseOperation,
} from '../../purchase/contract';
import { isNotifyField, maxOrdersPerRunField, purchaseProperties } from '../../purchase/options';
import {
	OTHER_RENEWALS,
	readOtherRenewal,
	renewableOrders,
	RENEWAL_FIELDS,
	renewalOfField,
} from './renew/fields';
import { chooseRenewal, isChosenType, type ChosenType, type OrderType } from './renew/orderType';
import { planPrepaid } from './renew/prepaidRenewal';
import { shownExpiry, type PlanRenewal, type Renewal } from './renew/renewal';
import { IP_TOP_UP, planTopUp, TRAFFIC_TOP_UP } from './renew/topUp';

const SENT_OPTIONS = { displayName: OPTIONS_LABEL, fields: [isNotifyField] };

/** When the order of an item ends, by what came in: orders of a list and of the trigger bring it. */
function endOf(json: UnknownRecord): number | undefined {
	const expiresAt = ownValue(json, 'expiresAt');
	const parsed = typeof expiresAt === 'string' ? Date.parse(expiresAt) : NaN;
	return Number.isNaN(parsed) ? expiryOf(json) : parsed;
}

/** One kind of renewal, after its fields have been checked. */
interface PlannedRenewal {
	readonly parameters: FlatParameters;
	readonly renewalFor: PlanRenewal;
}

function planType(
	type: OrderType,
	reader: FieldReader,
	item: PurchaseItem,
	orderid: string | undefined,
): PlannedRenewal {
	const plans: Readonly<Record<OrderType, () => PlanRenewal>> = {
		perIp: () => planTopUp(reader, IP_TOP_UP, item),
		prepaid: () => planPrepaid(reader, item, orderid),
		traffic: () => planTopUp(reader, TRAFFIC_TOP_UP, item),
	};
	return { parameters: reader.parameters, renewalFor: plans[type]() };
}

/** What to renew, from the fields of an item. */
interface RenewalFields {
	readonly chosen: ChosenType;
	readonly allowed: ReadonlyMap<OrderType, PlannedRenewal>;
}

/** @throws InvalidFieldError */
function readRenewals(item: PurchaseItem, orderid: string | undefined): RenewalFields {
	const { options, check, parameter } = item;
	const reader = new FieldReader({ check })
		.read(RENEWAL_FIELDS, parameter)
		.readCollection(SENT_OPTIONS, options);
	const choice = reader.text(renewalOfField.name);
	const chosen = isChosenType(choice) ? choice : 'automatic';
	if (chosen !== 'automatic') {
		return { chosen, allowed: new Map([[chosen, planType(chosen, reader, item, orderid)]]) };
	}
	const allowed = new Map<OrderType, PlannedRenewal>([
		['prepaid', planType('prepaid', reader, item, orderid)],
	]);
	for (const kind of ['perIp', 'traffic'] as const) {
		const section = readOtherRenewal(kind, parameter(OTHER_RENEWALS[kind].name), check);
		section?.readCollection(SENT_OPTIONS, options);
		if (section !== undefined) allowed.set(kind, planType(kind, section, item, orderid));
	}
	return { chosen, allowed };
}

/**
 * What to renew, from the fields of an item. As what an order is renewed is known when the order is.
 *
 * @throws InvalidFieldError
 */
function planRenewal(item: PurchaseItem): DeferredPurchase {
	const orderid = item.orderNumber();
	const { run, localTime } = item;
	const { chosen, allowed } = readRenewals(item, orderid);
	const known = {
		done: 'renewed',
		endpoint: RENEW_ORDER,
		orderid,
		endsAt: endOf(item.json),
	} as const;
	return {
		...known,
		async decide(ask) {
			const choice = await chooseRenewal({ run, orderid, localTime, chosen, allowed }, ask);
			if ('output' in choice) return choice;
			const { kind, listed, planned } = choice;
			const { parameters, renewalFor } = planned;
			const renewal = renewalFor(listed);
			const end = listed?.expiry && shownExpiry(listed.expiry);
			return {
				purchase: {
					...known,
					...renewal,
					preview: { ...(orderid === undefined ? {} : { orderid }), ...kind, ...end },
					parameters,
					read: (answer, before) => readRenewal(answer, { orderid, before, renewal }),
				},
			};
		},
	};
}

interface AskedRenewal {
	readonly orderid: string | undefined;
	readonly before: unknown;
	readonly renewal: Renewal<unknown>;
}

/** @throws InvalidResponseError for an answer to another renewal */
function readRenewal(answer: ServiceAnswer, { orderid, before, renewal }: AskedRenewal): Bought {
	const data = parsePurchase(answer);
	const isOthers = orderid !== undefined && data.orderid !== orderid;
	if (isOthers || (before !== undefined && renewal.isOldAnswer(data, before))) {
		throw new InvalidResponseError('is about another renewal', '');
	}
	const record = withExpiry({ ...data, renewed: true }, answer.answeredAt);
	return { record, label: `renewal of order ${data.orderid}` };
}

const maxOrdersField = maxOrdersPerRunField(10, "Orders that need no renewal don't count.");

export const orderRenew: PurchaseOperation = {
	option: {
		name: 'Renew',
		value: 'renew',
		action: 'Renew order (charges your account in yuan)',
		description:
			'Extend an order. The price, in yuan, is charged to the account balance right away.',
	},
	orders: (valueOf) => renewableOrders(valueOf(renewalOfField.name)),
	properties: purchaseProperties(
		[
			// Above 'Order', whose list depends on it
			toProperty(renewalOfField),
			orderProperty,
			...RENEWAL_FIELDS.filter((field) => field !== renewalOfField).map(toProperty),
			...Object.values(OTHER_RENEWALS).map(toCollection),
		],
		[maxOrdersField],
	),
	purchases: { done: 'renewals were made' },
	maxOrdersField,
	refusesLargeRuns: false,
	plan: planRenewal,
};
