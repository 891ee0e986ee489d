import { toProperty } from '../../../shared/fields/field';
import { orderProperty } from '../../../shared/orders/orderField';
import { maxOrdersPerRunField, purchaseProperties } from '../../purchase/options';
import type { PurchaseOperation } from '../../purchase/contract';
import { renewableOrders, RENEWAL_FIELDS, renewalOfField } from './renew/fields';
import { planRenewal } from './renew/planRenewal';

const maxOrdersField = maxOrdersPerRunField(
	10,
	'Orders that need no renewal do not count. When the limit is reached, the others fail.',
);

export const orderRenew: PurchaseOperation = {
	option: {
		name: 'Renew',
		value: 'renew',
		action: 'Renew order',
		description: 'Extend an order. The renewal is charged to the account balance.',
	},
	orders: (valueOf) => renewableOrders(valueOf(renewalOfField.name)),
	properties: purchaseProperties(
		[
			// Above 'Order', whose list depends on it
			toProperty(renewalOfField),
			orderProperty,
			...RENEWAL_FIELDS.filter((field) => field !== renewalOfField).map(toProperty),
		],
		[maxOrdersField],
	),
	purchases: { done: 'renewals were made' },
	maxOrdersField,
	refusesLargeRuns: false,
	plan: planRenewal,
};
