import { at, excerpt, readList } from '../../harness/outsideData.mts';
import { until } from './until.mts';
import { readExample, withInputs } from '../examples.mts';
import { type CheckGroup, expect, expectEqual } from '../../harness/checks/checks.mts';
import type { Session } from '../session.mts';

/** n8n takes a click from no program. */
const BROWSER =
	'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const CHAT = 'When chat message received';

/** examples/ask-an-ai-agent.json. Its model is the demo's stand-in. */
export const askAnAiAgent: CheckGroup<Session> = {
	name: 'Example "ask an AI agent"',
	async run(session, check) {
		const { n8n } = session;
		await check('Every node of the AI agent example is known to n8n, with its fields', async () => {
			const types = await n8n.nodeTypes();
			for (const node of readList(await readExample('ask-an-ai-agent'), 'nodes')) {
				const name = String(at(node, 'type'));
				const known = types.find((type) => at(type, 'name') === name);
				expect(known !== undefined, `n8n has no node ${name}`);
				if (!name.endsWith('kuaidailiTool')) continue;
				const fields = new Set(readList(known, 'properties').map((field) => at(field, 'name')));
				const parameters = at(node, 'parameters');
				for (const field of Object.keys(parameters ?? {})) {
					expect(fields.has(field), `the tool has no field '${field}'`);
				}
			}
		});
		await check('The agent reads a page, and sees no login', async () => {
			const { saved } = await chat(session, `Read ${session.inputs.siteUrl}/article`);
			const said = outputOf(saved, 'AI Agent');
			expect(said.includes('The harbor'), `the agent says: ${excerpt(said)}`);
			expect(!/@\d/.test(said), 'the answer has a login');
		});
		await check('The agent answers with what a tool says', async () => {
			const { saved } = await chat(session, 'How much money is there?');
			const said = outputOf(saved, 'AI Agent');
			expect(said.includes('balance'), excerpt(said));
		});
		await check('Nothing is renewed before a person says yes, and then once', async () => {
			const { sandbox } = session;
			const order = sandbox.store.order(sandbox.keys.kps.secretId);
			const ends = order.expiresAt;
			order.expiresAt = new Date(sandbox.clock.milliseconds() + 24 * 3_600_000);
			const before = sandbox.ledger.count();
			const run = await chat(session, `Please renew ${order.orderId}`);
			expectEqual(run.status, 'waiting', 'the run');
			expectEqual(sandbox.ledger.count() - before, 0, 'the number of payments');
			// The buttons of the question are signed links
			const question = JSON.stringify(at(run.saved, 'data'));
			const yes = /http[^"\\]{1,500}approved=true[^"\\]{0,300}/.exec(question)?.[0];
			expect(
				yes !== undefined,
				`nobody was asked: ${excerpt(at(run.saved, 'data', 'resultData'))}`,
			);
			await fetch(yes ?? '', { headers: { 'user-agent': BROWSER } });
			await until(() => sandbox.ledger.count() > before, AbortSignal.timeout(30_000));
			expectEqual(sandbox.ledger.count() - before, 1, 'the number of payments after a yes');
			expect(order.expiresAt !== undefined && order.expiresAt > new Date(), 'it is over');
			order.expiresAt = ends;
		});
	},
};

/** What somebody writes in the chat, up to the answer or to a question of the agent. */
async function chat({ n8n, inputs }: Session, chatInput: string) {
	const { id, ...workflow } = withInputs(await readExample('ask-an-ai-agent'), inputs);
	const pinned = [{ json: { sessionId: String(id), action: 'sendMessage', chatInput } }];
	const adapted = { ...workflow, pinData: { [CHAT]: pinned } };
	return await n8n.runUntilItWaits(await n8n.createWorkflow(adapted), CHAT);
}

function outputOf(saved: unknown, node: string): string {
	const task = at(saved, 'data', 'resultData', 'runData', node);
	const last: unknown = Array.isArray(task) ? task.at(-1) : undefined;
	return String(at(last, 'data', 'main', 0, 0, 'json', 'output') ?? at(last, 'error', 'message'));
}
