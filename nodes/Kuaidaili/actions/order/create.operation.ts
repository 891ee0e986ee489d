import { readField, toProperty } from '../../../shared/fields/field';
import { readVariants, variantProperties } from '../../../shared/fields/fieldVariants';
import { ownValue, type UnknownRecord } from '../../../shared/guards';
import { PAY_TYPES, PRODUCTS } from '../../../shared/service/orderTerms';
import { readBought } from '../../purchase/readBought';
import { optionsCollection } from '../../descriptions/callOptions';
import { maxOrdersPerRunField } from '../../purchase/purchaseLimits';
import { purchaseNotice } from '../../purchase/purchaseNotice';
import { purchaseOnce, type Purchase } from '../../purchase/purchaseOnce';
import type { PurchaseWords } from '../../purchase/unclearPurchase';
import type { Operation } from '../operation';
import { isCouponField, ORDER_FIELDS } from './create/fields';
import { refuseMoreIpsThanLeft } from './create/ipsLeft';
import { isNotifyField } from './notifyField';

const OPTION_FIELDS = [isCouponField, isNotifyField];

/** The name of a code in a table; the code itself where the table does not have it. */
function nameIn(names: Readonly<Record<string, string>>, code: string): string {
	return Object.hasOwn(names, code) ? names[code] : code;
}

const PRODUCT_NAMES = Object.fromEntries(
	Object.entries(PRODUCTS).map(([code, { displayName }]) => [code, displayName]),
);

function words(product: string, payType: string): PurchaseWords {
	const name = nameIn(PRODUCT_NAMES, product);
	return {
		unclear: 'The order may have been placed',
		what: `${name} (${product}), ${nameIn(PAY_TYPES, payType)}`,
		howToFindOut: `Look into the order list of the Kuaidaili member centre for an order of the product ${name} from that time, or ask /api/getaccountorders?status=ALL with an HTTP Request node and this credential.`,
		otherwise:
			'If there is none a few minutes later, nothing was bought for this item, and a new run of the workflow with this item alone can buy it.',
	};
}

function planOrder(
	valueOf: (name: string) => unknown,
	options: UnknownRecord,
	check: boolean,
): Purchase {
	const ordered = readVariants(ORDER_FIELDS, valueOf, check);
	const parameters = { ...ordered };
	for (const field of OPTION_FIELDS) {
		const text = readField(field, ownValue(options, field.name), check);
		if (text !== undefined) parameters[field.serviceName] = text;
	}
	const { product = '', pay_type = '' } = ordered;
	const orderWords = words(product, pay_type);
	return {
		endpoint: 'createOrder',
		parameters,
		words: orderWords,
		precheck: check ? async (caller) => await refuseMoreIpsThanLeft(caller, parameters) : undefined,
		read(answer) {
			const data = readBought(answer);
			const label = `order ${data.orderid}, ${orderWords.what}`;
			return { record: { ...data, product, pay_type }, label };
		},
	};
}

export const createOperation: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create order, paid at once from the account balance',
		description: 'Place an order. It is paid at once from the account balance.',
	},
	properties: [
		purchaseNotice,
		...variantProperties(ORDER_FIELDS),
		optionsCollection([...OPTION_FIELDS, maxOrdersPerRunField].map(toProperty)),
	],
	purchases: { done: 'orders were placed' },
	async execute(context, itemIndex) {
		const valueOf = (name: string): unknown => context.getNodeParameter(name, itemIndex, '');
		const record = await purchaseOnce(context, itemIndex, (options, check) =>
			planOrder(valueOf, options, check),
		);
		return { records: [record] };
	},
};
