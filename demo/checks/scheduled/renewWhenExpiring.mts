import { at } from '../../../harness/outsideData.mts';
import { itemsOf } from '../../../harness/realN8n/index.mts';
import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { newCustomer, switchOn } from './customer.mts';
import type { Session } from '../../session.mts';

const PATH = '/api/getaccountorders';

/** examples/renew-when-expiring.json, as an active workflow */
export const renewWhenExpiring: CheckGroup<Session> = {
	name: 'Example "renew when an order expires"',
	async run(session, check) {
		const customer = await newCustomer(session, 'renew-when-expiring');
		const { sandbox, orders, workflowId } = customer;
		const { n8n, messages } = session;
		const [first, second] = orders.map(({ orderId }) => orderId);
		const sentBefore = messages.texts.length;

		await check(
			'Switched on, the workflow renews the order that is about to end, and tells it',
			async () => {
				await switchOn(session, customer, PATH);
				const [run] = await n8n.runsOf(workflowId, 1);
				expect(run !== undefined, 'there was no run');
				const [told, ...more] = itemsOf(run, 'Kuaidaili Trigger');
				expectEqual(more.length, 0, 'the number of further orders');
				expectEqual(at(told, 'json', 'orderid'), first, 'the order');
				expectEqual(at(itemsOf(run, 'Renew')[0], 'json', 'renewed'), true, "'renewed'");
				const [text] = messages.texts.slice(sentBefore);
				expect(
					text?.startsWith(`Kuaidaili: order ${first} was renewed and now expires `) === true,
					`it says: ${text}`,
				);
			},
		);
		await check('Switched off and on again, it tells nothing twice', async () => {
			await n8n.deactivate(workflowId);
			await switchOn(session, customer, PATH);
			expectEqual((await n8n.runsOf(workflowId, 1)).length, 1, 'the number of runs');
		});
		await check('After a week off, it renews what came near its end meanwhile', async () => {
			await n8n.deactivate(workflowId);
			customer.passDays(8);
			await switchOn(session, customer, PATH);
			const run = (await n8n.runsOf(workflowId, 2))[1];
			expect(run !== undefined, 'there was no second run');
			expectEqual(at(itemsOf(run, 'Renew')[0], 'json', 'orderid'), second, 'the order');
			const paid = sandbox.ledger.entries().map(({ orderId }) => orderId);
			expectEqual(paid.join(), [first, second].join(), 'what was paid');
			await n8n.deactivate(workflowId);
		});
	},
};
