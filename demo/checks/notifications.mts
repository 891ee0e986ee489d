import { type CheckGroup, expect, expectEqual } from '../../harness/checks/checks.mts';
import { at, isRecord, readList } from '../../harness/outsideData.mts';
import { MANUAL_TRIGGER, manualWorkflow } from '../../harness/realN8n/workflows.mts';
import type { FinishedRun } from '../../harness/realN8n/index.mts';
import { readExample, withInputs, type Workflow } from '../examples.mts';
import { CHATS, type Chat } from '../messageBox.mts';
import type { Session } from '../session.mts';
import { newCustomer } from './scheduled/customer.mts';

/** What a group's webhook looks like; the format is told by it. */
const ADDRESSES: Readonly<Record<Chat, string>> = {
	slack: 'https://hooks.slack.com/services/T0/B0/x',
	wecom: 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=x',
	dingtalk: 'https://oapi.dingtalk.com/robot/send?access_token=x',
	feishu: 'https://open.feishu.cn/open-apis/bot/v2/hook/x',
};

/** The nodes that all examples have in common, without what comes between them. */
const TAIL = [
	'Settings',
	'Address Entered?',
	'Enter Your Address',
	'Message',
	'Body',
	'Send Message',
	'Accepted?',
	'Message Refused',
];

const PLACEHOLDER = 'https://example.com/your-webhook';
const KEYWORD_REFUSALS: Partial<Record<Chat, string>> = {
	dingtalk: 'keywords not in content (310000)',
	feishu: 'Key Words Not Found (19024)',
};

/** The messages of the examples, to stand-ins that refuse as the chat services do. */
export const notifications: CheckGroup<Session> = {
	name: 'Notifications of the examples',
	async run(session, check) {
		const { messages } = session;
		for (const chat of CHATS) {
			await check(`A message arrives at ${chat}`, async () => {
				const text = 'Kuaidaili: 1 of 1 orders renewed.\nOrder 1 "快代理" \\ 100%';
				const sent = messages.texts.length;
				expectEqual((await send(session, chat, text)).status, 'success', 'the end of the run');
				expectEqual(messages.texts.slice(sent).join(), text, 'what arrived');
			});
			await check(`A message of 60 lines arrives at ${chat}`, async () => {
				const line = '私密代理订单续费失败：账户余额不足，请充值后再试。';
				const lines = ['Kuaidaili: 0 of 60 orders renewed.', ...Array<string>(60).fill(line)];
				const sent = messages.texts.length;
				const run = await send(session, chat, lines.join('\n'));
				expectEqual(run.status, 'success', 'the end of the run');
				const arrived = messages.texts[sent]?.split('\n') ?? [];
				const kept = chat === 'wecom' ? arrived.length - 1 : lines.length;
				const expected = lines.slice(0, kept);
				if (chat === 'wecom') expected.push(`and ${lines.length - kept} more`);
				expectEqual(arrived.join('\n'), expected.join('\n'), 'what arrived');
				expect(kept > 25, `only ${kept} lines were kept`);
			});
		}
		for (const [chat, words] of Object.entries(KEYWORD_REFUSALS)) {
			await check(`A refusal by ${chat} fails the run, and says why`, async () => {
				const run = await send(session, chat as Chat, 'without the keyword');
				expectEqual(errorOf(run), `The message was refused: ${words}`, 'the error');
			});
		}
		await check('Without an address, nothing is asked for and nothing is paid', async () => {
			const customer = await newCustomer(session, 'renew-every-morning', (workflow) =>
				withInputs(workflow, { ...session.inputs, messageUrl: PLACEHOLDER }),
			);
			const run = await session.n8n.runWorkflow(customer.workflowId, 'Every Morning');
			const begin = "In 'Settings', enter the address of your webhook";
			expect(errorOf(run).startsWith(begin), `the run ended with: ${errorOf(run)}`);
			expectEqual(customer.sandbox.log.count(), 0, 'the number of calls');
		});
	},
};

function errorOf({ saved }: FinishedRun): string {
	return String(at(saved, 'data', 'resultData', 'error', 'message'));
}

/** Sends a text by the nodes of an example, as if the stand-in were the chat service. */
async function send({ n8n, messages }: Session, chat: Chat, text: string): Promise<FinishedRun> {
	const example = withInputs(await readExample('tell-when-balance-is-low'), {
		messageUrl: ADDRESSES[chat],
	});
	const workflow = tailOf(example, text, messages.urls[chat]);
	return await n8n.runWorkflow(await n8n.createWorkflow(workflow), MANUAL_TRIGGER);
}

function tailOf(example: Workflow, text: string, url: string) {
	const nodes = readList(example, 'nodes').filter(isRecord);
	const tail = nodes.filter(({ name }) => TAIL.includes(String(name)));
	for (const node of tail) {
		const { parameters } = node;
		if (!isRecord(parameters)) continue;
		if (node.name === 'Send Message') parameters.url = url;
		if (node.name === 'Message') {
			for (const field of readList(parameters, 'assignments', 'assignments')) {
				if (isRecord(field) && field.name === 'text') field.value = text;
			}
		}
	}
	const connections = isRecord(example.connections) ? example.connections : {};
	const workflow = manualWorkflow(`Message by ${url}`, [], {
		connections: {
			...Object.fromEntries(Object.entries(connections).filter(([name]) => TAIL.includes(name))),
			[MANUAL_TRIGGER]: { main: [[{ node: 'Settings', type: 'main', index: 0 }]] },
		},
	});
	return { ...workflow, nodes: [...workflow.nodes, ...tail] };
}
