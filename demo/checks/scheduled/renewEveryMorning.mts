import { at, isRecord, readList } from '../../../harness/outsideData.mts';
import { itemsOf } from '../../../harness/realN8n/index.mts';
import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import type { Workflow } from '../../examples.mts';
import { daysLeft, newCustomer } from './customer.mts';
import type { Session } from '../../session.mts';

const TRIGGER = 'Every Morning';
/** Fewer than a month: they pass in seconds, and what was renewed just now is not renewed again. */
const DAYS = 26;
/** Still within the three days before the end of an order. */
const DAYS_BETWEEN = 2;

/** The same workflow with other fields and options in 'Renew'. */
function renewing(fields: object, options: object = {}): (workflow: Workflow) => Workflow {
	return (workflow) => {
		const copy = structuredClone(workflow);
		const renew = readList(copy, 'nodes').find((node) => at(node, 'name') === 'Renew');
		const parameters = at(renew, 'parameters');
		if (!isRecord(parameters)) throw new Error("The workflow has no 'Renew'");
		Object.assign(parameters, fields, { options: { ...Object(parameters.options), ...options } });
		return copy;
	};
}

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

		const told = async (sent: number, text: string): Promise<void> => {
			const run = await morning();
			expectEqual(run.status, 'success', 'the end of the run');
			expectEqual(messages.texts.slice(sent).join(), text, 'what was told');
		};

		await check('A dry run tells what it would renew, and pays nothing', async () => {
			const dry = await customer.importAgain({ dryRun: true });
			const sent = messages.texts.length;
			await n8n.runWorkflow(dry, TRIGGER);
			expectEqual(ledger.count(), 0, 'the number of payments');
			const [head, line] = messages.texts.slice(sent).join().split('\n');
			const wanted = `Kuaidaili (dry run): 1 of ${orders.length} orders would be renewed.`;
			expectEqual(head, wanted, 'the first line');
			const due = `Tunnel Proxy order ${orders[0]?.orderId} expires in `;
			expect(
				line?.startsWith(due) === true && line.includes('would be renewed'),
				`it says: ${line}`,
			);
		});
		await check('A list that fails is told', async () => {
			sandbox.faults.add({ kind: 'code', code: -108, path: '/api/getaccountorders', times: 1 });
			const sent = messages.texts.length;
			const run = await morning();
			expectEqual(run.status, 'success', 'the end of the run');
			const text = messages.texts.slice(sent).join();
			expect(text.startsWith('Kuaidaili: orders could not be checked. '), `it says: ${text}`);
			expectEqual(ledger.count(), 0, 'the number of payments');
		});
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
				summary?.startsWith(
					`Kuaidaili: 1 of 1 due orders renewed. Cost: ${cost} yuan. Balance: `,
				) === true,
				`the message begins with: ${summary}`,
			);
			expectEqual(line, at(item, 'json', 'text'), 'the line about the order');
			const begin = `Renewed Tunnel Proxy order ${orders[0]?.orderId} by 1 month for `;
			expect(line?.startsWith(begin) === true, `it begins with: ${line}`);
		});
		await check('The same morning once more renews nothing, and says so in one line', async () => {
			const paid = ledger.count();
			const quiet = `Kuaidaili: ${orders.length} orders checked, none is due.`;
			await told(messages.texts.length, quiet);
			expectEqual(ledger.count(), paid, 'the number of payments');
		});
		await check(
			`With a run every ${DAYS_BETWEEN} days, every order is still in force after ${DAYS}, and paid when it was due`,
			async () => {
				const begin = ledger.count();
				const copyId = await customer.importAgain();
				for (let day = DAYS_BETWEEN; day <= DAYS; day += DAYS_BETWEEN) {
					customer.passDays(DAYS_BETWEEN);
					const run = await n8n.runWorkflow(copyId, TRIGGER);
					expectEqual(run.status, 'success', `the end of the run on day ${day}`);
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
		const messageOf = async (
			adapt: (workflow: Workflow) => Workflow,
			dryRun: boolean,
			daysGone = 0,
		) => {
			const other = await newCustomer(session, 'renew-every-morning', adapt);
			other.passDays(daysGone);
			const sent = messages.texts.length;
			const run = await n8n.runWorkflow(await other.importAgain({ dryRun }), TRIGGER);
			expectEqual(run.status, 'success', 'the end of the run');
			expectEqual(other.sandbox.ledger.count(), 0, 'the number of payments');
			const names = other.orders.map(({ orderId }) => `Tunnel Proxy order ${orderId}`);
			// Of a day, some seconds may have passed
			const text = messages.texts
				.slice(sent)
				.join()
				.replaceAll(/\d+\.9 days/g, (days) => `${Math.ceil(Number.parseFloat(days))} days`);
			return { lines: text.split('\n'), names };
		};
		await check('A due order that a limit holds back is told with the limit', async () => {
			const { lines, names } = await messageOf(
				renewing({}, { minimumBalance: 5000, expectedCost: 100 }),
				false,
			);
			const head = '0 of 1 due orders renewed. Cost: 0.00 yuan.';
			const held = 'A limit held back 1, and the first ends in 2 days.';
			expectEqual(lines[0], `Kuaidaili: ${head} ${held}`, 'the first line');
			const begin = `${names[0]} (2 days left) not renewed: The account has 1000.00 yuan`;
			const isTold = lines[1]?.startsWith(begin) === true && lines[1].endsWith(' is 5,000');
			expect(isTold, `it says: ${lines[1]}`);
		});
		await check('What several orders have in common is told once', async () => {
			const adapt = renewing({ expiringWithin: 25 }, { minimumBalance: 5000, expectedCost: 100 });
			const { lines, names } = await messageOf(adapt, false);
			expect(
				lines[0]?.endsWith('A limit held back 3, and the first ends in 2 days.') === true,
				`it begins with: ${lines[0]}`,
			);
			expect(
				lines[1]?.startsWith('3 orders not renewed: The account has ') === true,
				`it says: ${lines[1]}`,
			);
			const orders = [2, 10, 20].map((days, index) => `${names[index]} (${days} days left)`);
			expectEqual(lines.slice(2).join(), orders.join(), 'the orders');
		});
		await check(
			'An order that ends within a day is told as the first that a limit held back',
			async () => {
				const adapt = renewing({ expiringWithin: 25 }, { minimumBalance: 5000, expectedCost: 100 });
				const { lines, names } = await messageOf(adapt, false, 1.05);
				const head = '0 of 3 due orders renewed. Cost: 0.00 yuan.';
				const held = 'A limit held back 3, and the first ends in 1 days.';
				expectEqual(lines[0], `Kuaidaili: ${head} ${held}`, 'the first line');
				const begin = `${names[0]} (1 days left) not renewed: The account has 1000.00 yuan`;
				const end = 'or lower the balance to keep. Run the workflow again before the order ends.';
				const isTold = lines[1]?.startsWith(begin) === true && lines[1].endsWith(end);
				expect(isTold, `it says: ${lines[1]}`);
				const others = [9, 19].map((days, index) => `${names[index + 1]} (${days} days left)`);
				expectEqual(lines.slice(3).join(), others.join(), 'the other orders');
			},
		);
		await check('A mistake in the fields is told once for all orders', async () => {
			const { lines } = await messageOf(renewing({ timeNumber: 0 }), true);
			expectEqual(lines.length, 2, 'the number of lines');
			expect(
				lines[1]?.startsWith("4 orders not renewed: 'Duration' can't be 0. ") === true,
				`it says: ${lines[1]}`,
			);
		});
		await check('Failures are told first and together, in Chinese if that is wanted', async () => {
			const other = await newCustomer(
				session,
				'renew-every-morning',
				renewing({ expiringWithin: 25 }),
			);
			const { faults, ledger: paid } = other.sandbox;
			faults.add({ kind: 'code', code: -5, path: '/api/reneworder', times: 2 });
			const chinese = await other.importAgain({ dryRun: false, messageLanguage: 'zh' });
			const sent = messages.texts.length;
			await n8n.runWorkflow(chinese, TRIGGER);
			const [head, together, ...lines] = messages.texts.slice(sent).join().split('\n');
			const cost = ((paid.entries()[0]?.amountInFen ?? 0) / 100).toFixed(2);
			const wanted = `Kuaidaili：到期 3 个，续了 1 个，花了 ${cost} 元，余额 `;
			expect(head?.startsWith(wanted) === true, `it begins with: ${head}`);
			expectEqual(together, '2 个订单没续：账户余额不足 (code -5).', 'what they have in common');
			const begins = other.orders
				.slice(0, 3)
				.map(({ orderId }) => `隧道代理订单 ${orderId}`)
				.map((name, index) => `${name}${index === 2 ? '已续，花了 ' : '（还剩 '}`);
			for (const [index, begin] of begins.entries()) {
				expect(lines[index]?.startsWith(begin) === true, `it says: ${lines[index]}`);
			}
		});
		await check('A renewal that has no cost is not told as free', async () => {
			const other = await newCustomer(session, 'renew-every-morning');
			other.sandbox.faults.add({ kind: 'code', code: -51, path: '/api/getaccountbalance' });
			const sent = messages.texts.length;
			await n8n.runWorkflow(other.workflowId, TRIGGER);
			expectEqual(other.sandbox.ledger.count(), 1, 'the number of payments');
			const [head] = messages.texts.slice(sent).join().split('\n');
			const wanted = 'Kuaidaili: 1 of 1 due orders renewed. Cost: 0.00 yuan, and unknown for 1.';
			expectEqual(head, wanted, 'the first line');
		});
	},
};
