import type { IExecuteFunctions } from 'n8n-workflow';

import { readField, toProperty } from '../../../shared/fields/field';
import { readFields } from '../../../shared/fields/readFields';
import { ownValue, type UnknownRecord } from '../../../shared/guards';
import { CREATE_ORDER } from '../../../shared/service/endpoints/purchase';
import { WrongKeyTypeError } from '../../../shared/transport/callErrors';
import { PAY_TYPES, PRODUCT_NAMES } from '../../../shared/service/orderTerms';
import { parsePurchase } from '../../purchase/parsePurchase';
import { optionsCollection } from '../../parameters/callOptions';
import {
	minimumBalanceField,
	readMinimumBalance,
	refuseBelowMinimum,
} from '../../purchase/minimumBalance';
import { openPurchases } from '../../purchase/openPurchases';
import { maxOrdersPerRunField } from '../../purchase/purchaseLimits';
import { purchaseNotice } from '../../purchase/purchaseNotice';
import { purchaseOnce, type Purchase } from '../../purchase/purchaseOnce';
import { runPurchases } from '../../purchase/runPurchases';
import type { PurchaseWords } from '../../purchase/unclearPurchase';
import type { Operation } from '../operation';
import { isCouponField, ORDER_FIELDS } from './create/fields';
import { refuseMoreIpsThanLeft } from './create/ipsLeft';
import { findNewOrder, ordersBefore } from './create/newOrders';
import { isNotifyField } from './notifyField';

const OPTION_FIELDS = [isCouponField, isNotifyField];

function textOf(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

/** The name of a code in a table; the code itself where the table does not have it. */
function nameIn(names: Readonly<Record<string, string>>, code: string): string {
	return Object.hasOwn(names, code) ? names[code] : code;
}

function words(product: string, payType: string): PurchaseWords {
	const name = nameIn(PRODUCT_NAMES, product);
	return {
		unclear: 'The order may have been placed',
		what: `${name} (${product}), ${nameIn(PAY_TYPES, payType)}`,
		howToFindOut: `Look into the order list of the Kuaidaili member center for an order of the product ${name} from that time, or ask /api/getaccountorders?status=ALL with an HTTP Request node and this credential.`,
		otherwise:
			'If there is none a few minutes later, nothing was bought for this item, and a new run of the workflow with this item alone can buy it.',
	};
}

function planOrder(
	context: IExecuteFunctions,
	itemIndex: number,
	options: UnknownRecord,
	check: boolean,
): Purchase {
	const valueOf = (name: string): unknown => context.getNodeParameter(name, itemIndex, '');
	const ordered = readFields(ORDER_FIELDS, valueOf, { check });
	const parameters = { ...ordered };
	for (const field of OPTION_FIELDS) {
		const text = readField(field, ownValue(options, field.name), { check });
		if (text !== undefined) parameters[field.serviceName] = text;
	}
	const minimumBalance = readMinimumBalance(options);
	const { product = '', pay_type = '' } = ordered;
	const orderWords = words(product, pay_type);
	const label = (orderid: string): string => `order ${orderid}, ${orderWords.what}`;
	return {
		endpoint: CREATE_ORDER,
		parameters,
		words: orderWords,
		async prepare(account) {
			if (account.credential.keyType !== 'account') throw new WrongKeyTypeError('account');
			await refuseBelowMinimum(account, minimumBalance);
			if (check) await refuseMoreIpsThanLeft(account, parameters);
			const before = await ordersBefore(context, account);
			const purchase = openPurchases.begin(account.credential.secretId, before.lookedAt);
			return {
				verify: async () => await findNewOrder(account, parameters, before, purchase, label),
				settled({ outcome, bought }) {
					if (outcome === 'unclear') openPurchases.endUnclear(purchase);
					else openPurchases.end(purchase, textOf(bought?.record.orderid));
				},
			};
		},
		read(answer) {
			const data = parsePurchase(answer);
			return { record: { ...data, product, pay_type }, label: label(data.orderid) };
		},
	};
}

const DONE = { done: 'orders were placed' };

export const createOperation: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create order',
		description: 'Place an order. It is charged to the account balance.',
	},
	properties: [
		purchaseNotice,
		...ORDER_FIELDS.map(toProperty),
		optionsCollection(
			[...OPTION_FIELDS, maxOrdersPerRunField, minimumBalanceField].map(toProperty),
		),
	],
	purchases: DONE,
	async executeAll(context) {
		return await runPurchases(context, DONE, async (itemIndex) => {
			const plan = (options: UnknownRecord, check: boolean) =>
				planOrder(context, itemIndex, options, check);
			return await purchaseOnce(context, itemIndex, plan);
		});
	},
};
