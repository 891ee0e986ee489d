import { FieldReader } from '../../../shared/fields/readFields';
import type { AccountOrders } from '../../../shared/queries/accountOrders';
import { InvalidResponseError } from '../../../shared/errors/callErrors';
import { CREATE_ORDER } from '../../../shared/service/endpoints/purchase';
import { payTypeName, productName } from '../../../shared/service/products';
import { OPTIONS_LABEL } from '../../parameters/callOptions';
import {
	parsePurchase,
	type Bought,
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
	activeOrders,
	completeOrders,
	countableOrders,
	enoughOrders,
	findNewOrder,
	findOtherNewOrders,
	isOldOrder,
	readOrders,
} from './create/newOrders';
import { termOf } from './term';

const SENT_OPTIONS = { displayName: OPTIONS_LABEL, fields: [isCouponField, isNotifyField] };

const maxOrdersField = maxOrdersPerRunField(
	1,
	'With more input items than that, nothing is bought.',
);

function wordsFor(product: string, payType: string): PurchaseWords {
	const name = productName(product);
	return {
		unclear: 'The order may have been placed',
		what: `${name} (${product}), ${payTypeName(payType)}`,
		howToFindOut: `To find out, look for an order of the product ${name} from that time, with 'Order: Get Many' and 'Status' set to 'All', or in the order list of the Kuaidaili member center.`,
		otherwise: `If there is none ${LATE_IN_WORDS} later, nothing was bought for this item, and a new run of the workflow with this item alone can buy it.`,
	};
}

const TEST_EVENT =
	'This is a test event of Kuaidaili Trigger, so nothing was bought. A real event places the order. To place one in a test, run this node without the trigger.';

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
	const kind = { product, payType, term };
	const preview = {
		product,
		productName: productName(product),
		pay_type: payType,
		payTypeName: payTypeName(payType),
	};
	const bought = (orderid: string): Bought => ({
		record: { orderid, created: true },
		label: `order ${orderid}, ${words.what}`,
	});
	return {
		done: 'created',
		endpoint: CREATE_ORDER,
		parameters,
		words,
		async prepare(ask) {
			if (isTest) return { created: false, reason: TEST_EVENT };
			if (check) await refuseMoreIpsThanLeft(ask, parameters);
			return undefined;
		},
		preview,
		...(fewerThan === undefined
			? { readState: readOrders }
			: {
					readState: countableOrders,
					insteadOfBuying: (orders: AccountOrders, placed: readonly string[]) =>
						enoughOrders(activeOrders(orders, kind, placed), Number(fewerThan), words.what),
					isEnoughWith: (orders: AccountOrders, placed: readonly string[], purchases: number) =>
						activeOrders(orders, kind, placed).count + purchases >= Number(fewerThan),
				}),
		compare: (before, after) => findNewOrder({ ...kind, bought, localTime }, before, after),
		findDuplicate: (before, after) => findOtherNewOrders(kind, before, after),
		read(answer, before) {
			const { orderid, ...others } = parsePurchase(answer);
			if (isOldOrder(orderid, before)) {
				throw new InvalidResponseError('names an order that was there before', '');
			}
			const { record, label } = bought(orderid);
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
	purchases: { done: 'orders were placed' },
	maxOrdersField,
	refusesLargeRuns: true,
	plan: planOrder,
	complete: completeOrders,
};
