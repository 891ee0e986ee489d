import { at } from '../../../harness/outsideData.mts';
import { itemsOf } from '../../../harness/realN8n/index.mts';
import type { CheckGroup } from '../../../harness/checks/checkGroup.mts';
import { expect, expectEqual } from '../../../harness/checks/expectations.mts';
import { daysLeft, newCustomer } from './customer.mts';
import type { Session } from '../../session.mts';

const TRIGGER = 'Every Morning';
/** Fewer than a month: they pass in seconds, and what was renewed just now is not renewed again. */
const MORNINGS = 26;

/** examples/renew-every-morning.json */
export const renewEveryMorning: CheckGroup<Session> = {
	name: 'Example "renew every morning"',
	async run(session, check) {
		const customer = await newCustomer(session, 'renew-every-morning');
		const { sandbox, orders, workflowId } = customer;
		const { ledger } = sandbox;
		const { n8n, messages } = session;
		const morning = async () => await n8n.runWorkflow(workflowId, TRIGGER);
		const paidOrders = (from: number) =>
			ledger
				.entries()
				.slice(from)
				.map(({ orderId }) => orderId);

		await check('The first morning renews the one order that ends within 3 days', async () => {
			const sent = messages.texts.length;
			const run = await morning();
			const items = itemsOf(run, 'Renew');
			expectEqual(items.length, orders.length, 'the number of orders');
			const [item, ...more] = items.filter((each) => at(each, 'json', 'renewed') === true);
			expectEqual(more.length, 0, 'the number of further orders that were renewed');
			expectEqual(paidOrders(0).join(), orders[0]?.orderId, 'what was paid');
			const cost = ((ledger.entries()[0]?.amountInFen ?? 0) / 100).toFixed(2);
			const [summary, line] = messages.texts.slice(sent).join().split('\n');
			expect(
				summary?.startsWith(`Kuaidaili: 1 of 1 orders renewed. Cost: ${cost} yuan. Balance: `) ===
					true,
				`the message begins with: ${summary}`,
			);
			const days = String(at(item, 'json', 'daysLeft'));
			const begin = `Order ${orders[0]?.orderId} was renewed and now expires in ${days} days, on `;
			expectEqual(line?.slice(0, begin.length), begin, 'the line about the order');
			const moment = line?.slice(begin.length) ?? '';
			expect(/^\d{4}-\d\d-\d\d \d\d:\d\d \([\w/]+\)\.$/.test(moment), `it ends with: ${moment}`);
		});
		await check('The same morning once more renews nothing and sends nothing', async () => {
			const [paid, sent] = [ledger.count(), messages.texts.length];
			const run = await morning();
			expectEqual(run.status, 'success', 'the end of the run');
			expectEqual(ledger.count(), paid, 'the number of payments');
			expectEqual(messages.texts.length, sent, 'the number of messages');
		});
		await check(
			`${MORNINGS} mornings later every order is still in force, and paid when it was due`,
			async () => {
				const begin = ledger.count();
				const copyId = await customer.importAgain();
				for (let day = 0; day < MORNINGS; day++) {
					customer.passDays(1);
					const run = await n8n.runWorkflow(copyId, TRIGGER);
					expectEqual(run.status, 'success', `the end of the run on day ${day + 1}`);
				}
				const due = [orders[1], orders[2]].map((order) => order?.orderId);
				const paid = paidOrders(begin);
				expectEqual([...paid].sort().join(), [...due].sort().join(), 'what was paid');
				expect(
					daysLeft(customer).every((days) => days >= 2),
					`the orders have ${daysLeft(customer).join(', ')} days left`,
				);
			},
		);
	},
};
