import type { IDataObject } from 'n8n-workflow';

import { toCollection, toProperty } from '../../../shared/fields/field';
import { FieldReader } from '../../../shared/fields/reader';
import { orderProperty, readChosenOrder } from '../../../shared/orders/orderField';
import { kindOfOrder, nameOfOrder, orderText } from '../../../shared/orders/order';
import { RENEW_ORDER } from '../../../shared/service/endpoints/purchase';
import type { Item } from '../../run/item';
import type { PlanContext, PurchasePlan } from '../../purchase/types';
import { maxOrdersPerRunField, purchaseProperties, sentOptions } from '../../purchase/options';
import { costInWords, endInWords } from '../../purchase/texts';
import {
	isChosenType,
	OTHER_RENEWALS,
	readOtherRenewal,
	renewableOrders,
	RENEWAL_FIELDS,
	renewalOfField,
	type ChosenType,
	type OrderType,
} from './renew/fields';
import {
	chooseRenewal,
	lookUpOrder,
	planPrepaid,
	planTopUp,
	renewalPurchase,
	type Renewal,
} from './renew/renewal';
import { purchaseOperation } from '../../purchase/purchaseOperation';

const ALL_TYPES = ['prepaid', 'perIp', 'traffic'] as const;

const maxOrdersField = maxOrdersPerRunField(
	10,
	"The orders that end first are renewed; those beyond the limit pass. Orders that need no renewal don't count.",
);

const RENEW_OPTIONS = [maxOrdersField];

/** The chosen kind of renewal; with 'Automatic', those whose fields are filled in. Throws InvalidFieldError. */
function readRenewals(item: Item, run: PlanContext) {
	const { options } = item.callOptions();
	const { parameter } = item;
	const reader = new FieldReader().read(RENEWAL_FIELDS, parameter);
	const choice = reader.textOf(renewalOfField.name);
	const chosen: ChosenType = isChosenType(choice) ? choice : 'automatic';
	const allowed = new Map<OrderType, Renewal>();
	for (const type of chosen === 'automatic' ? ALL_TYPES : [chosen]) {
		const isOther = chosen === 'automatic' && type !== 'prepaid';
		const ofType = isOther ? readOtherRenewal(type, parameter) : reader;
		const filled = ofType?.readCollection(sentOptions(RENEW_OPTIONS), options);
		if (filled === undefined) continue;
		const isPrepaid = type === 'prepaid';
		allowed.set(type, isPrepaid ? planPrepaid(filled, run) : planTopUp(filled, type));
	}
	return { chosen, allowed };
}

/** The renewal of an item. Its kind is known when the order is. Throws InvalidFieldError. */
function planRenewal(item: Item, run: PlanContext): PurchasePlan {
	const chosenOrder = readChosenOrder(item.parameter);
	const { chosen, allowed } = readRenewals(item, run);
	const preview: IDataObject = chosenOrder === undefined ? {} : { orderid: chosenOrder };
	return {
		preview,
		async decide(ask) {
			const found = await lookUpOrder(run, chosenOrder, chosen, ask);
			// It comes out with its item, whatever becomes of that
			const number = found.orderid === undefined ? {} : { orderid: found.orderid };
			Object.assign(preview, number, kindOfOrder(found.order), found.listed?.shown);
			const { renewal, skip } = await chooseRenewal(found, chosen, allowed, run, ask);
			const purchase = renewal && renewalPurchase(renewal, found, item.isTest);
			return { purchase, skip };
		},
	};
}

/** Such as "Renewed Private Proxy order 965102959536478 by 1 month for 58 yuan, until 2026-12-30". */
function tellRenewal(record: IDataObject, amount = ''): string {
	const { renewed, wouldRenew, reason, expiresAt } = record;
	const by = amount === '' ? '' : ` by ${amount}`;
	const name = nameOfOrder(record);
	if (renewed === true) return `Renewed ${name}${by}${costInWords(record)}${endInWords(expiresAt)}`;
	if (wouldRenew === true) {
		return `${orderText(record, Date.now())} and would be renewed${by}${costInWords(record)}`;
	}
	return `${name} was not renewed${typeof reason === 'string' ? `: ${reason}` : ''}`;
}

export const orderRenew = purchaseOperation({
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
		RENEW_OPTIONS,
	),
	done: 'renewed',
	endpoint: RENEW_ORDER,
	maxOrdersField,
	plan: planRenewal,
	tell: tellRenewal,
});
