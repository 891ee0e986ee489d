import { type CheckGroup, expectEqual } from '../../../harness/checks/checks.mts';
import { newCustomer, switchOn } from './customer.mts';
import type { Session } from '../../session.mts';

const PATH = '/api/getaccountbalance';

/** examples/tell-when-balance-is-low.json, as an active workflow */
export const tellWhenBalanceIsLow: CheckGroup<Session> = {
	name: 'Example "tell when the balance is low"',
	async run(session, check) {
		const customer = await newCustomer(session, 'tell-when-balance-is-low');
		const { account, orders, workflowId } = customer;
		const { n8n, messages } = session;
		const sentBefore = messages.texts.length;
		const texts = () => messages.texts.slice(sentBefore).join(' ');
		const lookAgain = async () => {
			await n8n.deactivate(workflowId);
			await switchOn(session, customer, PATH);
		};
		const first =
			'Kuaidaili: The Kuaidaili account balance is 99.50 yuan, below the limit of 100 yuan';
		const second =
			'Kuaidaili: The Kuaidaili account balance is 12.00 yuan, below the limit of 100 yuan';

		await check('A low balance is told once', async () => {
			account.balanceInFen = 99_50;
			await switchOn(session, customer, PATH);
			await n8n.runsOf(workflowId, 1);
			account.balanceInFen = 50_00;
			await lookAgain();
			expectEqual((await n8n.runsOf(workflowId, 1)).length, 1, 'the number of runs');
			expectEqual(texts(), first, 'what was told');
		});
		await check('After a recharge it is told again', async () => {
			account.balanceInFen = 500_00;
			await lookAgain();
			account.balanceInFen = 12_00;
			await lookAgain();
			await n8n.runsOf(workflowId, 2);
			expectEqual(texts(), `${first} ${second}`, 'what was told');
			await n8n.deactivate(workflowId);
		});
		await check(
			'Every Monday, the orders that end within seven days are told together',
			async () => {
				const sent = messages.texts.length;
				const run = await n8n.runWorkflow(await customer.importAgain(), 'Every Monday');
				expectEqual(run.status, 'success', 'the end of the run');
				const [head, line] = messages.texts.slice(sent).join().split('\n');
				expectEqual(head, 'Kuaidaili: 1 order ends within 7 days.', 'the first line');
				const begin = `Tunnel Proxy order ${orders[0]?.orderId} expires in `;
				expectEqual(line?.slice(0, begin.length), begin, 'the line about the order');
			},
		);
	},
};
