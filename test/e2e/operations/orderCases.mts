import { expect, expectEqual } from '../../../harness/checks/expectations.mts';
import { at, excerpt, readString } from '../../../harness/outsideData.mts';
import type { Sandbox } from '../../../sandbox/sandbox.mts';
import type { KeyName } from '../keys.mts';
import type { OperationCase, Outcome } from './operationCase.mts';

const CREATE_PATH = '/api/createorder';
const RENEW_PATH = '/api/reneworder';

/** What may be ordered, each with the least that the service sells. */
const ORDERS: ReadonlyArray<{ what: string; parameters: Readonly<Record<string, unknown>> }> = [
	{
		what: 'a tunnel proxy for one day',
		parameters: { product: 'TPS', payType: 'PRE_PAY', prepayTimeType: 'DAY' },
	},
	{
		what: 'a tunnel proxy that is paid as used',
		parameters: { product: 'TPS', payType: 'POST_PAY', tpsPeriod: 60, tpsMaxBandwidth: 3 },
	},
	{
		what: 'private proxies for one day',
		parameters: {
			product: 'DPS',
			payType: 'PRE_PAY',
			dpsFetchType: 2,
			dpsPeriod: 'H_2_4',
			dpsIpCount: 100,
			prepayTimeType: 'DAY',
		},
	},
	{
		what: 'private proxies that are paid per IP',
		parameters: {
			product: 'DPS',
			payType: 'PRE_PAY_IP',
			dpsPeriod: 'M_1_5',
			dpsIpCount: 1000,
		},
	},
	{
		what: 'a shared dedicated proxy in a chosen city',
		parameters: {
			product: 'KPS',
			payType: 'PRE_PAY',
			kpsSerie: 1,
			kpsModel: 'STA',
			kpsCity: { __rl: true, mode: 'list', value: '3301' },
			prepayTimeType: 'DAY',
		},
	},
	{
		what: 'an exclusive dedicated proxy for one month, renewed by itself',
		parameters: { product: 'KPS', payType: 'PRE_PAY', kpsSerie: 2, prepayIsAutoRenew: true },
	},
	{
		what: 'an open proxy of the plan VIP',
		parameters: { product: 'OPS', payType: 'PRE_PAY', opsPlan: 2, prepayTimeType: 'DAY' },
	},
];

/** What is done with orders. */
export function orderCases(sandbox: Sandbox): OperationCase[] {
	return [...createCases(sandbox), ...getCases(sandbox), ...renewCases(sandbox), ...ends(sandbox)];
}

function createCases({ store }: Sandbox): OperationCase[] {
	return ORDERS.map(({ what, parameters }) => ({
		resource: 'order',
		operation: 'create',
		what,
		key: 'account',
		parameters,
		path: CREATE_PATH,
		payments: 1,
		prove({ records, payments }) {
			const [record, ...more] = records;
			expectEqual(more.length, 0, 'the number of further records');
			const orderId = readString(record, 'orderid');
			expectEqual(payments[0]?.orderId, orderId, 'the paid order');
			const order = store.orderNumbered(orderId);
			expectEqual(order.product, parameters.product, 'the product of the order');
			expectEqual(order.payType, parameters.payType, 'the pay type of the order');
			expectEqual(order.autoRenewal.enabled, parameters.prepayIsAutoRenew === true, 'auto-renewal');
			expectEqual(at(record, 'product'), order.product, "'product'");
			expectEqual(at(record, 'pay_type'), order.payType, "'pay_type'");
		},
	}));
}

const WAYS_TO_AN_ORDER: ReadonlyArray<{ what: string; key: KeyName; order?: KeyName }> = [
	{ what: 'with its own key pair', key: 'tps' },
	{ what: "with the account's key pair", key: 'account', order: 'tps' },
];

function getCases({ store, keys }: Sandbox): OperationCase[] {
	const order = store.order(keys.tps.secretId);
	return WAYS_TO_AN_ORDER.map((way) => ({
		...way,
		resource: 'order',
		operation: 'get',
		path: '/api/getorderinfo',
		prove({ records, hints }) {
			const [record] = records;
			expectEqual(at(record, 'orderid'), order.orderId, "'orderid'");
			const expiresAt = Date.parse(readString(record, 'expiresAt'));
			expectEqual(expiresAt, wholeSeconds(order.expiresAt), "'expiresAt'");
			expectEqual(at(record, 'tunnel_password'), undefined, "'tunnel_password'");
			expect(
				String(hints[0]).startsWith('Secret fields were left out: tunnel_password'),
				`the hint is ${excerpt(hints[0])}`,
			);
		},
	}));
}

function renewCases({ store, keys }: Sandbox): OperationCase[] {
	const renewal = { resource: 'order', operation: 'renew' } as const;
	const renewed = ({ records, payments }: Outcome, key: KeyName) => {
		const [record, ...more] = records;
		expectEqual(more.length, 0, 'the number of further records');
		const { orderId, expiresAt } = store.order(keys[key].secretId);
		expectEqual(at(record, 'renewed'), true, "'renewed'");
		expectEqual(at(record, 'orderid'), orderId, "'orderid'");
		expectEqual(payments[0]?.orderId, orderId, 'the paid order');
		const until = Date.parse(readString(record, 'expiresAt'));
		expectEqual(until, wholeSeconds(expiresAt), "'expiresAt'");
	};
	return [
		...WAYS_TO_AN_ORDER.map(
			(way): OperationCase => ({
				...way,
				...renewal,
				what: `a prepaid order ${way.what}`,
				parameters: {
					renewWhen: 'always',
					renewalOf: 'prepaid',
					timeType: 'DAY',
					timeNumber: 2,
					isAutoRenew: false,
				},
				path: RENEW_PATH,
				payments: 1,
				prove(outcome) {
					renewed(outcome, 'tps');
					expectEqual(outcome.request.parameters.time_number, '2', "the parameter 'time_number'");
				},
			}),
		),
		{
			...renewal,
			what: 'an order that is paid per IP',
			key: 'dpsPerIp',
			parameters: {
				renewWhen: 'always',
				renewalOf: 'perIp',
				proxyLifetime: 'minutes',
				dpsIpCount: 3000,
			},
			path: RENEW_PATH,
			payments: 1,
			prove(outcome) {
				renewed(outcome, 'dpsPerIp');
				expectEqual(at(outcome.records[0], 'ip_balance'), 4000, "'ip_balance'");
			},
		},
		{
			...renewal,
			what: 'an overseas order by traffic',
			key: 'fps',
			parameters: { renewWhen: 'always', renewalOf: 'traffic', fpsFlow: 6 },
			path: RENEW_PATH,
			payments: 1,
			prove(outcome) {
				renewed(outcome, 'fps');
				const order = store.order(keys.fps.secretId);
				expectEqual(order.product === 'FPS' && order.flowInGb, 7, 'the gigabytes of the order');
			},
		},
		{
			...renewal,
			what: 'not an order that has more time left',
			key: 'kps',
			parameters: {
				renewWhen: 'expiring',
				expiringWithin: 3,
				expiringWithinUnit: 'days',
				renewalOf: 'prepaid',
				timeType: 'MONTH',
				timeNumber: 1,
			},
			path: '/api/getorderexpiretime',
			prove({ records }) {
				expectEqual(at(records[0], 'renewed'), false, "'renewed'");
				expect(
					readString(records[0], 'reason').includes('more than 3 days left'),
					`the reason is ${excerpt(at(records[0], 'reason'))}`,
				);
			},
		},
	];
}

/** What decides about the end of an order. They leave marks, so they come last. */
function ends({ store, keys }: Sandbox): OperationCase[] {
	const autoRenewal = (key: KeyName) => {
		const { enabled, unit } = store.order(keys[key].secretId).autoRenewal;
		return enabled ? unit : 'off';
	};
	return [
		...WAYS_TO_AN_ORDER.flatMap(({ what, ...way }): OperationCase[] => [
			{
				...way,
				resource: 'autoRenewal',
				operation: 'enable',
				what: `by the week, ${what}`,
				parameters: { timeType: 'WEEK' },
				path: '/api/setautorenew',
				prove({ records }) {
					expectEqual(autoRenewal('tps'), 'WEEK', 'the auto-renewal of the order');
					expectEqual(at(records[0], 'enabled'), true, "'enabled'");
					expectEqual(at(records[0], 'unit'), 'WEEK', "'unit'");
				},
			},
			{
				...way,
				resource: 'autoRenewal',
				operation: 'disable',
				what,
				path: '/api/setautorenew',
				prove({ records }) {
					expectEqual(autoRenewal('tps'), 'off', 'the auto-renewal of the order');
					expectEqual(at(records[0], 'enabled'), false, "'enabled'");
				},
			},
		]),
		{
			resource: 'order',
			operation: 'close',
			what: 'an order that is paid as used',
			key: 'account',
			order: 'tpsPayAsUsed',
			path: '/api/closeorder',
			prove({ records }) {
				const order = store.order(keys.tpsPayAsUsed.secretId);
				expectEqual(order.status, 'CLOSED', 'the state of the order');
				expectEqual(at(records[0], 'closed'), true, "'closed'");
				expectEqual(at(records[0], 'orderid'), order.orderId, "'orderid'");
			},
		},
	];
}

/** The service writes no fractions of a second. */
function wholeSeconds(date: Date | undefined): number {
	return Math.floor((date?.getTime() ?? NaN) / 1000) * 1000;
}
