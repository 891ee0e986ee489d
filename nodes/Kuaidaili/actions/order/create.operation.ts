import { readField } from '../../../shared/fields/field';
import { readFields } from '../../../shared/fields/readFields';
import type { AccountOrder } from '../../../shared/orders/accountOrders';
import { ownValue } from '../../../shared/guards';
import { CREATE_ORDER } from '../../../shared/service/endpoints/purchase';
import { PAY_TYPES, PRODUCT_NAMES } from '../../../shared/service/orderTerms';
import { optionsCollection } from '../../parameters/callOptions';
import { minimumBalanceField } from '../../purchase/minimumBalance';
import { parsePurchase } from '../../purchase/parsePurchase';
import type { Bought, Purchase } from '../../purchase/purchase';
import { maxOrdersPerRunField } from '../../purchase/purchaseLimits';
import { purchaseNotice } from '../../purchase/purchaseNotice';
import type { PurchaseWords } from '../../purchase/unclearPurchase';
import type { PurchaseItem, PurchaseOperation } from '../operation';
import { completeOrders } from './create/completeOrders';
import { isCouponField, ORDER_FIELDS, orderProperties } from './create/fields';
import { refuseMoreIpsThanLeft } from './create/ipsLeft';
import { findNewOrder, lookAtOrders } from './create/newOrders';
import { isNotifyField } from './notifyField';

const OPTION_FIELDS = [isCouponField, isNotifyField];

const maxOrdersField = maxOrdersPerRunField(
	1,
	'Each input item is one order. A run of more items is refused before anything is bought.',
);

/** The name of a code in a table; the code itself where the table does not have it. */
function nameIn(names: Readonly<Record<string, string>>, code: string): string {
	return Object.hasOwn(names, code) ? names[code] : code;
}

function wordsFor(product: string, payType: string): PurchaseWords {
	const name = nameIn(PRODUCT_NAMES, product);
	return {
		unclear: 'The order may have been placed',
		what: `${name} (${product}), ${nameIn(PAY_TYPES, payType)}`,
		howToFindOut: `To find out, use 'Order: Get Many' with 'Status' set to 'All', or look into the order list of the Kuaidaili member center, for an order of the product ${name} from that time.`,
		otherwise:
			'If there is none a few minutes later, nothing was bought for this item, and a new run of the workflow with this item alone can buy it.',
	};
}

function planOrder({ options, check, parameter }: PurchaseItem): Purchase<readonly AccountOrder[]> {
	const ordered = readFields(ORDER_FIELDS, parameter, { check });
	const parameters = { ...ordered };
	for (const field of OPTION_FIELDS) {
		const text = readField(field, ownValue(options, field.name), { check });
		if (text !== undefined) parameters[field.serviceName] = text;
	}
	const { product = '', pay_type: payType = '' } = ordered;
	const words = wordsFor(product, payType);
	const bought = (orderid: string): Bought => ({
		record: {
			orderid,
			product,
			productName: nameIn(PRODUCT_NAMES, product),
			pay_type: payType,
			payTypeName: nameIn(PAY_TYPES, payType),
		},
		label: `order ${orderid}, ${words.what}`,
	});
	return {
		endpoint: CREATE_ORDER,
		parameters,
		words,
		async prepare(ask) {
			if (check) await refuseMoreIpsThanLeft(ask, parameters);
			return undefined;
		},
		look: lookAtOrders,
		compare: (before, after, mayBeAnothers) =>
			findNewOrder({ product, payType, bought }, before, after, mayBeAnothers),
		showsWithinMs: 0,
		read(answer) {
			const { orderid, ...others } = parsePurchase(answer);
			const { record, label } = bought(orderid);
			return { record: { ...record, ...others }, label };
		},
	};
}

export const createOperation: PurchaseOperation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create order',
		description: 'Place an order. It is charged to the account balance.',
	},
	properties: [
		purchaseNotice,
		...orderProperties,
		optionsCollection([...OPTION_FIELDS, maxOrdersField, minimumBalanceField]),
	],
	purchases: { done: 'orders were placed' },
	maxOrdersField,
	refusesLargeRuns: true,
	plan: planOrder,
	complete: completeOrders,
};
