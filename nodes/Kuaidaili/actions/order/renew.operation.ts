import { toProperty } from '../../../shared/fields/field';
import { FieldReader } from '../../../shared/fields/readFields';
import { ownValue, type UnknownRecord } from '../../../shared/guards';
import { expiryOf, withExpiry } from '../../../shared/orders/expiry';
import { orderProperty } from '../../../shared/orders/orderField';
import { InvalidResponseError } from '../../../shared/errors/callErrors';
import { RENEW_ORDER } from '../../../shared/service/endpoints/purchase';
import { OPTIONS_LABEL } from '../../parameters/callOptions';
import {
	parsePurchase,
	type Purchase,
	type PurchaseItem,
	type PurchaseOperation,
} from '../../purchase/contract';
import { isNotifyField, maxOrdersPerRunField, purchaseProperties } from '../../purchase/options';
import { renewableOrders, RENEWAL_FIELDS, renewalOfField } from './renew/fields';
import { explainByType, isOrderType, type OrderType } from './renew/orderType';
import { planPrepaid } from './renew/prepaidRenewal';
import type { Renewal } from './renew/renewal';
import { IP_TOP_UP, planTopUp, TRAFFIC_TOP_UP } from './renew/topUp';

const SENT_OPTIONS = { displayName: OPTIONS_LABEL, fields: [isNotifyField] };

/** When the order of an item ends, by what came in: orders of a list and of the trigger bring it. */
function endOf(json: UnknownRecord): number | undefined {
	const expiresAt = ownValue(json, 'expiresAt');
	const parsed = typeof expiresAt === 'string' ? Date.parse(expiresAt) : NaN;
	return Number.isNaN(parsed) ? expiryOf(json) : parsed;
}

function typeOf(reader: FieldReader): OrderType {
	const chosen = reader.text('renewalOf');
	return isOrderType(chosen) ? chosen : 'prepaid';
}

function renewalOf(
	reader: FieldReader,
	item: PurchaseItem,
	orderid: string | undefined,
): Renewal<unknown> {
	const kind = typeOf(reader);
	if (kind === 'perIp') return planTopUp(reader, IP_TOP_UP, item, orderid);
	if (kind === 'traffic') return planTopUp(reader, TRAFFIC_TOP_UP, item, orderid);
	return planPrepaid(reader, item, orderid);
}

/**
 * What to renew, from the fields of an item.
 *
 * @throws InvalidFieldError
 */
function planRenewal(item: PurchaseItem): Purchase {
	const { options, check, json, parameter } = item;
	const orderid = item.orderNumber();
	const reader = new FieldReader({ check })
		.read(RENEWAL_FIELDS, parameter)
		.readCollection(SENT_OPTIONS, options);
	const renewal = renewalOf(reader, item, orderid);
	return {
		...renewal,
		done: 'renewed',
		endpoint: RENEW_ORDER,
		...(orderid === undefined ? {} : { preview: { orderid } }),
		parameters: reader.parameters,
		orderid,
		endsAt: endOf(json),
		explain: async (failure, ask) => await explainByType(failure, ask, typeOf(reader), orderid),
		read(answer, before) {
			const data = parsePurchase(answer);
			const isOthers = orderid !== undefined && data.orderid !== orderid;
			if (isOthers || (before !== undefined && renewal.isOldAnswer(data, before))) {
				throw new InvalidResponseError('is about another renewal', '');
			}
			const record = withExpiry({ ...data, renewed: true }, answer.answeredAt);
			return { record, label: `renewal of order ${data.orderid}` };
		},
	};
}

const maxOrdersField = maxOrdersPerRunField(10, "Orders that need no renewal don't count.");

export const orderRenew: PurchaseOperation = {
	option: {
		name: 'Renew',
		value: 'renew',
		action: 'Renew order, paid at once in yuan',
		description:
			'Extend an order. It spends money at once: the price, in yuan, is charged to the account balance.',
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
