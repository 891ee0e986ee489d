import { readString } from '../../harness/outsideData.mts';
import { itemsOf } from '../../harness/realN8n/index.mts';
import { type CheckGroup, expect, expectEqual } from '../../harness/checks/checks.mts';
import { runExample } from './runExample.mts';
import type { Session } from '../session.mts';

/** examples/order-a-tunnel-proxy.json */
export const orderATunnelProxy: CheckGroup<Session> = {
	name: 'Example "order a tunnel proxy"',
	async run(session, check) {
		const { ledger, log, store, keys } = session.sandbox;
		const account = store.account(keys.account.secretId);
		const balanceBefore = account.balanceInFen;
		const paymentsBefore = ledger.count();
		const requestsBefore = log.count('/api/createorder');
		const run = await runExample(session, 'order-a-tunnel-proxy');
		const payments = ledger.entries().slice(paymentsBefore);

		await check('The example order is placed, and paid exactly once', () => {
			const [item, ...more] = itemsOf(run, 'Kuaidaili');
			expectEqual(more.length, 0, 'the number of further items');
			const orderId = readString(item, 'json', 'orderid');
			expectEqual(payments.length, 1, 'the number of payments');
			expectEqual(payments[0]?.orderId, orderId, 'the number of the paid order');
			expectEqual(payments[0]?.secretId, keys.account.secretId, 'the key that paid');
			const requests = log.count('/api/createorder') - requestsBefore;
			expectEqual(requests, 1, 'the number of requests to createorder');
			const order = store.orderNumbered(orderId);
			expectEqual(`${order.product} ${order.payType}`, 'TPS PRE_PAY', 'what was ordered');
		});
		await check('Its price is taken from the balance once', () => {
			const price = payments[0]?.amountInFen ?? 0;
			expect(price > 0, 'the order cost nothing');
			expectEqual(balanceBefore - account.balanceInFen, price, 'what the balance lost');
		});
		await check('The last node names the order and what it cost', () => {
			const [item] = itemsOf(run, 'Result');
			const result = readString(item, 'json', 'result');
			const order = `Order ${payments[0]?.orderId} placed: Tunnel Proxy, Prepaid.`;
			const cost = `Cost: ${((payments[0]?.amountInFen ?? 0) / 100).toFixed(2)} yuan.`;
			expect(result.startsWith(order) && result.endsWith(cost), `it says: ${result}`);
		});
	},
};
