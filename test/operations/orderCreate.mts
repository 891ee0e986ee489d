import assert from 'node:assert/strict';

import { BALANCE, COST, fromList, ORDER_ID, PURCHASE_NOTICE } from './common.mts';
import type { Fields, OperationCase, OperationRow } from './row.mts';
import { expiryOf, PAY_TYPE_NAMES, PRODUCT_NAMES } from './world.mts';

const ORDERS = '/api/getaccountorders';
const CREATE = '/api/createorder';
const CITIES = '/api/querykpscity';

/** Prepaid for one month, as the editor offers it at first. */
const MONTH = {
	'prepay.time_type': 'MONTH',
	'prepay.time_number': '1',
	'prepay.is_auto_renew': '0',
};
const DAY = { ...MONTH, 'prepay.time_type': 'DAY' };

/** An order of something. */
function create(
	what: string,
	fields: Fields,
	sent: Readonly<Record<string, string>>,
	more: Partial<OperationCase> = {},
): OperationCase {
	return {
		what,
		fields,
		// The last one tells the expiry
		calls: [ORDERS, CREATE, ORDERS],
		sent: { product: String(fields.product), pay_type: String(fields.payType), ...sent },
		prove({ records, payments }, { sandbox }) {
			const { product, payType, prepayIsAutoRenew = false } = fields;
			const orderid = payments[0]?.orderId ?? '';
			const order = sandbox.store.orderNumbered(orderid);
			const names = {
				productName: PRODUCT_NAMES[String(product)],
				payTypeName: PAY_TYPE_NAMES[String(payType)],
			};
			const end = order.expiresAt === undefined ? {} : expiryOf(order);
			const [{ secondsLeft, daysLeft, purchasedAt, text, ...record } = {}, ...more] = records;
			assert.deepEqual(more, []);
			assert.match(String(purchasedAt), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+08:00$/);
			const until = order.expiresAt === undefined ? '' : ', until 0000-00-00';
			const said = String(text).replace(/ for [\d.,]+ yuan/, '');
			assert.equal(
				said.replace(/\d{4}-\d\d-\d\d$/, '0000-00-00'),
				`Ordered 1 ${names.productName} order (${orderid})${until}`,
			);
			assert.equal(Object.keys(records[0])[0], 'text');
			const created = true;
			assert.deepEqual(record, { orderid, product, pay_type: payType, ...names, created, ...end });
			assert.equal(typeof secondsLeft, order.expiresAt === undefined ? 'undefined' : 'number');
			assert.equal(typeof daysLeft, typeof secondsLeft);
			assert.deepEqual([order.product, order.payType], [product, payType]);
			assert.equal(order.autoRenewal.enabled, prepayIsAutoRenew);
		},
		...more,
	};
}

export const createRow: OperationRow = {
	operation: 'create',
	label: 'Create',
	action: 'Create order (charges your account in yuan)',
	labels: [PURCHASE_NOTICE, 'Product', 'Create', 'Options'],
	key: 'account',
	path: CREATE,
	costs: 'at once',
	everyChoiceOf: ['product', 'payType', 'kpsSerie', 'opsPlan'],
	cases: [
		create(
			'a tunnel proxy for two days',
			{ product: 'TPS', payType: 'PRE_PAY', prepayTimeType: 'DAY', prepayTimeNumber: 2 },
			{
				'tps.period': '0',
				'tps.max_rps': '5',
				'tps.max_bandwidth': '5',
				...DAY,
				'prepay.time_number': '2',
			},
			{
				answers: {
					[ORDERS]: {
						data: [{ orderid: '1', product: 'TPS', pay_type: 'PRE_PAY', status: 'VALID' }],
						canDoWithout: true,
					},
					[CREATE]: {
						msg: 'create order success',
						data: { orderid: ORDER_ID },
						shape: 'object',
						added: [
							...[
								'product',
								'productName',
								'pay_type',
								'payTypeName',
								'created',
								'purchasedAt',
								'text',
							],
							...COST,
						],
					},
					[BALANCE]: { data: { balance: '620.80' }, canDoWithout: true },
				},
			},
		),
		create(
			'a pay-as-you-go tunnel proxy',
			{ product: 'TPS', payType: 'POST_PAY', tpsPeriod: 60, tpsMaxRps: 6, tpsMaxBandwidth: 4 },
			{ 'tps.period': '60', 'tps.max_rps': '6', 'tps.max_bandwidth': '4' },
		),
		create(
			'private proxies for one day',
			{
				product: 'DPS',
				payType: 'PRE_PAY',
				dpsFetchType: 2,
				dpsPeriod: 'H_2_4',
				dpsIpCount: 100,
				dpsWhiteipCount: 60,
				prepayTimeType: 'DAY',
			},
			{
				'dps.fetch_type': '2',
				'dps.period': 'H_2_4',
				'dps.ip_count': '100',
				'dps.whiteip_count': '60',
				...DAY,
			},
		),
		create(
			'private proxies that are paid per IP',
			{ product: 'DPS', payType: 'PRE_PAY_IP', dpsPeriod: 'M_1_5', dpsIpCount: 1000 },
			{ 'dps.period': 'M_1_5', 'dps.ip_count': '1000', 'dps.whiteip_count': '50' },
		),
		create(
			'two shared dedicated proxies in a chosen city',
			{
				product: 'KPS',
				payType: 'PRE_PAY',
				kpsSerie: 1,
				kpsModel: 'STA',
				kpsCity: fromList('3301'),
				kpsMaxBandwidth: 2,
				kpsIpCount: 2,
				kpsWhiteipCount: 60,
				prepayTimeType: 'DAY',
			},
			{
				'kps.serie': '1',
				'kps.model': 'STA',
				'kps.city': '3301',
				'kps.max_bandwidth': '2',
				'kps.ip_count': '2',
				'kps.whiteip_count': '60',
				...DAY,
			},
			{ calls: [CITIES, ORDERS, CREATE, ORDERS] },
		),
		create(
			'an exclusive dedicated proxy for one month, renewed by itself',
			{
				product: 'KPS',
				payType: 'PRE_PAY',
				kpsSerie: 2,
				prepayIsAutoRenew: true,
				prepayAutoRenewUnit: 'YEAR',
			},
			{
				'kps.serie': '2',
				'kps.max_bandwidth': '1',
				'kps.ip_count': '1',
				'kps.whiteip_count': '50',
				...MONTH,
				'prepay.is_auto_renew': '1',
				'prepay.auto_renew_unit': 'YEAR',
			},
		),
		create(
			'an open proxy where fewer than a hundred are active',
			{
				product: 'OPS',
				payType: 'PRE_PAY',
				opsPlan: 2,
				prepayTimeType: 'DAY',
				createWhen: 'fewerThan',
				fewerThan: 100,
			},
			{ 'ops.plan': '2', ...DAY },
		),
		create(
			'an open proxy for an order of a shop',
			{
				product: 'OPS',
				payType: 'PRE_PAY',
				opsPlan: 2,
				prepayTimeType: 'DAY',
				createWhen: 'oncePerKey',
				onceKey: 'shop-1017',
			},
			{ 'ops.plan': '2', ...DAY },
		),
		create(
			'an open proxy of the plan SVIP, with every option',
			{
				product: 'OPS',
				payType: 'PRE_PAY',
				opsPlan: 3,
				options: {
					isCoupon: false,
					isNotify: false,
					maxOrdersPerRun: 1,
					minimumBalance: 5,
					maxCostPerRun: 100_000,
					expectedCost: 1000,
					reportCost: true,
					dryRun: false,
				},
			},
			{ 'ops.plan': '3', ...MONTH, is_coupon: '0', is_notify: '0' },
		),
	],
};
