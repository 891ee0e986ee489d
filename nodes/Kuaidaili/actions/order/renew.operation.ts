import type { IDataObject } from 'n8n-workflow';

import { InvalidResponseError } from '../../../shared/errors/callErrors';
import { toCollection, toProperty, FieldReader } from '../../../shared/fields/field';
import { withExpiry } from '../../../shared/orders/orderState';
import { orderProperty } from '../../../shared/orders/orderField';
import { nameOfOrder, orderText } from '../../../shared/orders/orderItem';
import { RENEW_ORDER } from '../../../shared/service/endpoints/purchase';
import type { FlatParameters, ServiceAnswer } from '../../../shared/service/query';
import { formatNumber } from '../../../shared/wording';
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
import {
	chooseRenewal,
	isChosenType,
	type ChosenType,
	type KnownOrder,
	type OrderType,
	type PlanRenewal,
} from './renew/orderType';
import {
	boughtRenewal,
	IP_TOP_UP,
	planPrepaid,
	planTopUp,
	renewalPurchase,
	shownExpiry,
	stateOfExpiry,
	TRAFFIC_TOP_UP,
} from './renew/renewal';

const SENT_OPTIONS = { displayName: OPTIONS_LABEL, fields: [isNotifyField] };

/** One kind of renewal, after its fields have been checked. */
interface PlannedRenewal {
	readonly parameters: FlatParameters;
	readonly plan: PlanRenewal;
}

function planType(type: OrderType, reader: FieldReader, item: PurchaseItem): PlannedRenewal {
	const plans: Readonly<Record<OrderType, () => PlanRenewal>> = {
		perIp: () => planTopUp(reader, IP_TOP_UP, item),
		prepaid: () => planPrepaid(reader, item),
		traffic: () => planTopUp(reader, TRAFFIC_TOP_UP, item),
	};
	return { parameters: reader.parameters, plan: plans[type]() };
}

/** What to renew, from the fields of an item. */
interface RenewalFields {
	readonly chosen: ChosenType;
	readonly allowed: ReadonlyMap<OrderType, PlannedRenewal>;
}

/** @throws InvalidFieldError */
function readRenewals(item: PurchaseItem): RenewalFields {
	const { options, check, parameter } = item;
	const reader = new FieldReader({ check })
		.read(RENEWAL_FIELDS, parameter)
		.readCollection(SENT_OPTIONS, options);
	const choice = reader.text(renewalOfField.name);
	const chosen = isChosenType(choice) ? choice : 'automatic';
	const main = chosen === 'automatic' ? 'prepaid' : chosen;
	const allowed = new Map([[main, planType(main, reader, item)]]);
	if (chosen !== 'automatic') return { chosen, allowed };
	for (const kind of ['perIp', 'traffic'] as const) {
		const section = readOtherRenewal(kind, parameter(OTHER_RENEWALS[kind].name), check);
		section?.readCollection(SENT_OPTIONS, options);
		if (section !== undefined) allowed.set(kind, planType(kind, section, item));
	}
	return { chosen, allowed };
}

/** What to renew. As what an order is renewed is known when the order is. Throws InvalidFieldError. */
function planRenewal(item: PurchaseItem): DeferredPurchase {
	const chosenOrder = item.orderNumber();
	const { account, localTime } = item;
	const { chosen, allowed } = readRenewals(item);
	// What is found out of the order comes out with its item, whatever becomes of that
	const preview: IDataObject = chosenOrder === undefined ? {} : { orderid: chosenOrder };
	let order: KnownOrder | undefined;
	const known = { done: 'renewed', endpoint: RENEW_ORDER, chosenOrder, preview } as const;
	return {
		...known,
		async decide(ask) {
			const wish = { account, chosenOrder, localTime, chosen, allowed };
			const choice = await chooseRenewal(wish, ask, (found) => {
				order = found;
				const { orderid, kind, expiry } = found;
				Object.assign(preview, orderid === undefined ? {} : { orderid }, kind);
				if (expiry !== undefined) Object.assign(preview, shownExpiry(expiry));
			});
			const planned = 'type' in choice ? allowed.get(choice.type) : undefined;
			if ('pass' in choice) return choice;
			if (planned === undefined) throw new Error(`No renewal is planned for '${choice.type}'`);
			const { orderid, expiry } = order ?? {};
			const renewal = planned.plan(expiry);
			const isByTime = choice.type === 'prepaid' && expiry !== undefined;
			const pass = isByTime ? renewal.passes?.(stateOfExpiry(expiry)) : undefined;
			const endsAt = expiry?.expiresAt;
			return {
				pass,
				purchase: {
					...known,
					...renewalPurchase(renewal, orderid),
					...{ orderid, endsAt, parameters: planned.parameters },
					endAfterwards: (now) => renewal.endAfterwards?.(endsAt, now),
					read: (answer) => readRenewal(answer, orderid),
				},
			};
		},
	};
}

/** @throws InvalidResponseError for an answer about another order */
function readRenewal(answer: ServiceAnswer, orderid: string | undefined): Bought {
	const data = parsePurchase(answer);
	if (orderid !== undefined && data.orderid !== orderid) {
		throw new InvalidResponseError('is about another renewal', '');
	}
	const record = withExpiry({ ...data, renewed: true }, answer.answeredAt);
	return boughtRenewal(data.orderid, record);
}

/** Such as "Renewed Private Proxy order 965102959536478 by 1 month for 58 yuan, until 2026-12-30". */
function tellRenewal(record: IDataObject, amount: string): void {
	const { renewed, wouldRenew, reason, cost, expiresAt } = record;
	const price = typeof cost === 'number' ? ` for ${formatNumber(cost)} yuan` : '';
	const until = typeof expiresAt === 'string' ? `, until ${expiresAt.slice(0, 10)}` : '';
	const by = amount === '' ? '' : ` by ${amount}`;
	const name = nameOfOrder(record);
	const said =
		renewed === true
			? `Renewed ${name}${by}${price}${until}`
			: wouldRenew === true
				? `${orderText(record, Date.now())} and would be renewed${by}`
				: `${name} was not renewed${typeof reason === 'string' ? `: ${reason}` : ''}`;
	record.text = said;
}

const maxOrdersField = maxOrdersPerRunField(
	10,
	"The orders that end first are renewed; those beyond the limit pass. Orders that need no renewal don't count.",
);

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
	done: 'renewed',
	maxOrdersField,
	stopsEarly: false,
	plan: planRenewal,
	tell: tellRenewal,
};
