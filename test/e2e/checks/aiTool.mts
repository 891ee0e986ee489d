import { type CheckGroup, expect, expectEqual } from '../../../harness/checks/checks.mts';
import { at, excerpt, readString } from '../../../harness/outsideData.mts';
import { kuaidaili, MANUAL_TRIGGER, manualWorkflow } from '../../../harness/realN8n/workflows.mts';
import { credentialOf, type KeyName } from '../keys.mts';
import type { E2eSession } from '../session.mts';

const TOOL = 'Kuaidaili Tool';

/** The node as a tool of an AI agent. n8n runs it with values that are given in place of a model's. */
export const aiTool: CheckGroup<E2eSession> = {
	name: 'Tool of an AI agent',
	async run(session, check) {
		const { log, ledger } = session.sandbox;
		await check('The tool extracts as many proxies as the model asks for', async () => {
			const used = await useTool(
				session,
				'opsVip',
				{
					resource: 'proxy',
					operation: 'extract',
					product: 'OPS',
					plan: 'vip',
					num: "={{ $fromAI('count', 'How many proxies', 'number') }}",
				},
				{ count: 4 },
			);
			expectEqual(used.response.length, 4, 'the number of proxies that the model gets');
			const proxyUrl = readString(used.response[0], 'proxyUrl');
			expect(/^http:\/\/[\d.]+:\d+$/.test(proxyUrl), `'proxyUrl' is ${proxyUrl}`);
			expectEqual(log.last('/api/getproxy')?.parameters.num, '4', "the parameter 'num'");
		});
		await check('The tool places one order, and the model gets its number', async () => {
			const before = ledger.count();
			const used = await useTool(
				session,
				'account',
				{
					resource: 'order',
					operation: 'create',
					product: 'TPS',
					payType: 'PRE_PAY',
					prepayTimeType: 'DAY',
					prepayTimeNumber: "={{ $fromAI('days', 'How many days', 'number') }}",
				},
				{ days: 2 },
			);
			const payments = ledger.entries().slice(before);
			expectEqual(payments.length, 1, 'the number of payments');
			const number = at(used.response, 0, 'orderid');
			expectEqual(number, payments[0]?.orderId, 'the number that the model gets');
			const request = log.last('/api/createorder');
			expectEqual(request?.parameters['prepay.time_number'], '2', 'the number of days');
		});
		await check('What goes wrong is told to the model, with what to do', async () => {
			const { error } = await useTool(
				session,
				'opsVip',
				{ resource: 'account', operation: 'getBalance' },
				{},
			);
			for (const part of ["needs the account's key pair", "'Key Type' to 'Account'"]) {
				expect(error.includes(part), `it lacks "${part}": ${excerpt(error)}`);
			}
		});
	},
};

interface UsedTool {
	/** What the model gets; nothing when the tool failed. */
	readonly response: readonly unknown[];
	/** What the model gets when the tool failed. */
	readonly error: string;
}

async function useTool(
	{ n8n }: E2eSession,
	key: KeyName,
	parameters: Readonly<Record<string, unknown>>,
	values: Readonly<Record<string, unknown>>,
): Promise<UsedTool> {
	const agent = { name: 'AI Agent', type: '@n8n/n8n-nodes-langchain.agent', typeVersion: 2 };
	const tool = {
		...kuaidaili(parameters, credentialOf(key)),
		name: TOOL,
		type: 'n8n-nodes-kuaidaili.kuaidailiTool',
	};
	const connections = {
		[MANUAL_TRIGGER]: { main: [[{ node: 'AI Agent', type: 'main', index: 0 }]] },
		[TOOL]: { ai_tool: [[{ node: 'AI Agent', type: 'ai_tool', index: 0 }]] },
	};
	const workflow = manualWorkflow(`Trial: ${TOOL}`, [agent, tool], { connections });
	const id = await n8n.createWorkflow(workflow);
	const { saved } = await n8n.runTool(id, MANUAL_TRIGGER, TOOL, values);
	const task = at(saved, 'data', 'resultData', 'runData', TOOL, 0);
	const response = at(task, 'data', 'ai_tool', 0, 0, 'json', 'response');
	return {
		response: Array.isArray(response) ? response : [],
		error: String(at(task, 'error', 'message') ?? ''),
	};
}
