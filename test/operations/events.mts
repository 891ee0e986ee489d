import assert from 'node:assert/strict';

import { EXPIRE_TIME, ORDER_ID } from './common.mts';
import type { EndpointRow, EventRow } from './row.mts';
import { readable, type World } from './world.mts';

const LISTED = '/api/getaccountorders';
const DAY_MS = 24 * 3_600_000;

const SOME_ORDER = {
	orderid: ORDER_ID,
	pay_type: 'PRE_PAY',
	product: 'TPS',
	status: 'VALID',
	expire_time: EXPIRE_TIME,
};

function trafficLeftOf({ theOrder }: World): number {
	assert.equal(theOrder.product, 'FPS');
	const used = Object.values(theOrder.flowUsedInMb).reduce((sum, amount) => sum + amount, 0);
	return Number(theOrder.flowInGb) * 1024 - used;
}

/** In the order of the menu. */
export const EVENTS: readonly EventRow[] = [
	{
		event: 'accountBalanceBelow',
		label: 'Account Balance Below',
		action: 'On account balance below a limit',
		labels: ['Below (Yuan)'],
		path: '/api/getaccountbalance',
		arrange: ({ account }) => {
			account.balanceInFen = 620_80;
		},
		fields: { balanceBelow: 1000 },
		answers: { '/api/getaccountbalance': { data: { balance: '620.80' } } },
		gives: () => [{ balance: '620.80', balanceNumber: 620.8, below: 1000 }],
	},
	{
		event: 'ipBalanceBelow',
		label: 'IP Balance Below',
		action: 'On IP balance below a limit',
		labels: ['Order', 'Below (IPs)'],
		path: '/api/getipbalance',
		order: 'dpsPerIp',
		fields: { ipBalanceBelow: 2000 },
		answers: {
			'/api/getorderinfo': { data: { pay_type: 'PRE_PAY_IP' }, isSecret: true },
			'/api/getipbalance': { data: { balance: 1000 } },
		},
		gives: ({ chosen }) => [{ ...chosen, balance: 1000, balanceOf: 'order', below: 2000 }],
	},
	{
		event: 'orderExpired',
		label: 'Order Expired',
		action: 'On order expired',
		labels: ['Filters'],
		path: LISTED,
		arrange: (world) => {
			world.addOrder('opsExpired');
			world.addOrder('tps', { expiresAt: new Date(Date.now() - DAY_MS) });
		},
		fields: { filters: { products: ['OPS'], payTypes: ['PRE_PAY'] } },
		answers: { [LISTED]: { data: [{ ...SOME_ORDER, product: 'OPS', status: 'EXPIRED' }] } },
		gives: ({ sandbox, account }) => [
			{ ...readable(sandbox.store.ordersOf(account)[0]), status: 'EXPIRED' },
		],
	},
	{
		event: 'orderExpiring',
		label: 'Order Expiring',
		action: 'On order expiring',
		labels: ['Expiring Within', 'Expiring Within Unit', 'Remind Every (Hours)', 'Filters'],
		path: LISTED,
		arrange: (world) => {
			world.addOrder('kps');
			world.addOrder('tps', { expiresAt: new Date(Date.now() + DAY_MS) });
		},
		fields: {
			expiringWithin: 48,
			expiringWithinUnit: 'hours',
			remindEvery: 0,
			filters: { products: ['TPS', 'KPS'], payTypes: ['PRE_PAY'] },
		},
		answers: { [LISTED]: { data: [SOME_ORDER, { ...SOME_ORDER, orderid: '965102959536479' }] } },
		gives: ({ sandbox, account }) => [readable(sandbox.store.ordersOf(account)[1])],
	},
	{
		event: 'trafficBelow',
		label: 'Traffic Below',
		action: 'On traffic below a limit',
		labels: ['Order', 'Below (MB)'],
		path: '/api/getfpsflow',
		order: 'fps',
		fields: { trafficBelow: 500 },
		answers: {
			'/api/getfpsflow': { data: { flow_total: 1024, flow_use: 624.5, flow_left: 399.5 } },
		},
		gives: (world) => [{ ...world.chosen, flow_left: trafficLeftOf(world), below: 500 }],
	},
];

/** Those that no operation works with. */
export const EVENT_ENDPOINTS: readonly EndpointRow[] = [
	{
		path: '/api/getipbalance',
		codes: {
			[-1]: /missing a parameter.*report/i,
			[-2]: /has no IP balance.*pay-per-IP/,
		},
	},
];
