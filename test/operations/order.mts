import assert from 'node:assert/strict';

import {
	orderAnswer,
	ALL,
	EXPIRE_TIME,
	expectSays,
	LIST,
	NAMES,
	ORDER_ID,
	TIME,
	TUNNEL_PASSWORD,
} from './common.mts';
import type { Order } from '../../sandbox/sandbox.mts';
import { createRow } from './orderCreate.mts';
import { renewRow } from './orderRenew.mts';
import type { OperationRow, ResourceRow } from './row.mts';
import { expiryOf, readable, type World } from './world.mts';

const LISTED = '/api/getaccountorders';
const INFO = '/api/getorderinfo';
const EXPIRY = '/api/getorderexpiretime';
const IP_BALANCE = '/api/getipbalance';
const TRAFFIC = '/api/getfpsflow';

const CLOSE_NOTICE =
	'Only pay-as-you-go orders can be closed. A closed order cannot be reopened, and its proxies stop working.';

const DAY_MS = 24 * 3_600_000;

const BALANCE_OF_3000 = {
	msg: 'success',
	data: { balance: 3000 },
	shape: 'object',
	added: ['balanceOf'],
} as const;

const closeRow: OperationRow = {
	operation: 'close',
	label: 'Close',
	action: 'Close order',
	labels: [CLOSE_NOTICE, 'Order', 'Options'],
	key: 'order',
	path: '/api/closeorder',
	cases: [
		{
			what: 'a pay-as-you-go order',
			order: 'tpsPayAsUsed',
			gives: ({ chosen }) => [{ ...chosen, closed: true, message: 'order closed' }],
			prove: (_outcome, { theOrder }) => assert.equal(theOrder.status, 'CLOSED'),
			answers: { '/api/closeorder': { msg: 'order closed', data: '' } },
		},
	],
};

const usedTraffic = ({ theOrder }: World) => {
	assert.ok('flowUsedInMb' in theOrder);
	theOrder.flowUsedInMb = { '2026-01-02': 12.5, '2026-02-01': 99.5 };
};

/** As the option Simplify puts it out, without the time that is left. */
function simplified(order: Order): Record<string, unknown> {
	const { orderid, productName, payTypeName, expiresAt } = readable(order);
	return { orderid, productName, payTypeName, expiresAt };
}

const details = { orderid: ORDER_ID, pay_type: 'PRE_PAY', status: 'VALID' };

const getRow: OperationRow = {
	operation: 'get',
	label: 'Get',
	action: 'Get order',
	labels: ['Order', 'Fields', 'Options'],
	key: 'order',
	path: INFO,
	cases: [
		{
			what: 'a prepaid order, without its secrets',
			order: 'tps',
			prove({ records: [record], hints }, { theOrder }) {
				assert.equal(record?.orderid, theOrder.orderId);
				expectSays(record, {
					...expiryOf(theOrder),
					product: 'TPS',
					productName: 'Tunnel Proxy',
					payTypeName: 'Prepaid',
					tunnel_bandwidth: 5,
				});
				assert.equal(record.tunnel_password, undefined);
				assert.match(hints[0], /^Secret fields were left out: tunnel_password/);
			},
			answers: {
				[INFO]: {
					data: {
						...details,
						product: 'TPS',
						freeze_amount: '2.68',
						tunnel_password: TUNNEL_PASSWORD,
						tunnel_username: 't12926732052681',
						tunnel_bandwidth: 10,
						expire_time: EXPIRE_TIME,
					},
					shape: 'object',
					added: [...NAMES, ...TIME, 'daysLeft'],
					heldBack: ['tunnel_password'],
					isSecret: true,
				},
			},
		},
		{
			what: 'an order that is paid per IP, whose expiry is asked for',
			order: 'dpsPerIp',
			calls: [INFO, EXPIRY],
			prove: ({ records: [record] }, { theOrder }) => expectSays(record, expiryOf(theOrder)),
			answers: {
				[INFO]: {
					data: { ...details, product: 'DPS' },
					shape: 'object',
					added: [...NAMES, ...TIME, 'daysLeft', 'expire_time'],
					isSecret: true,
				},
				[EXPIRY]: { data: { expire_time: EXPIRE_TIME } },
			},
		},
		{
			what: 'simplified',
			order: 'tps',
			fields: { options: { simplify: true } },
			gives: ({ theOrder }) => [simplified(theOrder)],
		},
		{
			what: 'certain fields, also the secret one',
			order: 'tps',
			fields: { fieldList: 'status,tunnel_password', options: { includeSecrets: true } },
			sent: { field_list: 'status,tunnel_password' },
			gives: ({ theOrder }) => [
				{ status: 'VALID', tunnel_password: 'login' in theOrder && theOrder.login?.password },
			],
		},
	],
};

const getIpBalanceRow: OperationRow = {
	operation: 'getIpBalance',
	label: 'Get IP Balance',
	action: 'Get IP balance',
	labels: ['Order', 'Options'],
	key: 'order',
	path: IP_BALANCE,
	cases: [
		{
			what: 'of an order that is paid per IP',
			order: 'dpsPerIp',
			arrange: ({ theOrder }) => {
				assert.ok('ipBalance' in theOrder);
				theOrder.ipBalance = 120;
			},
			calls: [IP_BALANCE, INFO],
			gives: ({ chosen }) => [{ ...chosen, balance: 120, balanceOf: 'order' }],
			answers: {
				[IP_BALANCE]: BALANCE_OF_3000,
				[INFO]: orderAnswer('DPS', { pay_type: 'PRE_PAY_IP' }),
			},
		},
		{
			what: 'of an order that counts the IPs of each day',
			order: 'dps',
			calls: [IP_BALANCE, INFO],
			gives: ({ chosen }) => [{ ...chosen, balance: 1000, balanceOf: 'today' }],
			answers: {
				[IP_BALANCE]: BALANCE_OF_3000,
				[INFO]: orderAnswer('DPS', { pay_type: 'PRE_PAY' }),
			},
		},
	],
};

const getTrafficRow: OperationRow = {
	operation: 'getTraffic',
	label: 'Get Traffic',
	action: 'Get order traffic',
	labels: ['Order', 'From', 'To', 'Options'],
	key: 'order',
	path: TRAFFIC,
	cases: [
		{
			what: 'of an order that is paid by traffic',
			order: 'fps',
			arrange: usedTraffic,
			gives: ({ chosen, theOrder }) => {
				assert.ok('flowInGb' in theOrder && theOrder.flowInGb !== undefined);
				const total = theOrder.flowInGb * 1024;
				return [{ ...chosen, flow_total: total, flow_use: 112, flow_left: total - 112 }];
			},
			answers: {
				[TRAFFIC]: {
					data: { flow_total: 1024.5, flow_use: 512, flow_left: 512.5 },
					shape: 'object',
				},
			},
		},
		{
			what: 'of an order by the month, on certain days',
			order: 'fpsMonthly',
			arrange: usedTraffic,
			fields: { startTime: '2026-01-01T00:00:00', endTime: '2026-01-31' },
			sent: { start_time: '2026-01-01', end_time: '2026-01-31' },
			gives: ({ chosen }) => [
				{ ...chosen, flow_use: 12.5, flow_daily_usage: { '2026-01-02': 12.5 } },
			],
		},
	],
};

const getAllRow: OperationRow = {
	operation: 'getAll',
	label: 'Get Many',
	action: 'Get many orders',
	labels: ['Status', ...LIST, 'Filters', 'Options'],
	key: 'account',
	path: LISTED,
	cases: [
		{
			what: 'all orders, the active ones first',
			arrange: (world) => {
				world.addOrder('kps', { expiresAt: new Date(Date.now() + 5 * DAY_MS) });
				world.addOrder('opsExpired');
			},
			fields: { status: 'ALL', ...ALL },
			sent: { status: 'ALL' },
			gives: ({ sandbox, account }) => {
				const [later, expired] = sandbox.store.ordersOf(account).map(readable);
				return [later, { ...expired, status: 'EXPIRED' }];
			},
			answers: {
				[LISTED]: {
					data: [
						{ ...details, product: 'DPS', expire_time: EXPIRE_TIME },
						{
							orderid: '3991416921923360',
							pay_type: 'POST_PAY',
							product: 'TPS',
							status: 'VALID',
							expire_time: '',
						},
					],
					shape: 'list',
					added: ['text', ...NAMES, ...TIME, 'daysLeft'],
				},
			},
		},
		{
			what: 'active orders that match the filters',
			arrange: (world) => {
				for (const kind of ['fps', 'tps'] as const) world.addOrder(kind);
				world.addOrder('fps', { expiresAt: new Date(Date.now() + 50 * DAY_MS) });
			},
			fields: {
				status: 'VALID',
				limit: 50,
				filters: {
					product: 'FPS',
					payType: 'PRE_PAY',
					expiringWithinDays: 40,
					expiringWithinHours: 1000,
				},
			},
			sent: { status: 'VALID', pay_type: 'PRE_PAY' },
			gives: ({ sandbox, account }) => [readable(sandbox.store.ordersOf(account)[0])],
		},
		{
			what: 'simplified',
			arrange: (world) => {
				world.addOrder('tps');
			},
			fields: { status: 'VALID', ...ALL, options: { simplify: true } },
			sent: { status: 'VALID' },
			gives: ({ sandbox, account }) => sandbox.store.ordersOf(account).map(simplified),
		},
	],
};

export const order: ResourceRow = {
	resource: 'order',
	label: 'Order',
	opensWith: 'getAll',
	operations: [closeRow, createRow, getRow, getIpBalanceRow, getAllRow, getTrafficRow, renewRow],
	endpoints: [
		{
			path: '/api/closeorder',
			codes: {
				[-2]: /cannot be closed in its current state.*already closed/,
				[-3]: /not a pay-as-you-go order.*'Auto-Renewal: Disable'/,
				[-4]: /order's own key pair.*order's own key pair/,
			},
		},
		{
			path: '/api/createorder',
			codes: {
				[-1]: /missing a value/,
				[-2]: /did not accept one of the values/,
				[-3]: /account's key pair/,
				[-4]: /balance is too low/,
				[-5]: /kind of order/,
				[-61]: /No IPs are available/,
				[-62]: /Not enough IPs/,
				[-71]: /does not meet the requirements/,
				[-72]: /may have been placed/,
				[-114]: /may have been placed: .*duplicate/,
			},
			outcomeUnknown: [-114, -72],
		},
		{ path: INFO, codes: {} },
		{
			path: EXPIRY,
			title: 'Reading when an order ends',
			codes: { [-1]: /missing a parameter.*report/i },
		},
		{ path: TRAFFIC, codes: {} },
		{ path: LISTED, codes: {} },
		{
			path: '/api/reneworder',
			codes: {
				[-1]: /missing a value/,
				[-2]: /did not accept one of the values/,
				[-3]: /pay-as-you-go order, so it cannot be renewed/,
				[-4]: /virtual order, so it cannot be renewed/,
				[-5]: /balance is too low/,
				[-6]: /longer than Kuaidaili allows/,
				[-7]: /doesn't match 'Order Type'/,
				[-114]: /may have been renewed: .*duplicate/,
			},
			outcomeUnknown: [-114],
		},
	],
};
