import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { at, isRecord } from '../harness/outsideData.mts';
import type { CredentialToTest } from '../harness/realN8n/index.mts';
import { onShutdown } from '../scripts/shutdown.mjs';

/** The example with the agent gets it in the demo. */
export const MODEL_CREDENTIAL = { id: 'kdlStandInModel1', name: 'Stand-in model (no AI)' };

const LONGEST_ANSWER = 1_500;
const HELP =
	'I am no AI, only a stand-in that calls one tool and repeats what came. Ask for the balance, the orders, or a proxy; name an address to read; or write "renew" and an order number.';

/** Which tool a message asks for, by words. An address goes before everything else. */
const TOOLS: ReadonlyArray<readonly [words: RegExp, tool: RegExp]> = [
	[/https?:\/\//i, /page/i],
	[/renew/i, /renew/i],
	[/balance|money|yuan/i, /balance/i],
	[/order/i, /orders/i],
	[/prox/i, /prox/i],
];

/** A chat completion of OpenAI, in as much as n8n's agent reads it. */
type Message = Readonly<Record<string, unknown>>;

/**
 * Answers like OpenAI's API, for an agent in the demo that needs no key: it picks a tool by the words of the message,
 * and repeats the tool's answer. It is no model.
 *
 * @returns its address, as n8n's OpenAI credential takes it
 */
export async function openStandInModel(): Promise<string> {
	const server = createServer((request, response) => {
		void (async () => {
			const asked: unknown = JSON.parse((await textOf(request)) || '{}');
			const message = answerTo(asked);
			const reason = 'tool_calls' in message ? 'tool_calls' : 'stop';
			const completion = (object: string, choice: Message) => ({
				...{ id: 'chatcmpl-stand-in', object, created: 0, model: 'stand-in' },
				choices: [{ index: 0, ...choice, finish_reason: reason }],
				usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
			});
			if (at(asked, 'stream') === true) {
				response.writeHead(200, { 'content-type': 'text/event-stream' });
				const chunk = completion('chat.completion.chunk', { delta: message });
				response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
				return;
			}
			response.writeHead(200, { 'content-type': 'application/json' });
			response.end(JSON.stringify(completion('chat.completion', { message })));
		})().catch((error: unknown) => {
			response.writeHead(400).end(String(error));
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	onShutdown(async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

export function modelCredential(url: string): CredentialToTest {
	return { ...MODEL_CREDENTIAL, type: 'openAiApi', data: { apiKey: 'no key is needed', url } };
}

async function textOf(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) if (chunk instanceof Buffer) chunks.push(chunk);
	return Buffer.concat(chunks).toString();
}

function answerTo(asked: unknown): Message {
	const messages = at(asked, 'messages');
	const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
	const text = contentOf(last);
	if (at(last, 'role') === 'tool') {
		return { role: 'assistant', content: `The tool answered: ${text.slice(0, LONGEST_ANSWER)}` };
	}
	const tools = at(asked, 'tools');
	const known = (Array.isArray(tools) ? tools : []).map((tool) => at(tool, 'function'));
	for (const [words, name] of TOOLS) {
		const tool = words.test(text)
			? known.find((each) => name.test(String(at(each, 'name'))))
			: undefined;
		if (tool === undefined) continue;
		const call = {
			name: String(at(tool, 'name')),
			arguments: JSON.stringify(argumentsFor(at(tool, 'parameters'), '', text)),
		};
		return {
			role: 'assistant',
			content: null,
			tool_calls: [{ index: 0, id: 'call_stand_in', type: 'function', function: call }],
		};
	}
	return { role: 'assistant', content: HELP };
}

function contentOf(message: unknown): string {
	const content = at(message, 'content');
	if (typeof content === 'string') return content;
	return (Array.isArray(content) ? content : []).map((part) => String(at(part, 'text'))).join('\n');
}

/** What the tool's schema asks for, as far as the message says it. */
function argumentsFor(schema: unknown, name: string, text: string): unknown {
	const properties = at(schema, 'properties');
	if (isRecord(properties)) {
		return Object.fromEntries(
			Object.entries(properties).map(([key, each]) => [key, argumentsFor(each, key, text)]),
		);
	}
	const type = at(schema, 'type');
	if (type === 'number' || type === 'integer') return 1;
	if (type === 'boolean') return false;
	if (name === 'url') return /https?:\/\/[^\s"]+/i.exec(text)?.[0] ?? '';
	return /\d{10,20}/.exec(text)?.[0] ?? '';
}
