import assert from 'node:assert/strict';

import { EXPIRE_TIME, expectSays, NAMES, ORDER_ID, PURCHASE_NOTICE, TIME } from './common.mts';
import type { Fields, OperationCase, OperationRow } from './row.mts';
import { expiryOf, readable, type OrderKind, type World } from './world.mts';

const EXPIRY = '/api/getorderexpiretime';
const RENEW = '/api/reneworder';
const LIST = '/api/getaccountorders';
const IPS = '/api/getipbalance';
const TRAFFIC = '/api/getfpsflow';
/** Whether it is billed by traffic, and twice how much is left: its pace makes the first look an old one. */
const TRAFFIC_LOOKS = { calls: [TRAFFIC, TRAFFIC, TRAFFIC, RENEW] } as const;
/** What an order is, where only its own key pair is there. */
const INFO = '/api/getorderinfo';

function renewed({ theOrder }: World) {
	const { status, ...known } = readable(theOrder);
	assert.equal(status, 'VALID');
	return { ...known, renewed: true };
}

/** A renewal that takes place. */
function renew(
	what: string,
	order: OrderKind,
	fields: Fields,
	sent: Readonly<Record<string, string>>,
	more: Partial<OperationCase> = {},
): OperationCase {
	return {
		what,
		order,
		fields: { renewWhen: 'always', ...fields },
		calls: [EXPIRY, RENEW],
		looksUp: true,
		sent,
		gives: (world) => [renewed(world)],
		...more,
	};
}

const IN_TEN_DAYS = { expiresAt: new Date(Date.now() + 10 * 24 * 3_600_000) };

const IPS_WANTED = { balanceBelow: 100, dpsIpCount: 300, proxyLifetime: 'hours' };

/** Of what it was chosen as, it is renewed without this answer too. */
const PREPAID = {
	data: { pay_type: 'PRE_PAY', product: 'TPS', status: 'VALID' },
	canDoWithout: true,
	staysWhole: true,
} as const;

const WEEKS = { timeType: 'WEEK', timeNumber: 2 };

const bought = {
	msg: 'renew order success',
	data: { orderid: ORDER_ID, expire_time: EXPIRE_TIME },
};

export const renewRow: OperationRow = {
	operation: 'renew',
	label: 'Renew',
	action: 'Renew order (charges your account in yuan)',
	labels: [
		PURCHASE_NOTICE,
		'Order Type',
		'Order',
		'Renew',
		'Expiring Within',
		'Expiring Within Unit',
		'Duration',
		'Time Unit',
		'Auto-Renew',
		'Pay-per-IP Orders',
		'Overseas Orders by Traffic',
		'Options',
	],
	key: 'order',
	path: RENEW,
	costs: 'at once',
	everyChoiceOf: ['renewWhen', 'renewalOf', 'proxyLifetime'],
	cases: [
		renew(
			'a prepaid order',
			'tps',
			{ renewalOf: 'prepaid', ...WEEKS, isAutoRenew: true, autoRenewUnit: 'WEEK' },
			{
				time_type: 'WEEK',
				time_number: '2',
				is_auto_renew: '1',
				auto_renew_unit: 'WEEK',
			},
			{
				answers: {
					[INFO]: PREPAID,
					// Without an expiry before, nothing is looked for afterwards
					[EXPIRY]: { data: { expire_time: '' }, canDoWithout: true },
					[RENEW]: {
						...bought,
						shape: 'object',
						added: [
							...['product', 'pay_type', ...NAMES, 'renewed', ...TIME, 'daysLeft'],
							...['purchasedAt', 'text'],
						],
					},
				},
			},
		),
		renew(
			'an order that expires soon',
			'kps',
			{
				renewWhen: 'expiring',
				expiringWithin: 999,
				expiringWithinUnit: 'hours',
				renewalOf: 'prepaid',
				timeType: 'YEAR',
				timeNumber: 1,
				options: { isNotify: false, maxOrdersPerRun: 1, dryRun: false },
			},
			{ time_type: 'YEAR', time_number: '1', is_notify: '0' },
			{
				by: 'order',
				answers: {
					[INFO]: PREPAID,
					[EXPIRY]: { data: expiryOf(IN_TEN_DAYS) },
					[RENEW]: { ...bought, staysWhole: true },
				},
			},
		),
		renew(
			'an order, while the account has enough',
			'tps',
			{
				renewalOf: 'prepaid',
				options: {
					minimumBalance: 5,
					maxCostPerRun: 100_000,
					expectedCost: 1000,
					reportCost: true,
				},
			},
			{ time_type: 'MONTH', time_number: '1' },
			{ by: 'account' },
		),
		renew(
			'an order of the account that expires soon, by the list of orders',
			'kps',
			{
				renewWhen: 'expiring',
				expiringWithin: 300,
				renewalOf: 'prepaid',
				timeType: 'YEAR',
				timeNumber: 1,
				isAutoRenew: false,
			},
			{ time_type: 'YEAR', time_number: '1', is_auto_renew: '0' },
			{ by: 'account', allCalls: [LIST, '/api/getordersecret', EXPIRY, RENEW] },
		),
		{
			what: 'not an order that has more time left',
			order: 'kps',
			by: 'order',
			fields: { renewWhen: 'expiring', expiringWithin: 3, renewalOf: 'prepaid', ...WEEKS },
			path: EXPIRY,
			allCalls: [INFO, EXPIRY],
			isPaid: false,
			prove({ records: [record, ...more] }, { theOrder, chosen }) {
				assert.deepEqual(more, []);
				expectSays(record, { ...chosen, renewed: false, ...expiryOf(theOrder) });
				assert.match(String(record?.reason), /more than 3 days left/);
			},
		},
		renew(
			'an order that is paid per IP',
			'dpsPerIp',
			{ renewalOf: 'perIp', proxyLifetime: 'minutes', dpsIpCount: 3000 },
			{ 'dps.ip_count': '3000' },
			{ calls: [IPS, RENEW], gives: (world) => [{ ...renewed(world), ip_balance: 4000 }] },
		),
		renew(
			'an order that is paid per IP and has few left',
			'dpsPerIp',
			{ renewWhen: 'ipBalanceBelow', balanceBelow: 1001, renewalOf: 'perIp', dpsIpCount: 3000 },
			{ 'dps.ip_count': '3000' },
			{
				calls: [IPS, RENEW],
				gives: (world) => [{ ...renewed(world), ip_balance: 4000 }],
			},
		),
		{
			what: 'not an order that is paid per IP and has enough left',
			order: 'dpsPerIp',
			fields: {
				renewWhen: 'ipBalanceBelow',
				balanceBelow: 1000,
				renewalOf: 'perIp',
				dpsIpCount: 3000,
			},
			path: IPS,
			looksUp: true,
			calls: [IPS],
			isPaid: false,
			prove: ({ records }, { chosen }) =>
				expectSays(records[0], { ...chosen, renewed: false, ip_balance: 1000 }),
		},
		renew(
			'an order that is paid per IP, whose proxies live for hours',
			'dpsPerIp',
			{ renewalOf: 'perIp', proxyLifetime: 'hours', dpsIpCount: 300 },
			{ 'dps.ip_count': '300' },
			{
				calls: [IPS, RENEW],
				arrange: ({ theOrder }) => Object.assign(theOrder, { period: 'H_2_4' }),
				gives: (world) => [{ ...renewed(world), ip_balance: 1300 }],
			},
		),
		renew(
			'an overseas order by traffic',
			'fps',
			{ renewalOf: 'traffic', fpsFlow: 6 },
			{ 'fps.flow': '6' },
			{
				calls: [TRAFFIC, TRAFFIC, RENEW],
				prove: (_outcome, { theOrder }) =>
					assert.equal(theOrder.product === 'FPS' && theOrder.flowInGb, 7),
			},
		),
		renew(
			'an overseas order with little traffic left',
			'fps',
			{ renewWhen: 'trafficBelow', balanceBelow: 2000, renewalOf: 'traffic', fpsFlow: 6 },
			{ 'fps.flow': '6' },
			TRAFFIC_LOOKS,
		),
		{
			what: 'not an overseas order with enough traffic left',
			order: 'fps',
			fields: { renewWhen: 'trafficBelow', balanceBelow: 1000, renewalOf: 'traffic', fpsFlow: 6 },
			by: 'account',
			path: LIST,
			// First whether it is billed by traffic, then how much it has left
			allCalls: [LIST, '/api/getordersecret', TRAFFIC, TRAFFIC],
			sent: { status: 'ALL' },
			isPaid: false,
			prove: ({ records }, { chosen }) =>
				expectSays(records[0], { ...chosen, renewed: false, flow_left: 1024 }),
		},
		renew(
			'a prepaid order, by what it is',
			'tps',
			{ renewalOf: 'automatic', ...WEEKS, perIpRenewal: IPS_WANTED, trafficRenewal: {} },
			{ time_type: 'WEEK', time_number: '2' },
		),
		renew(
			'an order that is paid per IP, by what it is',
			'dpsPerIp',
			{ renewalOf: 'automatic', perIpRenewal: IPS_WANTED },
			{ 'dps.ip_count': '300' },
			{
				calls: [IPS, RENEW],
				arrange: ({ theOrder }) => Object.assign(theOrder, { period: 'H_2_4', ipBalance: 99 }),
				gives: (world) => [{ ...renewed(world), ip_balance: 399 }],
			},
		),
		renew(
			'an order of proxies for minutes that is paid per IP, by what it is',
			'dpsPerIp',
			{ renewalOf: 'automatic', perIpRenewal: { balanceBelow: 100, dpsIpCount: 3000 } },
			{ 'dps.ip_count': '3000' },
			{
				calls: [IPS, RENEW],
				arrange: ({ theOrder }) => Object.assign(theOrder, { ipBalance: 99 }),
				gives: (world) => [{ ...renewed(world), ip_balance: 3099 }],
			},
		),
		renew(
			'an overseas order by traffic, by what it is',
			'fps',
			{ renewalOf: 'automatic', trafficRenewal: { balanceBelow: 2000, fpsFlow: 6 } },
			{ 'fps.flow': '6' },
			TRAFFIC_LOOKS,
		),
	],
};
