import { InvalidResponseError } from '../../../shared/errors/callErrors';
import { FieldReader } from '../../../shared/fields/field';
import type { AccountOrders } from '../../../shared/queries/account';
import { CREATE_ORDER } from '../../../shared/service/endpoints/purchase';
import { payTypeName, productName } from '../../../shared/service/products';
import { OPTIONS_LABEL } from '../../parameters/callOptions';
import {
	parsePurchase,
	type KnownOrders,
	type Purchase,
	type PurchaseItem,
	type PurchaseOperation,
	type PurchaseWords,
} from '../../purchase/contract';
import { isNotifyField, maxOrdersPerRunField, purchaseProperties } from '../../purchase/options';
import { LATE_IN_WORDS } from '../../purchase/words';
import { CREATE_WHEN_FIELDS, isCouponField, ORDER_FIELDS, orderProperties } from './create/fields';
import { refuseMoreIpsThanLeft } from './create/ipsLeft';
import {
	completeOrders,
	findNewOrder,
	ordersKey,
	passIfEnough,
	readOrders,
	readOrdersIfPossible,
	tracesOf,
	type NewOrder,
} from './create/newOrders';
import { endOfTerm, termInWords, termOf } from './term';

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

function planOrder(item: PurchaseItem): Purchase<AccountOrders> {
	const { options, check, isTest, localTime, parameter } = item;
	const reader = new FieldReader({ check })
		.read(ORDER_FIELDS, parameter)
		.read(CREATE_WHEN_FIELDS, parameter)
		.readCollection(SENT_OPTIONS, options);
	const { parameters } = reader;
	const fewerThan = reader.text('fewerThan');
	const { product = '', pay_type: payType = '' } = parameters;
	const words = wordsFor(product, payType);
	const term = termOf(parameters['prepay.time_type'], parameters['prepay.time_number']);
	const wanted: NewOrder = {
		...{ product, payType, term, localTime, what: words.what },
		bought: (orderid) => ({
			record: { orderid, created: true },
			label: `order ${orderid}, ${words.what}`,
		}),
	};
	const isConditional = fewerThan !== undefined;
	return {
		...{ done: 'created', endpoint: CREATE_ORDER, parameters, words, isConditional },
		preview: {
			product,
			productName: productName(product),
			pay_type: payType,
			payTypeName: payTypeName(payType),
		},
		amount: term === undefined ? '' : termInWords(term),
		endAfterwards: (now) => (term === undefined ? undefined : endOfTerm(now, term)),
		async prepare(ask) {
			if (isTest) return { record: { created: false, reason: TEST_EVENT } };
			if (check) await refuseMoreIpsThanLeft(ask, parameters);
			return undefined;
		},
		look: isConditional ? readOrders : readOrdersIfPossible,
		...(isConditional
			? {
					passes: (orders: AccountOrders, known: KnownOrders) =>
						passIfEnough(wanted, Number(fewerThan), orders, known),
				}
			: {}),
		stateKey: (orders) => ordersKey(orders),
		compare: (before, after, isOthers) => findNewOrder(wanted, before, after, isOthers),
		traces: (orders) => tracesOf(wanted, orders),
		read(answer, before, isOthers) {
			const { orderid, ...others } = parsePurchase(answer);
			// A cache on the way may repeat an old answer
			if (isOthers(orderid) || before?.orders.some((order) => order.orderid === orderid) === true) {
				throw new InvalidResponseError('names an order that was there before', '');
			}
			const { record, label } = wanted.bought(orderid);
			return { record: { ...record, ...others }, label };
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
	maxOrdersField,
	stopsEarly: true,
	plan: planOrder,
	complete: completeOrders,
};
