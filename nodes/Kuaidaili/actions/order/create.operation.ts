import { FieldReader } from '../../../shared/fields/field';
import { kindOfOrder } from '../../../shared/orders/orderItem';
import type { AccountOrders } from '../../../shared/queries/account';
import { CREATE_ORDER } from '../../../shared/service/endpoints/purchase';
import { payTypeName, productName } from '../../../shared/service/products';
import type { Item } from '../../operation';
import { OPTIONS_LABEL } from '../../parameters/callOptions';
import {
	LATE_IN_WORDS,
	type Purchase,
	type PlanContext,
	type PurchaseOperation,
	type PurchasePlan,
	type PurchaseWords,
} from '../../purchase/contract';
import { isNotifyField, maxOrdersPerRunField, purchaseProperties } from '../../purchase/options';
import { CREATE_WHEN_FIELDS, isCouponField, ORDER_FIELDS, orderProperties } from './create/fields';
import { refuseMoreIpsThanLeft } from './create/ipsLeft';
import { completeOrders, newOrder } from './create/newOrders';
import { termOf } from '../../../shared/orders/term';

const SENT_OPTIONS = { displayName: OPTIONS_LABEL, fields: [isCouponField, isNotifyField] };

const maxOrdersField = maxOrdersPerRunField(
	1,
	'With more input items than that, nothing is bought.',
);

function wordsFor(product: string, payType: string): PurchaseWords {
	const name = productName(product);
	const lookedUp = `To find out, look for an order of the product ${name} from that time, with 'Order: Get Many' and 'Status' set to 'All', or in the order list of the Kuaidaili member center.`;
	return {
		unclear: 'The order may have been placed',
		what: `${name} (${product}), ${payTypeName(payType)}`,
		howToFindOut: `${lookedUp} If there is none ${LATE_IN_WORDS} later, nothing was bought for this item, and a new run of the workflow with this item alone can buy it.`,
	};
}

const TEST_EVENT =
	'This is a test event of Kuaidaili Trigger, so nothing was bought. A real event places the order.';

function planOrder(item: Item, { localTime }: PlanContext): PurchasePlan {
	const { options, check } = item.callOptions();
	const parameter = (name: string) => item.parameter(name);
	const reader = new FieldReader({ check })
		.read(ORDER_FIELDS, parameter)
		.read(CREATE_WHEN_FIELDS, parameter)
		.readCollection(SENT_OPTIONS, options);
	const { parameters } = reader;
	const fewerThan = reader.text('fewerThan');
	const { product = '', pay_type: payType = '' } = parameters;
	const term = termOf(parameters['prepay.time_type'], parameters['prepay.time_number']);
	const isConditional = fewerThan !== undefined;
	const purchase: Purchase<AccountOrders> = {
		...{ parameters, term, isConditional },
		...newOrder({ product, payType, term, localTime }, fewerThan),
		words: wordsFor(product, payType),
	};
	return {
		isConditional,
		preview: kindOfOrder({ product, pay_type: payType }),
		async decide(ask, mayBeBought) {
			if (item.isTest) return { pass: { record: { created: false, reason: TEST_EVENT } } };
			if (check && !mayBeBought) await refuseMoreIpsThanLeft(ask, parameters);
			return { purchase };
		},
	};
}

export const orderCreate: PurchaseOperation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create order (charges your account in yuan)',
		description:
			'Buy a new order. The price, in yuan, is charged to the account balance right away.',
	},
	properties: purchaseProperties(orderProperties, [isCouponField, maxOrdersField]),
	done: 'created',
	endpoint: CREATE_ORDER,
	maxOrdersField,
	plan: planOrder,
	complete: completeOrders,
};
