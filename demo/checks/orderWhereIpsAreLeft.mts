import { at, readString } from '../../harness/outsideData.mts';
import { itemsOf } from '../../harness/realN8n/index.mts';
import { type CheckGroup, expect, expectEqual } from '../../harness/checks/checks.mts';
import { runAdapted, runExample } from './runExample.mts';
import type { Session } from '../session.mts';

/** As 'At Least 5 Left' in the workflow says. */
const ENOUGH = 5;

/** examples/order-where-ips-are-left.json */
export const orderWhereIpsAreLeft: CheckGroup<Session> = {
	name: 'Example "order where IPs are left"',
	async run(session, check) {
		const { ledger, store, log } = session.sandbox;
		const paymentsBefore = ledger.count();
		const ordersBefore = log.count('/api/createorder');
		const run = await runExample(session, 'order-where-ips-are-left');
		const payments = ledger.entries().slice(paymentsBefore);
		const counts = (node: string) =>
			itemsOf(run, node).map((item) => Number(at(item, 'json', 'count')));

		await check('The example lists the cities and keeps those with enough IPs', () => {
			const all = counts('Cities');
			const kept = counts('At Least 5 Left');
			expect(kept.length > 0, 'no city was kept');
			expect(kept.length < all.length, 'every city was kept, so the filter proves nothing');
			expect(
				kept.every((count) => count >= ENOUGH),
				'a city with too few IPs was kept',
			);
		});
		await check('One dedicated proxy is ordered in the first of them, and paid once', () => {
			const [city] = itemsOf(run, 'One City');
			const [item] = itemsOf(run, 'Order');
			expectEqual(payments.length, 1, 'the number of payments');
			const sent = log.count('/api/createorder') - ordersBefore;
			expectEqual(sent, 1, 'the number of requests to createorder');
			const order = store.orderNumbered(readString(item, 'json', 'orderid'));
			expect(order.product === 'KPS', `a ${order.product} order was placed`);
			expectEqual(at(order, 'city'), at(city, 'json', 'code'), 'the city of the order');
		});
		await check('It is noted with its cost', async () => {
			const rows = await session.n8n.dataTableRows('Kuaidaili purchases');
			const row = rows.find((each) => at(each, 'orderid') === payments[0]?.orderId);
			expectEqual(at(row, 'cost'), (payments[0]?.amountInFen ?? 0) / 100, 'the cost');
			expectEqual(at(row, 'productName'), 'Dedicated Proxy', 'the product');
		});
		await check('Behind a renewal, an order that was not due is not noted', async () => {
			const before = await session.n8n.dataTableRows('Kuaidaili purchases');
			const renewal = await runAdapted(session, 'order-where-ips-are-left', {
				nodes: {
					Order(node) {
						Object.assign(node.parameters, {
							operation: 'renew',
							orderid: { __rl: true, mode: 'code', value: payments[0]?.orderId },
							expiringWithin: 1,
							expiringWithinUnit: 'hours',
							options: {},
						});
					},
				},
			});
			expectEqual(renewal.status, 'success', 'the end of the run');
			expectEqual(at(itemsOf(renewal, 'Order')[0], 'json', 'renewed'), false, 'renewed');
			const rows = await session.n8n.dataTableRows('Kuaidaili purchases');
			expectEqual(rows.length, before.length, 'the number of rows');
		});
	},
};
