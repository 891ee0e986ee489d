import { expect, expectEqual } from '../../../harness/checks/expectations.mts';
import { at, excerpt } from '../../../harness/outsideData.mts';
import type { Sandbox } from '../../../sandbox/sandbox.mts';
import type { OperationCase } from './operationCase.mts';

/** What only reads, and belongs to no single order. */
export function listCases({ store, keys, stock, overseasStock }: Sandbox): OperationCase[] {
	const account = store.account(keys.account.secretId);
	return [
		{
			resource: 'account',
			operation: 'getBalance',
			what: 'in yuan',
			key: 'account',
			path: '/api/getaccountbalance',
			prove({ records }) {
				const balance = (account.balanceInFen / 100).toFixed(2);
				expectSame(records, [{ balance, balanceNumber: Number(balance) }]);
			},
		},
		...(['retail', 'package'] as const).map(
			(series, index): OperationCase => ({
				resource: 'area',
				operation: 'getAll',
				what: `all countries of the series ${series}`,
				key: 'account',
				parameters: { serie: index + 1, returnAll: true },
				path: '/api/querysfpsarea',
				prove({ records }) {
					expectSame(codesOf(records), codesOf(overseasStock[series]));
					expect(
						typeof at(records, 0, 'country') === 'string',
						`a country has no English name: ${excerpt(records[0])}`,
					);
				},
			}),
		),
		{
			resource: 'city',
			operation: 'getAll',
			what: 'shared IPs with 2 Mb/s in one province',
			key: 'account',
			parameters: { serie: 1, kpsMaxBandwidth: 2, city: byCode('33'), returnAll: true },
			path: '/api/querykpscity',
			prove({ records }) {
				const inZhejiang = stock.filter(
					({ code, sharedMegabits }) => code.startsWith('33') && sharedMegabits >= 2,
				);
				expectSame(
					records,
					inZhejiang.map(({ code, name, sharedMegabits }) => ({
						code,
						name,
						count: Math.floor(sharedMegabits / 2),
					})),
				);
			},
		},
		{
			resource: 'city',
			operation: 'getAll',
			what: 'exclusive IPs, the first three cities',
			key: 'account',
			parameters: { serie: 2, returnAll: false, limit: 3 },
			path: '/api/querykpscity',
			prove({ records }) {
				const exclusive = stock.filter(({ hasExclusive }) => hasExclusive);
				expectSame(codesOf(records), codesOf(exclusive).slice(0, 3));
			},
		},
		{
			resource: 'order',
			operation: 'getAll',
			what: 'all orders, those that expire first at the top',
			key: 'account',
			parameters: { status: 'ALL', returnAll: true },
			path: '/api/getaccountorders',
			prove({ records }) {
				const listed = records.map((record) => at(record, 'orderid'));
				const all = store.ordersOf(account).map(({ orderId }) => orderId);
				expectSame([...listed].sort(), [...all].sort());
				const expired = store.order(keys.opsExpired.secretId).orderId;
				expectEqual(listed[0], expired, 'the first order');
			},
		},
		{
			resource: 'order',
			operation: 'getAll',
			what: 'active orders that match the filters',
			key: 'account',
			parameters: {
				status: 'VALID',
				returnAll: false,
				limit: 50,
				filters: {
					product: 'FPS',
					payType: 'PRE_PAY',
					expiringWithinDays: 40,
				},
			},
			path: '/api/getaccountorders',
			prove({ records, request }) {
				const { orderId } = store.order(keys.fps.secretId);
				expectSame(
					records.map((record) => at(record, 'orderid')),
					[orderId],
				);
				expectEqual(request.parameters.product, 'FPS', "the parameter 'product'");
			},
		},
		{
			resource: 'privateProxyResource',
			operation: 'getAll',
			what: 'two areas of one carrier that the order can use',
			key: 'dps',
			parameters: { area: byCode('11,3301'), carrier: 2, onlyAvailable: true, returnAll: true },
			path: '/api/dpsresources',
			prove({ records, request }) {
				expectEqual(request.parameters.area, '11,3301', "the parameter 'area'");
				for (const record of records) {
					const area = at(record, 'area_code');
					expect(area === 11 || area === 3301, `'area_code' is ${excerpt(area)}`);
					expectEqual(at(record, 'available'), true, "'available'");
					expectEqual(at(record, 'carrier'), 'China Telecom', "'carrier'");
				}
				expect(records.length > 0, 'there is no record');
			},
		},
		{
			resource: 'privateProxyResource',
			operation: 'getAll',
			what: "with the account's key pair",
			key: 'account',
			order: 'dps',
			parameters: { returnAll: false, limit: 5 },
			path: '/api/dpsresources',
			prove({ records, request }) {
				expectEqual(records.length, 5, 'the number of records');
				expectEqual(request.parameters.secret_id, keys.dps.secretId, 'the key pair');
			},
		},
	];
}

const byCode = (value: string) => ({ __rl: true, mode: 'code', value });

const codesOf = (list: readonly unknown[]) => list.map((each) => at(each, 'code'));

function expectSame(actual: unknown, expected: unknown): void {
	const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
	expect(left === right, `it put out ${left.slice(0, 300)}, expected ${right.slice(0, 300)}`);
}
